-- Sensitivities: how the step time depends on each number of the hardware, which upgrade pays; systems with a part exchanged.
-- Private; users see them in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local catalog = require "perfmodel.catalog"
local inference = require "perfmodel.inference"
local new_table = require "perfmodel.table"
local paths = require "perfmodel.paths"
local plan = require "perfmodel.plan"
local System = require "perfmodel.system"
local strict = require "perfmodel.strict"
local public, text_of, number_of = arguments.public, arguments.text_of, arguments.number_of

local sensitivity = {}

local OPTIONS = arguments.options("by storage units loader cache dataset", arguments.but(plan.OPTIONS, "epoch_samples"))
local UPGRADE_OPTIONS = arguments.options("upgrades prices", arguments.but(OPTIONS, "by"))

local function handle_of(system) return arguments.handle_of(system, System, "system") end

-- What is asked of a step: its plan (which keeps what C refers to), and a function that hands a core function the step and
-- further arguments.
local function question_of(options)
  local from, own = catalog.of(options), plan.own(options)
  plan.check_single(own, "")
  local made = plan.new(own)
  local runs, f = strict.unpack(plan.runs_of(made, own)), made.frameworks[1]
  local machine = strict.unpack(core.system_machine(made.systems[1]))[1]
  local dataset = options.storage and catalog.record_of(options.dataset or "ilsvrc2012", "dataset", from)
  local i = paths.of(options, {machine}, dataset, from)
  return function(ask, others, ...)
    local parts = {{}, {}, {}, {}}
    for n = 1, f and 1 + #others or 0 do
      local on = n == 1 and f or plan.framework_on(own.framework or plan.DEFAULT, others[n - 1], from)
      parts[1][n], parts[2][n], parts[3][n], parts[4][n] = on.framework, on.cudnn, on.interval, on.memory
    end
    return new_table(ask(made.networks[1], made.systems[1], runs, parts[1], parts[2], parts[3], parts[4], i[1], i[2],
                         i[3], i[4], i[5], i[6], i[7], i[8], ...))
  end
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
    systems[n] = handle_of(catalog.system_of(given[name], from))
    prices[n] = price and number_of(price, "1", "price") or 0 / 0
  end
  return systems, names, prices
end

--- How the step time depends on each number of the hardware, raised by the share `by` (0.1), as a table object: resource, rate,
--- step_time, change, elasticity, throughput, bottleneck. Options: those of pm.predict; storage, units, loader, cache, dataset.
sensitivity.sensitivity = public(function(options)
  arguments.check_options(options, OPTIONS)
  return question_of(options)(core.sensitivity_table, {}, number_of(options.by or 0.1, "1", "by"))
end)

--- Which upgrade pays: the same run on other systems, `upgrades` by name (objects, or names of the catalogue; see
--- pm.with_gpu and pm.with_link) or as a list of names, as a table object, most gain first. `prices` of the changes by the same names.
sensitivity.upgrades = public(function(options)
  arguments.check_options(options, UPGRADE_OPTIONS)
  local systems, names, prices = changes_of(options)
  return question_of(options)(core.upgrade_table, systems, systems, names, prices)
end)

local CALL = arguments.but(inference.OPTIONS, "latency")
local CALL_BY, CALL_UPGRADES = arguments.options("by", CALL), arguments.options("upgrades prices", CALL)

-- Network, system, run and profile of one call of inference.
local function call_of(options)
  local made = inference.plan_of(options)
  local runs = inference.runs_of(made, options)
  if #runs ~= 1 then error("sensitivities are of one call", 0) end
  return made.networks[1], made.systems[1], runs, made.chosen
end

--- How the latency of inference depends on each number of the hardware: as pm.sensitivity; step_time is the latency. Options: those
--- of pm.infer but latency, and `by`.
sensitivity.sensitivity_inference = public(function(options)
  arguments.check_options(options, CALL_BY)
  local network, system, runs, profiles = call_of(options)
  return new_table(core.call_sensitivity_table(network, system, runs, profiles, number_of(options.by or 0.1, "1", "by")))
end)

--- Which upgrade pays in inference: as pm.upgrades, of a call.
sensitivity.upgrades_inference = public(function(options)
  arguments.check_options(options, CALL_UPGRADES)
  local network, system, runs, profiles = call_of(options)
  local others, names, prices = changes_of(options)
  for i, other in ipairs(others) do profiles[i + 1] = inference.profile_on(options, other) end
  return new_table(core.call_upgrade_table(network, system, runs, profiles, others, names, prices))
end)

--- A system with another GPU in it, on the same links.
sensitivity.with_gpu = public(function(system, gpu)
  local from = catalog.shipped()
  local record = catalog.gpu_of(gpu, from)
  return arguments.object(System, core.system_with_gpu(handle_of(catalog.system_of(system, from)), {record},
                                                       catalog.kernels_of({record}, "calibrated")))
end)

--- A system with another number of its hardware, by path ("gpu.memory_bandwidth", "link.nvlink2.bandwidth"): a number in SI
--- units, text with its unit, or a factor, "x1.1".
sensitivity.with_number = public(function(system, path, value)
  local from = catalog.shipped()
  return arguments.object(System, core.system_with_number(handle_of(catalog.system_of(system, from)),
                                                          text_of(path, "a path"), System.value_text(path, value)))
end)

--- A system with another type of link: in place of every link of the type `replaced`, or, without it, as its network.
sensitivity.with_link = public(function(system, link, replaced)
  local from = catalog.shipped()
  return arguments.object(System, core.system_with_link(
    catalog.handle_of(from), handle_of(catalog.system_of(system, from)), text_of(replaced or "", "replaced"),
    text_of(link, "link")))
end)

return sensitivity
