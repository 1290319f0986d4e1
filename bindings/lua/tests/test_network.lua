-- Networks: totals, layers, times, and one built by hand.
local pm, check = require "perfmodel", require "check"

local net = pm.network("resnet50")
check.equal(net.parameters, 25557032)
check.equal(pm.network("resnet50", {classes = 10}).parameters, 25557032 - 990 * 2049)

-- The layers add up to the totals, and a batch multiplies what it should.
local function sum(values)
  local total = 0
  for _, value in ipairs(values) do total = total + value end
  return total
end
local layers = net:layers()
check.equal(layers:count(), net.layer_count)
check.equal(sum(layers:column("parameters")), net.parameters)
check.equal(sum(layers:column("mac")), net.mac)
local batched = net:layers{batch = 32, precision = "fp16"}
check.equal(sum(batched:column("mac")), 32 * net.mac)
check.equal(sum(batched:column("bytes_in")), 16 * sum(layers:column("bytes_in")), "half the bytes, 32 times")

-- By kind and as a tree they add up to the same, and the total is the last row where it is asked for.
check.equal(sum(net:kinds():column("mac")), net.mac)
local kinds = net:kinds{total = true, batch = 2}:rows()
check.equal(kinds[1].kind, "conv2d")
check.equal(kinds[#kinds].kind, "total")
check.equal(kinds[#kinds].mac, 2 * net.mac)
check.equal(sum(net:tree{depth = 1}:column("parameters")), net.parameters)
local tree = net:tree()
check.equal(tree:column("name")[6], "layer1.0")
assert(tree:text():find("\n  0 "), "indented for people")
check.raises("depth 0", net.tree, net, {depth = 0})
check.raises("pytorc", net.layers, net, {framework = "pytorc"})

-- Written as XML and read back, it is the same.
local file = os.tmpname()
net:to_xml(file)
local back = pm.catalog{file}:network("resnet50")
check.equal(back:layers():csv(), net:layers():csv())
check.equal(back:to_xml(), net:to_xml())
os.remove(file)
check.equal(table.concat(net:shape(0), "x"), "3x224x224")
check.raises("there is no layer 9999", net.shape, net, 9999)
check.raises("cannot write", net.to_xml, net, "/nowhere/x.xml")

-- Times are positive sums of their parts, and never beat the roofline.
for _, row in ipairs(net:times{system = "dgx1-v100", batch = 64, precision = "fp16"}:rows()) do
  local parts = row.forward_time + row.dgrad_time + row.wgrad_time + row.update_time
  check.close(parts, row.time, 1e-12, row.name)
  assert((row.achieved or 0) <= (row.attainable or math.huge) * (1 + 1e-12), row.name)
end

-- A network by hand: 3x3 conv of 3 to 8 channels without bias is 216 parameters, 216 x 16 x 16 MAC.
local tiny = pm.new_network("tiny", "Tiny")
check.equal(tiny:input("image", {3, 16, 16}), 0)
tiny:add("conv2d", {name = "conv", out_channels = 8, kernel = 3, padding = {1, 1}, bias = false})
check.equal(tiny.parameters, 216)
check.equal(tiny.mac, 216 * 256)
local relu = tiny:add("relu")
tiny:add("add", {inputs = {1, relu}})
check.equal(tiny:layers():rows()[3].output, "8x16x16")

-- The network lives on after the script forgot it, inside a prediction only as long as needed.
local p = pm.predict{network = tiny, system = "dgx1-v100", batch = 1}
assert(p.throughput > 0)
collectgarbage()

-- What a kind takes is known without a try.
assert(pm.layer_attributes().conv2d:find("out_channels kernel", 1, true), pm.layer_attributes().conv2d)
check.raises("out_channels", tiny.add, tiny, "conv2d", {kernel = 3})
check.raises("conv7d", tiny.add, tiny, "conv7d")
check.equal(tiny.layer_count, 3, "a failed layer leaves the network as it was")
check.raises("1 to 6 dimensions", pm.new_network("x").input, pm.new_network("x"), "image", {1, 2, 3, 4, 5, 6, 7})
check.raises("network expected, got table", net.layers, {})
check.raises("0", net.layers, net, {batch = 0})
check.raises("resnet50", pm.network, "resnet50", {clases = 10})
print("ok")
