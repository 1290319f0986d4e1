-- Tables: what has rows. Private; users get the objects.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local strict = require "perfmodel.strict"
local handle_of, public, number_of = arguments.handle_of, arguments.public, arguments.number_of

local Table = {}

function Table.__index(_, name)
  local method = strict.member(Table, "a table", nil, name)
  return method
end

-- Whole numbers as integers, where the language has them.
local function integers(values)
  local integer = math.tointeger
  for i = 1, integer and #values or 0 do values[i] = integer(values[i]) or values[i] end
  return values
end

local yes_no = {yes = true, no = false}

local function truths(texts)
  for i, text in ipairs(texts) do
    if yes_no[text] ~= nil then texts[i] = yes_no[text] end
  end
  return texts
end

local function column_values(handle, index, kind)
  if kind == "text" then return core.table_texts(handle, index) end
  if kind == "choice" then return truths(core.table_texts(handle, index)) end
  local values = core.table_numbers(handle, index)
  return kind == "int" and integers(values) or values
end

local function column_list(handle)
  local texts, columns = core.table_columns(handle), {}
  for i = 1, #texts, 4 do
    columns[#columns + 1] = {name = texts[i], unit = texts[i + 1], doc = texts[i + 2], kind = texts[i + 3]}
  end
  return columns
end

--- What there is to say besides, a list of lines.
Table.notes = public(function(self) return core.table_notes(handle_of(self, Table, "table")) end)

--- Number of rows.
Table.count = public(function(self) return math.floor(core.table_rows(handle_of(self, Table, "table"))) end)
Table.__len = Table.count

--- A table of the rows that meet all conditions ("memory>=80GB", a list of them or one); of these the Pareto front of
--- the columns `front`, less being better, more with "-" before a name ("-throughput,memory"); sorted by a column,
--- descending with "-"; then the first `top`, of those whose value there is known.
Table.select = public(function(self, conditions, sort, front, top)
  local none = conditions == nil or type(conditions) == "table" and next(conditions) == nil
  local list = none and {} or arguments.names_of(conditions, "conditions")
  local found = core.table_select(handle_of(self, Table, "table"), list, sort or "", front or "", top or 0)
  return arguments.object(Table, found)
end)

--- A table of the first rows alone, at most `count`.
Table.first = public(function(self, count)
  local most = number_of(count, "1", "count")
  if most < 1 then error("count is below 1", 0) end
  return arguments.object(Table, core.table_select(handle_of(self, Table, "table"), {}, "", "", most))
end)

--- A table of these columns alone, in this order.
Table.keep = public(function(self, columns)
  local copy = core.table_select(handle_of(self, Table, "table"), {}, "", "", 0)
  core.table_keep(copy, arguments.names_of(columns, "columns"))
  return arguments.object(Table, copy)
end)

--- The columns in order: each {name=, unit=, doc=, kind=, values=}. Unknown numbers are NaN, so lists have no holes.
Table.columns = public(function(self)
  local handle = handle_of(self, Table, "table")
  local columns = column_list(handle)
  for i, column in ipairs(columns) do column.values = column_values(handle, i - 1, column.kind) end
  return columns
end)

local function column_set(handle)
  local set = {}
  for _, column in ipairs(column_list(handle)) do set[column.name] = true end
  return set
end

--- The values of one column.
Table.column = public(function(self, name)
  local handle = handle_of(self, Table, "table")
  for i, column in ipairs(column_list(handle)) do
    if column.name == name then return column_values(handle, i - 1, column.kind) end
  end
  error('the table has no column "' .. tostring(name) .. '"; ' .. strict.advice(name, column_set(handle)), 0)
end)

--- The rows in order: each a table of values by column name; unknown ones are absent.
Table.rows = public(function(self)
  local rows, class = {}, strict.class("a row", column_set(handle_of(self, Table, "table")))
  for i = 1, Table.count(self) do rows[i] = setmetatable({}, class) end
  for _, column in ipairs(Table.columns(self)) do
    for i, value in ipairs(column.values) do
      if value == value then rows[i][column.name] = value end
    end
  end
  return rows
end)

local function format_method(format)
  return public(function(self, width)
    local columns = number_of(width or 0, "1", "width")
    return core.table_format(handle_of(self, Table, "table"), format, columns)
  end)
end

--- The whole table as text: CSV (RFC 4180), JSON, or for people, at most `width` characters wide (none: no limit).
Table.csv = format_method("csv")
Table.json = format_method("json")
local text = format_method("table")

local lines = setmetatable({}, {__mode = "k"}) -- what was assumed, of tables without a column for it

--- What was assumed of all rows alike is a line above them.
Table.text = public(function(self, width)
  local assumed = lines[self] or ""
  return (assumed ~= "" and "assumed: " .. assumed .. "\n" or "") .. text(self, width)
end)
Table.__tostring = function(self) return Table.text(self) end

--- Writes the table to a file, whole or not at all: CSV or JSON by its name (.csv, .json), for people with .txt or
--- none.
-- A word of a shell's command.
local function quoted(word)
  return "'" .. word:gsub("'", "'\\''") .. "'"
end

-- A workbook, as the command and Python write it: by the Python that the environment names, or the first one.
local function save_workbook(self, path)
  local part = path .. ".part.xlsx"
  local script = "import sys; from perfmodel._command import main; sys.exit(main(sys.argv[1:]))"
  local python = quoted(os.getenv("PERFMODEL_PYTHON") or "python3")
  local pipe = assert(io.popen(python .. " -c " .. quoted(script) .. " workbook " .. quoted(part), "w"))
  pipe:write(core.table_pack(handle_of(self, Table, "a table")))
  pipe:close()
  local file = io.open(part, "rb")
  if not file then
    error('cannot write "' .. path .. '": a workbook needs Python: pip install "perfmodel[excel]"', 0)
  end
  local bytes = file:read "*a"
  file:close()
  os.remove(part)
  arguments.write_file(path, bytes)
end

Table.save = public(function(self, path)
  local extension = arguments.text_of(path, "a path"):match("%.([^./]+)$") or "txt"
  if extension == "xlsx" then return save_workbook(self, path) or self end
  local format = ({csv = "csv", json = "json", txt = "text"})[extension]
  if format == nil then error('cannot write "' .. path .. '": files end in .csv, .json, .xlsx or .txt (a table)', 0) end
  arguments.write_file(path, Table[format](self))
  return self
end)

-- A table of a C handle, of which all rows rest on the same assumptions if some are given.
return function(handle, assumed)
  local new = arguments.object(Table, handle)
  lines[new] = assumed
  return new
end
