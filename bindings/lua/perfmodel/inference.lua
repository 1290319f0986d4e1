-- Inference: one batch, the largest within a latency, many. Private; users see it in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local axes = require "perfmodel.axes"
local catalog = require "perfmodel.catalog"
local fields = require "perfmodel.fields"
local new_table = require "perfmodel.table"
local System = require "perfmodel.system"
local strict = require "perfmodel.strict"
local public, text_of, number_of = arguments.public, arguments.text_of, arguments.number_of
local list_of, is_list = arguments.list_of, arguments.is_list

local inference = {}

-- Every field of the run, and what only a face knows; `usable` is another name of usable_memory.
inference.OPTIONS = axes.options("inference_run", "network system framework latency usable catalog")
local OPTIONS = inference.OPTIONS
local SWEEP_OPTIONS = arguments.options("columns", OPTIONS)

-- A profile by its name or that of a framework, or one given as a table.
local function profile_of(value, from)
  if type(value) == "table" then return value end
  return strict.unpack(core.catalog_inference(catalog.handle_of(from), text_of(value, "framework")))[1]
end

-- A plan with the usable memory of its systems.
function inference.plan_of(options)
  local from, framework = catalog.of(options), options.framework or "tensorrt"
  if type(framework) == "table" and rawget(framework, "id") ~= nil then framework = {framework} end
  local profiles = list_of(framework, function(item) return profile_of(item, from) end, "framework")
  local plan = {networks = catalog.handles_of(options.network, "network", from), profiles = #profiles, chosen = profiles,
                systems = {}, usable = {}}
  plan.objects = catalog.objects_of(options.system, "system", from)
  for i, system in ipairs(plan.objects) do
    plan.systems[i] = arguments.handle_of(system, System, "system")
    plan.usable[i] = catalog.usable_of(options, system:gpu_record(), from)
  end
  plan.handle = core.inference_plan_new(plan.networks, plan.systems, profiles, {from:record("memory_profile", "pytorch")})
  return plan
end

-- Every combination, as a list of tables: batch fastest, then gpus, nodes, precision, the others, framework, system, network.
function inference.runs_of(plan, options)
  local places = {network_index = #plan.networks, system_index = #plan.systems, profile_index = plan.profiles}
  local default = strict.unpack(core.inference_run_default())[1]
  local runs = strict.unpack(core.inference_run_space(axes.of("inference_run", default, options, places)))
  for _, run in ipairs(runs) do run.usable_memory = run.usable_memory or plan.usable[run.system_index + 1] end
  return runs
end

-- The answer, with the batch that was found or given.
local Inference = strict.class("an inference", arguments.options("batch", fields.set "inference"))

function Inference.__tostring(self)
  local tokens = self.tokens_per_second and string.format(", %.4g tokens/s", self.tokens_per_second) or ""
  return string.format("%.4g samples/s%s, batch %.0f in %s, bottleneck %s (%s)", self.throughput, tokens, self.batch,
                       core.quantity_format(self.latency, "s"), self.bottleneck, self.basis)
end

--- Inference of one batch, a table with every field of "inference" by name, and `batch`. Options: network, system (a
--- system or a GPU), framework (an inference profile, default "tensorrt"), latency (a limit: the largest batch within it),
--- catalog, and the fields of a run that pm.options "inference_run" lists: batch, precision, gpus, nodes, ...
inference.infer = public(function(options)
  arguments.check_options(options, OPTIONS)
  if options.batch ~= nil and options.latency ~= nil then error("batch and latency exclude each other", 0) end
  for name, value in pairs(options) do
    if is_list(value) and name ~= "framework" then error(name .. " is a list; use pm.infer_sweep", 0) end
  end
  local plan = inference.plan_of(options)
  local runs = inference.runs_of(plan, options)
  core.infer_check(plan.handle, runs)
  if options.latency ~= nil then
    runs = strict.unpack(core.infer_within(plan.handle, runs, number_of(options.latency, "s", "latency")))
  end
  local answer = strict.unpack(core.infer(plan.handle, runs))[1]
  rawset(answer, "batch", runs[1].batch)
  return setmetatable(answer, Inference)
end)

--- Every combination, as a table object: the options of pm.infer but latency, each one value or a list. A point that
--- cannot be predicted has its status and no numbers, and the others go on. `columns`: names of those wanted.
inference.infer_sweep = public(function(options)
  arguments.check_options(options, SWEEP_OPTIONS)
  if options.latency ~= nil then error("latency is for pm.infer", 0) end
  local plan = inference.plan_of(options)
  local runs = inference.runs_of(plan, options)
  local records = core.inference_table(plan.handle, runs, core.infer(plan.handle, runs))
  if options.columns ~= nil then core.table_keep(records, arguments.names_of(options.columns, "columns")) end
  return new_table(records)
end)

return inference
