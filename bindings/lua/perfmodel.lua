--- perfmodel: how fast a deep-learning network runs on a GPU machine, in closed form, and why.
--
--     local pm = require "perfmodel"
--     local p = pm.predict{network = "resnet50", system = "dgx1-v100", gpus = 8, batch = 64, precision = "fp16"}
--     print(p.throughput, p.step_time, p.bottleneck)
--
-- Numbers are in SI units: seconds, bytes, FLOP, FLOP/s, bytes/s. What is unknown is absent (nil). Where a number goes
-- in, text does too, with its unit where it has one ("64", "100 MB"). What goes wrong is raised as an error of one line
-- with the offending value, at the place of the call; use pcall to go on.
--
-- The functions are in perfmodel/*.lua, a theme in a file; comments with three dashes are for users.

local arguments = require "perfmodel.arguments"
local catalog = require "perfmodel.catalog"
local Network = require "perfmodel.network"
local core = require "perfmodel.core"
local strict = require "perfmodel.strict"
require "perfmodel.counts" -- methods of networks

local pm = {version = core.version_get()}

for _, module in ipairs{"calibration", "collective", "experiment", "explain", "inference", "input", "kernel", "memory",
                        "predict", "records", "search", "sensitivity", "serving", "settings", "sizing", "validation"} do
  for name, member in pairs(require("perfmodel." .. module)) do pm[name] = member end
end

--- An empty network to build with :input and :add.
pm.new_network = arguments.public(function(id, name)
  local text_of = arguments.text_of
  return arguments.object(Network, core.network_new(text_of(id, "an id"), text_of(name or id, "a name")))
end)

--- The shipped catalogue, with files or folders added: pm.catalog{"my-cluster.xml"}.
pm.catalog = arguments.public(function(paths)
  local new = catalog.new()
  local list = arguments.list_of(paths, function(path) return arguments.text_of(path, "a path") end, "paths")
  for _, path in ipairs(list) do new:load(path) end
  return new
end)

--- Methods of the shipped catalogue: pm.network(name, sets), pm.system(name), pm.list(kind), pm.show(kind, name), ...
for _, name in ipairs{"network", "system", "framework", "list", "show", "record", "ids", "resolve"} do
  pm[name] = arguments.public(function(...) return catalog.Catalog[name](catalog.shipped(), ...) end)
end

-- A function that there is not: the one that was meant.
local known = {}
for name in pairs(pm) do known[name] = true end
local class = strict.class("perfmodel", known)
class.__newindex = nil
return setmetatable(pm, class)
