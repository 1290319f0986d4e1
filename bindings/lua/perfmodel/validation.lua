-- Published measurements beside predictions. Private; users see them in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local catalog = require "perfmodel.catalog"
local new_table = require "perfmodel.table"
local public = arguments.public

local validation = {}

--- The sets that pm.validate knows.
validation.validation_sets = public(function() return core.validation_sets() end)

--- Predictions beside published measurements, as a table object: a row for each group, with its errors in per cent, or
--- with `rows` one for each measurement. Options: set (one of pm.validation_sets; default "statements"), rows, file
--- (the path of your own table, plain or gzip, or of a file that nccl-tests, PyTorch's profiler or Nsight Systems
--- wrote) or data (its text), system (of such a file, if that does not say it), only ("gpu=NAME", "machine=NAME",
--- "source=NAME"), catalog.
validation.validate = public(function(options)
  options = options or {}
  arguments.check_options(options, arguments.options "set rows data file only system catalog")
  local from = catalog.handle_of(catalog.of(options))
  local data, file = arguments.rows_of(options)
  return new_table(core.validate_table(from, arguments.text_of(options.set or "statements", "set"), data, file,
                                       options.rows and 1 or 0, arguments.text_of(options.only or "", "only"),
                                       arguments.text_of(options.system or "", "system")))
end)

return validation
