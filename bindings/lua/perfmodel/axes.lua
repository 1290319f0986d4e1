-- Fields of a run as options: names, values, and the axes that they make. Private.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local fields = require "perfmodel.fields"

local axes = {}

-- The options that the fields of a record are, as a set, beside further words.
function axes.options(record_type, words)
  local set = arguments.options(words or "")
  for _, field in ipairs(fields.given(record_type)) do
    set[field.name] = true
    if field.former ~= "" then set[field.former] = true end
  end
  return set
end

local function choice_of(field, value)
  if type(value) == "boolean" and field.choices == "no\nyes" then value = value and "yes" or "no" end
  local text = arguments.text_of(value, field.name)
  local ok, number = pcall(core.record_value, "run", field.name, text)
  if ok then return number end
  error('unknown ' .. field.name .. ' "' .. text .. '"; known are ' .. field.choices:gsub("\n", ", "), 0)
end

-- A value as the record holds it.
local function value_of(field, value)
  if field.kind == "choice" then return choice_of(field, value) end
  return arguments.number_of(value, field.unit, field.name)
end

-- What core.run_space and core.inference_run_space take: the base, with all options of one value, then names, lengths and
-- values of the axes. `places` are the plan's lists, by the field that is a position in one.
function axes.of(record_type, base, options, places)
  local names, lengths, values = {}, {}, {}
  local function add(name, list)
    names[#names + 1], lengths[#lengths + 1] = name, #list
    for _, value in ipairs(list) do values[#values + 1] = value end
  end
  for name, count in pairs(places) do
    local list = {}
    for i = 1, count do list[i] = i - 1 end
    if count > 0 then add(name, list) end
  end
  for _, field in ipairs(fields.given(record_type)) do
    local given = options[field.name]
    if given == nil and field.former ~= "" then given = options[field.former] end
    if given ~= nil then
      add(field.name, arguments.list_of(given, function(item) return value_of(field, item) end, field.name))
    end
  end
  return {base}, names, lengths, values
end

return axes
