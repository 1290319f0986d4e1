-- The catalogue: names, records, systems and a user's own files.
local pm, check = require "perfmodel", require "check"

local function write(path, text)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end

-- Every kind lists its ids, and every network and system can be had.
for _, kind in ipairs(pm.kinds()) do assert(type(pm.ids(kind)) == "table", kind) end
for _, id in ipairs(pm.ids("networks")) do check.equal(pm.network(id).id, id) end
for _, id in ipairs(pm.ids("systems")) do
  local system = pm.system(id)
  check.equal(system.id, id)
  check.equal(system:gpu_record().id, system.gpu)
end
check.equal(pm.resolve("system", "DGX-1 V100"), "dgx1-v100")
check.equal(pm.resolve("system", "Tesla T4"), "gpu:t4")
check.equal(pm.system("t4").gpus, 1)
check.equal(pm.resolve("system", "GB200"), "gb200-nvl72")
check.equal(pm.list("systems"):count(), #pm.ids("systems"))

-- A record is a table by field; what is not set is absent.
local gpu = pm.record("gpu", "v100-sxm2-16gb")
check.equal(gpu.memory_bandwidth, 900e9)
check.equal(gpu.sms, 80)
check.equal(gpu.peak_fp8_tensor, nil)

-- A system: facts, links of both kinds, its ring, and an all-reduce that never beats its bandwidth term.
local node = pm.system("dgx1-v100")
check.equal(node.gpus, 8)
local nvlinks = 0
for _, row in ipairs(node:links():rows()) do
  if row.link == "nvlink2" then nvlinks = nvlinks + row.count end
end
check.equal(nvlinks, 24, "NVLinks of a DGX-1: 8 GPUs x 6 / 2")
local ring = node:ring(8)
check.equal(type(ring.calibrated), "boolean")
assert(node:all_reduce_time("100 MB", 8) >= 2 * 7 / 8 * 1e8 / ring.bandwidth)
check.equal(node:all_reduce_time(1e8, 8), node:all_reduce_time("100 MB"))
check.equal(node:all_reduce_time(1e8, 1), 0)

-- A user's file adds an entry; a bad one says where, and leaves the catalogue as it was.
local good, bad = os.tmpname(), os.tmpname()
local gpu_text = [[
<perfmodel version="1">
  <gpu id="mine" name="Mine">
    <sms>10</sms><fp32_lanes>64</fp32_lanes><clock>1 GHz</clock>
    <peak_fp32>1.28 TFLOP/s</peak_fp32><memory>8 GB</memory>
    <memory_bandwidth>%s</memory_bandwidth>
  </gpu>
</perfmodel>
]]
write(good, gpu_text:format("100 GB/s"))
write(bad, gpu_text:format("100"))
local catalog = pm.catalog{good}
check.equal(catalog:record("gpu", "mine").memory_bandwidth, 100e9)
check.raises("mine", pm.record, "gpu", "mine")
local before = #catalog:ids("gpus")
check.raises(":5:", catalog.load, catalog, bad)
check.equal(#catalog:ids("gpus"), before)
check.raises("/no/such/file.xml", pm.catalog, "/no/such/file.xml")
os.remove(good)
os.remove(bad)

-- A system in one word, and an entry written back.
check.equal(pm.system("h100-sxm5*8:nvswitch").gpus, 8)
local copy = os.tmpname() .. ".xml"
local file = assert(io.open(copy, "w"))
file:write(catalog:export("system", "dgx1-v100", "mine-dgx"))
file:close()
check.equal(#pm.catalog(copy):system("mine-dgx"):links(), #pm.system("dgx1-v100"):links())
os.remove(copy)

check.raises("machines", pm.list, "machines")
check.raises("a system must be text, not nil", pm.system)
check.raises("catalogue expected, got nil", catalog.network, nil, "resnet50")
print("ok")
