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

local Memory = strict.class("a memory use", arguments.options("assumed", fields.set "memory_use"))

Memory.__tostring = report.summary

-- The study and completed run of the options: those of a prediction but what no memory depends on; `gpu` is another
-- name of system.
local function asked_of(options)
  local task = study.task(options.task)
  for name in pairs(options) do
    if study.OPTIONS[name] and not task.options[name] then error(name .. " has no effect in " .. task.name, 0) end
  end
  local own = study.take(options, "usable gpu", "input_rate no_prefetch ignore_memory " .. study.NO_STEP)
  own.system, own.usable = options.system or options.gpu, options.usable
  study.check_single(own, "")
  if task.name == "training" then own.ignore_memory = true end -- it is asked for, whether or not it fits
  local made = study.new(own)
  return made, study.one(made, own)
end

local function training_of(options, what)
  local task = study.task(options.task)
  if task.name ~= "training" then
    error(what .. " are only for training, but this is a " .. task.unit .. " of " .. task.name, 0)
  end
  return asked_of(options)
end

--- Memory of one GPU at the peak of a step, that of the heaviest rank: a table with every field of "memory_use"
--- (total, verdict, largest_batch, which is of micro-batches, the parts), and `assumed`: what was not given, and is
--- taken to be. It is the memory that pm.predict finds. Options: those of pm.predict; system may be a GPU; task =
--- "inference": a call, with the options of pm.infer; usable is another name of usable_memory.
memory.memory = public(function(options)
  local made, runs, assumed, given, global = asked_of(options)
  local use = strict.unpack(core.run_memory(made.plan, made.task.name, runs))[1]
  rawset(use, "assumed", assumed)
  return report.attach(use, Memory, function() return core.study_memory_report(made.study, runs, given, global) end)
end)

--- The same options: what every stage of the pipeline keeps, as a table object.
memory.memory_stages = public(function(options)
  local made, runs = training_of(options, "stages")
  return new_table(core.prediction_stages(made.plan, runs))
end)

--- The same options: what every layer keeps for a micro-batch, as a table object.
memory.memory_layers = public(function(options)
  local made, runs = asked_of(options)
  return new_table(core.run_layers(made.study, runs))
end)

--- The same options: single changes of the run that take less memory, largest saving first, as a table object.
memory.memory_advice = public(function(options)
  local made, runs = training_of(options, "advice")
  return new_table(core.prediction_advice(made.plan, runs))
end)

return memory
