-- How the report of an answer is made, which is the library's. Private.

local core = require "perfmodel.core"

local report = {}

local makers = setmetatable({}, {__mode = "k"}) -- of each answer what makes its report

-- Keeps how the report of an answer is made, and gives the answer a metatable in whose tostring it is one line.
function report.attach(answer, class, maker)
  makers[answer] = maker
  return setmetatable(answer, class)
end

function report.of(answer)
  local maker = makers[answer]
  if maker == nil then error("what pm.predict, pm.infer or pm.memory gives is expected, got " .. type(answer), 0) end
  return maker()
end

function report.summary(answer) return core.report_format(report.of(answer), "summary", 0) end

return report
