-- Tables whose fields are known: one that is unknown is absent (nil), one that there is not is an error. Private.

local core = require "perfmodel.core"
local describe = require "perfmodel.display"
local fields = require "perfmodel.fields"

local strict = {}

local function sorted(set)
  local names = {}
  for name in pairs(set) do names[#names + 1] = tostring(name) end
  table.sort(names)
  return names
end

--- The end of a message about a name that is none of a set: what was meant, else what there is.
function strict.advice(name, set)
  local names = sorted(set)
  local meant = core.name_meant(tostring(name), names)
  return meant and 'did you mean "' .. meant .. '"?' or "known are " .. table.concat(names, ", ")
end

-- Raised where the script reads or writes it, so many calls up.
local function fail(what, name, set, level)
  error(what .. ' has no field "' .. name .. '"; ' .. strict.advice(name, set), level)
end

--- The metatable of tables that have these fields, a set; `what` names them in errors ("a prediction").
function strict.class(what, known)
  return {
    strict = true,
    __index = function(_, name)
      if type(name) == "string" and not known[name] then fail(what, name, known, 3) end
    end,
    __newindex = function(self, name, value)
      if type(name) == "string" and not known[name] then fail(what, name, known, 3) end
      rawset(self, name, value)
    end,
  }
end

local records = {}

--- The metatable of records of a type.
function strict.record(type_name)
  local words = type_name:gsub("_", " ")
  local article = words:find("^[aeiou]") and "an " or "a "
  if records[type_name] == nil then
    records[type_name] = strict.class(article .. words, fields.set(type_name))
    records[type_name].__tostring = function(self) return describe(type_name, self) end
  end
  return records[type_name]
end

--- Records of the core as a list of tables.
function strict.unpack(array)
  local list, type_name = core.unpack(array)
  local class = strict.record(type_name)
  for _, record in ipairs(list) do setmetatable(record, class) end
  return list
end

--- An object of a class has methods and the fields of a record: what neither has is an error. For __index alone, which
--- must not call it last: then its own caller is two calls up.
function strict.member(class, what, record, name)
  if type(name) ~= "string" or class[name] ~= nil then return class[name] end
  local known = {}
  for method in pairs(class) do known[method] = method:sub(1, 2) ~= "__" or nil end
  local set = record and fields.set(record.type) or {}
  for field in pairs(set) do known[field] = true end
  if not known[name] then fail(what, name, known, 4) end
  return record and record.value()[name]
end

return strict
