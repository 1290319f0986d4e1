-- Inference: the forward pass by batch, precision and framework.
local pm, check = require "perfmodel", require "check"

local p = pm.infer{network = "resnet50", system = "t4", batch = 8, precision = "int8"}
check.equal(p.status, "ok")
check.equal(p.batch, 8)
check.close(p.throughput * p.latency, 8, 1e-12, "throughput x latency")
assert(tostring(p):find("samples/s", 1, true))

local within = pm.infer{network = "resnet50", system = "t4", precision = "int8", latency = "5 ms",
                        framework = "tensorrt"}
assert(within.latency <= 5e-3 and within.batch > 8)

local rows = pm.sweep{task = "inference", network = {"resnet50", "vgg16"}, system = {"t4", "dgx1-v100"}, batch = {1, 8},
                      precision = {"fp32", "fp16"}, framework = {"tensorrt", "pytorch"}}
check.equal(rows:count(), 32)

local function fails(fragment, options)
  options.network = "resnet50"
  check.raises(fragment, function()
    local answer = pm.infer(options) -- no tail call: Lua 5.1 would not know the place
    return answer
  end)
end
fails("one sample takes", {system = "t4", latency = "1 us"})
fails("not both", {system = "t4", batch = 1, latency = "1 s"})
fails("nothing", {system = "nothing"})
fails("no rate for int8", {system = "p100-sxm2", precision = "int8"})
fails("unknown option", {system = "t4", bach = 1})
