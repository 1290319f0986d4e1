-- Serving: requests to a language model. Private; users see it in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local fields = require "perfmodel.fields"
local new_table = require "perfmodel.table"
local report = require "perfmodel.report"
local study = require "perfmodel.study"
local price_in = require "perfmodel.prices"
local strict = require "perfmodel.strict"

local serving = {}

local Serving = strict.class("an answer of serving", arguments.options("assumed", fields.set "serving"))

Serving.__tostring = report.summary

--- What requests see of a language model: a table with every field of "serving" by name (ttft, tpot, output_rate,
--- largest_concurrency, ...) and `assumed`: what was not given, and is taken to be. Options: network, system (a system
--- or a GPU), engine (by default vLLM, the newest), tp, pp and ep for tensor_parallel, pipeline_parallel and
--- expert_parallel, catalog, and the fields of a run that pm.options "serving_run" lists: isl, osl, concurrency, rate,
--- weights, ...
serving.serve = arguments.public(function(options)
  local own = study.take_serving(options, "")
  study.check_single(own, '; use pm.sweep with task = "serving"')
  local made = study.new(own)
  local runs, assumed, given, global = study.one(made, own)
  core.run_check(made.plan, "serving", runs)
  local answer = strict.unpack(core.predict(made.plan, "serving", runs, -1))[1]
  rawset(answer, "assumed", assumed)
  return report.attach(answer, Serving, function(field)
    return core.study_report(made.study, runs, given, global, "", 0 / 0, field or "",
                             arguments.currency_of(options.gpu_hour_price))
  end)
end)

local GOAL = "ttft tpot gpu_hour_prices layouts front top max_gpus max_workers "

-- The record of the goal.
local function goal_of(options)
  local number_of = arguments.number_of
  return {ttft = options.ttft and number_of(options.ttft, "s", "ttft"),
          tpot = options.tpot and number_of(options.tpot, "s", "tpot"),
          layouts = options.layouts or "tensor", front = options.front and "yes" or "no", top = options.top or 0,
          max_gpus = options.max_gpus or 32, max_workers = options.max_workers or 8}
end

-- The price of a GPU of each run for an hour: one for all, or by system.
local function prices_of(made, runs, prices)
  local list = {}
  for i, run in ipairs(strict.unpack(runs)) do
    local id = strict.unpack(core.system_machine(made.systems[run.system_index + 1]))[1].id
    local by_name = prices == nil or type(prices) == "table"
    list[i] = by_name and price_in(prices, id, made.catalog) or arguments.number_of(prices, "currency/h", "price")
  end
  return list
end

--- GPUs and layouts that answer `rate` requests per second within limits, least cost or fewest GPUs first, as a table
--- object with the fields of "serving_choice". Options: those of pm.serve but gpus, nodes, concurrency and arrivals,
--- each one value or a list; ttft and tpot (limits at the percentile; math.huge: any; by default 2 s, with more for
--- prompts of more than 2,048 tokens, and 200 ms), gpu_hour_prices (a number, or numbers by
--- system), layouts ("tensor", "all" or "given"), front, top, max_gpus, max_workers.
serving.size_serving = arguments.public(function(options)
  local own = study.take_serving(options, GOAL)
  local made = study.new(own)
  local runs, given, global = study.complete(made, own, false)
  local goal, prices = {goal_of(options)}, prices_of(made, runs, options.gpu_hour_prices)
  local rows = new_table(core.serving_goal_table(made.study, goal, runs, prices, given, global))
  return report.keep(rows, function()
    return core.serving_goal_report(made.study, goal, runs, prices, given, global,
                                    arguments.currency_of(options.gpu_hour_prices))
  end)
end)

return serving
