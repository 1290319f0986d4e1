-- Predictions of training steps: one, its timeline, many. Private; users see them in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local fields = require "perfmodel.fields"
local new_table = require "perfmodel.table"
local report = require "perfmodel.report"
local study = require "perfmodel.study"
local strict = require "perfmodel.strict"
local public = arguments.public

local predict = {}

local traces = setmetatable({}, {__mode = "k"}) -- what a prediction was made from

local Prediction = strict.class("a prediction", arguments.options("assumed", fields.set "prediction"))

Prediction.__tostring = report.summary

-- The prediction of one completed run, as users get it.
function predict.of(made, runs, assumed, given, global, currency)
  local prediction = strict.unpack(core.predict(made.plan, "training", runs, -1))[1]
  rawset(prediction, "assumed", assumed)
  traces[prediction] = {study = made, plan = made.plan, runs = runs}
  return report.attach(prediction, Prediction, function(field)
    return core.study_report(made.study, runs, given, global, "", 0 / 0, field or "", currency or "")
  end)
end

--- One prediction, a table with every field of "prediction" by name, and `assumed`: what was not given, and is taken
--- to be. Options: network, system (names or objects), framework (a name, or what pm.framework gives; by default
--- PyTorch, its FSDP with zero = 3, Megatron-LM with tensor, pipeline, context or expert parallelism; "none": kernels
--- and collectives only), global_batch instead of batch, catalog, and the fields of a run that pm.options "run" lists:
--- gpus, nodes, batch, precision, ... Errors: what cannot be predicted (batch 0, more GPUs than the system has, more
--- memory than its GPU has) raises.
predict.predict = public(function(options)
  arguments.check_options(options, study.OPTIONS)
  study.check_single(options, "; use pm.sweep")
  local made = study.new(options)
  local runs, assumed, given, global = study.one(made, options)
  core.run_check(made.plan, "training", runs)
  return predict.of(made, runs, assumed, given, global, arguments.currency_of(options.gpu_hour_price))
end)

local function asked_of(prediction)
  return traces[prediction] or error("a prediction of pm.predict expected, got " .. type(prediction), 0)
end

--- What every stage of a prediction's pipeline computes, waits for and keeps, as a table object: a row for each, one
--- where there is no pipeline.
predict.stages = public(function(prediction)
  local asked = asked_of(prediction)
  return new_table(core.prediction_stages(asked.plan, asked.runs))
end)

--- The timeline of one step of a prediction, layer by layer, or of a run that distributes the network the passes of
--- every stage: JSON that ui.perfetto.dev opens, as text, or written to a file: pm.trace(prediction, "step.json").
predict.trace = public(function(prediction, path)
  local asked = asked_of(prediction)
  local text = core.prediction_trace(asked.plan, asked.runs)
  if path == nil then return text end
  arguments.write_file(path, text)
end)

-- The sum of the bits of those columns that cost, each once.
local function extra_of(columns)
  local sum, seen = 0, {}
  for _, name in ipairs(columns) do
    sum = sum + (seen[name] and 0 or core.extra_column(name))
    seen[name] = true
  end
  return sum
end

--- Every combination, as a table object: the options of pm.predict, with task = "inference" those of pm.infer but
--- latency, each one value or a list. A point that cannot be
--- predicted has its status and no numbers, and the others go on. Further options: axes (numbers of the hardware by
--- path, each one value or a list: {["gpu.memory_bandwidth"] = {"x1", "x1.1"}}, in the order of their names between
--- framework and system) and columns (a list of names). What was assumed is a column, or a line above the table if it
--- is the same for all.
predict.sweep = public(function(options)
  local own = study.take(options, "axes columns")
  own.axes = options.axes
  local made = study.new(own)
  own.axes = nil
  local runs, given, global = study.complete(made, own)
  local wanted = options.columns and arguments.names_of(options.columns, "columns")
  local extra = wanted and extra_of(wanted) or -1
  local answers = core.predict(made.plan, made.task.name, runs, extra)
  local records = core.study_table(made.study, runs, answers, given, global, made.paths)
  if wanted ~= nil then core.table_keep(records, wanted) end
  return new_table(records)
end)

--- Two runs, of two networks, two systems or an option with two values, part by part on the way from the time of the
--- first to that of the second: a table object with the fields of "comparison", and a report. Options: those of
--- pm.sweep but columns.
predict.compare = public(function(options)
  local own = study.take(options, "axes")
  own.axes = options.axes
  local made = study.new(own)
  own.axes = nil
  local runs, given, global = study.complete(made, own)
  local answers = core.predict(made.plan, made.task.name, runs, -1)
  if #strict.unpack(runs) ~= 2 then error("a comparison takes two runs; pm.sweep has any number", 0) end
  local function made_report() return core.comparison_report(made.study, runs, answers, given, global) end
  return report.keep(new_table(core.report_table(made_report(), "waterfall")), made_report)
end)

return predict
