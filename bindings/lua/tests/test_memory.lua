-- Memory of one GPU: parts, the largest batch, layers, advice, errors.
local pm, check = require "perfmodel", require "check"

local function ask(changes)
  local options = {network = "resnet50", gpu = "v100", batch = 64}
  for name, value in pairs(changes or {}) do options[name] = value end
  local use = pm.memory(options) -- no tail call: Lua 5.1 would not know the place
  return use
end

-- The parts add up.
local parts = {"context", "weights", "gradients", "optimizer", "activations", "live_gradients", "allocator", "input",
               "workspace", "communication"}
local m, sum = ask{optimizer = "adam", dp = 8}, 0
for _, part in ipairs(parts) do sum = sum + m[part] end
check.close(sum, m.total, 1e-12, "sum of the parts")
check.equal(m.verdict, "fits")
check.equal(m.optimizer, 8 * pm.network("resnet50").parameters)
assert(tostring(m):find("fits", 1, true))

-- The largest batch is the largest; GPU and system are the same question.
local most = ask{gpu = "k80"}.largest_batch
check.equal(ask{gpu = "k80", batch = most}.missing, 0)
assert(ask{gpu = "k80", batch = most + 1}.missing > 0)
check.equal(ask{gpu = "dgx1-v100"}.total, ask().total)
check.equal(ask{gpu = pm.system("dgx1-v100")}.total, ask().total)
check.equal(ask{usable = "2 GiB"}.usable, 2 * 2 ^ 30)

-- Less is kept in inference and with recomputation; an optimizer of one's own.
assert(ask{inference = true}.total < ask().total)
assert(ask{recompute = "full"}.total < ask().total)
check.equal(ask{optimizer = {id = "frugal", state = 1}}.optimizer, pm.network("resnet50").parameters)

-- Layers add up, and advice takes less.
sum = 0
for _, saved in ipairs(pm.memory_layers{network = "resnet50", gpu = "v100", batch = 64}:column("saved")) do
  sum = sum + saved
end
check.close(sum, ask().activations, 1e-12, "layers")
local tight = {network = "resnet152", gpu = "rtx-2080-ti", batch = 64}
check.equal(pm.memory(tight).verdict, "does-not-fit")
local rows = pm.memory_advice(tight):rows()
assert(#rows >= 3)
for _, row in ipairs(rows) do assert(row.total < pm.memory(tight).total) end

-- Shared out: the heaviest rank, and every stage; GPU and system are the same question.
local plan = {network = "llama3-70b", gpu = "h100-sxm5", tensor_parallel = 8, pipeline_parallel = 4, dp = 2, zero = 1,
              batch = 8, micro_batch = 1, precision = "bf16", optimizer = "adam", recompute = "full"}
local heaviest, stages = pm.memory(plan), pm.memory_stages(plan):column("memory")
check.equal(#stages, 4)
check.equal(heaviest.total, math.max(stages[1], stages[2], stages[3], stages[4]))
plan.gpu = "dgx-h100"
check.equal(pm.memory(plan).total, heaviest.total)
plan.batch, plan.global_batch = nil, 16
check.equal(pm.memory(plan).total, heaviest.total)
plan.dp = 3
check.raises("does not divide", pm.memory, plan)
plan.tensor_parallel, plan.global_batch = 5, nil
check.raises("60 GPUs are no whole number of nodes with 8", pm.memory, plan)
check.raises("shared out", pm.memory_stages, {network = "resnet50", gpu = "v100"})
check.raises("inference", ask, {tensor_parallel = 2, inference = true})

-- What is wrong is raised, with the value.
check.raises("batch 0", ask, {batch = 0})
check.raises("not modelled", ask, {precision = "int8"})
check.raises("k80", ask, {gpu = "k81"})
check.raises("adam", ask, {optimizer = "adm"})
check.raises("torsch", ask, {framework = "torsch"})
check.raises("zero_stage 4", ask, {zero = 4})
check.raises("colour", ask, {colour = "red"})
print("ok")
