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
  end
  return set
end

local function choice_of(record_type, field, value)
  if type(value) == "boolean" and field.choices == "no\nyes" then value = value and "yes" or "no" end
  local text = arguments.text_of(value, field.name)
  local ok, number = pcall(core.record_value, record_type, field.name, text)
  if ok then return number end
  error('unknown ' .. field.name .. ' "' .. text .. '"; known are ' .. field.choices:gsub("\n", ", "), 0)
end

-- A value as the record holds it.
local function value_of(record_type, field, value)
  if field.kind == "choice" then return choice_of(record_type, field, value) end
  return arguments.number_of(value, field.unit, field.name)
end

-- A word of adapters: a list is joined.
local function word_of(value)
  if type(value) == "boolean" then return value and "yes" or "no" end
  return arguments.is_list(value) and table.concat(value, "+") or tostring(value)
end

-- The fields that `lora` stands for: a text "rank=16,targets=q+v", a rank, or words by name.
local function adapters_of(lora)
  local words = {}
  if type(lora) == "table" then
    for name, value in pairs(lora) do words[#words + 1] = name .. "=" .. word_of(value) end
  else words[1] = arguments.text_of(type(lora) == "number" and string.format("%g", lora) or lora, "lora") end
  local rows = core.settings_of_text("lora", table.concat(words, ","))
  return core.table_texts(rows, 4), core.table_texts(rows, 5)
end

-- Options with the fields of `lora` in its place.
local function with_adapters(options)
  if options.lora == nil then return options end
  local all, names, values = {}, adapters_of(options.lora)
  for name, value in pairs(options) do all[name] = value end
  for i, name in ipairs(names) do
    if all[name] ~= nil then error("lora and " .. name .. " are both given; give one", 0) end
    if name ~= "" then all[name] = tonumber(values[i]) or values[i] end
  end
  return all
end

-- What core functions take for every combination: names, lengths and values of the axes; and the fields that were
-- given. `places` are the study's lists, by the field that is a place in one.
function axes.of(record_type, options, places)
  options = with_adapters(options)
  local names, lengths, values, given = {}, {}, {}, {}
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
    local value = options[field.name]
    if value ~= nil then
      given[#given + 1] = field.name
      local function convert(item) return value_of(record_type, field, item) end
      add(field.name, arguments.list_of(value, convert, field.name))
    end
  end
  return names, lengths, values, given
end

return axes
