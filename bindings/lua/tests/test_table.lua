-- Tables: columns, rows, CSV, JSON and files.
local pm, check = require "perfmodel", require "check"

local sweep = pm.sweep{network = "resnet18", system = {"dgx1-v100", "dgx2"}, gpus = {1, 8, 9}, batch = 32}
check.equal(sweep:count(), 6)

-- Columns and rows are two views of the same values; unknown is NaN in one and absent in the other.
local rows, columns = sweep:rows(), sweep:columns()
for _, column in ipairs(columns) do
  check.equal(#column.values, 6, column.name)
  for i, value in ipairs(column.values) do
    if value == value then check.equal(rows[i][column.name], value, column.name)
    else check.equal(rows[i][column.name], nil, column.name) end
  end
end
check.raises("no column", sweep.column, sweep, "speed")

-- CSV: a header with units, CRLF, one line per row, numbers that read back to the same double.
local csv = sweep:csv()
local lines = {}
for line in csv:gmatch("([^\r\n]*)\r\n") do lines[#lines + 1] = line end
check.equal(#lines, 7)
assert(lines[1]:find("step_time [s]", 1, true))
local function cells(line)
  local list = {}
  line = line:gsub('"([^"]*)"', function(text) return (text:gsub(",", ";")) end) -- no field of a sweep has quotes in it
  for cell in (line .. ","):gmatch("([^,]*),") do list[#list + 1] = cell end
  return list
end
local header = cells(lines[1])
check.equal(#header, #columns)
for row = 1, 6 do
  for i, cell in ipairs(cells(lines[row + 1])) do
    if columns[i].kind == "real" then check.equal(tonumber(cell), rows[row][columns[i].name], header[i]) end
  end
end
for i, name in ipairs(header) do
  if name == "bus_bandwidth [B/s]" then
    check.equal(cells(lines[4])[i] == "", rows[3].bus_bandwidth == nil, "an unknown cell is empty")
  end
end

assert(sweep:json():sub(1, 1) == "[")
assert(tostring(sweep) == sweep:text())


-- Rows by conditions, the front of them, their order and the first; no conditions are none.
local rates = pm.sweep{network = "resnet50", system = "dgx1-v100", gpus = {1, 8}, batch = {16, 32}, columns = "main"}
check.equal(rates:select(nil, "-throughput", nil, 1):rows()[1].batch, 32)
check.equal(rates:select({}, "-throughput"):first(3):count(), 3)
local front = rates:select("gpus=8", nil, "-throughput,step_time")
check.equal(front:count(), 2, "more samples a second take a longer step")
check.equal(rates:select(nil, nil, "-throughput,-batch"):rows()[1].gpus, 8)
check.raises("two columns", rates.select, rates, nil, nil, "-throughput")
check.raises("below 1", rates.first, rates, 0)

-- A file is written whole or not at all.
local path = os.tmpname() .. ".csv"
sweep:save(path)
local file = assert(io.open(path, "rb"))
check.equal(file:read("*a"), csv)
file:close()
os.remove(path)
check.raises("cannot write", sweep.save, sweep, "/no/such/folder/plan.csv")
check.equal(io.open("/no/such/folder/plan.csv"), nil)

-- A link is followed, also where it points to nothing yet; a file with several names keeps them.
local link, twin = path .. ".link.csv", path .. ".twin.csv"
assert(os.execute("ln -s '" .. path .. "' '" .. link .. "'"))
sweep:save(link)
assert(os.execute("ln '" .. path .. "' '" .. twin .. "'"))
sweep:save(path)
assert(os.execute("test -L '" .. link .. "' && test '" .. path .. "' -ef '" .. twin .. "'"))
for _, name in ipairs {link, twin, path} do os.remove(name) end

-- What was read is not written over, by whatever name.
local own = os.tmpname()
local mine = assert(io.open(own, "w"))
mine:write '<perfmodel version="1"><source id="own-file" name="mine"/></perfmodel>'
mine:close()
pm.catalog{own}
local network = pm.network "alexnet"
check.raises("is a file that is read", network.to_xml, network, own)

-- Nor are the files of a folder that was.
local folder = own .. "-folder"
local inside = folder .. "/own.xml"
assert(os.execute("mkdir '" .. folder .. "' && mv '" .. own .. "' '" .. inside .. "'"))
pm.catalog{folder}
check.raises("is a file that is read", network.to_xml, network, inside)
network:to_xml(folder .. "/other.xml")
assert(os.execute("rm -r '" .. folder .. "'"))

-- Quantities.
check.equal(pm.quantity("900 GB/s", "B/s"), 9e11)
check.equal(pm.quantity("16 GiB", "B"), 16 * 2 ^ 30)
assert(pm.format(9e11, "B/s") == "900 GB/s")
check.raises("25", pm.quantity, "25", "B/s")
print("ok")
