-- Answers for people: text, HTML, Markdown and one line are renderings of the library's own. Private; users see it in
-- `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local new_table = require "perfmodel.table"
local report = require "perfmodel.report"
local public = arguments.public

local explain = {}

local renderings = {text = true, html = true, markdown = true, summary = true}

--- The whole answer for people, as the command prints it: what was assumed, the result with its interval, where the
--- time or the memory goes, what limits it, and what the numbers rest on. `answer` is what pm.predict, pm.infer,
--- pm.memory, pm.size, pm.search, pm.size_training, pm.sensitivity, pm.upgrades or pm.input_pipeline gives;
--- `rendering` is "text" (the default), "markdown", "html", or "summary" for one line.
--- Of a prediction, an inference or a serving, one field can be asked for: pm.explain(answer, "step_time") says what it
--- is, its formula with the numbers put in, its parts, what makes it uncertain, and every input with its source; a
--- rendering of that is the third argument.
explain.explain = public(function(answer, field, rendering)
  if renderings[field] then field, rendering = nil, field end
  return core.report_format(report.of(answer, field), rendering or "text", 0)
end)

--- The same for programs, as a table object: block, label, text, value, share, unit and note of every line.
explain.explain_lines = public(function(answer, field)
  return new_table(core.report_lines(report.of(answer, field)))
end)

return explain
