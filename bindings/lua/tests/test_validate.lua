-- Measured beside predicted: the same rows as the library's, and rows of your own.
local pm = require "perfmodel"
local check = require "check"

local storage = pm.validate{set = "storage"}
check.equal(storage:columns()[1].name, "set")
assert(storage:count() >= 5)
assert(storage:notes()[1]:find("claims and bounds hold"))

local csv = "model,framework,gpu,gpus,batch_per_gpu,precision,throughput,unit\n" ..
            "ResNet-50,PyTorch,V100,1,64,fp32,%s,images/s\n"
local rows = pm.validate{set = "training", rows = true, data = csv:format("100")}
check.equal(rows:count(), 1)
local again = pm.validate{set = "training", rows = true, data = csv:format(string.format("%.17g",
    rows:column("predicted")[1]))}
check.equal(again:column("error")[1], 0)

local gemm = "kernel,M,N,K,precision,gpu,time_us\ngemm,512,512,512,fp32,V100,90\n"
assert(pm.validate{set = "kernels", data = gemm}:column("roofline mape")[1] > 0)
local reduce = "system,gpus,nodes,collective,message_bytes,time_us\nDGX-2,16,1,all_reduce,1e6,100\n"
check.equal(pm.validate{set = "collectives", rows = true, data = reduce}:column("machine")[1], "dgx2")

assert(not pcall(pm.validate, {set = "nothing"}))
assert(not pcall(pm.validate, {sett = "statements"}))
assert(not pcall(pm.validate, {file = "no such file.csv"}))
print("ok")
