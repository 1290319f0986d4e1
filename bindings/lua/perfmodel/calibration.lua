-- Constants from measurements. Private; users see it in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local catalog = require "perfmodel.catalog"
local new_table = require "perfmodel.table"
local text_of = arguments.text_of

local calibration = {}

--- Constants of kernels fitted to measured times (docs/calibration.md): a table with constants and errors, table objects,
--- and xml, a text for a catalogue. Options: file (the path of a table of yours, plain or gzip) or data (its text),
--- architectures and keep_out (ids parted by commas), kept_shapes (share that is only predicted; default 0.2), catalog.
calibration.calibrate = arguments.public(function(options)
  options = options or {}
  arguments.check_options(options, arguments.options "data file architectures keep_out kept_shapes catalog")
  local from = catalog.handle_of(catalog.of(options))
  local data, file = arguments.rows_of(options)
  local fit = core.calibrate_kernels(
    from, data, file, text_of(options.architectures or "", "architectures"),
    text_of(options.keep_out or "", "keep_out"), arguments.number_of(options.kept_shapes or 0.2, "1", "kept_shapes"))
  return {constants = new_table(core.calibration_constants(fit)), errors = new_table(core.calibration_errors(fit)),
          xml = core.kernel_fit_xml(fit, from)}
end)

return calibration
