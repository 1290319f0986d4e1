-- Input pipelines. Private; users see them in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local catalog = require "perfmodel.catalog"
local fields = require "perfmodel.fields"
local axes = require "perfmodel.axes"
local paths = require "perfmodel.paths"
local report = require "perfmodel.report"
local study = require "perfmodel.study"
local strict = require "perfmodel.strict"
local record_of = catalog.record_of

local input = {}

local COUNTS = arguments.options "gpus nodes"
local OPTIONS = arguments.options("dataset storage loader cpu run network",
                                  arguments.but(study.OPTIONS, "input_rate no_prefetch " .. study.NO_STEP))

local InputRates = strict.class("input rates", arguments.options("assumed", fields.set "input_rates"))

-- GPUs and nodes, and of a network the rate of its GPUs: the run of training by the rules of all runs.
local function readers_of(options, from)
  local own = study.own(options)
  if options.network ~= nil then
    study.check_single(own, "")
    local made = study.new(own)
    local runs, assumed, given, global = study.one(made, own)
    core.run_check(made.plan, "training", runs)
    local trained, run = strict.unpack(core.predict(made.plan, "training", runs, 0))[1], strict.unpack(runs)[1]
    return run, trained.throughput / run.nodes, assumed, {made = made, runs = runs, given = given, global = global}
  end
  own.system, own.catalog = nil, nil
  for name in pairs(own) do
    if not COUNTS[name] then error(name .. " is of the network: give network", 0) end
  end
  local names, lengths, values, given = axes.of("run", own, {})
  local system = catalog.handles_of(options.system, "system", from)[1]
  local asked = core.asked_runs("training", names, lengths, values)
  return strict.unpack(core.complete_counts(system, asked, given, 0))[1], nil, ""
end

--- Rates of every stage of the input path in samples per second of one node, a table with every field of
--- "input_rates": bottleneck, throughput, gpu_busy, max_nodes, ..., and `assumed`: what was not given of the run of a
--- network. Options: dataset, system, storage, loader, cpu (a decoder; default "skylake"), run (a table of fields of
--- "input_run" that differ from the default, in SI units), catalog, gpus and nodes; network: the rate of the GPUs is
--- predicted for it, with the options of pm.predict.
input.input_pipeline = arguments.public(function(options)
  arguments.check_options(options, OPTIONS)
  local from = catalog.of(options)
  local storage = record_of(options.storage, "storage", from)
  local run = strict.unpack(core.input_run_default())[1]
  arguments.check_options(options.run or {}, fields.set "input_run")
  local readers, rate, assumed, trained = readers_of(options, from)
  run.gpus, run.nodes, run.gpu_rate = readers.gpus, readers.nodes, rate
  for name, value in pairs(options.run or {}) do run[name] = value end
  local machine = core.system_machine(catalog.handles_of(options.system, "system", from)[1])
  local p = {{record_of(options.dataset, "dataset", from)}, {storage}, {paths.access_of(storage, from)},
             {record_of(options.cpu or "skylake", "decoder", from)},
             {record_of(options.loader or "tensorflow", "loader", from)}, machine, {paths.interval(from)}, {run}}
  local rates = strict.unpack(core.input_rates(p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8]))[1]
  rawset(rates, "assumed", assumed)
  return report.attach(rates, InputRates, function()
    local t = trained or {runs = core.asked_runs("training", {}, {}, {}), given = {}, global = 0}
    return core.input_report(p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], {t.made and t.made.study}, t.runs, t.given,
                             t.global)
  end)
end)

return input
