-- Sizing, sensitivities, upgrades.
local pm, check = require "perfmodel", require "check"

local sizing = pm.size{network = "resnet50", system = {"dgx1-v100", "dgx1-p100"}, batch = {64, 128}, precision = "fp16",
                       epochs = 90, within = "2 h", prices = {["dgx1-v100"] = 149000, DGX1P = 100000},
                           minimize = "cost",
                       storage = "isilon-f800", pue = 1.4}
check.equal(#sizing, 4)
check.equal(sizing[1].rank, 1)
assert(sizing[1].time <= 7200 and sizing[1].cost == sizing[1].nodes * sizing[1].price)
assert(tostring(sizing):find("reaches the target", 1, true))
local next_cheaper = sizing.next_cheaper()
assert(next_cheaper.cost < sizing[1].cost and next_cheaper.reached < 1)
local front = sizing.front()
for i = 2, #front do assert(front[i].cost > front[i - 1].cost and front[i].time < front[i - 1].time) end

local served = pm.size{task = "inference", network = "resnet50", system = {"t4", "dgx1-v100"},
                       precision = {"fp16", "int8"}, rate = "20000 1/s", latency = "10 ms", prices = {t4 = 2500,
                           ["dgx1-v100"] = 149000},
                       minimize = "cost"}
check.equal(#served, 4)
assert(served[1].rank == 1 and served[1].latency <= 0.01 and served[1].throughput >= 20000)
assert(served[1].cost == served[1].nodes * served[1].price)

local p = pm.predict{network = "resnet50", system = sizing[1].system, gpus = 8, nodes = sizing[1].nodes,
                     batch = sizing[1].batch, precision = "fp16", input_rate = nil}
assert(p.throughput >= sizing[1].throughput) -- the storage may limit

local rows = pm.sensitivity{network = "resnet50", system = "dgx1-v100", gpus = 8, batch = 64, precision = "fp16"}
local sum = 0
for _, row in ipairs(rows:rows()) do
  if row.rate then
    assert(row.elasticity <= 1e-9)
    sum = sum + row.elasticity
  end
end
assert(sum > -1.1 and sum < -0.5)

local better = pm.upgrades{network = "resnet50", system = "dgx1-p100", gpus = 8, batch = 64,
                           upgrades = {v100 = "dgx1-v100", swapped = pm.with_gpu("dgx1-p100", "v100-sxm2"),
                                       links = pm.with_link("dgx1-p100", "nvlink2", "nvlink1")},
                           prices = {v100 = 50000}}
check.equal(better:count(), 3)

local full = pm.size{network = "resnet50", system = {"dgx-h100", "dgx-a100"}, batch = 128, precision = "bf16",
                     power_budget = "1 MW"}
assert(full[1].nodes == 98 and full[1].budget_nodes == 98 and full[1].draw_nodes > 98)
local thrifty = pm.size{network = "resnet50", system = "dgx1-v100", batch = 128, precision = "fp16", epochs = 90,
                        within = "10 h", power_limit = {"200 W", "300 W"}, minimize = "energy", max_nodes = 8}
assert(thrifty[1].reached >= 1 and thrifty[1].energy_per_sample < thrifty[2].energy_per_sample)

local owed = pm.sensitivity{task = "inference", network = "resnet50", system = "t4", batch = 64, precision = "fp16"}
assert(#owed:rows() >= 3)
local served = pm.sensitivity{task = "serving", network = "llama3-8b", system = "hgx-h100", tensor_parallel = 1,
                              concurrency = 8}
for _, row in ipairs(served:rows()) do assert(not row.rate or row.ttft_change <= 1e-9) end
local faster = pm.upgrades{task = "inference", network = "resnet50", system = "t4", batch = 64,
                           upgrades = {v100 = "v100"}, prices = {v100 = 9000}}
assert(#faster == 1 and faster:rows()[1].gain > 0)

local function fails(fragment, options)
  options.network, options.system = "resnet50", options.system or "dgx1-v100"
  check.raises(fragment, function()
    local answer = pm.size(options) -- no tail call: Lua 5.1 would not know the place
    return answer
  end)
end
fails("there is no target", {})
fails("both given", {rate = 100, epochs = 1, within = "1 h"})
fails("unknown option", {rate = 100, nodes = 3})
fails("nosuch", {rate = 100, prices = {nosuch = 1}})
