--- Sizing a served model: how many GPUs of which kind answer so many requests a second within limits?
--
--     lua serving.lua [requests/s] [network] [CSV file]         lua serving.lua 50 llama3-70b serving.csv
--
-- Prompts of 2,048 tokens, answers of 256, in FP8; the first token within 1 s and the others within 40 ms, for 95 of
-- 100 requests. For each machine and layout the largest rate of one group of GPUs within the limits is found by
-- halving, and groups work side by side. Every layout is a row of the CSV file, for a spreadsheet.

local pm = require "perfmodel"

local target = tonumber(arg[1] or 50)
local network = arg[2] or "llama3-70b"
local path = arg[3] or "serving.csv"
if not target or target <= 0 then
  io.stderr:write("serving: the target must be a number of requests/s above 0, not ", tostring(arg[1]), "\n")
  os.exit(2)
end

local MACHINES = {"hgx-h100", "dgx-h200", "dgx-b200"}
local TTFT, TPOT = 1, 0.040

local function serve(system, tp, rate)
  return pm.serve{network = network, system = system, gpus = tp, tensor_parallel = tp, precision = "fp8", isl = 2048,
                  osl = 256, arrivals = "open", rate = rate, percentile = 0.95}
end

local function within(answer) return answer.ttft_percentile <= TTFT and answer.tpot_percentile <= TPOT end

--- The largest rate of one group within the limits, and its answer; nil if one request is late, or the model does not
-- fit.
local function largest(system, tp)
  local fits, answer = pcall(serve, system, tp, 0.01)
  if not fits or not within(answer) then return nil end
  local low, high, best = 0.01, answer.largest_rate, answer
  for _ = 1, 20 do
    local middle = (low + high) / 2
    local there = serve(system, tp, middle)
    if within(there) then low, best = middle, there else high = middle end
  end
  return low, best
end

local function layouts()
  local rows = {}
  for _, system in ipairs(MACHINES) do
    for _, tp in ipairs{1, 2, 4, 8} do
      local rate, answer = largest(system, tp)
      if rate then
        local groups = math.ceil(target / rate)
        rows[#rows + 1] = {system = system, tp = tp, groups = groups, gpus = groups * tp, rate = rate,
                           ttft = answer.ttft_percentile, tpot = answer.tpot_percentile, limit = answer.bottleneck}
      end
    end
  end
  table.sort(rows, function(a, b) return a.gpus < b.gpus end)
  return rows
end

local function print_rows(rows)
  print(string.format("%s at %g requests/s, the first token within %g s, others within %g ms", network, target, TTFT,
                      1000 * TPOT))
  print(string.format("%-10s %3s %7s %5s %12s %9s %9s  %s", "system", "TP", "groups", "GPUs", "requests/s", "TTFT [s]",
                      "TPOT [ms]", "limited by"))
  for _, row in ipairs(rows) do
    print(string.format("%-10s %3d %7d %5d %12.2f %9.2f %9.1f  %s", row.system, row.tp, row.groups, row.gpus, row.rate,
                        row.ttft, 1000 * row.tpot, row.limit))
  end
end

local function save(rows)
  local file = assert(io.open(path, "w"))
  file:write("system,tensor_parallel,groups,gpus,rate of a group [1/s],ttft at p95 [s],tpot at p95 [s]\r\n")
  for _, row in ipairs(rows) do
    file:write(string.format("%s,%d,%d,%d,%.6g,%.6g,%.6g\r\n", row.system, row.tp, row.groups, row.gpus, row.rate,
                             row.ttft, row.tpot))
  end
  file:close()
end

local rows = layouts()
print_rows(rows)
save(rows)
print(string.format("every layout, %d of them, is in %s", #rows, path))
