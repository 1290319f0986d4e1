return tostring(pm.predict{network = "resnet18", system = "dgx1-v100", gpus = 8}.throughput)
--
return pm.sweep{network = "resnet18", system = "dgx1-v100", gpus = {1, 2, 4}, batch = {8, 16}}:csv()
--
local n = pm.new_network("mine", "Mine")
n:input("image", {3, 16, 16})
n:add("conv2d", {name = "conv", out_channels = 8, kernel = 3, padding = {1, 1}, bias = false})
n:add("relu")
return n:layers():csv()
--
return pm.list("links"):csv()
--
return tostring(pm.collective("dgx1-v100", "all_reduce", {bytes = {"1 MB", 8}, gpus = 8}):column("time")[2])
--
local rings = pm.rings("dgx1-v100", {0, 1, 2, 3})
return rings.directed_rings .. " " .. #rings.cycles[1].order
--
return tostring(pm.network("alexnet"):layers{batch = 32}:column("mac")[3])
--
return tostring(pm.infer{network = "resnet18", system = "t4", batch = 8}.throughput)
--
return tostring(pm.record("gpu", "v100").memory)
--
local _, why = pcall(pm.predict, {network = "resnet5", system = "dgx1-v100"})
if why == "not enough memory" then error(why, 0) end
return why
--
