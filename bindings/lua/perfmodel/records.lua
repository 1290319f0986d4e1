-- Quantities, records and their fields. Private; users see them in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local fields = require "perfmodel.fields"
local public, text_of = arguments.public, arguments.text_of

local records = {}

--- pm.quantity("900 GB/s", "B/s") -> 9e11, and back: pm.format(9e11, "B/s") -> "900 GB/s".
records.quantity = public(function(text, unit)
  return core.quantity_parse(text_of(text, "a quantity"), text_of(unit, "unit"))
end)
records.format = public(function(value, unit)
  return core.quantity_format(arguments.number_of(value, text_of(unit, "unit"), "value"), unit)
end)

--- The kinds of catalogue entries, of layers, and of records.
records.kinds = public(function() return core.catalog_kinds() end)
records.layer_kinds = public(function() return core.layer_kinds() end)
records.record_types = public(function() return core.record_types() end)

--- What each kind of layer takes, by kind: "out_channels kernel stride=1"; one without a value must be given.
records.layer_attributes = public(function()
  local kinds, texts, attributes = core.layer_kinds(), core.layer_attributes(), {}
  for i, kind in ipairs(kinds) do attributes[kind] = texts[i] end
  return attributes
end)

--- The fields of a "run" or an "inference_run" that are options, each as pm.fields has it.
records.options = public(function(record_type) return fields.given(text_of(record_type, "a record type")) end)

--- The fields of a record type ("prediction", "gpu", ...): each {name=, unit=, doc=, kind=, choices=, otherwise=,
--- option=, needs=, asked=}.
records.fields = public(function(record_type) return fields.of(text_of(record_type, "a record type")) end)

return records
