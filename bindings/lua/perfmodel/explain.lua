-- Answers for people: text, HTML, Markdown and one line are renderings of the library's own. Private; users see it in
-- `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local new_table = require "perfmodel.table"
local report = require "perfmodel.report"
local public = arguments.public

local explain = {}

--- The whole answer for people, as the command prints it: what was assumed, the result with its interval, where the
--- time or the memory goes, what limits it, and what the numbers rest on. `answer` is what pm.predict, pm.infer,
--- pm.memory, pm.size, pm.search, pm.size_training, pm.sensitivity, pm.upgrades or pm.input_pipeline gives;
--- `rendering` is "text" (the default), "markdown", "html", or "summary" for one line.
explain.explain = public(function(answer, rendering)
  return core.report_format(report.of(answer), rendering or "text", 0)
end)

--- The same for programs, as a table object: block, label, text, value, share, unit and note of every line.
explain.explain_lines = public(function(answer) return new_table(core.report_lines(report.of(answer))) end)

return explain
