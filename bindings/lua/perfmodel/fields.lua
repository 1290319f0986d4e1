-- The fields of record types, from the library's field tables. Private.

local core = require "perfmodel.core"

local fields = {}

-- In order: each {name=, unit=, doc=, kind=, choices=, otherwise=, option=, needs=, asked=}; of a choice, its names,
-- one per line; its default ("": unknown), the command's name for it ("": users never give it), what it needs to have
-- an effect ("": nothing), and what users give and its default where the library completes it ("": neither).
function fields.of(record_type)
  local texts, list = core.record_fields(record_type), {}
  for i = 1, #texts, 11 do
    list[#list + 1] = {name = texts[i], unit = texts[i + 1], doc = texts[i + 2], kind = texts[i + 3],
                       choices = texts[i + 5], otherwise = texts[i + 7], option = texts[i + 8],
                       needs = texts[i + 9], asked = texts[i + 10]}
  end
  return list
end

-- Those that users give.
function fields.given(record_type)
  local list = {}
  for _, field in ipairs(fields.of(record_type)) do
    if field.option ~= "" then list[#list + 1] = field end
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
