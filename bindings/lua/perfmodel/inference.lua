-- Inference: one batch, or the largest within a latency. Private; users see it in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local fields = require "perfmodel.fields"
local report = require "perfmodel.report"
local study = require "perfmodel.study"
local strict = require "perfmodel.strict"
local public, number_of = arguments.public, arguments.number_of

local inference = {}

-- The answer, with the batch that was found or given, and what was assumed.
local Inference = strict.class("an inference", arguments.options("batch assumed", fields.set "inference"))

Inference.__tostring = report.summary

--- Inference of one batch, a table with every field of "inference" by name, `batch`, and `assumed`: what was not
--- given, and is taken to be. Options: network, system (a system or a GPU), framework (an inference profile or a
--- framework; by default PyTorch, the newest release that was fitted and runs on the GPU), latency (a limit: the
--- largest batch within it), catalog, and the fields of a run that pm.options "inference_run" lists: batch, precision,
--- gpus, nodes, ...
inference.infer = public(function(options)
  arguments.check_options(options, arguments.options("latency", study.task("inference").options))
  local own = {task = "inference"}
  for name in pairs(study.task("inference").options) do own[name] = options[name] end
  if options.batch ~= nil and options.latency ~= nil then error("give either batch or latency, not both", 0) end
  study.check_single(options, '; use pm.sweep with task = "inference"')
  local made = study.new(own)
  local runs, assumed, given, global = study.one(made, own)
  local latency = options.latency ~= nil and number_of(options.latency, "s", "latency") or 0 / 0
  core.run_check(made.plan, "inference", runs)
  if latency == latency then runs = core.run_find_batch(made.plan, "inference", runs, latency) end
  local answer = strict.unpack(core.predict(made.plan, "inference", runs, -1))[1]
  rawset(answer, "batch", strict.unpack(runs)[1].batch)
  rawset(answer, "assumed", assumed)
  return report.attach(answer, Inference, function(field)
    return core.study_report(made.study, runs, given, global, "", latency, field or "", "")
  end)
end)

return inference
