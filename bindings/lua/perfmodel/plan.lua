-- Plans and runs, made of the options of a prediction. Private.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local catalog = require "perfmodel.catalog"
local fields = require "perfmodel.fields"
local text_of, number_of = arguments.text_of, arguments.number_of
local list_of, numbers_of, is_list = arguments.list_of, arguments.numbers_of, arguments.is_list

local plan = {}

plan.OPTIONS = arguments.options [[network system gpus nodes batch global_batch precision overlap kernel_model
  epoch_samples catalog framework parallel optimizer accumulation input_rate input_in_turn]]

-- Of options, those that a prediction takes.
function plan.own(options)
  local own = {}
  for name in pairs(plan.OPTIONS) do own[name] = options[name] end
  return own
end

-- Every option but a framework of one's own is one value.
function plan.check_single(options, advice)
  for name, value in pairs(options) do
    local one = name == "framework" and is_list(value) and value.framework ~= nil
    if is_list(value) and not one then error(name .. " is a list" .. advice, 0) end
  end
end

-- Frameworks by name, or as tables of the three records that pm.framework gives; "none": no framework.
local function frameworks_of(value, from)
  if value == nil then value = "generic" end
  if value == "none" then return {} end
  local one = type(value) ~= "table" or value.framework ~= nil
  return list_of(one and {value} or value, function(item)
    return type(item) == "table" and item or from:framework(text_of(item, "framework"))
  end, "framework")
end

-- A plan over the networks and systems of the options; it holds them, because C refers to them.
function plan.new(options)
  local from = catalog.of(options)
  local made = {
    networks = catalog.handles_of(options.network, "network", from),
    systems = catalog.handles_of(options.system, "system", from),
  }
  made.handle = core.plan_new(made.networks, made.systems)
  made.frameworks = frameworks_of(options.framework, from)
  for _, f in ipairs(made.frameworks) do core.plan_add_framework(made.handle, {f.framework}, {f.era}, {f.band}) end
  return made
end

-- One of the choices of a run's field.
local function run_choice(field, value)
  for _, known in ipairs(fields.of "run") do
    if known.name == field then
      for choice in known.choices:gmatch("[^\n]+") do
        if choice == value then return value end
      end
      error('unknown ' .. field .. ' "' .. value .. '"; known are ' .. known.choices:gsub("\n", ", "), 0)
    end
  end
end

-- Every combination of the options, as "run" records.
function plan.runs_of(made, options)
  local default = core.unpack(core.run_default())[1]
  local by_gpu = numbers_of(options.batch, "1", "batch")
  local global = numbers_of(options.global_batch, "1", "global_batch")
  if #by_gpu > 0 and #global > 0 then error("batch (per GPU) and global_batch exclude each other", 0) end
  local precisions = list_of(options.precision, function(name) return text_of(name, "precision") end, "precision")
  for _, name in ipairs{"overlap", "kernel_model", "parallel", "optimizer"} do
    default[name] = run_choice(name, text_of(options[name] or default[name], name))
  end
  default.accumulation = number_of(options.accumulation or 1, "1", "accumulation")
  default.input_rate = options.input_rate and number_of(options.input_rate, "1/s", "input_rate")
  default.input_in_turn = options.input_in_turn and "yes" or "no"
  default.epoch_samples = number_of(options.epoch_samples or 0 / 0, "1", "epoch_samples")
  return core.grid_runs({default}, #made.networks, #made.systems, #made.frameworks, precisions,
                        numbers_of(options.nodes, "1", "nodes"), numbers_of(options.gpus, "1", "gpus"),
                        #global > 0 and global or by_gpu, #global > 0 and 1 or 0)
end

return plan
