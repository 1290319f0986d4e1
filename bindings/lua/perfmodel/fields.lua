-- The fields of record types, from the library's field tables. Private.

local core = require "perfmodel.core"

local fields = {}

-- In order: each {name=, unit=, doc=, kind=, choices=}; of a choice, its names, one per line.
function fields.of(record_type)
  local texts, list = core.record_fields(record_type), {}
  for i = 1, #texts, 7 do
    list[#list + 1] = {name = texts[i], unit = texts[i + 1], doc = texts[i + 2], kind = texts[i + 3],
                       choices = texts[i + 5]}
  end
  return list
end

-- Their names, as a set.
function fields.set(record_type)
  local set = {}
  for _, field in ipairs(fields.of(record_type)) do set[field.name] = true end
  return set
end

return fields
