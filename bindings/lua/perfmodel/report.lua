-- How the report of an answer is made, which is the library's. Private.

local core = require "perfmodel.core"

local report = {}

local makers = setmetatable({}, {__mode = "k"}) -- of each answer what makes its report

-- Keeps how the report of an answer is made, and returns the answer.
function report.keep(answer, maker)
  makers[answer] = maker
  return answer
end

-- The same for an answer with a metatable of its own, in whose tostring the report may be one line.
function report.attach(answer, class, maker) return setmetatable(report.keep(answer, maker), class) end

-- The report of an answer, or of one field of a prediction.
function report.of(answer, field)
  local maker = makers[answer]
  if maker == nil then
    error("an answer of perfmodel is expected, such as pm.predict gives, got " .. type(answer), 0)
  end
  return maker(field)
end

function report.summary(answer) return core.report_format(report.of(answer), "summary", 0) end
function report.text(answer) return core.report_format(report.of(answer), "text", 0) end

return report
