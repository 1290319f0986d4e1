-- Inference: one batch, the largest within a latency, many. Private; users see it in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local catalog = require "perfmodel.catalog"
local new_table = require "perfmodel.table"
local System = require "perfmodel.system"
local public, text_of, number_of = arguments.public, arguments.text_of, arguments.number_of
local list_of, is_list = arguments.list_of, arguments.is_list

local inference = {}

local OPTIONS = arguments.options
  "network system batch precision framework latency gpus nodes usable kernel_model catalog"

-- A profile by its name or that of a framework, or one given as a table.
local function profile_of(value, from)
  if type(value) == "table" then return value end
  return core.unpack(core.catalog_inference(catalog.handle_of(from), text_of(value, "framework")))[1]
end

-- A plan with the usable memory of its systems.
function inference.plan_of(options)
  local from, framework = catalog.of(options), options.framework or "tensorrt"
  if type(framework) == "table" and framework.id ~= nil then framework = {framework} end
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

-- Every combination: batch fastest, then precision, framework, system, network.
function inference.runs_of(plan, options)
  local runs, default = {}, core.unpack(core.inference_run_default())[1]
  local batches = arguments.numbers_of(options.batch, "1", "batch")
  local precisions = list_of(options.precision, text_of, "precision")
  local function add(n, s, f, precision, batch)
    local run = {}
    for name, value in pairs(default) do run[name] = value end
    run.network_index, run.system_index, run.profile_index, run.usable_memory = n - 1, s - 1, f - 1, plan.usable[s]
    run.batch, run.precision = batch, precision
    for _, name in ipairs{"gpus", "nodes"} do run[name] = number_of(options[name] or 1, "1", name) end
    run.kernel_model = options.kernel_model or run.kernel_model
    runs[#runs + 1] = run
  end
  for n = 1, #plan.networks do
    for s = 1, #plan.systems do
      for f = 1, plan.profiles do
        for _, precision in ipairs(#precisions > 0 and precisions or {default.precision}) do
          for _, batch in ipairs(#batches > 0 and batches or {default.batch}) do add(n, s, f, precision, batch) end
        end
      end
    end
  end
  return runs
end

local Inference = {
  __tostring = function(self)
    return string.format("%.4g samples/s, batch %.0f in %s, limited by %s (%s)", self.throughput, self.batch,
                         core.quantity_format(self.latency, "s"), self.limit, self.basis)
  end,
}

--- Inference of one batch, a table with every field of "inference" by name, and `batch`. Options: network, system (a
--- system or a GPU), batch or latency (a limit: the largest batch within it), precision, framework (an inference
--- profile, default "tensorrt"), gpus, nodes, usable, kernel_model, catalog.
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
    runs = core.unpack(core.infer_within(plan.handle, runs, number_of(options.latency, "s", "latency")))
  end
  local answer = core.unpack(core.infer(plan.handle, runs))[1]
  answer.batch = runs[1].batch
  return setmetatable(answer, Inference)
end)

--- Every combination, as a table object: the options of pm.infer but latency, each one value or a list. A point that
--- cannot be predicted has its status and no numbers, and the others go on.
inference.infer_sweep = public(function(options)
  arguments.check_options(options, OPTIONS)
  if options.latency ~= nil then error("latency is for pm.infer", 0) end
  local plan = inference.plan_of(options)
  local runs = inference.runs_of(plan, options)
  return new_table(core.inference_table(plan.handle, runs, core.infer(plan.handle, runs)))
end)

return inference
