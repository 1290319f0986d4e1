-- Prints the names of the Lua module: its functions and values, and the methods of its classes.
--
--     lua list_lua.lua        with the module on LUA_PATH and LUA_CPATH
--
-- Classes are local to the files of the module: they are what functions refer to by a name with a capital.
local pm = require "perfmodel"
local lines, seen = {}, {}

local function add(name) lines[name] = true end

local function add_class(name, class)
  for method, value in pairs(class) do
    if type(value) == "function" and method:sub(1, 2) ~= "__" then add(name .. ":" .. method) end
  end
end

local function walk(value, name)
  if type(value) == "table" and name:match("^%u%l") then add_class(name, value) end
  if seen[value] then return end
  if type(value) == "table" then
    seen[value] = true
    for key, member in pairs(value) do walk(member, tostring(key)) end
  elseif type(value) == "function" then
    seen[value] = true
    for i = 1, 255 do
      local upvalue, inner = debug.getupvalue(value, i)
      if upvalue == nil then break end
      if inner ~= nil then walk(inner, upvalue) end
    end
  end
end

for name in pairs(pm) do add(name) end
for module, value in pairs(package.loaded) do
  if module:match("^perfmodel%f[.\0]") and module ~= "perfmodel.core" then walk(value, "") end
end
local sorted = {}
for line in pairs(lines) do sorted[#sorted + 1] = line end
table.sort(sorted)
print(table.concat(sorted, "\n"))
