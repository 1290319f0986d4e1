-- Input paths, made of options. Private.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local catalog = require "perfmodel.catalog"
local strict = require "perfmodel.strict"
local number_of, record_of = arguments.number_of, catalog.record_of

local paths = {}

-- How a storage is reached, where the catalogue says it.
function paths.access_of(storage, from)
  local known, access = pcall(from.record, from, "storage_access", storage.id)
  return known and access or {}
end

-- How far input paths are off, by what they rest on.
function paths.interval(from)
  return from:record("prediction_interval", "input")
end

-- Eight lists, one record each for every machine; empty without a storage.
function paths.of(options, machines, dataset, from)
  local lists = {{}, {}, {}, {}, {}, {}, {}, {}}
  if options.storage == nil then return lists end
  local storage = record_of(options.storage, "storage", from)
  local loader, access = record_of(options.loader or "tensorflow", "loader", from), paths.access_of(storage, from)
  for i, machine in ipairs(machines) do
    local found, decoder = pcall(from.record, from, "decoder", ((machine.cpu or ""):gsub("^.* x ", "")))
    local run = strict.unpack(core.input_run_default())[1]
    run.units = number_of(options.units or 1, "1", "units")
    if options.cache ~= nil then run.cache, run.first_epoch = number_of(options.cache, "B", "cache"), "no" end
    local parts = {dataset, storage, access, found and decoder or from:record("decoder", "skylake"), loader, machine,
                   paths.interval(from), run}
    for k = 1, 8 do lists[k][i] = parts[k] end
  end
  return lists
end

return paths
