-- The catalogue, and what options name in it. Private; users get the objects.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local new_table = require "perfmodel.table"
local Network = require "perfmodel.network"
local System = require "perfmodel.system"
local strict = require "perfmodel.strict"
local public, text_of, object, is_list = arguments.public, arguments.text_of, arguments.object, arguments.is_list

local Catalog = {}

function Catalog.__index(_, name)
  local method = strict.member(Catalog, "a catalogue", nil, name)
  return method
end

local function handle_of(self) return arguments.handle_of(self, Catalog, "catalogue") end

--- Adds a file, or the *.xml files of a folder. All of it or nothing.
Catalog.load = public(function(self, path)
  core.catalog_load(handle_of(self), arguments.path_of(path))
  return self
end)

--- Notes on what loads replaced.
Catalog.notes = public(function(self) return core.catalog_notes(handle_of(self)) end)

--- The ids of a kind ("gpus", "systems", "networks", ...), and what a name resolves to.
Catalog.ids = public(function(self, kind) return core.catalog_ids(handle_of(self), text_of(kind, "a kind")) end)
Catalog.resolve = public(function(self, kind, name)
  return core.catalog_resolve(handle_of(self), text_of(kind, "a kind"), text_of(name, "a name"))
end)

--- One entry as a table of its fields, or with its sources as a table object; all entries of a kind.
Catalog.record = public(function(self, kind, name)
  return strict.unpack(core.catalog_record(handle_of(self), text_of(kind, "a kind"), text_of(name, "a name")))[1]
end)
Catalog.show = public(function(self, kind, name)
  return new_table(core.catalog_show(handle_of(self), text_of(kind, "a kind"), text_of(name, "a name")))
end)
--- An entry as XML that a catalogue loads again, with the same numbers; under an id of its own if one is given.
Catalog.export = public(function(self, kind, name, id)
  return core.catalog_export(handle_of(self), text_of(kind, "a kind"), text_of(name, "a name"), text_of(id or "",
      "an id"))
end)
Catalog.list = public(function(self, kind)
  return new_table(core.catalog_list(handle_of(self), text_of(kind, "a kind")))
end)

--- A network, its parameters set as by catalog:network("resnet50", {classes = 10}); a system.
Catalog.network = public(function(self, name, sets)
  local attributes = arguments.attributes_of(sets)
  return object(Network, core.catalog_new_network(handle_of(self), text_of(name, "a network"), attributes))
end)
Catalog.system = public(function(self, name)
  return object(System, core.catalog_new_system(handle_of(self), text_of(name, "a system")))
end)

--- A framework, "pytorch-2.4", of a month "pytorch@2024-06" or with another cuDNN generation "tf1-nchw@cudnn6": a table
--- of its records framework, cudnn, interval and memory, whose constants may be changed before it is passed to
--- pm.predict. Without a release it is the newest that was fitted, of those that run on GPUs of the architecture, if
--- one is given.
Catalog.framework = public(function(self, name, architecture)
  local on = text_of(architecture or "", "an architecture")
  local function part(kind)
    return strict.unpack(core.catalog_framework(handle_of(self), text_of(name, "a framework"), on, kind))[1]
  end
  return {framework = part("framework"), cudnn = part("cudnn_generation"), interval = part("prediction_interval"),
          memory = part("memory_profile")}
end)

-- Of the module, not of its objects.
local catalog = {Catalog = Catalog, handle_of = handle_of}

function catalog.new() return object(Catalog, core.catalog_new()) end

-- The shipped catalogue, made when it is first needed.
local shipped
function catalog.shipped()
  shipped = shipped or catalog.new()
  return shipped
end

-- The catalogue that options name, or the shipped one.
function catalog.of(options)
  local chosen = options.catalog or catalog.shipped()
  handle_of(chosen)
  return chosen
end

-- A record by name, or one given as a table.
function catalog.record_of(value, kind, from)
  return is_list(value) and value or from:record(kind, text_of(value, kind))
end

-- Objects, given as such or by name; `what` is "network" or "system".
local classes = {network = Network, system = System}
function catalog.objects_of(value, what, from)
  local objects = arguments.list_of(value, function(item)
    if type(item) == "string" then item = from[what](from, item) end
    arguments.handle_of(item, classes[what], what)
    return item
  end, what)
  if #objects == 0 then error(what .. " is missing", 0) end
  return objects
end

-- Their handles.
function catalog.handles_of(value, what, from)
  local handles = catalog.objects_of(value, what, from)
  for i, item in ipairs(handles) do handles[i] = arguments.handle_of(item, classes[what], what) end
  return handles
end

function catalog.system_of(value, from)
  return type(value) == "string" and from:system(value) or value
end

-- The record of a GPU by name, of a system's GPU, or one given as a table.
function catalog.gpu_of(value, from)
  if getmetatable(value) == System then return value:gpu_record() end
  if is_list(value) then return value end
  local ok, record = pcall(from.record, from, "gpu", text_of(value, "gpu"))
  if ok then return record end
  local found, system = pcall(from.system, from, value)
  if not found then error(record, 0) end
  return system:gpu_record()
end

-- The kernel constants of GPU records; none by the roofline.
function catalog.kernels_of(gpus, model)
  if model ~= nil and model ~= "calibrated" and model ~= "roofline" then
    error("kernel_model is calibrated or roofline", 0)
  end
  if model == "roofline" then return {} end
  return strict.unpack(core.catalog_kernels(handle_of(catalog.shipped()), gpus))
end

return catalog
