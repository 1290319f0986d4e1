-- Experiment files: a sweep with its conditions, its best rows, columns and output. Private; users see it in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local catalog = require "perfmodel.catalog"
local predict = require "perfmodel.predict"
local new_table = require "perfmodel.table"

local experiment = {}

local RENAMED = {networks = "network", systems = "system"}

-- "32,64" as a list of numbers and texts.
local function values_of(text)
  local list = {}
  for word in text:gmatch "[^,]+" do list[#list + 1] = tonumber(word) or word end
  return list
end

local function words_of(text)
  local list = {}
  for word in text:gmatch "[^,]+" do list[#list + 1] = word end
  return list
end

local function append(list, more)
  for _, item in ipairs(more) do list[#list + 1] = item end
end

local function switched(values)
  for i, value in ipairs(values) do
    if value == "yes" or value == "no" then values[i] = value == "yes" end
  end
  return values
end

-- The options of pm.sweep, and what is done with its rows.
local function read(path)
  local rows = new_table(core.settings_table("experiment", path)):rows()
  local asked = {options = {axes = nil}, where = {}, sets = {}, catalogs = {}}
  local options, folder = asked.options, path:match "^(.*/)" or ""
  for _, row in ipairs(rows) do
    local name, text = row.option, row.set_to
    if name == "where" then append(asked.where, words_of(text))
    elseif name == "columns" then asked.columns = words_of(text)
    elseif name == "sort" or name == "front" or name == "top" or name == "output" then asked[name] = text
    elseif name == "catalog" then asked.catalogs[#asked.catalogs + 1] = text:match "^/" and text or folder .. text
    elseif name == "task" then options.task = text
    elseif name == "dataset" then asked.dataset = text
    elseif name == "axis" or name == "set" then
      local key, value = text:match "^([^=]*)=(.*)$"
      if name == "axis" then options.axes = options.axes or {}; options.axes[key] = words_of(value)
      else asked.sets[key] = tonumber(value) or value end
    elseif RENAMED[name] or name == "framework" then options[RENAMED[name] or name] = words_of(text)
    elseif not (name == "gpus" and text == "all") then options[name] = switched(values_of(text)) end
  end
  return asked
end

-- Networks with their parameters, out of files of the user's own.
local function open(asked)
  local from = catalog.new()
  for _, path in ipairs(asked.catalogs) do from:load(path) end
  if #asked.catalogs > 0 then asked.options.catalog = from end
  local own = #asked.catalogs > 0 and from or catalog.shipped()
  if asked.dataset then
    asked.options.epoch_samples = catalog.Catalog.record(own, "dataset", asked.dataset).samples
  end
  if next(asked.sets) == nil then return asked.options end
  for i, name in ipairs(asked.options.network) do
    asked.options.network[i] = catalog.Catalog.network(own, name, asked.sets)
  end
  return asked.options
end

local function write(rows, path)
  if path:match "%.csv$" then arguments.write_file(path, rows:csv())
  elseif path:match "%.json$" then arguments.write_file(path, rows:json())
  else error('"' .. path .. '": Lua writes .csv and .json; any other: perfmodel run FILE -o ' .. path, 0) end
end

--- Runs an experiment file (XML): a sweep with the conditions that rows must meet, the front of them by several columns
--- or the best by one, columns, and the output, .csv or .json, that they are written to; another one is named by
--- `output`. The rows, a table object, are those of `perfmodel run FILE` to the bit. What is wrong with the file is an
--- error with its line.
experiment.experiment = arguments.public(function(path, output)
  local asked = read(arguments.path_of(path))
  local options = open(asked)
  local all = #asked.where == 0 and not asked.sort and not asked.front
  if all then options.columns = asked.columns end
  local rows = predict.sweep(options)
  if not all then
    rows = rows:select(asked.where, asked.sort, asked.front, tonumber(asked.top))
    if asked.columns then rows = rows:keep(asked.columns) end
  end
  if output or asked.output then write(rows, output or asked.output) end
  return rows
end)

return experiment
