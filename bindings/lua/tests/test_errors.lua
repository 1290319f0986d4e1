-- Plausible mistakes: each is raised at the place of the call, in one line that names what is wrong.
local pm = require "perfmodel"
local check = require "check"

local function run(changed)
  local options = {network = "resnet50", system = "dgx1-v100"}
  for name, value in pairs(changed) do options[name] = value end
  return options
end

check.raises('"resnet5"', pm.predict, run{network = "resnet5"})
check.raises("9 GPUs", pm.predict, run{gpus = 9})
check.raises('unknown option "gpu"', pm.predict, run{gpu = 8})
check.raises('batch: "big"', pm.predict, run{batch = "big"})
check.raises("framework must be text", pm.predict, run{framework = 3})
check.raises("catalogue expected", pm.predict, run{catalog = 3})
check.raises("system is missing", pm.predict, {network = "resnet50"})
check.raises("n of a kernel is missing", pm.kernel, {operation = "gemm", gpu = "v100", m = 4})
check.raises('unknown option "foo"', pm.kernel, {operation = "gemm", gpu = "v100", m = 4, n = 4, k = 4, foo = 3})
check.raises("bytes are missing", pm.collective, "dgx1-v100", "all_reduce")
check.raises('"5" has no unit', pm.infer, {network = "resnet50", system = "t4", latency = "5"})
check.raises("there is no target", pm.size, run{epochs = 90})
check.raises("link must be text", pm.with_link, "dgx1-v100", 3)
check.raises("storage must be text", pm.input_pipeline, {dataset = "ilsvrc2012", system = "dgx1-v100"})
check.equal(pm.upgrades(run{upgrades = {"dgx2"}}):column("name")[1], "dgx2")

-- Names and values from elsewhere, and slips.
check.raises('unknown option "batch_size"; did you mean "batch"?', pm.predict, run{batch_size = 8})
check.raises('unknown option "num_gpus"; did you mean "gpus"?', pm.sweep, run{num_gpus = 8})
check.raises('unknown option "precison"; did you mean "precision"?', pm.predict, run{precison = "fp16"})
check.raises('a network is required', pm.predict, {network = "dgx1-v100", system = "resnet50"})
check.raises('framework "flax" is not modelled; the nearest is "jax-0.5"', pm.predict, run{framework = "flax"})
check.raises('did you mean "torch7", "pt-nchw", "pt-nhwc"', pm.predict, run{framework = "torch"})
check.raises('"resnet50,vgg16" is a list', pm.predict, run{network = "resnet50,vgg16"})
check.raises('8 GPUs requested, but "h100-sxm5" is one GPU', pm.predict, run{system = "h100", gpus = 8})
check.equal(pm.predict(run{precision = "amp"}).throughput, pm.predict(run{precision = "fp16"}).throughput)

-- A misspelt field is an error wherever a table has fields, at the place where it is read or written; an unknown one is
-- nil.
local function raises_at(line, fragment, f)
  check.raises(fragment, f)
  local _, message = pcall(f)
  assert(message:find(":" .. line .. ": ", 1, true), message)
end
local function line() return debug.getinfo(2, "l").currentline end

local p = pm.predict(run{gpus = 8})
raises_at(line(), 'prediction has no field "througput"; did you mean "throughput"?', function() return p.througput end)
check.equal(pm.predict(run{gpus = 1}).bus_bandwidth, nil)
check.equal(p[1], nil)
for what, read in pairs{
  ['a system has no field "host_memry"; did you mean "host_memory"?'] =
    function() return pm.system("dgx2").host_memry end,
  ['a network has no field "parametres"; did you mean "parameters"?'] =
    function() return pm.network("resnet50").parametres end,
  ['a network has no field "laers"; did you mean "layers"?'] = function() return pm.network("resnet50"):laers() end,
  ['a gpu has no field "memry"; did you mean "memory"?'] = function() return pm.record("gpu", "v100").memry end,
  ['a table has no field "colum"; did you mean "column"?'] = function() return pm.list("gpus"):colum("id") end,
  ['a row has no field "nmae"; did you mean "name"?'] = function() return pm.list("gpus"):rows()[1].nmae end,
  ['the table has no column "nmae"; did you mean "name"?'] = function() return pm.list("gpus"):column("nmae") end,
  ['a catalogue has no field "netwrok"; did you mean "network"?'] =
    function() return pm.catalog():netwrok("resnet50") end,
  ['perfmodel has no field "predikt"; did you mean "predict"?'] = function() return pm.predikt end,
  ['an inference has no field "latancy"; did you mean "latency"?'] =
    function() return pm.infer{network = "resnet50", system = "t4"}.latancy end,
  ['a memory use has no field "totl"; did you mean "total"?'] =
    function() return pm.memory{network = "resnet50", gpu = "t4"}.totl end,
  ['a kernel time has no field "tiem"; did you mean "time"?'] =
    function() return pm.gemm{m = 64, n = 64, k = 64, gpu = "t4"}.tiem end,
  ['a size choice has no field "ndoes"; did you mean "nodes"?'] =
    function() return pm.size{network = "resnet50", system = "dgx2", epochs = 1, within = "6 h"}[1].ndoes end,
  ['a framework has no field "step_tiem"; did you mean "step_time"?'] =
    function() pm.framework("generic").framework.step_tiem = 1 end,
} do check.raises(what, read) end

-- Files end in what they hold.
check.raises("files end in .csv, .json, .xlsx or .txt", pm.list("gpus").save, pm.list("gpus"), "gpus.ods")
