-- What people see of a record: a line for each field that is known. Private.

local core = require "perfmodel.core"
local fields = require "perfmodel.fields"

local function shown(field, value)
  return type(value) == "number" and core.quantity_format(value, field.unit) or tostring(value)
end

return function(record_type, record)
  local lines = {rawget(record, "name") or rawget(record, "id") or record_type}
  for _, field in ipairs(fields.of(record_type)) do
    local value = rawget(record, field.name)
    if value ~= nil and value ~= "" and value == value and field.name ~= "name" then
      lines[#lines + 1] = string.format("  %-20s %s", field.name, shown(field, value))
    end
  end
  return table.concat(lines, "\n")
end
