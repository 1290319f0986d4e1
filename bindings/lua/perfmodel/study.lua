-- Studies: networks on systems in software, and runs of which only some fields are given. The library completes them.
-- Private.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local catalog = require "perfmodel.catalog"
local axes = require "perfmodel.axes"
local System = require "perfmodel.system"
local strict = require "perfmodel.strict"
local text_of, list_of, is_list = arguments.text_of, arguments.list_of, arguments.is_list

local study = {}

-- What is asked of a step: every field of the run, and what is no field.
study.OPTIONS = axes.options("run", "network system global_batch framework catalog lora")

-- Fields of a run that change no step, but epochs and what training on all tokens or samples takes.
study.NO_STEP = "epoch_samples tokens samples gpu_mtbf node_mtbf checkpoint_rate checkpoint restart interval pue " ..
                "gpu_hour_price carbon energy_price power_budget"
-- Those of them that sizing takes from nobody.
study.NOT_SIZED = "epoch_samples tokens samples gpu_mtbf node_mtbf checkpoint_rate checkpoint restart interval pue " ..
                  "gpu_hour_price"

-- A task by name: types of its runs and answers, the field of a run that is its software, whether GPUs are replicas,
-- and the options of its runs; `usable` is another name of usable_memory.
local tasks = {}
function study.task(name)
  name = text_of(name or "training", "task")
  if not tasks[name] then
    local facts = core.task_facts(name)
    tasks[name] = {name = name, unit = facts[1], run = facts[2], software = facts[4], replicas = facts[5] ~= "",
                   options = facts[2] == "run" and study.OPTIONS
                             or axes.options(facts[2], "network system framework usable catalog")}
  end
  return tasks[name]
end

-- Of options, those that the runs of their task take. All others raise, but for `more`; of the runs', all `but` some.
function study.take(options, more, but)
  local task = study.task(type(options) == "table" and options.task or nil)
  local own = {task = task.name}
  arguments.check_options(options, arguments.options("task " .. more, arguments.but(task.options, but or "")))
  for name in pairs(task.options) do own[name] = options[name] end
  return own
end

-- Options that have a longer name too.
local SHORT = {tp = "tensor_parallel", pp = "pipeline_parallel", ep = "expert_parallel", engine = "framework"}

-- The options of a run of serving, by their long names; others raise, but for `more`.
function study.take_serving(options, more)
  local own, known = {task = "serving"}, study.task("serving").options
  arguments.check_options(options, arguments.options("tp pp ep engine " .. more, known))
  for name in pairs(known) do own[name] = options[name] end
  for short, name in pairs(SHORT) do
    if options[short] ~= nil and own[name] ~= nil then
      error("give either " .. short .. " or " .. name .. ", not both", 0)
    end
    if options[short] ~= nil then own[name] = options[short] end
  end
  return own
end

-- Of options, those that a prediction takes.
function study.own(options)
  local own = {}
  for name in pairs(study.OPTIONS) do own[name] = options[name] end
  return own
end

-- Records of a framework, or of an inference profile, which are a table too.
local function is_record(value)
  return type(value) == "table" and (rawget(value, "framework") or rawget(value, "id")) ~= nil
end

-- Every option but a framework of records and words of adapters is one value.
function study.check_single(options, advice)
  for name, value in pairs(options) do
    local one = name == "lora" or (name == "framework" and is_record(value))
    if is_list(value) and not one then error(name .. " is a list" .. advice, 0) end
  end
end

-- The systems with every combination of numbers of the hardware, the last path fastest; paths in the order of their
-- names.
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

-- Frameworks by name, "" for those given as records, and the records.
local function frameworks_of(value)
  local names, records = {}, {}
  if value == nil then return names, records end
  for i, item in ipairs(list_of(is_record(value) and {value} or value, function(item) return item end, "framework")) do
    names[i] = is_record(item) and "" or text_of(item, "framework")
    if is_record(item) then records[#records + 1] = item end
  end
  return names, records
end

local function parts_of(frameworks)
  local parts = {{}, {}, {}, {}}
  for i, f in ipairs(frameworks) do
    parts[1][i], parts[2][i], parts[3][i], parts[4][i] = f.framework, f.cudnn, f.interval, f.memory
  end
  return parts
end

-- A study of the networks and systems of the options; it holds them, because C refers to them.
function study.new(options)
  local from, task = catalog.of(options), study.task(options.task)
  local made = {task = task, catalog = from, networks = catalog.handles_of(options.network, "network", from)}
  made.systems, made.paths = variants_of(catalog.handles_of(options.system, "system", from), options.axes)
  local names, records = frameworks_of(options.framework)
  local trains = task.software == "framework_index"
  local parts = parts_of(trains and records or {})
  made.study = core.study_new(task.name, catalog.handle_of(from), made.networks, made.systems, names, parts[1],
                              parts[2], parts[3], parts[4], trains and {} or records)
  made.frameworks = #names
  return made
end

-- The axes of the study's lists.
local function places_of(made)
  return {network_index = #made.networks, system_index = #made.systems, [made.task.software] = made.frameworks}
end

-- What core functions take for all combinations of the options: names, lengths and values of axes; and the fields
-- given.
function study.axes_of(made, options) return axes.of(made.task.run, options, places_of(made)) end

-- Options as fields of the run: a global batch is its batch.
local function fields_of(options)
  local own = {}
  for name, value in pairs(options) do own[name] = value end
  if own.batch ~= nil and own.global_batch ~= nil then error("give either batch or global_batch, not both", 0) end
  if own.usable_memory ~= nil and own.usable ~= nil then error("give either usable or usable_memory, not both", 0) end
  if own.global_batch ~= nil then own.batch = own.global_batch end
  if own.usable ~= nil then own.usable_memory = own.usable end
  return own
end

-- Every combination of the options, completed: records, the fields that were given, and 1 for a global batch. With
-- `one`, a run that cannot be completed is an error; of many it keeps the reason for its prediction.
function study.complete(made, options, one)
  local global = options.global_batch ~= nil and 1 or 0
  local names, lengths, values, given = study.axes_of(made, fields_of(options))
  local asked = core.asked_runs(made.task.name, names, lengths, values)
  local runs = core.study_complete(made.study, asked, given, global, one and 1 or 0)
  study.follow(made)
  return runs, given, global
end

-- After runs were completed: the plan that has them, and what is worth knowing of their software.
function study.follow(made)
  made.plan = core.study_plan(made.study)
  local notes = core.study_notes(made.study)
  for i = (made.noted or 0) + 1, #notes do arguments.warn(notes[i]) end
  made.noted = #notes
end

-- One run, completed, what was assumed of it, the fields that were given, 1 for a global batch.
function study.one(made, options)
  local runs, given, global = study.complete(made, options, true)
  if #strict.unpack(runs) ~= 1 then error("one value of each option expected", 0) end
  return runs, study.assumed(made, runs, given, global)[1], given, global
end

-- What was assumed of each of the runs, in a line.
function study.assumed(made, runs, given, global)
  return core.study_assumed(made.study, runs, given, global)
end

-- "; assumed: ...", or nothing.
function study.assumed_text(assumed) return (assumed or "") ~= "" and "; assumed: " .. assumed or "" end

return study
