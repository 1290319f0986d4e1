-- Values that nobody means, for every field of every task: an answer whose numbers can be read, or one line that says
-- why there is none. The fields are those of the library's tables, so a new one is tried too.
local pm, fields = require "perfmodel", require "perfmodel.fields"

local nan = 0 / 0
local VALUES = {
  -1, 0, 0.5, 1, 65536, 536870913, 2 ^ 31 - 1, 2 ^ 31, 2 ^ 53, 2 ^ 63, -2 ^ 63, 1e-300, 1e18, 1e300, math.huge,
  -math.huge,
  nan, "", " ", "nan", "1e999 s", "-5", ("9"):rep(400), ("x"):rep(100000), "\27[31m\0\u{202e}", true, false, {},
  {1, {2}}, function() end, coroutine.create(function() end), io.stdout,
}

local TASKS = {
  {"run", pm.predict, {network = "gpt2", system = "dgx-a100"}},
  {"run", pm.memory, {network = "gpt2", system = "dgx-a100"}},
  {"run", pm.sensitivity, {network = "gpt2", system = "dgx-a100"}},
  {"inference_run", pm.infer, {network = "gpt2", system = "h100-sxm5"}},
  {"serving_run", pm.serve, {network = "gpt2", system = "h100-sxm5"}},
  {nil, pm.kernel, {operation = "gemm", gpu = "v100", m = 64, n = 64, k = 64, precision = "fp32"}},
  {"input_run", pm.input_pipeline, {dataset = "ilsvrc2012", system = "c4140", storage = "isilon-f800"}},
}

-- No number, or more digits than anybody knows.
local function check_numbers(text, what)
  for word in text:gmatch("%-?%w[%w.+-]*") do
    local bad = word:find("^%-?nan$") or word:find("^%-?inf$") or (word:find("^%d+$") and #word > 24)
    assert(not bad, what .. " gives " .. word)
  end
end

local function check_error(message, what)
  message = tostring(message)
  assert(not message:find("[\n\r\27\0]"), what .. string.format(" gives more than a line: %q", message:sub(1, 400)))
  assert(not message:find("perfmodel/%a+%.lua:") and not message:find("perfmodel.lua:", 1, true),
         what .. " names the module: " .. message:sub(1, 400))
  assert(#message < 3200 and #message > 10, what .. " gives a message of " .. #message .. " bytes")
end

local function try(f, given, name, value)
  local options = {[name] = value}
  for key, usual in pairs(given) do
    if key ~= name then options[key] = usual end
  end
  local what = string.format("%s = %q", name, tostring(value):sub(1, 40))
  local good, made = pcall(f, options)
  if not good then return check_error(made, what) end
  local shown, text = pcall(tostring, made)
  if shown then check_numbers(text, what) else check_error(text, what) end
end

local tried = 0
for _, task in ipairs(TASKS) do
  local record, f, given, names = task[1], task[2], task[3], {"catalog", "framework", "global_batch"}
  for name in pairs(given) do names[#names + 1] = name end
  for _, field in ipairs(record and fields.given(record) or {}) do names[#names + 1] = field.name end
  table.sort(names)
  for i, name in ipairs(names) do
    for k = 1 + i % 3, #VALUES, 3 do
      try(f, given, name, VALUES[k])
      tried = tried + 1
    end
  end
end
assert(tried > 1500, tried)
