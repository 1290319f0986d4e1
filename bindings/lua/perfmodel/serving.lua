-- Serving: requests to a language model. Private; users see it in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local fields = require "perfmodel.fields"
local report = require "perfmodel.report"
local study = require "perfmodel.study"
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
  return report.attach(answer, Serving, function()
    return core.study_report(made.study, runs, given, global, "", 0 / 0)
  end)
end)

return serving
