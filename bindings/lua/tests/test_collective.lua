-- Collectives: sizes at once as one by one, rings of the documents, wrong questions.
local pm, check = require "perfmodel", require "check"

local sizes = {1e3, 1e6, "1 GB"}
local all = pm.collective("dgx1-v100", "all_reduce", {bytes = sizes, gpus = 8, nodes = 2})
for i, size in ipairs(sizes) do
  local one = pm.collective("dgx1-v100", "all_reduce", {bytes = size, gpus = 8, nodes = 2})
  check.equal(one:column("time")[1], all:column("time")[i])
end

local rings = pm.rings("dgx1-v100", {0, 1, 2, 3})
check.equal(rings.directed_rings, 4)
check.equal(#rings.cycles[1].order, 4)
check.equal(pm.rings("dgx1-p100").directed_rings, 4)

assert(pm.system("dgx1-v100"):drawing("svg"):find("<svg", 1, true))
assert(not pcall(pm.collective, "dgx1-v100", "nothing", {bytes = 1}))
assert(not pcall(pm.collective, "dgx1-v100", "all_reduce", {bytes = -1}))
assert(not pcall(pm.rings, "dgx1-v100", 9))
