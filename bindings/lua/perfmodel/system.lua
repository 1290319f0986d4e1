-- Systems: their fields, links and rings. Private; users get the objects.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local new_table = require "perfmodel.table"
local strict = require "perfmodel.strict"
local public, number_of = arguments.public, arguments.number_of

local System = {}

local function handle_of(self) return arguments.handle_of(self, System, "system") end

--- Fields: every field of "machine" (id, name, gpu, gpus, ...).
function System.__index(self, name)
  local function machine() return strict.unpack(core.system_machine(handle_of(self)))[1] end
  local value = strict.member(System, "a system", {type = "machine", value = machine}, name)
  return value
end

System.__tostring = public(function(self)
  return string.format("%s: %d x %s", self.name, self.gpus, self.gpu)
end)

--- The datasheet of its GPU: a table with every field of "gpu".
System.gpu_record = public(function(self) return strict.unpack(core.system_gpu(handle_of(self)))[1] end)

--- Its link graph, one row per pair of vertices.
System.links = public(function(self) return new_table(core.system_edges(handle_of(self))) end)

local function ring_records(self, gpus, nodes)
  gpus, nodes = number_of(gpus or self.gpus, "1", "gpus"), number_of(nodes or 1, "1", "nodes")
  return core.system_ring(handle_of(self), gpus, nodes)
end

--- The ring of the first `gpus` GPUs of each of `nodes` nodes: bandwidth, latencies, what limits it.
System.ring = public(function(self, gpus, nodes) return strict.unpack(ring_records(self, gpus, nodes))[1] end)

--- Time [s] of an all-reduce of `bytes` ("100 MB", 1e8) over that ring.
System.all_reduce_time = public(function(self, bytes, gpus, nodes)
  return core.all_reduce_times(ring_records(self, gpus, nodes), {number_of(bytes, "B", "bytes")})[1]
end)

--- What the kernels of its GPU rest on at a precision (default "fp32"): measured rows of which GPUs, or rules.
System.calibration = public(function(self, precision)
  local catalog = require "perfmodel.catalog" -- which requires this file
  return core.catalog_explain_calibration(catalog.handle_of(catalog.shipped()), core.system_gpu(handle_of(self)),
                                          arguments.text_of(precision or "fp32", "precision"))
end)

--- The link graph as "matrix" (the layout of nvidia-smi topo -m), "dot" or "svg"; "copies" is what a peer-to-peer test
--- prints.
System.drawing = public(function(self, as) return core.system_drawing(handle_of(self), arguments.text_of(as, "as")) end)

-- A value of a number of the hardware as text: SI units are written down.
function System.value_text(path, value)
  if type(value) == "string" then return value end
  local unit = core.hardware_unit(path)
  local number = string.format("%.17g", number_of(value, unit, path))
  return (unit == "" or unit == "1") and number or number .. " " .. unit
end

return System
