-- Inference: one batch, the largest within a latency, many. Private; users see it in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local axes = require "perfmodel.axes"
local catalog = require "perfmodel.catalog"
local fields = require "perfmodel.fields"
local new_table = require "perfmodel.table"
local plan = require "perfmodel.plan"
local System = require "perfmodel.system"
local strict = require "perfmodel.strict"
local public, text_of, number_of = arguments.public, arguments.text_of, arguments.number_of
local list_of, is_list = arguments.list_of, arguments.is_list

local inference = {}

-- Every field of the run, and what only a face knows; `usable` is another name of usable_memory.
inference.OPTIONS = axes.options("inference_run", "network system framework latency usable catalog")
local OPTIONS = inference.OPTIONS
local SWEEP_OPTIONS = arguments.options("columns", OPTIONS)

-- A profile by its name or that of a framework, as the system's GPU has it, or one given as a table.
local function profile_of(value, handle, from)
  local found = value
  if type(value) ~= "table" then
    local on = strict.unpack(core.system_gpu(handle))[1].architecture
    found = strict.unpack(core.catalog_inference(catalog.handle_of(from), text_of(value, "framework"), on))[1]
  end
  arguments.warn(core.inference_warning(handle, {found}))
  return found
end

-- That of the options, on another system.
function inference.profile_on(options, handle)
  local value = options.framework or plan.DEFAULT
  if is_list(value) and rawget(value, "id") == nil then value = value[1] end
  return profile_of(value, handle, catalog.of(options))
end

-- A plan with the usable memory of its systems.
function inference.plan_of(options)
  local from, framework = catalog.of(options), options.framework or plan.DEFAULT
  if type(framework) == "table" and rawget(framework, "id") ~= nil then framework = {framework} end
  local frameworks = list_of(framework, function(item) return item end, "framework")
  local made = {networks = catalog.handles_of(options.network, "network", from), profiles = #frameworks, chosen = {},
                systems = {}, usable = {}}
  made.objects = catalog.objects_of(options.system, "system", from)
  for i, system in ipairs(made.objects) do
    made.systems[i] = arguments.handle_of(system, System, "system")
    made.usable[i] = catalog.usable_of(options, system:gpu_record(), from)
  end
  for _, item in ipairs(frameworks) do
    for _, system in ipairs(made.systems) do made.chosen[#made.chosen + 1] = profile_of(item, system, from) end
  end
  made.handle = core.inference_plan_new(made.networks, made.systems, made.chosen, {from:record("memory_profile", "pytorch")})
  return made
end

-- Every combination, as a list of tables: batch fastest, then gpus, nodes, precision, the others, framework, system, network.
function inference.runs_of(made, options)
  local places = {network_index = #made.networks, system_index = #made.systems, profile_index = made.profiles}
  local default = strict.unpack(core.inference_run_default())[1]
  local runs = strict.unpack(core.inference_run_space(axes.of("inference_run", default, options, places)))
  for _, run in ipairs(runs) do run.usable_memory = run.usable_memory or made.usable[run.system_index + 1] end
  return runs
end

-- The answer, with the batch that was found or given.
local Inference = strict.class("an inference", arguments.options("batch", fields.set "inference"))

function Inference.__tostring(self)
  local tokens = self.tokens_per_second and string.format(", %.4g tokens/s", self.tokens_per_second) or ""
  return string.format("%.4g samples/s%s, batch %.0f in %s, bottleneck %s (%s)", self.throughput, tokens, self.batch,
                       core.quantity_format(self.latency, "s"), self.bottleneck, self.calibration)
end

--- Inference of one batch, a table with every field of "inference" by name, and `batch`. Options: network, system (a
--- system or a GPU), framework (an inference profile or a framework; by default PyTorch, the
--- newest release that was fitted and runs on the GPU), latency (a limit: the largest batch within it),
--- catalog, and the fields of a run that pm.options "inference_run" lists: batch, precision, gpus, nodes, ...
inference.infer = public(function(options)
  arguments.check_options(options, OPTIONS)
  if options.batch ~= nil and options.latency ~= nil then error("batch and latency exclude each other", 0) end
  for name, value in pairs(options) do
    if is_list(value) and name ~= "framework" then error(name .. " is a list; use pm.infer_sweep", 0) end
  end
  local made = inference.plan_of(options)
  local runs = inference.runs_of(made, options)
  core.infer_check(made.handle, runs)
  if options.latency ~= nil then
    runs = strict.unpack(core.infer_within(made.handle, runs, number_of(options.latency, "s", "latency")))
  end
  local answer = strict.unpack(core.infer(made.handle, runs))[1]
  rawset(answer, "batch", runs[1].batch)
  return setmetatable(answer, Inference)
end)

--- Every combination, as a table object: the options of pm.infer but latency, each one value or a list. A point that
--- cannot be predicted has its status and no numbers, and the others go on. `columns`: names of those wanted.
inference.infer_sweep = public(function(options)
  arguments.check_options(options, SWEEP_OPTIONS)
  if options.latency ~= nil then error("latency is for pm.infer", 0) end
  local made = inference.plan_of(options)
  local runs = inference.runs_of(made, options)
  local records = core.inference_table(made.handle, runs, core.infer(made.handle, runs))
  if options.columns ~= nil then core.table_keep(records, arguments.names_of(options.columns, "columns")) end
  return new_table(records)
end)

return inference
