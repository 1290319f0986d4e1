-- Memory of a GPU. Private; users see it in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local catalog = require "perfmodel.catalog"
local new_table = require "perfmodel.table"
local strict = require "perfmodel.strict"
local public, number_of, record_of = arguments.public, arguments.number_of, catalog.record_of

local memory = {}

local OPTIONS = arguments.options
  "network gpu batch precision optimizer framework dp zero recompute inference usable catalog"

local function run_of(options, gpu, from)
  local run = strict.unpack(core.memory_run_default())[1]
  for field, option in pairs{batch = "batch", ranks = "dp", zero_stage = "zero"} do
    if options[option] ~= nil then run[field] = number_of(options[option], "1", option) end
  end
  for _, option in ipairs{"precision", "recompute", "inference"} do
    if options[option] ~= nil then run[option] = options[option] end
  end
  run.usable = catalog.usable_of(options, gpu, from)
  return run
end

local function question_of(options)
  arguments.check_options(options, OPTIONS)
  local from = catalog.of(options)
  local network = catalog.handles_of(options.network, "network", from)[1]
  local gpu = catalog.gpu_of(options.gpu, from)
  return {
    network = network, run = {run_of(options, gpu, from)}, catalog = from,
    profile = {record_of(options.framework or "pytorch", "memory_profile", from)},
    optimizer = {record_of(options.optimizer or "momentum", "optimizer", from)},
  }
end

strict.record("memory_use").__tostring = function(self)
  return string.format("%s of %s: %s, largest batch %.0f", core.quantity_format(self.total, "B"),
                       core.quantity_format(self.usable, "B"), self.verdict, self.largest_batch)
end

--- Memory of one GPU at the peak of a step, a table with every field of "memory_use": total, verdict, largest_batch,
--- the parts. Options: network, gpu (a GPU or system), batch, precision, optimizer, framework (a memory profile), dp,
--- zero, recompute ("none", "selective", "full"), inference, usable, catalog.
memory.memory = public(function(options)
  local q = question_of(options)
  return strict.unpack(core.memory_use(q.network, q.profile, q.optimizer, q.run))[1]
end)

--- The same options: what every layer keeps, as a table object.
memory.memory_layers = public(function(options)
  local q = question_of(options)
  return new_table(core.memory_layers(q.network, q.profile, q.run[1].batch, q.run[1].precision))
end)

--- The same options: single changes that take less memory, largest saving first, as a table object.
memory.memory_advice = public(function(options)
  local q, others = question_of(options), {}
  for i, id in ipairs(q.catalog:ids("optimizers")) do others[i] = q.catalog:record("optimizer", id) end
  return new_table(core.memory_advice(q.network, q.profile, q.optimizer, q.run, others))
end)

return memory
