-- Input pipeline: node limits, and what cannot be answered.
local pm = require "perfmodel"
local check = require "check"

local path = {dataset = "ilsvrc2012-x10", system = "c4140", storage = "isilon-f800", run = {gpu_rate = 2940}}
local rates = pm.input_pipeline(path)
check.equal(rates.bottleneck, "gpu")
check.equal(rates.nodes_gateway, 63)
check.equal(rates.max_nodes, 32)
assert(rates.assumed == "")

-- Counts by the rules of all runs; with a network, the rate of its GPUs is that of the prediction.
path.run = nil
for name, value in pairs{network = "resnet50", batch = 64, nodes = 2} do path[name] = value end
local fed = pm.input_pipeline(path)
local trained = pm.predict{network = "resnet50", system = "c4140", batch = 64, nodes = 2}
check.equal(fed.assumed, trained.assumed)
check.close(fed.gpu_busy, math.min(1, fed.throughput * 2 / trained.throughput), 1e-12, "busy GPUs")
path.network = nil
assert(not pcall(pm.input_pipeline, path))
path.batch, path.nodes, path.run = nil, nil, {nodes = 0}
assert(not pcall(pm.input_pipeline, path))
path.run = {nonsense = 1}
assert(not pcall(pm.input_pipeline, path))
print("ok")
