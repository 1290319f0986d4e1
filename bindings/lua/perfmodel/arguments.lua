-- What all modules share: objects on C handles, public functions, checks of arguments. Private.

local had_type, had_equals = rawget(_G, "swig_type"), rawget(_G, "swig_equals")
local core = require "perfmodel.core"
rawset(_G, "swig_type", had_type) -- the generated core leaves two helpers in the globals
rawset(_G, "swig_equals", had_equals)
local strict = require "perfmodel.strict"

local arguments = {}

-- The C handle of an object; private, so that no script can hand a wrong one to C.
local handles = setmetatable({}, {__mode = "k"})

function arguments.object(class, handle)
  local new = setmetatable({}, class)
  handles[new] = handle
  return new
end

-- Of an object of a class; `what` names it in the error.
function arguments.handle_of(value, class, what)
  if getmetatable(value) ~= class then error(what .. " expected, got " .. type(value), 0) end
  return handles[value]
end

-- What is worth knowing but no error, where the language has warnings.
function arguments.warn(text)
  if text ~= "" and warn then warn(text) end
end

-- A public function: what goes wrong inside is raised at the place of the call, which is that of the outermost one.
local depth = 0
function arguments.public(inner)
  return function(...)
    depth = depth + 1
    local ok, result = pcall(inner, ...)
    depth = depth - 1
    if not ok and depth == 0 and type(result) == "string" then result = core.shown(result) end
    if not ok then error(result, depth == 0 and 2 or 0) end
    return result
  end
end

function arguments.text_of(value, what)
  if type(value) ~= "string" then error(what .. " must be text, not " .. type(value), 0) end
  if value:find("\0", 1, true) then error(what .. " has a zero byte in it", 0) end
  return value
end

-- A number, or text with a unit. The error names what it is for.
function arguments.number_of(value, unit, what)
  if type(value) == "number" then return value end
  if type(value) ~= "string" then error(what .. " must be a number, not " .. type(value), 0) end
  local ok, result = pcall(core.quantity_parse, value, unit)
  if not ok then error(what .. ": " .. result, 0) end
  return result
end

-- The currency of prices as people write them, "2.5 USD" or "2.5 USD/h", alone or by name; "" if none names one.
function arguments.currency_of(...)
  local found = ""
  for _, given in pairs{...} do
    for _, price in pairs(type(given) == "table" and given or {given}) do
      local word = type(price) == "string" and price:match "%a%a+" or found
      if found ~= "" and word ~= found then error("prices in " .. found .. " and in " .. word ..
                                                  " cannot be compared", 0) end
      found = word
    end
  end
  return found
end

-- A table of the script's, or a record; no object.
function arguments.is_list(value)
  local class = type(value) == "table" and getmetatable(value)
  return type(value) == "table" and (class == nil or (type(class) == "table" and class.strict == true))
end

-- A list of one value or more, each converted; empty where there is none.
function arguments.list_of(value, convert, what)
  local list, keys, given = {}, 0, arguments.is_list(value)
  for i, item in ipairs(given and value or {value}) do list[i] = convert(item) end
  for _ in pairs(given and value or {}) do keys = keys + 1 end
  if given and (keys == 0 or keys ~= #list) then error(what .. ": a list without holes expected", 0) end
  return list
end

function arguments.numbers_of(value, unit, what)
  return arguments.list_of(value, function(item) return arguments.number_of(item, unit, what) end, what)
end

function arguments.names_of(value, what)
  return arguments.list_of(value, function(item) return arguments.text_of(item, what) end, what)
end

local function attribute_text(value)
  if type(value) == "boolean" then return value and "yes" or "no" end
  if arguments.is_list(value) then return table.concat(value, ",") end
  if type(value) == "number" and value % 1 == 0 then return string.format("%.0f", value) end
  return tostring(value)
end

-- A table of values by name, as text by text.
function arguments.attributes_of(values)
  local attributes = {}
  if values ~= nil and type(values) ~= "table" then error("values by name expected, got " .. type(values), 0) end
  for name, value in pairs(values or {}) do attributes[arguments.text_of(name, "a name")] = attribute_text(value) end
  return attributes
end

-- The words of a text, and of sets before it, as a set of options.
function arguments.options(words, ...)
  local set = {}
  for _, other in ipairs{...} do
    for name in pairs(other) do set[name] = true end
  end
  for word in words:gmatch("%S+") do set[word] = true end
  return set
end

-- A set of options without some words.
function arguments.but(set, words)
  local rest = arguments.options("", set)
  for word in words:gmatch("%S+") do rest[word] = nil end
  return rest
end

-- Raises for a name that is not in the set, with the one that was meant. `what` is "option" or "field".
function arguments.check_names(values, known, what)
  for name in pairs(values) do
    if not known[name] then
      error("unknown " .. what .. ' "' .. tostring(name) .. '"; ' .. strict.advice(name, known), 0)
    end
  end
end

function arguments.check_options(options, known)
  if not arguments.is_list(options) then error("a table of options expected, got " .. type(options), 0) end
  arguments.check_names(options, known, "option")
end

-- Files that were read, and those that were written, which may be written again.
local read, written = {}, {}

-- The path of a file that is read.
function arguments.path_of(path)
  read[arguments.text_of(path, "a path")] = true
  return path
end

-- Measurements that options give: the text of a table, or the path of one; "" for what is not given.
function arguments.rows_of(options)
  if options.data ~= nil and options.file ~= nil then error("give either data or file, not both", 0) end
  return arguments.text_of(options.data or "", "data"), options.file and arguments.path_of(options.file) or ""
end

local function is_read(path)
  if written[path] then return false end
  for file in pairs(read) do
    if core.is_file_of(file, path) then return true end
  end
  return false
end

-- Writes a file by the rule of tools/file_rule.c: whole or not at all, and none that was read.
function arguments.write_file(path, text)
  if is_read(arguments.text_of(path, "a path")) then
    error('"' .. path .. '" is a file that is read: give the result another name', 0)
  end
  local why = core.write_file(path, text)
  if why then error('cannot write "' .. path .. '": ' .. why, 0) end
  written[path] = true
end

return arguments
