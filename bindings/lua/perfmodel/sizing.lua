-- Sizing backwards: what reaches a target. Private; users see it in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local catalog = require "perfmodel.catalog"
local fields = require "perfmodel.fields"
local paths = require "perfmodel.paths"
local report = require "perfmodel.report"
local study = require "perfmodel.study"
local strict = require "perfmodel.strict"
local number_of = arguments.number_of
local price_in = require "perfmodel.prices"

local sizing = {}

local OPTIONS = "rate minimize prices pue max_nodes "
local OF_TRAINING = "epochs within dataset storage units loader cache switch_ports oversubscription"

-- The goal; `dataset` is a record.
local function goal_of(options)
  local goal = strict.unpack(core.size_goal_default())[1]
  for _, field in ipairs(fields.of "size_goal") do
    local name, value = field.name, options[field.name]
    if value ~= nil and name ~= "minimize" then goal[name] = number_of(value, field.unit, name) end
  end
  goal.minimize = options.minimize or goal.minimize
  return goal
end

local Sizing = {__tostring = report.summary}

-- Every choice as a run on one node: nodes are found, so GPUs are those of each node. And the price of each.
local function choices_of(made, own, prices)
  own.nodes = 1
  local runs, given, global = study.complete(made, own)
  local owed, machines = {}, {}
  for i, run in ipairs(strict.unpack(runs)) do
    machines[i] = strict.unpack(core.system_machine(made.systems[run.system_index + 1]))[1]
    owed[i] = price_in(prices, machines[i].id, made.catalog)
  end
  return {runs = runs, given = given, global = global, prices = owed, machines = machines}
end

--- The least nodes (or what `minimize` says: "cost", "power", "rack-units", "energy", "carbon", "energy-cost") of every
--- choice for a rate, or for epochs
--- within a time: a list of tables with the fields of "size_choice", best first, then what misses, nearest first.
--- Options: those of pm.predict but nodes, as lists where there are several choices (system, batch, precision,
--- framework); rate, or epochs and within, or a power_budget that is to be filled; dataset, minimize, prices (of a node
--- by system), pue, storage, units,
--- loader, cache, max_nodes, switch_ports, oversubscription. gpus: used in each node, all by default. With task =
--- "inference" every GPU, of a system or by itself, is a replica: options are those of pm.infer but nodes, rate,
--- latency (the longest a call may take: the largest batch within it) or batch, minimize, prices, pue, max_nodes.
sizing.size = arguments.public(function(options)
  local replicas = study.task(type(options) == "table" and options.task or nil).replicas
  local own = study.take(options, OPTIONS .. (replicas and "latency" or OF_TRAINING),
                         replicas and "nodes" or "nodes " .. study.NOT_SIZED)
  local from = catalog.of(options)
  for _, name in ipairs{"global_batch", "latency"} do
    if own.batch ~= nil and options[name] ~= nil then error("give either batch or " .. name .. ", not both", 0) end
  end
  own.global_batch = nil
  local made = study.new(own)
  local choices = choices_of(made, own, options.prices)
  local dataset = not replicas and catalog.record_of(options.dataset or "ilsvrc2012", "dataset", from) or {}
  local goal = goal_of(options)
  goal.samples, goal.sample_size = dataset.samples, dataset.sample_size
  local i = paths.of(options, choices.machines, dataset, from)
  local function ask(what)
    return strict.unpack(core.size_choices(made.plan, made.task.name, {goal}, choices.runs, choices.prices, i[1], i[2],
                                           i[3], i[4], i[5], i[6], i[7], i[8], what))
  end
  local rows = ask("least")
  --- What takes less than the best, the fastest of it (nil if nothing does); the Pareto front, as a list.
  rows.next_cheaper = function() return ask("next")[1] end
  rows.front = function() return ask("front") end
  if options.global_batch ~= nil then choices.given[#choices.given + 1], choices.global = "batch", 1 end
  rows.assumed = study.assumed(made, choices.runs, choices.given, choices.global)[rows[1].choice + 1]
  local found = {} -- as the core takes them
  for n, row in ipairs(rows) do found[n] = row end
  return report.attach(rows, Sizing, function()
    return core.size_report(made.study, made.plan, made.task.name, {goal}, choices.runs, choices.prices, i[1], i[2],
                            i[3], i[4], i[5], i[6], i[7], i[8], choices.given, choices.global, found,
                            dataset.name or "")
  end)
end)

return sizing
