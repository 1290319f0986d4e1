-- Input pipelines. Private; users see them in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local catalog = require "perfmodel.catalog"
local fields = require "perfmodel.fields"
local paths = require "perfmodel.paths"
local strict = require "perfmodel.strict"
local record_of = catalog.record_of

local input = {}

--- Rates of every stage of the input path in samples per second of one node, a table with every field of "input_rates":
--- bottleneck, throughput, gpu_busy, max_nodes, ... Options: dataset, system, storage, loader, cpu (a decoder; default
--- "skylake"), run (a table of fields of "input_run" that differ from the default, in SI units), catalog.
input.input_pipeline = arguments.public(function(options)
  arguments.check_options(options, arguments.options "dataset system storage loader cpu run catalog")
  local from = catalog.of(options)
  local storage = record_of(options.storage, "storage", from)
  local run = strict.unpack(core.input_run_default())[1]
  arguments.check_options(options.run or {}, fields.set "input_run")
  for name, value in pairs(options.run or {}) do run[name] = value end
  return strict.unpack(core.input_rates(
    {record_of(options.dataset, "dataset", from)}, {storage}, {paths.access_of(storage, from)},
    {record_of(options.cpu or "skylake", "decoder", from)}, {record_of(options.loader or "tensorflow", "loader", from)},
    {record_of(options.system, "system", from)}, {paths.interval(from)}, {run}))[1]
end)

return input
