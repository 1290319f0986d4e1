-- Serving: requests to a language model, sweeps, memory, errors.
local pm, check = require "perfmodel", require "check"

local p = pm.serve{network = "llama3-8b", system = "hgx-h100", tp = 2, isl = 2048, osl = 256, concurrency = 16}
check.equal(p.status, "ok")
check.equal(p.replicas, 4)
check.close(p.ttft + 255 * p.tpot, p.latency, 1e-12, "latency")
assert(tostring(p):find("TTFT", 1, true))
assert(p.assumed:find("vllm", 1, true))

local long = pm.serve{network = "llama3-8b", system = "hgx-h100", tensor_parallel = 2, isl = 2048, osl = 256,
                      concurrency = 16, framework = "vllm", weights = "fp8"}
assert(long.tpot < p.tpot and long.largest_concurrency > p.largest_concurrency)

local priced = pm.serve{network = "llama3-8b", system = "hgx-h100", tp = 2, isl = 2048, osl = 256, concurrency = 16,
                        gpu_hour_price = "2.5 USD"}
check.close(priced.output_cost, 2.5 * 8 / 3600 / priced.output_rate * 1e6, 1e-12, "cost")
check.close(2048 * priced.input_cost + 256 * priced.decode_cost, 256 * priced.output_cost, 1e-12, "parts of the cost")

local rows = pm.sweep{task = "serving", network = "llama3-8b", system = {"hgx-h100", "hgx-h200"},
                      tensor_parallel = {1, 2}, rate = {1, 4}}
check.equal(rows:count(), 8)

local use = pm.memory{task = "serving", network = "llama3-70b", system = "hgx-h100", tensor_parallel = 4}
check.equal(use.verdict, "fits")
check.close(use.weights + use.reserve + use.cache, use.total, 1e-15, "memory")

local function fails(fragment, options)
  options.network = "llama3-70b"
  check.raises(fragment, function()
    local answer = pm.serve(options) -- no tail call: Lua 5.1 would not know the place
    return answer
  end)
end
fails("141.1 GB", {system = "hgx-h100", tp = 1})
fails("not both", {system = "hgx-h100", tp = 1, tensor_parallel = 1})
fails("unknown option", {system = "hgx-h100", issl = 1})
fails("nothing", {system = "hgx-h100", engine = "nothing"})

-- Sizing.
local sized = pm.size_serving{network = "llama3-70b", system = {"hgx-h100", "hgx-h200"}, isl = 2048, osl = 256,
                              rate = 50, ttft = "1 s", tpot = "40 ms", percentile = 95,
                              gpu_hour_prices = {["hgx-h100"] = 2.5, ["hgx-h200"] = 3.5}}
check.equal(sized:column("rank")[1], 1)
local cost, gpus = sized:column("output_cost")[1], sized:column("paid_gpus")[1]
check.close(cost, 2.5 * gpus / 3600 / (50 * 256) * 1e6, 1e-12, "cost")
assert(pm.explain(sized):find("of at most 40 ms", 1, true))
local named = pm.size_serving{network = "llama3-8b", system = "hgx-h100", rate = 5, engine = {"vllm", "sglang-0.5"}}
check.equal(named:count(), 8)
local all = pm.size_serving{network = "llama3-70b", system = "hgx-h100", layouts = "all", top = 3}
check.equal(all:count(), 3)
check.raises("determines gpus", function()
  local answer = pm.size_serving{network = "llama3-70b", system = "hgx-h100", rate = 1, gpus = 8}
  return answer
end)
