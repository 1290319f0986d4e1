-- Plans and runs, made of the options of a prediction. Private.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local catalog = require "perfmodel.catalog"
local axes = require "perfmodel.axes"
local System = require "perfmodel.system"
local strict = require "perfmodel.strict"
local text_of, list_of, is_list = arguments.text_of, arguments.list_of, arguments.is_list

local plan = {}

-- What is asked of a step: every field of the run, and what only a face knows.
plan.OPTIONS = axes.options("run", "network system global_batch framework catalog")

-- Of options, those that a prediction takes.
function plan.own(options)
  local own = {}
  for name in pairs(plan.OPTIONS) do own[name] = options[name] end
  return own
end

-- Every option but a framework of one's own is one value.
function plan.check_single(options, advice)
  for name, value in pairs(options) do
    local one = name == "framework" and is_list(value) and rawget(value, "framework") ~= nil
    if is_list(value) and not one then error(name .. " is a list" .. advice, 0) end
  end
end

-- The framework of whoever names none.
plan.DEFAULT = "pytorch"

-- Frameworks by name, or as tables of the four records that pm.framework gives; "none": no framework.
local function frameworks_of(value)
  if value == nil then value = plan.DEFAULT end
  if value == "none" then return {} end
  local one = type(value) ~= "table" or rawget(value, "framework") ~= nil
  return list_of(one and {value} or value, function(item)
    return type(item) == "table" and item or text_of(item, "framework")
  end, "framework")
end

-- A framework as the GPU of a system has it.
function plan.framework_on(item, system, from)
  local architecture = strict.unpack(core.system_gpu(system))[1].architecture
  local f = type(item) == "table" and item or from:framework(item, architecture)
  arguments.warn(core.framework_warning(system, {f.framework}, {f.cudnn}, {f.interval}, {f.memory}))
  return f
end

-- A framework into the plan, for every system the one that its GPU has; that of the first system.
local function add_framework(made, item, from)
  local parts, first = {{}, {}, {}, {}}, nil
  for i, system in ipairs(made.systems) do
    local f = plan.framework_on(item, system, from)
    parts[1][i], parts[2][i], parts[3][i], parts[4][i] = f.framework, f.cudnn, f.interval, f.memory
    first = first or f
  end
  core.plan_add_framework(made.handle, parts[1], parts[2], parts[3], parts[4])
  return first
end

-- The systems with every combination of numbers of the hardware, the last path fastest; paths in the order of their names.
local function variants_of(systems, hardware)
  local paths = {}
  for path in pairs(hardware or {}) do paths[#paths + 1] = text_of(path, "a path") end
  table.sort(paths)
  for _, path in ipairs(paths) do
    local next_systems = {}
    for _, system in ipairs(systems) do
      for _, value in ipairs(list_of(hardware[path], function(item) return System.value_text(path, item) end, path)) do
        next_systems[#next_systems + 1] = core.system_with_number(system, path, value)
      end
    end
    systems = next_systems
  end
  return systems, paths
end

-- A plan over the networks and systems of the options; it holds them, because C refers to them.
function plan.new(options)
  local from = catalog.of(options)
  local made = {
    networks = catalog.handles_of(options.network, "network", from),
  }
  made.systems, made.paths = variants_of(catalog.handles_of(options.system, "system", from), options.axes)
  made.handle = core.plan_new(made.networks, made.systems)
  made.frameworks = {}
  for i, item in ipairs(frameworks_of(options.framework)) do made.frameworks[i] = add_framework(made, item, from) end
  return made
end

-- Every combination of the options, as "run" records.
function plan.runs_of(made, options)
  local own = {}
  for name, value in pairs(options) do own[name] = value end
  if own.batch ~= nil and own.global_batch ~= nil then
    error("batch (per GPU) and global_batch exclude each other", 0)
  end
  if own.global_batch ~= nil then own.batch = own.global_batch end
  local places = {network_index = #made.networks, system_index = #made.systems, framework_index = #made.frameworks}
  local base, names, lengths, values = axes.of("run", strict.unpack(core.run_default())[1], own, places)
  return core.run_space(base, names, lengths, values, own.global_batch ~= nil and 1 or 0)
end

return plan
