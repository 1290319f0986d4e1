-- What the test scripts share: each check ends the script with a message when it fails.
local check = {}

function check.equal(got, expected, what)
  if got ~= expected then
    error(string.format("%s: got %s, expected %s", what or "value", tostring(got), tostring(expected)), 2)
  end
end

function check.close(got, expected, relative, what)
  if not (math.abs(got - expected) <= relative * math.abs(expected)) then
    error(string.format("%s: got %.17g, expected %.17g", what or "value", got, expected), 2)
  end
end

-- `f` raises a message of one line that holds `fragment` (plain text) and names this script, not the module.
function check.raises(fragment, f, ...)
  local ok, message = pcall(f, ...)
  if ok then error('no error, expected "' .. fragment .. '"', 2) end
  message = tostring(message)
  if not message:find(fragment, 1, true) then error('got "' .. message .. '", expected "' .. fragment .. '"', 2) end
  if message:find("\n") then error("more than one line: " .. message, 2) end
  if message:find("perfmodel.lua:", 1, true) or message:find("perfmodel/%a+%.lua:") then
    error("names the module: " .. message, 2)
  end
end

return check
