-- Constants from measurements. Private; users see it in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local catalog = require "perfmodel.catalog"
local new_table = require "perfmodel.table"
local text_of = arguments.text_of

local calibration = {}

--- Constants of the model fitted to measurements (docs/calibration.md): a table with constants and errors, table
--- objects, notes, and xml, a text for a catalogue. Options: set ("kernels", "training", "language", "inference",
--- "large-models", "plans", "grouped", "documents", "collectives" or "operators"), file (the
--- path of your own measurements, plain or gzip,
--- or of a file that nccl-tests, PyTorch's profiler or Nsight Systems wrote) or data (their text), system (of such a
--- file, if that does not say it), architectures and frameworks (ids, by commas: only their constants), hold_out
--- (GPUs, or sources of training rates), hold_out_shapes (of kernels: share that is only predicted; default 0.2),
--- catalog.
calibration.calibrate = arguments.public(function(options)
  options = options or {}
  arguments.check_options(options, arguments.options(
    "set data file architectures frameworks hold_out hold_out_shapes system catalog"))
  local data, file = arguments.rows_of(options)
  local entries = {}
  for _, name in ipairs{"architectures", "frameworks"} do
    if options[name] ~= nil then entries[#entries + 1] = text_of(options[name], name) end
  end
  local fit = core.calibrate(
    catalog.handle_of(catalog.of(options)), text_of(options.set or "kernels", "set"), data, file,
    table.concat(entries, ","), text_of(options.hold_out or "", "hold_out"),
    arguments.number_of(options.hold_out_shapes or 0.2, "1", "hold_out_shapes"),
    text_of(options.system or "", "system"))
  local errors = core.calibration_errors(fit)
  return {constants = new_table(core.calibration_constants(fit)), errors = new_table(errors),
          notes = core.table_notes(errors), xml = core.calibration_get_xml(fit)}
end)

return calibration
