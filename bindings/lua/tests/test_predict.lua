-- Predictions: fields, laws between points, and equality of every way to ask.
local pm, check = require "perfmodel", require "check"

local function run(changes)
  local options = {network = "resnet50", system = "dgx1-v100", gpus = 8, batch = 64, precision = "fp16"}
  for name, value in pairs(changes or {}) do options[name] = value end
  local prediction = pm.predict(options) -- no tail call: Lua 5.1 would not know the place
  return prediction
end

-- Every field of the record that is known is there by name, and nothing else.
local p, names = run{epoch_samples = 1281167}, {assumed = true}
for _, field in ipairs(pm.fields("prediction")) do
  names[field.name] = true
  local of_training = field.name:find("^training_") or field.name:find("^checkpoint_") -- which is not asked for
  local unknown = field.name:find("throughput_p", 1, true) or field.name == "tokens_per_second" -- of images
                  or field.name == "energy_per_token" or field.name:find("carbon", 1, true)
                  or field.name:find("energy_cost", 1, true) or field.name == "budget_nodes"
                  or field.name == "draw_nodes" -- without a power budget
                  or of_training or field.name == "mtbf" or field.name == "goodput"
  assert(p[field.name] ~= nil or unknown, field.name .. " is absent")
end
for name in pairs(p) do assert(names[name], name .. " is no field") end
check.equal(p.status, "ok")
check.equal(p.assumed, "momentum, pytorch-2.4")
assert(tostring(p):find("; assumed: " .. p.assumed, 1, true))
check.equal(p.total_gpus, 8)
check.equal(run().epoch_time, nil, "an epoch without samples")
local trained = run{samples = "10M", gpu_hour_price = "2.5 USD", pue = 1.2}
check.close(trained.training_cost, 2.5 * trained.training_gpu_hours, 1e-12)
check.close(trained.training_time, math.ceil(10e6 / 512) * trained.step_time, 1e-12)
assert(tostring(p):find("samples/s", 1, true))
local bert = run{network = "bert-base"}
assert(bert.tokens_per_second == 128 * bert.throughput and tostring(bert):find("tokens/s", 1, true))
assert(tostring(p):find("MFU", 1, true) and tostring(p):find(": fits", 1, true))
assert(tostring(pm.system "dgx1-v100":gpu_record()):find("memory_bandwidth     900 GB/s", 1, true))

-- Definitions hold: throughput, shares, sums, whole steps of an epoch.
check.close(p.throughput, 8 * 64 / p.step_time, 1e-12, "throughput")
check.close(p.compute_share + p.memory_bandwidth_share + p.communication_share + p.launch_overhead_share +
            p.straggler_wait_share + p.input_wait_share, 1, 1e-12, "shares")
check.close(p.compute_time + p.launch_overhead_time + p.exposed_communication_time + p.straggler_wait_time +
            p.input_wait_time, p.step_time, 1e-12, "parts")
check.close(p.forward_time + p.dgrad_time + p.wgrad_time + p.update_time, p.compute_time, 1e-12, "sum")
check.close(p.epoch_time, math.ceil(1281167 / 512) * p.step_time, 1e-12, "epoch")

-- One GPU does not communicate; more GPUs are faster, and never better than linear; overlap never hurts.
local one = run{gpus = 1}
check.equal(one.communication_time, 0)
check.equal(one.bus_bandwidth, nil, "bus bandwidth of one GPU")
assert(one.throughput < p.throughput and p.throughput <= 8 * one.throughput)
assert(run{overlap = "none"}.throughput <= p.throughput)

-- Without a framework there is no host; a framework's constants may be changed.
local ideal, slow = run{framework = "none"}, pm.framework("generic")
check.equal(ideal.calibration, "calibrated")
check.equal(p.calibration, "extrapolated")
check.equal(run{framework = "generic"}.calibration, "not-calibrated")
local by_gpu = pm.sweep{network = "resnet50", system = {"k80", "dgx-h100", "b200"}, columns = {"framework"}}
check.equal(table.concat(by_gpu:column("framework"), " "), "pytorch-1.13 pytorch-2.4 pytorch-2.9")
check.equal(ideal.launch_time, 0)
assert(ideal.throughput > p.throughput and p.throughput_p10 < p.throughput and p.throughput < p.throughput_p90)
slow.framework.kernel_time = 1e-3
assert(run{framework = slow}.throughput < p.throughput)
check.raises("unknown framework", run, {framework = "frobs"})
check.equal(run{input_rate = 500}.bottleneck, "input")
assert(pm.trace(p):find('"traceEvents"', 1, true))
check.raises("prediction of pm.predict expected", pm.trace, {})
assert(#pm.stages(p) == 1)
local shared = pm.predict{network = "gpt3-13b", system = "dgx-a100-80gb", gpus = 8, nodes = 2, batch = 16,
                          micro_batch = 1,
                          precision = "bf16", tensor_parallel = 4, pipeline_parallel = 4}
local stages = pm.stages(shared):rows()
assert(#stages == 4 and stages[1].layers == 10)
assert(math.abs(stages[3].busy_time + stages[3].wait_time - shared.step_time) < 1e-9)
assert(pm.trace(shared):find("stage 3 (10 layers)", 1, true))

-- Text with a unit is a number; names and objects are the same; a global batch is divided.
check.equal(run{batch = "64", gpus = "8"}.step_time, p.step_time)
local objects = run{network = pm.network("resnet50"), system = pm.system("DGX-1 V100")}
check.equal(objects.step_time, p.step_time)
local global = pm.predict{network = "resnet50", system = "dgx1-v100", gpus = 8, global_batch = 512, precision = "fp16"}
check.equal(global.step_time, p.step_time)

-- A sweep has the points of single predictions, to the bit.
local gpus, batches = {1, 2, 4, 8}, {32, 64, 128}
local sweep = pm.sweep{network = {"resnet50", "alexnet"}, system = "dgx1-v100", gpus = gpus, batch = batches,
                       precision = "fp16"}
local rows, index = sweep:rows(), 0
check.equal(#rows, 2 * #gpus * #batches)
for _, network in ipairs{"resnet50", "alexnet"} do
  for _, gpu_count in ipairs(gpus) do
    for _, batch in ipairs(batches) do
      index = index + 1
      local single = run{network = network, gpus = gpu_count, batch = batch}
      check.equal(rows[index].network, network)
      check.equal(rows[index].gpus, gpu_count)
      check.equal(rows[index].batch, batch)
      for name, value in pairs(single) do check.equal(rows[index][name], value, name .. " of row " .. index) end
    end
  end
end

-- A point that cannot be predicted says so, and the others go on.
local bad = pm.sweep{network = "resnet50", system = "dgx1-v100", gpus = {1, 9}}:rows()
check.equal(bad[1].status, "ok")
assert(bad[2].status ~= "ok" and bad[2].throughput == nil)

-- Errors name the value and the script.
check.raises('did you mean "resnet50"', run, {network = "resnet5"})
check.raises("9", run, {gpus = 9})
check.raises("0", run, {batch = 0})
check.raises("1.5", run, {gpus = 1.5})
check.raises("fp17", run, {precision = "fp17"})
check.raises("sideways", run, {overlap = "sideways"})
check.raises("batch: ", run, {batch = "64 kg"})
check.raises('unknown option "gpu"', run, {gpu = 8})
check.raises("use pm.sweep", run, {batch = {1, 2}})
check.raises("not both", run, {global_batch = 64})
check.raises("network is missing", pm.predict, {system = "dgx1-v100"})
check.raises("a table of options expected, got nil", pm.predict)
check.raises("gpus: a list without holes", pm.sweep, {network = "resnet50", system = "dgx1-v100", gpus = {}})
check.raises("catalogue expected", run, {catalog = "here"})
assert(select(2, pcall(function() return (run{network = "resnet5"}) end)):find("test_predict.lua:", 1, true))
-- Counts: gpus alone is the total, with nodes it is per node, nodes alone uses every GPU, nothing is one whole node.
local counts = pm.sweep{network = "resnet50", system = "dgx-h100", columns = {"gpus", "nodes", "total_gpus"},
                        gpus = {4, 12, 16}}:rows()
check.equal(counts[1].total_gpus, 4)
check.equal(counts[3].nodes, 2)
check.equal(pm.predict{network = "resnet50", system = "dgx-h100", gpus = 4, nodes = 2}.total_gpus, 8)
check.equal(pm.predict{network = "resnet50", system = "dgx-h100", nodes = 2}.total_gpus, 16)
check.equal(pm.predict{network = "resnet50", system = "dgx-h100"}.total_gpus, 8)
check.raises("12 GPUs do not fill whole nodes of 8; 8 or 16 GPUs do", pm.predict,
             {network = "resnet50", system = "dgx-h100", gpus = 12})
print("ok")

-- One kernel: at least its roofline, and that itself if asked for.
local product = {m = 4096, n = 4096, k = 4096, gpu = "a100-sxm4-80gb", precision = "bf16"}
local calibrated = pm.gemm(product)
product.kernel_model = "roofline"
local plain = pm.gemm(product)
assert(calibrated.time >= plain.time and plain.time == plain.roofline_time, "below the roof")
assert(calibrated.algorithm == "gemm" and plain.algorithm == "roofline", "algorithm")
local along = {m = 4096, n = 1024, k = 30720, gpu = "p100-pcie"}
local other = pm.gemm(along)
along.tn = true
assert(pm.gemm(along).time > other.time, "operands along the contraction")
-- Any kernel by the fields of its record; what is not said is as usual.
local window = {operation = "conv-forward", n = 32, channels = 64, height = 56, width = 56, kernel_height = 3,
                padding_height = 1, gpu = "v100"}
assert(pm.kernel(window).algorithm:find("winograd"), "3 x 3")
window.n = 64
local more = pm.kernel(window).time
window.n = 32
assert(more > pm.kernel(window).time, "more samples")
assert(pm.kernel{operation = "gemm", m = 512, n = 512, k = 512, gpu = "v100"}.time ==
       pm.gemm{m = 512, n = 512, k = 512, gpu = "v100"}.time, "the same product")
assert(pm.kernel{operation = "copy", m = 1e8, gpu = "v100"}.algorithm == "copy", "copy")
assert(not pcall(pm.kernel, {operation = "waffle", m = 1, gpu = "v100"}), "no such kernel")
assert(run{kernel_model = "roofline"}.calibration == "not-calibrated", "calibration")
assert(pm.system("h200-sxm5"):calibration("bf16"):find("^matrix multiplications calibrated"), "rows behind the kernels")

-- What is said of a run is declared once: each of its fields is an option, and its default changes nothing.
local usual = pm.predict{network = "alexnet", system = "dgx1-v100"}
local two = {overlap = {"none", "backward"}, usable_memory = {"1 GB", "2 TB"}, precision = {"fp32", "fp16"},
             no_prefetch = {false, true}, ignore_memory = {false, true}}
for _, field in ipairs(pm.options "run") do
  local options = {network = "alexnet", system = "dgx1-v100"}
  if field.otherwise ~= "" and field.asked == "" then
    options[field.name] = field.otherwise
    check.equal(pm.predict(options).step_time, usual.step_time, field.name)
  end
  local first, second = field.choices:match("^([^\n]+)\n([^\n]+)")
  options[field.name] = two[field.name] or {first or 1, second or 2}
  check.equal(#pm.sweep(options):rows(), 2, field.name)
end
for _, field in ipairs(pm.fields "run") do
  if field.option == "" then
    check.raises("unknown option", pm.predict, {network = "alexnet", system = "dgx1-v100", [field.name] = 0})
  end
end

-- Numbers of the hardware are axes, and columns are chosen by name.
local varied = pm.sweep{network = "alexnet", system = "dgx1-v100", batch = {16, 32}, columns = {"batch", "step_time"},
                        axes = {["gpu.memory_bandwidth"] = {"x1", 1.8e12}}}:rows()
local faster = pm.with_number("dgx1-v100", "gpu.memory_bandwidth", "x2")
check.equal(#varied, 4)
check.equal(varied[4].step_time, pm.predict{network = "alexnet", system = faster, batch = 32}.step_time)
check.raises("a row has no field", function() return varied[1].throughput end)
check.raises("did you mean", pm.sweep, {network = "alexnet", system = "dgx1-v100", columns = {"step_tme"}})
check.raises("did you mean", pm.with_number, "dgx1-v100", "gpu.memory_bandwith", "x2")

-- What does not fit says by how much, or is predicted all the same.
check.raises("the largest batch that fits is", run, {batch = 100000})
local large = run{batch = 100000, ignore_memory = true}
check.equal(large.verdict, "does-not-fit")
assert(large.memory > large.gpu_memory and large.largest_batch < 100000)

-- Adapters in one option stand for fields of the run.
local function adapted(changes)
  local options = {network = "llama3-8b", system = "a100-sxm4-80gb", gpus = 1}
  for name, value in pairs(changes) do options[name] = value end
  return pm.predict(options).step_time
end
local few = adapted{lora_rank = 8, lora_targets = "qv", lora_first_layer = 24, lora_layers = 8}
check.equal(adapted{lora = "rank=8,targets=q_proj+v_proj,layers=24-31"}, few)
check.equal(adapted{lora = {rank = 8, targets = {"q", "v"}, layers = "24-31", dora = false}}, few)
check.equal(adapted{lora = 16}, adapted{lora_rank = 16})
check.raises("are both given", adapted, {lora = 16, lora_rank = 8})
check.raises("not an adapter option", adapted, {lora = "rank=8,modules=qv"})
