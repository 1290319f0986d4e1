-- Inference: one batch, the largest within a latency, many. Private; users see it in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local fields = require "perfmodel.fields"
local new_table = require "perfmodel.table"
local report = require "perfmodel.report"
local study = require "perfmodel.study"
local strict = require "perfmodel.strict"
local public, number_of = arguments.public, arguments.number_of

local inference = {}

local OPTIONS = arguments.options("latency", study.CALL_OPTIONS)
local SWEEP_OPTIONS = arguments.options("columns", OPTIONS)

-- The answer, with the batch that was found or given, and what was assumed.
local Inference = strict.class("an inference", arguments.options("batch assumed", fields.set "inference"))

Inference.__tostring = report.summary

--- Inference of one batch, a table with every field of "inference" by name, `batch`, and `assumed`: what was not
--- given, and is taken to be. Options: network, system (a system or a GPU), framework (an inference profile or a
--- framework; by default PyTorch, the newest release that was fitted and runs on the GPU), latency (a limit: the
--- largest batch within it), catalog, and the fields of a run that pm.options "inference_run" lists: batch, precision,
--- gpus, nodes, ...
inference.infer = public(function(options)
  arguments.check_options(options, OPTIONS)
  if options.batch ~= nil and options.latency ~= nil then error("batch and latency exclude each other", 0) end
  study.check_single(options, "; use pm.infer_sweep")
  local made = study.new("inference_run", options)
  local runs, assumed, given, global = study.one(made, options)
  local latency = options.latency ~= nil and number_of(options.latency, "s", "latency") or 0 / 0
  core.infer_check(made.plan, runs)
  if latency == latency then runs = core.infer_within(made.plan, runs, latency) end
  local answer = strict.unpack(core.infer(made.plan, runs))[1]
  rawset(answer, "batch", strict.unpack(runs)[1].batch)
  rawset(answer, "assumed", assumed)
  return report.attach(answer, Inference, function()
    return core.study_inference_report(made.study, runs, given, global, latency)
  end)
end)

--- Every combination, as a table object: the options of pm.infer but latency, each one value or a list. A point that
--- cannot be predicted has its status and no numbers, and the others go on. `columns`: names of those wanted.
inference.infer_sweep = public(function(options)
  arguments.check_options(options, SWEEP_OPTIONS)
  if options.latency ~= nil then error("latency is for pm.infer", 0) end
  local made = study.new("inference_run", options)
  local runs, given, global = study.complete(made, options)
  local records = core.study_inference_table(made.study, runs, core.infer(made.plan, runs), given, global)
  if options.columns ~= nil then core.table_keep(records, arguments.names_of(options.columns, "columns")) end
  return new_table(records)
end)

return inference
