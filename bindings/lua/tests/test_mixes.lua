-- Networks, studies and systems are built, used, dropped and collected in any order, and nothing goes that is in use.
local pm, check = require "perfmodel", require "check"

local MIXES, STEPS = 100, 20

local function network()
  local net = pm.new_network("own", "Own")
  net:input("image", {3, 32, 32})
  net:add("conv2d", {out_channels = 8, kernel = 3})
  return net
end

local shared, held = network(), {}
local steps = {
  function() shared:add("relu") end,
  function() held[#held + 1] = network() end,
  function() held[#held + 1] = pm.predict{network = shared, system = "dgx1-v100", gpus = 2} end,
  function() held[#held + 1] = pm.sweep{network = shared, system = "dgx1-v100", gpus = {1, 2}} end,
  function() assert(#tostring(shared) > 0 and #shared:to_xml() > 0) end,
  function() held = {} end,
  function() collectgarbage() end,
  function() for i = 1, #held do tostring(held[i]) end end,
  function() held[#held + 1] = pm.system("dgx1-v100") end,
}

math.randomseed(1)
for mix = 1, MIXES do
  if mix % 10 == 0 then shared = network() end
  for _ = 1, STEPS do steps[math.random(#steps)]() end
end
check.equal(shared.layer_count > 0, true)
