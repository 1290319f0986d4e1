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

-- Coroutines take turns in the middle of their work, and are dropped before they end.
local function work()
  for i = 1, STEPS do
    steps[(i * 7) % #steps + 1]()
    coroutine.yield(pm.predict{network = shared, system = "dgx1-v100"})
  end
end

for _ = 1, MIXES / 10 do
  local threads, answer = {}, nil
  for i = 1, 10 do threads[i] = coroutine.create(work) end
  for turn = 1, 30 do
    local thread = threads[turn % 10 + 1]
    local alive, made = coroutine.resume(thread)
    assert(alive, made)
    answer = made
    if turn % 10 == 0 then collectgarbage() end
  end
  threads = nil
  collectgarbage()
  check.equal(answer.step_time > 0, true)
end
