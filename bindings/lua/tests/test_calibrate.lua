-- Constants from measurements.
local pm = require "perfmodel"
local check = require "check"

local fit = pm.calibrate{architectures = "pascal"}
check.equal(fit.constants:column("constant")[2], "simt_efficiency")
assert(fit.constants:column("value")[2] >= 0.8)
assert(fit.errors:count() > 2)
assert(fit.xml:find('kernel_calibration id="pascal"', 1, true))

assert(not pcall(pm.calibrate, {architectures = "nothing"}))
assert(not pcall(pm.calibrate, {architecture = "pascal"}))
assert(not pcall(pm.calibrate, {file = "no such file.csv"}))

-- What another program measured.
local traces = os.getenv("PM_SOURCE_DIR") .. "/tests/traces/"
local own = pm.calibrate{file = traces .. "trace.json"}
assert(own.notes[1]:find("63 kernels make rows", 1, true))
assert(own.xml:find('fitted_to="trace.json" rows="22"', 1, true))
local runs = pm.validate{set = "collectives", file = traces .. "all_gather.json", system = "dgx-h100"}
assert(runs:count() > 0)
check.equal(runs:column("rows")[1], 6)
assert(not pcall(pm.validate, {set = "collectives", file = traces .. "all_gather.json"}))
print("ok")
