-- Sensitivities: how the step time depends on each number of the hardware, which upgrade pays; systems with a part
-- exchanged. Private; users see them in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local catalog = require "perfmodel.catalog"
local new_table = require "perfmodel.table"
local paths = require "perfmodel.paths"
local report = require "perfmodel.report"
local study = require "perfmodel.study"
local System = require "perfmodel.system"
local strict = require "perfmodel.strict"
local public, text_of, number_of = arguments.public, arguments.text_of, arguments.number_of

local sensitivity = {}

local PATH = "storage units loader cache dataset"

local function handle_of(system) return arguments.handle_of(system, System, "system") end

-- The same question on the system of the options and on others: studies, systems, completed runs, what was assumed on
-- the first, what was given and 1 for a global batch. A run that cannot be completed on another system keeps the
-- reason.
local function asked_on(own, others)
  local studies, systems, runs, kept = {}, {}, {}, {}
  study.check_single(own, "")
  local made = study.new(own)
  local first, assumed, given, global = study.one(made, own)
  studies[1], systems[1], runs[1], kept[1] = made.study, made.systems[1], strict.unpack(first)[1], made
  for i, other in ipairs(others) do
    local there = {}
    for name, value in pairs(own) do there[name] = value end
    there.system = other
    made = study.new(there)
    studies[i + 1], systems[i + 1], kept[i + 1] = made.study, made.systems[1], made
    runs[i + 1] = strict.unpack((study.complete(made, there)))[1]
  end
  return {studies = studies, systems = systems, runs = core.pack(made.task.run, runs), assumed = assumed,
          given = given, global = global, kept = kept}
end

-- The options of a question of its task: what input reaches is of training.
local function own_of(options, more)
  local trains = study.task(type(options) == "table" and options.task or nil).name == "training"
  return study.take(options, trains and more .. " " .. PATH or more, trains and study.NO_STEP or "")
end

-- The input path of the options, or none.
local function path_of(options, system)
  local from, machine = catalog.of(options), strict.unpack(core.system_machine(system))[1]
  local dataset = options.storage and catalog.record_of(options.dataset or "ilsvrc2012", "dataset", from)
  return paths.of(options, {machine}, dataset, from)
end

-- Systems, names and prices of what could be instead.
local function changes_of(options)
  local from, names, given, systems, prices = catalog.of(options), {}, {}, {}, {}
  for key, system in pairs(options.upgrades or {}) do
    names[#names + 1] = text_of(type(key) == "number" and system or key, "an upgrade's name")
    given[names[#names]] = system
  end
  table.sort(names)
  for n, name in ipairs(names) do
    local price = options.prices and options.prices[name]
    systems[n] = catalog.system_of(given[name], from)
    handle_of(systems[n])
    prices[n] = price and number_of(price, "1", "price") or 0 / 0
  end
  return systems, names, prices
end

-- Rows of a question as a table object with its report.
local function answer_of(kind, q, rows)
  return report.keep(new_table(core.rows_table(kind, rows), q.assumed), function()
    return core.rows_report(q.studies[1], q.runs, q.given, q.global, kind, rows)
  end)
end

--- How the step time depends on each number of the hardware, raised by the share `by` (0.1), as a table object:
--- resource, rate, step_time, change, elasticity, throughput, bottleneck. Options: those of pm.predict; storage,
--- units, loader, cache, dataset; with task = "inference" those of pm.infer but latency: step_time is the latency; with
--- task = "serving" fields of "serving_run": step_time is the TPOT, beside ttft, ttft_change and throughput_change.
sensitivity.sensitivity = public(function(options)
  local own = own_of(options, "by")
  local q = asked_on(own, {})
  local i, by = path_of(options, q.systems[1]), number_of(options.by or 0.1, "1", "by")
  return answer_of("sensitivity", q, core.sensitivity_rows(q.studies[1], q.systems[1], q.runs, i[1], i[2], i[3], i[4],
                                                           i[5], i[6], i[7], i[8], by))
end)

--- Which upgrade pays: the same run on other systems, `upgrades` by name (objects, or names of the catalogue; see
--- pm.with_gpu and pm.with_link) or as a list of names, as a table object, most gain first. `prices` of the changes by
--- the same names. With task = "inference" it is a call.
sensitivity.upgrades = public(function(options)
  local own = own_of(options, "upgrades prices")
  local others, names, prices = changes_of(options)
  local q = asked_on(own, others)
  local i = path_of(options, q.systems[1])
  return answer_of("upgrade", q, core.upgrade_rows(q.studies, q.systems, q.runs, i[1], i[2], i[3], i[4], i[5], i[6],
                                                   i[7], i[8], names, prices))
end)

--- A system with another GPU in it, on the same links.
sensitivity.with_gpu = public(function(system, gpu)
  local from = catalog.shipped()
  local record = catalog.gpu_of(gpu, from)
  return arguments.object(System, core.system_with_gpu(handle_of(catalog.system_of(system, from)), {record},
                                                       catalog.kernels_of({record}, "calibrated")))
end)

--- A system with another number of its hardware, by path ("gpu.memory_bandwidth", "link.nvlink2.bandwidth"): a number
--- in SI units, text with its unit, or a factor, "x1.1".
sensitivity.with_number = public(function(system, path, value)
  local from = catalog.shipped()
  return arguments.object(System, core.system_with_number(handle_of(catalog.system_of(system, from)),
                                                          text_of(path, "a path"), System.value_text(path, value)))
end)

--- A system with another type of link: instead of every link of the type `replaced`, or, without it, as its network.
sensitivity.with_link = public(function(system, link, replaced)
  local from = catalog.shipped()
  return arguments.object(System, core.system_with_link(
    catalog.handle_of(from), handle_of(catalog.system_of(system, from)), text_of(replaced or "", "replaced"),
    text_of(link, "link")))
end)

return sensitivity
