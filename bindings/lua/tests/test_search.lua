-- The best parallel plan; runs as other programs have them.
local pm, check = require "perfmodel", require "check"

local found = pm.search{network = "gpt3-13b", system = "dgx-a100-80gb", gpus = {32, 64}, global_batch = 256,
                        precision = "bf16",
                        optimizer = "adam", tensor_parallel = {2, 4}, top = 5}
check.equal(found.plans:count(), 5)
assert(found.count > found.fitting and found.fitting > 5)
local rows = found.plans:rows()
for i = 2, #rows do assert(rows[i].throughput_p10 <= rows[i - 1].throughput_p10) end
local fast = found.fastest:rows()
for i = 2, #fast do assert(fast[i].step_time >= fast[i - 1].step_time) end
for _, row in ipairs(rows) do assert(row.tensor_parallel == 2 or row.tensor_parallel == 4) end
check.equal(rows[1].step_time, found.best.step_time)
check.equal(found.plans:column("plan")[1]:match "^tp%d sp", "tp" .. rows[1].tensor_parallel .. " sp")
assert(found.front:count() > 5 and found.why:count() >= 5 and found.choices:count() > found.why:count())
assert(tostring(found):find("Why this plan", 1, true) and tostring(found):find("plans, of which", 1, true)
       and tostring(found):find("tight ones within 8 %", 1, true))

local asked = {network = "gpt3-13b", system = "dgx-a100-80gb"}
for name, value in pairs(found.options) do asked[name] = value end
check.equal(pm.predict(asked).step_time, found.best.step_time)
assert(found:to_settings("megatron"):find("--tensor-model-parallel-size " .. found.options.tensor_parallel, 1, true))
check.raises("settings cannot be written", function()
  local text = found:to_settings "slurm"
  return text
end)

local function fails(fragment, options)
  options.network, options.system = "gpt3-13b", "dgx-a100-80gb"
  check.raises(fragment, function()
    local answer = pm.search(options) -- no tail call: Lua 5.1 would not know the place
    return answer
  end)
end
fails("unknown option", {global_batch = 64, batch = 3})
fails("no parallel plan shares", {global_batch = 64, tensor_parallel = 3})
fails("plans fits into memory", {global_batch = 64, usable_memory = "1 GB"})

local trained = pm.size_training{network = "gpt3-13b", system = "dgx-a100-80gb", samples = 1e6, within = "10 d",
                                   global_batch = 64,
                                   precision = "bf16"}:rows()
assert(trained[#trained].time <= 864000 and trained[#trained].reached >= 1 and trained[#trained].goodput == 1)
check.raises("unknown option", function()
  local answer = pm.size_training{network = "gpt3-13b", system = "dgx-a100-80gb", gpus = 8}
  return answer
end)

trained = pm.size_training{network = "llama2-13b", system = {"dgx-a100-80gb", "dgx-h100"}, tokens = "300B",
                           within = "30 d", minimize = "cost",
                           gpu_hour_price = {["dgx-a100-80gb"] = 9, ["dgx-h100"] = 1}}:rows()
assert(trained[1].system == "dgx-h100" and trained[1].rank == 1 and trained[2].rank == 2)
assert(trained[1].gpu_hour_cost == trained[1].gpu_hours and trained[1].global_batch == 1024)

local here = debug.getinfo(1, "S").source:match "^@(.*)/[^/]*$"
local script = here .. "/../../../tests/settings/train.sh"
local run = pm.run_from(script)
check.equal(run.options.tensor_parallel, 8)
check.equal(run.options.sequence_parallel, true)
check.equal(run.options.recompute, "selective")
check.equal(run.network.hidden, 12288)
check.equal(#run.not_understood, 1)
check.equal(run.not_understood[1], "tp-comm-overlap")
check.equal(#run.not_modelled, 0)
check.equal(pm.run_from(here .. "/../../../tests/settings/zero.json").not_modelled[1],
            "zero_optimization.offload_optimizer.ratio")
run.options.network, run.options.system = "gpt3-175b", "dgx-a100-80gb"
check.equal(pm.predict(run.options).step_time,
            pm.predict{network = "gpt3-175b", system = "dgx-a100-80gb", gpus = 8, nodes = 128, global_batch = 1536,
                       micro_batch = 1, precision = "bf16", optimizer = "adam", zero = 1, tensor_parallel = 8,
                       pipeline_parallel = 16, virtual_pipeline = 2, sequence_parallel = true,
                       recompute = "selective"}.step_time)
check.raises("slurm", function()
  local other = pm.run_from(script, "slurm")
  return other
end)
