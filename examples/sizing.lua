--- Sizing: which system of the catalogue, and how many GPUs of it, trains a network at a wanted speed?
--
--     lua sizing.lua [images/s] [network] [CSV file]            lua sizing.lua 5000 resnet50 sizing.csv
--
-- Looks at every system of the catalogue with 1 to all of its GPUs, and at 2 to 8 whole nodes of it where it has a
-- network; prints the smallest choice of each system that reaches the target, and writes every point to the CSV file.
-- Kernel times without the host, so speeds are optimistic: fewer GPUs than printed will hardly do it.

local pm = require "perfmodel"

local target = tonumber(arg[1] or 5000)
local network = arg[2] or "resnet50"
local path = arg[3] or "sizing.csv"
if not target or target <= 0 then
  io.stderr:write("sizing: the target must be a number of images/s above 0, not ", tostring(arg[1]), "\n")
  os.exit(2)
end

local function range(first, last)
  local list = {}
  for i = first, last do list[#list + 1] = i end
  return list
end

-- Every point in one sweep: a system that lacks the GPUs, the network or the precision says so in the point's status.
local function study()
  local systems, largest = {}, 1
  for i, id in ipairs(pm.ids("systems")) do
    systems[i] = pm.system(id)
    largest = math.max(largest, systems[i].gpus)
  end
  local points = pm.sweep{network = network, system = systems, gpus = range(1, largest), nodes = range(1, 8),
                          precision = {"fp16", "fp32"}, batch = 64, overlap = "backward"}
  return systems, points
end

local function total(row) return row.gpus * row.nodes end

-- Fewer GPUs are better, then more speed.
local function better(a, b)
  if b == nil or total(a) ~= total(b) then return b == nil or total(a) < total(b) end
  return a.throughput > b.throughput
end

-- The best row of each system that reaches the target; several nodes are used whole.
local function choose(systems, rows)
  local size, best, fastest = {}, {}, {}
  for _, system in ipairs(systems) do size[system.id] = system.gpus end
  for _, row in ipairs(rows) do
    local whole = row.nodes == 1 or row.gpus == size[row.system]
    if row.status == "ok" and whole then
      if row.throughput >= target and better(row, best[row.system]) then best[row.system] = row end
      fastest[row.system] = math.max(fastest[row.system] or 0, row.throughput)
    end
  end
  return best, fastest
end

local function print_choices(systems, best, fastest)
  local found, short = {}, {}
  for _, system in ipairs(systems) do
    if best[system.id] then found[#found + 1] = best[system.id] else short[#short + 1] = system.id end
  end
  table.sort(found, function(a, b)
    if better(a, b) ~= better(b, a) then return better(a, b) end
    return a.system < b.system
  end)
  print(string.format("%s at %g images/s or more, 64 images per GPU", network, target))
  print(string.format("%-18s %5s %6s  %-5s %12s %11s  %s", "system", "GPUs", "nodes", "", "images/s", "efficiency",
                      "bottleneck"))
  for _, row in ipairs(found) do
    print(string.format("%-18s %5d %6d  %-5s %12.0f %10.1f%%  %s", row.system, total(row), row.nodes, row.precision,
                        row.throughput, 100 * row.scaling_efficiency, row.bottleneck))
  end
  for _, id in ipairs(short) do
    print(string.format("%-18s %s", id, fastest[id] and string.format("at most %.0f images/s", fastest[id]) or "-"))
  end
end

local systems, points = study()
print_choices(systems, choose(systems, points:rows()))
points:save(path)
print(string.format("every point, %d of them, is in %s", points:count(), path))
