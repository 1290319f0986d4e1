-- Counts and times of a network, layer by layer: methods of networks. Private.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local catalog = require "perfmodel.catalog"
local new_table = require "perfmodel.table"
local Network = require "perfmodel.network"
local System = require "perfmodel.system"
local public, text_of, number_of = arguments.public, arguments.text_of, arguments.number_of

local COUNT_OPTIONS = arguments.options "batch precision framework total"

-- For a batch at a precision; what is saved is up to the framework: a memory profile, or its name.
local function counts(self, view, options, known)
  options = options or {}
  arguments.check_options(options, known or COUNT_OPTIONS)
  local profile = catalog.record_of(options.framework or "pytorch", "memory_profile", catalog.shipped())
  return new_table(core.network_table(
    arguments.handle_of(self, Network, "network"), view, number_of(options.depth or 2, "1", "depth"), {profile},
    number_of(options.batch or 1, "1", "batch"), text_of(options.precision or "fp32", "precision"),
    options.total and 1 or 0))
end

--- Counts layer by layer: net:layers{batch = 32, precision = "fp16"}; one sample at FP32 by default. total = true: the
--- last row is the total. framework: the memory profile that says what is saved ("pytorch").
Network.layers = public(function(self, options) return counts(self, "layer", options) end)

--- The same counts by kind of layer, most FLOP first.
Network.kinds = public(function(self, options) return counts(self, "kind", options) end)

--- The same counts by parts of the network, by the dots in the names of its layers: net:tree{depth = 2}.
Network.tree = public(function(self, options)
  return counts(self, "tree", options, arguments.options("depth", COUNT_OPTIONS))
end)

--- Times layer by layer on one GPU of a system: net:times{system = node, batch = 64, precision = "fp16"}; by the plain
--- roofline with kernel_model = "roofline".
Network.times = public(function(self, options)
  options = options or {}
  arguments.check_options(options, arguments.options "system batch precision kernel_model")
  local system = catalog.system_of(options.system, catalog.shipped())
  local gpu = core.system_gpu(arguments.handle_of(system, System, "system"))
  return new_table(core.network_times(
    arguments.handle_of(self, Network, "network"), gpu, catalog.kernels_of(gpu, options.kernel_model),
    number_of(options.batch or 32, "1", "batch"), text_of(options.precision or "fp32", "precision")))
end)
