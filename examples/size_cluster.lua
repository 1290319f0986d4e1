-- Which machines train ResNet-50 in six hours, what limits them, and what would pay? lua examples/size_cluster.lua
local pm = require "perfmodel"

local function hours(seconds) return string.format("%.1f h", seconds / 3600) end

local sizing = pm.size{
  network = "resnet50", system = {"dgx1-v100", "dgx1-p100", "c4140-v100-sxm2"}, batch = {64, 128}, precision = "fp16",
  epochs = 90, within = "6 h", storage = "isilon-f800", pue = 1.4,
  minimize = "cost", prices = {["dgx1-v100"] = 149000, ["dgx1-p100"] = 129000, ["c4140-v100-sxm2"] = 60000}, -- yours
}
for _, c in ipairs(sizing) do
  print(string.format("%d  %d x %-16s batch %3d  %6.0f samples/s  %-7s  %d USD", c.rank, c.nodes, c.system, c.batch,
                      c.throughput, hours(c.time), c.cost))
end
local cheaper = sizing.next_cheaper()
if cheaper then
  print(string.format("next cheaper: %d x %s in %s, misses by %.0f %%", cheaper.nodes, cheaper.system,
                      hours(cheaper.time), 100 * (1 - cheaper.reached)))
end

local best = sizing[1]
print("\nwhat a step on the best owes to each number:")
for _, row in ipairs(pm.sensitivity{network = "resnet50", system = best.system, nodes = best.nodes, gpus = 4,
                                    batch = best.batch, precision = "fp16"}:rows()) do
  print(string.format("  %-18s %+.2f", row.resource, row.elasticity))
end

print("\nand serving it within 10 ms:")
for _, gpu in ipairs{"t4", "v100", "a100-sxm4-40gb"} do
  for _, precision in ipairs{"fp16", "int8"} do
    print(string.format("  %-16s %s  %s", gpu, precision,
                        tostring(pm.infer{network = "resnet50", system = gpu, precision = precision,
                                          latency = "10 ms"})))
  end
end
