-- Input pipeline: node limits, and what cannot be answered.
local pm = require "perfmodel"
local check = require "check"

local path = {dataset = "ilsvrc2012-x10", system = "c4140", storage = "isilon-f800", run = {gpu_rate = 2940}}
local rates = pm.input_pipeline(path)
check.equal(rates.bottleneck, "gpu")
check.equal(rates.nodes_gateway, 63)
check.equal(rates.max_nodes, 32)
path.run.nodes = 0
assert(not pcall(pm.input_pipeline, path))
path.run = {nonsense = 1}
assert(not pcall(pm.input_pipeline, path))
print("ok")
