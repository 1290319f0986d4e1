-- Inference: one batch, the largest within a latency, many. Private; users see it in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local fields = require "perfmodel.fields"
local new_table = require "perfmodel.table"
local study = require "perfmodel.study"
local strict = require "perfmodel.strict"
local public, number_of = arguments.public, arguments.number_of

local inference = {}

local OPTIONS = arguments.options("latency", study.CALL_OPTIONS)
local SWEEP_OPTIONS = arguments.options("columns", OPTIONS)

-- The answer, with the batch that was found or given, and what was assumed.
local Inference = strict.class("an inference", arguments.options("batch assumed", fields.set "inference"))

function Inference.__tostring(self)
  local tokens = self.tokens_per_second and string.format(", %.4g tokens/s", self.tokens_per_second) or ""
  return string.format("%.4g samples/s%s, batch %.0f in %s, bottleneck %s (%s)%s", self.throughput, tokens, self.batch,
                       core.quantity_format(self.latency, "s"), self.bottleneck, self.calibration,
                       study.assumed_text(self.assumed))
end

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
  local runs, assumed = study.one(made, options)
  core.infer_check(made.plan, runs)
  if options.latency ~= nil then
    runs = core.infer_within(made.plan, runs, number_of(options.latency, "s", "latency"))
  end
  local answer = strict.unpack(core.infer(made.plan, runs))[1]
  rawset(answer, "batch", strict.unpack(runs)[1].batch)
  rawset(answer, "assumed", assumed)
  return setmetatable(answer, Inference)
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
