-- Memory of a GPU. Private; users see it in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local fields = require "perfmodel.fields"
local new_table = require "perfmodel.table"
local report = require "perfmodel.report"
local study = require "perfmodel.study"
local strict = require "perfmodel.strict"
local public = arguments.public

local memory = {}

-- Those of pm.predict but what no memory depends on; `gpu` is another name of system.
local OPTIONS = arguments.options("inference usable gpu",
                                  arguments.but(study.OPTIONS, "epoch_samples input_rate no_prefetch ignore_memory"))
local OF_CALLS = arguments.options("inference usable gpu", study.CALL_OPTIONS)

local Memory = strict.class("a memory use", arguments.options("assumed", fields.set "memory_use"))

Memory.__tostring = report.summary

-- The options of a study; a call of inference has fewer.
local function question_of(options)
  arguments.check_options(options, OPTIONS)
  local own = {}
  for name, value in pairs(options) do own[name] = value end
  own.system, own.gpu, own.inference = options.system or options.gpu, nil, nil
  study.check_single(own, "")
  for name in pairs(options.inference and own or {}) do
    if not OF_CALLS[name] then error(name .. " has no effect in inference", 0) end
  end
  if not options.inference then own.ignore_memory = true end -- it is asked for, whether or not it fits
  return own
end

-- The study and completed run of training, or of a call.
local function asked_of(options)
  local own = question_of(options)
  local made = study.new(options.inference and "inference_run" or "run", own)
  return made, study.one(made, own)
end

local function training_of(options, what)
  if options.inference then error(what .. " are of training, and this is a call of inference", 0) end
  return asked_of(options)
end

--- Memory of one GPU at the peak of a step, that of the heaviest rank: a table with every field of "memory_use"
--- (total, verdict, largest_batch, which is of micro-batches, the parts), and `assumed`: what was not given, and is
--- taken to be. It is the memory that pm.predict finds. Options: those of pm.predict; system may be a GPU; inference =
--- true: a call, with the options of pm.infer; usable is another name of usable_memory.
memory.memory = public(function(options)
  local made, runs, assumed, given, global = asked_of(options)
  local use = strict.unpack((options.inference and core.inference_memory or core.prediction_memory)(made.plan, runs))[1]
  rawset(use, "assumed", assumed)
  local new_report = options.inference and core.study_inference_memory_report or core.study_memory_report
  return report.attach(use, Memory, function() return new_report(made.study, runs, given, global) end)
end)

--- The same options: what every stage of the pipeline keeps, as a table object.
memory.memory_stages = public(function(options)
  local made, runs = training_of(options, "stages")
  return new_table(core.prediction_stages(made.plan, runs))
end)

--- The same options: what every layer keeps for a micro-batch, as a table object.
memory.memory_layers = public(function(options)
  local made, runs = asked_of(options)
  return new_table((options.inference and core.inference_layers or core.prediction_layers)(made.study, runs))
end)

--- The same options: single changes of the run that take less memory, largest saving first, as a table object.
memory.memory_advice = public(function(options)
  local made, runs = training_of(options, "advice")
  return new_table(core.prediction_advice(made.plan, runs))
end)

return memory
