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
check.raises("nothing is aimed at", pm.size, run{epochs = 90})
check.raises("link must be text", pm.with_link, "dgx1-v100", 3)
check.raises("storage must be text", pm.input_pipeline, {dataset = "ilsvrc2012", system = "dgx1-v100"})
check.equal(pm.upgrades(run{upgrades = {"dgx2"}}):column("name")[1], "dgx2")

-- Names and values from elsewhere, and slips.
check.raises('unknown option "batch_size"; did you mean "batch"?', pm.predict, run{batch_size = 8})
check.raises('unknown option "num_gpus"; did you mean "gpus"?', pm.sweep, run{num_gpus = 8})
check.raises('unknown option "precison"; did you mean "precision"?', pm.predict, run{precison = "fp16"})
check.raises('a network is wanted', pm.predict, {network = "dgx1-v100", system = "resnet50"})
check.raises('the closest is "tf1-xla"', pm.predict, run{framework = "jax"})
local slip = pm.framework("generic")
slip.framework.step_tiem = 1
check.raises('unknown field "step_tiem" of a framework; did you mean "step_time"?', pm.predict, run{framework = slip})
check.equal(pm.predict(run{precision = "amp"}).throughput, pm.predict(run{precision = "fp16"}).throughput)
