-- Memory of a GPU. Private; users see it in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local axes = require "perfmodel.axes"
local catalog = require "perfmodel.catalog"
local new_table = require "perfmodel.table"
local plan = require "perfmodel.plan"
local System = require "perfmodel.system"
local strict = require "perfmodel.strict"
local public, number_of, record_of = arguments.public, arguments.number_of, catalog.record_of

local memory = {}

local OPTIONS = arguments.options
  "network gpu batch precision optimizer framework dp zero recompute inference usable catalog"

-- How a network is shared out: what no other option says.
local PLAN = arguments.but(axes.options("run", "global_batch"), "gpus nodes batch precision overlap kernel_model " ..
  "epoch_samples parallelism optimizer gradient_accumulation_steps input_rate no_prefetch usable_memory ignore_memory " ..
  "zero recompute rank_order")

local function run_of(options, gpu, from)
  local run = strict.unpack(core.memory_run_default())[1]
  for field, option in pairs{batch = "batch", ranks = "dp", zero_stage = "zero"} do
    if options[option] ~= nil then run[field] = number_of(options[option], "1", option) end
  end
  for _, option in ipairs{"precision", "recompute", "inference"} do
    if options[option] ~= nil then run[option] = options[option] end
  end
  run.usable = catalog.usable_of(options, gpu, from)
  return run
end

local ALL = arguments.options("", OPTIONS, PLAN)

local MACHINE_MOST = 1024 -- GPUs of a machine in one word

-- The system, or as many of the GPU on one PCIe switch: links do not matter to memory.
local function machine_of(gpu, gpus, from)
  if getmetatable(gpu) == System then return gpu end
  local name = arguments.text_of(gpu, "gpu")
  local alone = pcall(from.record, from, "gpu", name)
  return alone and string.format("%s*%d:pcie", name, math.min(gpus, MACHINE_MOST)) or name
end

-- The part of a global batch that a data-parallel rank has.
local function batch_of(options, dp)
  local batch = number_of(options.global_batch, "1", "global_batch") / dp
  if options.batch ~= nil then error("batch and global_batch exclude each other", 0) end
  if batch % 1 ~= 0 then
    error(string.format("global_batch %g does not divide over %g data-parallel ranks", batch * dp, dp), 0)
  end
  return batch
end

-- A prediction's options for a plan on dp data-parallel ranks, on one node or on whole ones.
local function asked_of(options, dp)
  local from, gpus = catalog.of(options), dp
  local asked = {network = options.network, framework = options.framework, catalog = options.catalog, ignore_memory = true}
  for _, name in ipairs{"batch", "precision", "optimizer", "zero", "recompute"} do asked[name] = options[name] end
  for name in pairs(PLAN) do asked[name] = options[name] end
  for _, axis in ipairs{"tensor", "context", "pipeline"} do
    gpus = gpus * number_of(options[axis .. "_parallel"] or 1, "1", axis .. "_parallel")
  end
  if options.global_batch ~= nil then asked.batch, asked.global_batch = batch_of(options, dp), nil end
  asked.usable_memory, asked.system = options.usable, machine_of(options.gpu, gpus, from)
  local each = catalog.handles_of(asked.system, "system", from)[1]
  local nodes = core.system_nodes(each, gpus)
  if nodes == 0 then
    error(string.format("%d GPUs are no whole number of nodes with %d", gpus, strict.unpack(core.system_machine(each))[1].gpus), 0)
  end
  asked.gpus, asked.nodes = gpus // nodes, nodes
  return asked
end

-- The plan and run of a network that is shared out; nil if the options say nothing of that.
local function shared_of(options)
  local shared = options.precision == "fp8" or options.precision == "fp4"
  for name in pairs(PLAN) do shared = shared or options[name] ~= nil end
  if not shared then return nil end
  if options.inference then error("inference and a parallel plan, which is of training, exclude each other", 0) end
  local asked = asked_of(options, number_of(options.dp or 1, "1", "dp"))
  local made = plan.new(asked)
  return made, plan.runs_of(made, asked)
end

local function question_of(options)
  arguments.check_options(options, OPTIONS)
  local from = catalog.of(options)
  local network = catalog.handles_of(options.network, "network", from)[1]
  local gpu = catalog.gpu_of(options.gpu, from)
  return {
    network = network, run = {run_of(options, gpu, from)}, catalog = from,
    profile = {record_of(options.framework or "pytorch", "memory_profile", from)},
    optimizer = {record_of(options.optimizer or "momentum", "optimizer", from)},
  }
end

strict.record("memory_use").__tostring = function(self)
  return string.format("%s of %s: %s, largest batch %.0f", core.quantity_format(self.total, "B"),
                       core.quantity_format(self.usable, "B"), self.verdict, self.largest_batch)
end

--- Memory of one GPU at the peak of a step, a table with every field of "memory_use": total, verdict, largest_batch,
--- the parts. Options: network, gpu (a GPU or system), batch, precision, optimizer, framework (a memory profile), dp,
--- zero, recompute ("none", "selective", "full", "operations"), inference, usable, catalog. With options of a parallel plan
--- (tensor_parallel, pipeline_parallel, ...; global_batch in place of batch) it is that of the heaviest rank, framework the
--- name of a framework, largest_batch of micro-batches.
memory.memory = public(function(options)
  arguments.check_options(options, ALL)
  local made, runs = shared_of(options)
  if made ~= nil then return strict.unpack(core.prediction_memory(made.handle, runs))[1] end
  local q = question_of(options)
  return strict.unpack(core.memory_use(q.network, q.profile, q.optimizer, q.run))[1]
end)

--- The same options of a parallel plan: what every stage of the pipeline keeps, as a table object.
memory.memory_stages = public(function(options)
  arguments.check_options(options, ALL)
  local made, runs = shared_of(options)
  if made == nil then error("only a network that is shared out has stages: give tensor_parallel, pipeline_parallel, ...", 0) end
  return new_table(core.prediction_stages(made.handle, runs))
end)

--- The same options: what every layer keeps, as a table object.
memory.memory_layers = public(function(options)
  local q = question_of(options)
  return new_table(core.memory_layers(q.network, q.profile, q.run[1].batch, q.run[1].precision))
end)

--- The same options: single changes that take less memory, largest saving first, as a table object.
memory.memory_advice = public(function(options)
  local q, others = question_of(options), {}
  for i, id in ipairs(q.catalog:ids("optimizers")) do others[i] = q.catalog:record("optimizer", id) end
  return new_table(core.memory_advice(q.network, q.profile, q.optimizer, q.run, others))
end)

return memory
