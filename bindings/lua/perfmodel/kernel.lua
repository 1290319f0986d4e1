-- Single kernels on one GPU. Private; users see them in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local catalog = require "perfmodel.catalog"
local fields = require "perfmodel.fields"
local strict = require "perfmodel.strict"
local public, text_of, number_of = arguments.public, arguments.text_of, arguments.number_of

local kernels = {}

local function shipped_record(kind, name)
  return core.catalog_record(catalog.handle_of(catalog.shipped()), kind, name)
end

local function time_of(kernel, gpu, model)
  return strict.unpack(core.kernel_times(gpu, catalog.kernels_of(gpu, model), {kernel}))[1]
end

--- One matrix multiplication on one GPU, a table with every field of "kernel_time": pm.gemm{m = 4096, n = 4096, k =
-- 4096,
--- gpu = "a100-sxm4-80gb", precision = "bf16"}. Options: count (independent products), kernel_model, tn (true: both
--- operands are stored along the contraction, as of a linear layer forward).
kernels.gemm = public(function(options)
  arguments.check_options(options, arguments.options "m n k count gpu precision kernel_model tn")
  local gpu = shipped_record("gpu", text_of(options.gpu, "gpu"))
  local kernel = {operation = "gemm", precision = text_of(options.precision or "fp32", "precision"),
                  count = number_of(options.count or 1, "1", "count"), m = number_of(options.m, "1", "m"),
                  n = number_of(options.n, "1", "n"), k = number_of(options.k, "1", "k"),
                      tn = options.tn and "yes" or "no"}
  return time_of(kernel, gpu, options.kernel_model)
end)

local USUAL = {count = 1, groups = 1, stride_height = 1, padding_height = 0}
local SAME = {out_channels = "channels", kernel_width = "kernel_height", stride_width = "stride_height",
              padding_width = "padding_height"}

--- What each optimizer keeps, reads and writes for each parameter, by name: pm.optimizers().adam.state.
kernels.optimizers = public(function()
  local rows, list = strict.unpack(core.optimizers()), {}
  for _, field in ipairs(fields.of "run") do
    if field.name == "optimizer" then
      for name in field.choices:gmatch "[^\n]+" do list[name] = table.remove(rows, 1) end
    end
  end
  return list
end)

--- Any kernel on one GPU: pm.kernel{operation = "softmax", m = 8192, n = 1024, gpu = "v100"}; operation, precision and
--- the fields of a "kernel" record. A convolution has as many outputs as inputs, one group, a square window and stride
--- 1 unless said otherwise; a copy goes over the link that the GPU's record names.
kernels.kernel = public(function(options)
  arguments.check_options(options, arguments.options("gpu kernel_model", fields.set "kernel"))
  local gpu = shipped_record("gpu", text_of(options.gpu, "gpu"))
  local kernel = {operation = text_of(options.operation, "operation"), precision = options.precision or "fp32"}
  for name, value in pairs(USUAL) do kernel[name] = value end
  for name, value in pairs(options) do
    if name ~= "gpu" and name ~= "kernel_model" then kernel[name] = value end
  end
  for name, other in pairs(SAME) do kernel[name] = kernel[name] or kernel[other] end
  local host = strict.unpack(gpu)[1].pcie
  if kernel.operation == "copy" and kernel.link_bandwidth == nil and host ~= nil and host ~= "" then
    kernel.link_bandwidth = strict.unpack(shipped_record("link", host))[1].bandwidth
  end
  return time_of(kernel, gpu, options.kernel_model)
end)

return kernels
