-- Memory of one GPU: parts, the largest batch, layers, advice, errors.
local pm, check = require "perfmodel", require "check"

local function ask(changes)
  local options = {network = "resnet50", system = "v100", batch = 64, precision = "fp32"}
  for name, value in pairs(changes or {}) do options[name] = value end
  local use = pm.memory(options) -- no tail call: Lua 5.1 would not know the place
  return use
end

-- The parts add up.
local parts = {"context", "weights", "gradients", "optimizer", "activations", "live_gradients", "allocator", "input",
               "workspace", "communication"}
local m, sum = ask{system = "dgx1-v100", optimizer = "adam", gpus = 8}, 0
for _, part in ipairs(parts) do sum = sum + m[part] end
check.close(sum, m.total, 1e-12, "sum of the parts")
check.equal(m.verdict, "fits")
check.equal(m.optimizer, 8 * pm.network("resnet50").parameters)
assert(tostring(m):find("fits", 1, true))

-- The largest batch is the largest; GPU and system are the same question.
local most = ask{system = "k80"}.largest_batch
check.equal(ask{system = "k80", batch = most}.missing, 0)
assert(ask{system = "k80", batch = most + 1}.missing > 0)
check.equal(ask{system = "dgx1-v100", gpus = 1}.total, ask().total)
check.equal(ask{system = pm.system("dgx1-v100"), gpus = 1}.total, ask().total)
check.equal(pm.memory{network = "resnet50", gpu = "v100", batch = 64, precision = "fp32"}.total, ask().total)

-- It is the memory of the prediction, and of the call.
for _, network in ipairs{"resnet50", "gpt2"} do
  local use = pm.memory{network = network, system = "dgx1-v100"}
  local p = pm.predict{network = network, system = "dgx1-v100"}
  check.equal(use.total, p.memory)
  check.equal(use.largest_batch, p.largest_batch)
  check.equal(use.assumed, p.assumed)
  local call = pm.infer{network = network, system = "dgx1-v100"}
  use = pm.memory{network = network, system = "dgx1-v100", task = "inference"}
  check.equal(use.total, call.memory)
  check.equal(use.assumed, call.assumed)
end
assert(tostring(ask{precision = "fp16"}):find("assumed: momentum, pytorch", 1, true))
check.equal(ask{usable = "2 GiB"}.usable, 2 * 2 ^ 30)

-- Less is kept in inference and with recomputation; a framework with other constants.
assert(ask{task = "inference"}.total < ask().total)
local hungry = pm.framework "pytorch-2.4"
hungry.memory.context = hungry.memory.context + 1e9
check.equal(ask{framework = hungry}.total, ask{framework = "pytorch-2.4"}.total + 1e9)
assert(ask{recompute = "full"}.total < ask().total)

-- Layers add up, and advice takes less.
sum = 0
local layers = pm.memory_layers{network = "resnet50", system = "v100", batch = 64, precision = "fp32"}
for _, saved in ipairs(layers:column("saved")) do
  sum = sum + saved
end
check.close(sum, ask().activations, 1e-12, "layers")
local tight = {network = "resnet152", system = "rtx-2080-ti", batch = 64, precision = "fp32"}
check.equal(pm.memory(tight).verdict, "does-not-fit")
local rows = pm.memory_advice(tight):rows()
assert(#rows >= 3)
for _, row in ipairs(rows) do assert(row.total < pm.memory(tight).total) end

-- Distributed: the heaviest rank, and every stage.
local plan = {network = "llama3-70b", system = "dgx-h100", tensor_parallel = 8, pipeline_parallel = 4, gpus = 64,
              zero = 1, batch = 8, micro_batch = 1, precision = "bf16", optimizer = "adam", recompute = "full"}
local heaviest, stages = pm.memory(plan), pm.memory_stages(plan):column("memory")
check.equal(#stages, 4)
check.equal(heaviest.total, math.max(stages[1], stages[2], stages[3], stages[4]))
plan.batch, plan.global_batch = nil, 16
check.equal(pm.memory(plan).total, heaviest.total)
plan.gpus = 96
check.raises("does not divide", pm.memory, plan)
plan.gpus, plan.global_batch = 60, nil
check.raises("60 GPUs do not fill whole nodes of 8; 56 or 64 GPUs do", pm.memory, plan)
check.equal(pm.memory_stages{network = "resnet50", system = "v100"}:count(), 1)
check.raises("no effect in inference", ask, {tensor_parallel = 2, task = "inference"})
check.raises("only for training", pm.memory_stages, {network = "resnet50", system = "v100", task = "inference"})

-- What is wrong is raised, with the value.
check.raises("batch 0", ask, {batch = 0})
check.raises("not modelled", ask, {precision = "int8"})
check.raises("k80", ask, {system = "k81"})
check.raises("adam", ask, {optimizer = "adm"})
check.raises("torsch", ask, {framework = "torsch"})
check.raises("zero 4", ask, {zero = 4})
check.raises("colour", ask, {colour = "red"})
print("ok")
