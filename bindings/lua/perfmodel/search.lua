-- The best way to share a network out: every parallel plan, predicted. Private; users see it in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local fields = require "perfmodel.fields"
local new_table = require "perfmodel.table"
local predict = require "perfmodel.predict"
local report = require "perfmodel.report"
local study = require "perfmodel.study"
local strict = require "perfmodel.strict"
local price_in = require "perfmodel.prices"
local text_of, number_of = arguments.text_of, arguments.number_of

local search = {}

local OPTIONS = arguments.options("top minimize", arguments.but(study.OPTIONS, "batch epoch_samples"))

-- What of the best run its plan decides, and what is not its default, by name; as pm.predict takes it.
local function options_of(run, global_batch)
  local usual, options = strict.unpack(core.asked_runs("training", {}, {}, {}))[1], {global_batch = global_batch}
  for _, field in ipairs(fields.given "run") do
    local name, value = field.name, rawget(run, field.name)
    local wanted = name ~= "batch" and value ~= nil and value == value
    if wanted and (field.asked ~= "" or value ~= rawget(usual, name)) then
      options[name] = math.type and math.type(value) == "float" and math.tointeger(value) or value
    end
  end
  return options
end

-- No settings of a run that is written down.
local OF_MACHINE = arguments.options "gpus nodes framework"

local Search = {}
Search.__index = Search

-- What the searches stand on; private.
local inside = setmetatable({}, {__mode = "k"})

--- The best plan as that program is told it: "megatron", "torchtitan" or "deepspeed".
Search.to_settings = arguments.public(function(self, format)
  local settings = {}
  for name, value in pairs(self.options) do settings[name] = not OF_MACHINE[name] and value or nil end
  return core.settings_write(text_of(format, "format"), arguments.attributes_of(settings))
end)

Search.__tostring = report.text

-- The framework of a completed run, as pm.predict takes it.
local function framework_of(made, run)
  if run.framework_index < 0 then return "none" end
  local f, parts = {}, {framework = "framework", cudnn = "cudnn_generation", interval = "prediction_interval",
                        memory = "memory_profile"}
  for name, part in pairs(parts) do
    f[name] = strict.unpack(core.study_software(made.study, run.framework_index, run.system_index, part))[1]
  end
  return f
end

local function found(made, handle, result, global_batch, given)
  local self = {count = core.search_result_count(result, 0), fitting = core.search_result_count(result, 1)}
  local function view(which) return new_table(core.search_table(made.study, result, which, given, 1)) end
  self.plans, self.fastest, self.front = view "plans", view "fastest", view "front"
  self.why, self.choices = view "why", view "choices"
  local best = strict.unpack(core.search_runs(handle, result, "plans"))[1]
  local run = core.pack("run", {best})
  self.best = predict.of(made, run, study.assumed(made, run, given, 1)[1], given, 1)
  self.options = options_of(best, core.search_global_batch(handle))
  if made.frameworks > 0 then self.options.framework = framework_of(made, best) end
  inside[self] = {made, handle} -- plans are those of the search
  return report.attach(self, Search, function()
    return core.search_report(made.study, result, given, 1, global_batch)
  end)
end

--- Every way to share a network out over GPUs for a global batch, and the best of them: pm.search{network =
--- "llama3-70b", system = "dgx-h100", gpus = 512, global_batch = 1024, precision = "bf16"}. Options: those of
--- pm.predict but batch, each one value or a list; what plans decide is tried where it is not given. top: how many
--- plans are kept. minimize: "energy", "carbon", "energy-cost" or "cost" for a sample, instead of the surest rate. The
--- answer has `plans` (by the lower end of their interval), `fastest`, `front` (table objects),
--- `why` and `choices` (what other choices cost), `best` (its prediction), `options` (as pm.predict takes it), `count`,
--- `fitting`, and the method to_settings(format).
search.search = arguments.public(function(options)
  arguments.check_options(options, OPTIONS)
  local global_batch = options.global_batch and number_of(options.global_batch, "1", "global_batch") or 0 / 0
  local made = study.new(options)
  local names, lengths, values, given = study.axes_of(made, options)
  local handle = core.search_new(made.study, names, lengths, values, global_batch)
  study.follow(made)
  local result = core.search_result_new(handle, number_of(options.top or 10, "1", "top"),
                                        text_of(options.minimize or "nodes", "minimize"))
  core.search_evaluate(handle, 0, core.search_count(handle), result)
  if core.search_result_count(result, 1) == 0 then
    error(string.format("none of %d plans fits into memory: more GPUs, or larger ones, would help",
                        core.search_result_count(result, 0)), 0)
  end
  given[#given + 1], given[#given + 2] = "batch", "micro_batch" -- plans decide these two
  return found(made, handle, result, global_batch, given)
end)

local GOAL = fields.given "training_goal"
local goal_words = {}
for i, field in ipairs(GOAL) do goal_words[i] = field.name end
local DEADLINE = arguments.options(table.concat(goal_words, " "),
                                   arguments.but(study.OPTIONS, "batch epoch_samples gpus nodes"))

-- The price of one system: one of all, or that under any of its names.
local function price_of(price, made, id)
  if type(price) ~= "table" then return price end
  return price_in(price, id, made.catalog)
end

-- A goal for each system.
local function goals_of(made, options)
  local goals = {}
  for i, system in ipairs(made.systems) do
    local goal = strict.unpack(core.training_goal_default())[1]
    local id = strict.unpack(core.system_machine(system))[1].id
    for _, field in ipairs(GOAL) do
      local value = options[field.name]
      if field.name:find "price" then value = price_of(value, made, id) end
      if field.name == "minimize" then goal.minimize = value or goal.minimize
      elseif value ~= nil then goal[field.name] = number_of(value, field.unit, field.name) end
    end
    goals[i] = goal
  end
  return goals
end

--- The fewest nodes whose best plan trains on so many `tokens` or `samples` `within` a time, failures and checkpoints
--- counted: pm.size_training{network = "llama3-70b", system = "dgx-h100", tokens = "15T", within = "60 d"}, a table
--- object with a row for each count that is faster than all smaller ones; the last one meets the deadline, if any does.
--- With a list of systems, a row for each with its fewest nodes, the best first. Options: those of pm.search, one value
--- each, without gpus and nodes; minimize ("nodes", "cost", "power", "rack-units", "energy", "carbon",
--- "energy-cost"), max_nodes, gpu_mtbf, node_mtbf,
--- checkpoint_rate or checkpoint, restart, interval, pue, price (of a node) and gpu_hour_price, one or by system.
search.size_training = arguments.public(function(options)
  arguments.check_options(options, DEADLINE)
  local made = study.new(options)
  local goals, run = goals_of(made, options), {}
  for name, value in pairs(options) do run[name] = value end
  for _, name in ipairs(goal_words) do run[name] = nil end -- what is aimed at is no option of a plan
  local names, lengths, values = study.axes_of(made, run)
  local global_batch = options.global_batch and number_of(options.global_batch, "1", "global_batch") or 0 / 0
  local counts = core.training_table(made.study, names, lengths, values, global_batch, goals)
  return report.keep(new_table(counts), function()
    return core.training_report(made.study, names, lengths, values, global_batch, goals, counts,
                                arguments.currency_of(options.gpu_hour_price, options.price))
  end)
end)

return search
