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
print("ok")
