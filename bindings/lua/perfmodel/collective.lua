-- Collectives and rings over the GPUs of a system. Private; users see them in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local catalog = require "perfmodel.catalog"
local new_table = require "perfmodel.table"
local System = require "perfmodel.system"
local public, text_of, number_of = arguments.public, arguments.text_of, arguments.number_of

local collective = {}

-- A number of the first GPUs, or a list of them, as the core takes it: list, count.
local function gpus_of(system, gpus)
  if type(gpus) ~= "table" then return {}, number_of(gpus or system.gpus, "1", "gpus") end
  local list = {}
  for i, gpu in ipairs(gpus) do list[i] = number_of(gpu, "1", "a GPU") end
  return list, #list
end

--- Times of a collective, one row for each size:
--- pm.collective("dgx1-v100", "all_reduce", {bytes = {1e6, "1 GB"}, gpus = 8, nodes = 2}).
collective.collective = public(function(system, name, options)
  options = options or {}
  arguments.check_options(options, arguments.options "bytes gpus nodes algorithm protocol thread_gpus")
  system = catalog.system_of(system, catalog.shipped())
  local handle = arguments.handle_of(system, System, "system")
  local list, count = gpus_of(system, options.gpus)
  local sizes = arguments.numbers_of(options.bytes, "B", "bytes")
  if #sizes == 0 then error("bytes are missing", 0) end
  return new_table(core.collective_times(
    handle, text_of(name, "collective"), sizes, list, count,
    number_of(options.nodes or 1, "1", "nodes"), number_of(options.thread_gpus or 1, "1", "thread_gpus"),
    text_of(options.algorithm or "auto", "algorithm"), text_of(options.protocol or "auto", "protocol")))
end)

--- The rings of some GPUs of a system: {directed_rings, bandwidth, cycles = {{order = {...}, weight}, ...}}.
collective.rings = public(function(system, gpus)
  system = catalog.system_of(system, catalog.shipped())
  local handle = arguments.handle_of(system, System, "system")
  local list, count = gpus_of(system, gpus)
  local values = core.system_rings(handle, list, count)
  local result, size, place = {directed_rings = values[1], bandwidth = values[2], cycles = {}}, values[3], 3
  while place < #values do
    local cycle = {weight = values[place + 1], order = {}}
    for i = 1, size do cycle.order[i] = values[place + 1 + i] end
    place = place + 1 + size
    result.cycles[#result.cycles + 1] = cycle
  end
  return result
end)

return collective
