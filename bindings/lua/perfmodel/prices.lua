-- Prices by the names of systems. Private.

local arguments = require "perfmodel.arguments"

-- The price of a system, by any of its names.
return function(prices, id, from)
  local found = 0 / 0
  for name, value in pairs(prices or {}) do
    local ok, resolved = pcall(from.resolve, from, "systems", name)
    if not ok and name ~= id then error(resolved, 0) end
    if name == id or resolved == id then found = arguments.number_of(value, "currency/h", "price") end
  end
  return found
end
