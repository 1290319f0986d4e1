--- perfmodel: how fast a deep-learning network runs on a GPU machine, in closed form, and why.
--
--     local pm = require "perfmodel"
--     local p = pm.predict{network = "resnet50", system = "dgx1-v100", gpus = 8, batch = 64, precision = "fp16"}
--     print(p.throughput, p.step_time, p.bottleneck)
--
-- Numbers are in SI units: seconds, bytes, FLOP, FLOP/s, bytes/s. What is unknown is absent (nil). Where a number goes
-- in, text does too, with its unit where it has one ("64", "100 MB"). What goes wrong is raised as an error of one line
-- with the offending value, at the place of the call; use pcall to go on.

local had_type, had_equals = rawget(_G, "swig_type"), rawget(_G, "swig_equals")
local core = require "perfmodel.core"
rawset(_G, "swig_type", had_type) -- the generated core leaves two helpers in the globals
rawset(_G, "swig_equals", had_equals)

local pm = {version = core.version()}

-- The C handle of an object; private, so that no script can hand a wrong one to C.
local handles = setmetatable({}, {__mode = "k"})

local function object(class, handle)
  local new = setmetatable({}, class)
  handles[new] = handle
  return new
end

local function handle_of(value, class, what)
  if getmetatable(value) ~= class then error(what .. " expected, got " .. type(value), 0) end
  return handles[value]
end

-- A public function: what goes wrong inside is raised at the place of the call, which is that of the outermost one.
local depth = 0
local function public(inner)
  return function(...)
    depth = depth + 1
    local ok, result = pcall(inner, ...)
    depth = depth - 1
    if not ok then error(result, depth == 0 and 2 or 0) end
    return result
  end
end

-- ---- Arguments -----------------------------------------------------------------------------------------------------

local function text_of(value, what)
  if type(value) ~= "string" then error(what .. " must be text, not " .. type(value), 0) end
  return value
end

-- A number, or text with a unit. The error names what it is for.
local function number_of(value, unit, what)
  if type(value) == "number" then return value end
  if type(value) ~= "string" then error(what .. " must be a number, not " .. type(value), 0) end
  local ok, result = pcall(core.quantity_parse, value, unit)
  if not ok then error(what .. ": " .. result, 0) end
  return result
end

local function is_list(value)
  return type(value) == "table" and getmetatable(value) == nil
end

-- A list of one value or more, each converted; empty where there is none.
local function list_of(value, convert, what)
  local list, keys = {}, 0
  for i, item in ipairs(is_list(value) and value or {value}) do list[i] = convert(item) end
  for _ in pairs(is_list(value) and value or {}) do keys = keys + 1 end
  if is_list(value) and (keys == 0 or keys ~= #list) then error(what .. ": a list without holes expected", 0) end
  return list
end

local function attribute_text(value)
  if type(value) == "boolean" then return value and "yes" or "no" end
  if is_list(value) then return table.concat(value, ",") end
  if type(value) == "number" and value % 1 == 0 then return string.format("%.0f", value) end
  return tostring(value)
end

-- A table of values by name, as text by text.
local function attributes_of(values)
  local attributes = {}
  if values ~= nil and type(values) ~= "table" then error("values by name expected, got " .. type(values), 0) end
  for name, value in pairs(values or {}) do attributes[text_of(name, "a name")] = attribute_text(value) end
  return attributes
end

local function check_options(options, known)
  if not is_list(options) then error("a table of options expected, got " .. type(options), 0) end
  for name in pairs(options) do
    if not known[name] then
      local names = {}
      for each in pairs(known) do names[#names + 1] = each end
      table.sort(names)
      error('unknown option "' .. tostring(name) .. '"; known are ' .. table.concat(names, ", "), 0)
    end
  end
end

-- ---- Tables: what has rows -----------------------------------------------------------------------------------------

local Table = {}
Table.__index = Table

local function table_object(handle) return object(Table, handle) end

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

--- The columns in order: each {name=, unit=, doc=, kind=, values=}. Unknown numbers are NaN, so lists have no holes.
Table.columns = public(function(self)
  local handle = handle_of(self, Table, "table")
  local columns = column_list(handle)
  for i, column in ipairs(columns) do column.values = column_values(handle, i - 1, column.kind) end
  return columns
end)

--- The values of one column.
Table.column = public(function(self, name)
  local handle = handle_of(self, Table, "table")
  for i, column in ipairs(column_list(handle)) do
    if column.name == name then return column_values(handle, i - 1, column.kind) end
  end
  error('the table has no column "' .. tostring(name) .. '"', 0)
end)

--- The rows in order: each a table of values by column name; unknown ones are absent.
Table.rows = public(function(self)
  local rows = {}
  for i = 1, Table.count(self) do rows[i] = {} end
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
Table.text = format_method("table")
Table.__tostring = function(self) return Table.text(self) end

local function write_file(path, text)
  local part = path .. ".part"
  local file, why = io.open(part, "wb")
  if not file then return nil, why end
  local ok, problem = file:write(text)
  local closed, at_close = file:close()
  if ok and closed then ok, problem = os.rename(part, path) end
  if not (ok and closed) then os.remove(part) end
  return ok and closed, problem or at_close
end

--- Writes the table to a file, whole or not at all: CSV or JSON by its name (.csv, .json), else for people.
Table.save = public(function(self, path)
  local extension = text_of(path, "a path"):match("%.(%w+)$")
  local format = (extension == "csv" or extension == "json") and extension or "text"
  local ok, why = write_file(path, Table[format](self))
  if not ok then error('cannot write "' .. path .. '": ' .. tostring(why), 0) end
  return self
end)

-- ---- Networks ------------------------------------------------------------------------------------------------------

local Network, last_layer = {}, setmetatable({}, {__mode = "k"})

local function network_handle(self) return handle_of(self, Network, "network") end

local function network_object(handle) return object(Network, handle) end

--- Fields: id, name, input, output, layers, parameters, mac, flop, ... (every field of "network_totals"), per sample.
--- `layers` and `times` are methods; the number of layers is the field `layer_count`.
function Network.__index(self, name)
  if Network[name] ~= nil then return Network[name] end
  local totals = core.unpack(core.network_totals(network_handle(self)))[1]
  totals.layer_count = totals.layers
  return totals[name]
end

Network.__tostring = public(function(self)
  return string.format("%s: %.0f parameters, %.0f MAC per sample", self.name, self.parameters, self.mac)
end)

-- Counts for a batch at a precision; what is saved is up to the framework: a memory profile, or its name.
local function counts(self, view, depth, options)
  local framework = options.framework or "pytorch"
  local profile = {is_list(framework) and framework or pm.record("memory_profile", framework)}
  local batch = number_of(options.batch or 1, "1", "batch")
  local precision = text_of(options.precision or "fp32", "precision")
  local total = options.total and 1 or 0
  return table_object(core.network_table(network_handle(self), view, depth, profile, batch, precision, total))
end

--- Counts layer by layer: net:layers{batch = 32, precision = "fp16"}; one sample at FP32 by default. total = true: the
--- last row is the total. framework: the memory profile that says what is saved ("pytorch").
Network.layers = public(function(self, options)
  options = options or {}
  check_options(options, {batch = true, precision = true, framework = true, total = true})
  return counts(self, "layer", 1, options)
end)

--- The same counts by kind of layer, most FLOP first.
Network.kinds = public(function(self, options)
  options = options or {}
  check_options(options, {batch = true, precision = true, framework = true, total = true})
  return counts(self, "kind", 1, options)
end)

--- The same counts by parts of the network, by the dots in the names of its layers: net:tree{depth = 2}.
Network.tree = public(function(self, options)
  options = options or {}
  check_options(options, {depth = true, batch = true, precision = true, framework = true, total = true})
  return counts(self, "tree", number_of(options.depth or 2, "1", "depth"), options)
end)

--- The output shape of a layer or input, by its number: net:shape(0) is {3, 224, 224}.
Network.shape = public(function(self, layer)
  local sizes = core.network_shape(network_handle(self), number_of(layer, "1", "layer"))
  for i, size in ipairs(sizes) do sizes[i] = math.tointeger and math.tointeger(size) or size end
  return sizes
end)

--- The network as a file of the catalogue, a flat list of layers: as text, or written to a file.
Network.to_xml = public(function(self, path)
  local text = core.network_write_xml(network_handle(self))
  if path == nil then return text end
  local ok, why = write_file(text_of(path, "a path"), text)
  if not ok then error('cannot write "' .. path .. '": ' .. tostring(why), 0) end
end)

--- An input of a shape: net:input("image", {3, 224, 224}). Returns its number.
Network.input = public(function(self, name, shape)
  local sizes = list_of(shape, function(size) return number_of(size, "1", "a size") end, "shape")
  last_layer[self] = core.network_add_input(network_handle(self), text_of(name, "a name"), sizes)
  return last_layer[self]
end)

--- A layer on the one before, or on `inputs`: net:add("conv2d", {name = "conv1", out_channels = 64, kernel = 7}).
--- Returns its number.
Network.add = public(function(self, kind, options)
  local attributes = attributes_of(options)
  local name = attributes.name or ""
  local inputs = list_of(options and options.inputs or last_layer[self],
                         function(input) return number_of(input, "1", "an input") end, "inputs")
  attributes.name, attributes.inputs = nil, nil
  last_layer[self] = core.network_add(network_handle(self), text_of(kind, "a kind"), name, inputs, attributes)
  return last_layer[self]
end)

--- An empty network to build with :input and :add.
pm.new_network = public(function(id, name)
  return network_object(core.network_new(text_of(id, "an id"), text_of(name or id, "a name")))
end)

-- ---- Systems -------------------------------------------------------------------------------------------------------

local System = {}

local function system_handle(self) return handle_of(self, System, "system") end

--- Fields: every field of "machine" (id, name, gpu, gpus, ...).
function System.__index(self, name)
  if System[name] ~= nil then return System[name] end
  return core.unpack(core.system_machine(system_handle(self)))[1][name]
end

System.__tostring = public(function(self)
  return string.format("%s: %d x %s", self.name, self.gpus, self.gpu)
end)

--- The datasheet of its GPU: a table with every field of "gpu".
System.gpu_record = public(function(self) return core.unpack(core.system_gpu(system_handle(self)))[1] end)

--- Its link graph, one row per pair of vertices.
System.links = public(function(self) return table_object(core.system_edges(system_handle(self))) end)

local function ring_records(self, gpus, nodes)
  gpus, nodes = number_of(gpus or self.gpus, "1", "gpus"), number_of(nodes or 1, "1", "nodes")
  return core.system_ring(system_handle(self), gpus, nodes)
end

--- The ring of the first `gpus` GPUs of each of `nodes` nodes: bandwidth, latencies, what limits it.
System.ring = public(function(self, gpus, nodes) return core.unpack(ring_records(self, gpus, nodes))[1] end)

--- Time [s] of an all-reduce of `bytes` ("100 MB", 1e8) over that ring.
System.all_reduce_time = public(function(self, bytes, gpus, nodes)
  local ring = ring_records(self, gpus, nodes)
  return core.all_reduce_times(ring, {number_of(bytes, "B", "bytes")})[1]
end)

--- The link graph as "matrix" (the layout of nvidia-smi topo -m), "dot" or "svg"; "copies" is what a peer-to-peer test
-- prints.
System.drawing = public(function(self, as) return core.system_drawing(system_handle(self), text_of(as, "as")) end)

-- A number of the first GPUs, or a list of them, as the core takes it: list, count.
local function gpus_of(system, gpus)
  if type(gpus) ~= "table" then return {}, number_of(gpus or system.gpus, "1", "gpus") end
  local list = {}
  for i, gpu in ipairs(gpus) do list[i] = number_of(gpu, "1", "a GPU") end
  return list, #list
end

local function system_of(system)
  if type(system) == "string" then return pm.system(system) end
  return system
end

--- Times of a collective, one row for each size:
-- pm.collective("dgx1-v100", "all_reduce", {bytes = {1e6, "1 GB"}, gpus = 8, nodes = 2}).
pm.collective = public(function(system, name, options)
  options = options or {}
  check_options(options, {bytes = true, gpus = true, nodes = true, algorithm = true, protocol = true,
                          thread_gpus = true})
  system = system_of(system)
  local list, count = gpus_of(system, options.gpus)
  local sizes, given = {}, options.bytes
  if type(given) ~= "table" then given = {given} end
  for i, size in ipairs(given) do sizes[i] = number_of(size, "B", "bytes") end
  return table_object(core.collective_times(
    system_handle(system), text_of(name, "collective"), sizes, list, count,
    number_of(options.nodes or 1, "1", "nodes"), number_of(options.thread_gpus or 1, "1", "thread_gpus"),
    text_of(options.algorithm or "auto", "algorithm"), text_of(options.protocol or "auto", "protocol")))
end)

--- The rings of some GPUs of a system: {directed_rings, bandwidth, cycles = {{order = {...}, weight}, ...}}.
pm.rings = public(function(system, gpus)
  system = system_of(system)
  local list, count = gpus_of(system, gpus)
  local values = core.system_rings(system_handle(system), list, count)
  local result, size, place = {directed_rings = values[1], bandwidth = values[2], cycles = {}}, values[3], 3
  while place < #values do
    local cycle = {weight = values[place + 1], order = {}}
    for i = 1, size do cycle.order[i] = values[place + 1 + i] end
    place = place + 1 + size
    result.cycles[#result.cycles + 1] = cycle
  end
  return result
end)

local kernels_of -- below, where the catalogue is

--- Times layer by layer on one GPU of a system: net:times{system = node, batch = 64, precision = "fp16"}; by the plain
--- roofline with kernel_model = "roofline".
Network.times = public(function(self, options)
  options = options or {}
  check_options(options, {system = true, batch = true, precision = true, kernel_model = true})
  local system = options.system
  if type(system) == "string" then system = pm.system(system) end
  local batch = number_of(options.batch or 32, "1", "batch")
  local precision = text_of(options.precision or "fp32", "precision")
  local gpu = core.system_gpu(system_handle(system))
  local constants = kernels_of(gpu, options.kernel_model)
  return table_object(core.network_times(network_handle(self), gpu, constants, batch, precision))
end)

-- ---- The catalogue -------------------------------------------------------------------------------------------------

local Catalog = {}
Catalog.__index = Catalog

local function catalog_handle(self) return handle_of(self, Catalog, "catalogue") end

--- Adds a file, or the *.xml files of a folder. All of it or nothing.
Catalog.load = public(function(self, path)
  core.catalog_load(catalog_handle(self), text_of(path, "a path"))
  return self
end)

--- Notes on what loads replaced.
Catalog.notes = public(function(self) return core.catalog_notes(catalog_handle(self)) end)

--- The ids of a kind ("gpus", "systems", "networks", ...), and what a name resolves to.
Catalog.ids = public(function(self, kind) return core.catalog_ids(catalog_handle(self), text_of(kind, "a kind")) end)
Catalog.resolve = public(function(self, kind, name)
  return core.catalog_resolve(catalog_handle(self), text_of(kind, "a kind"), text_of(name, "a name"))
end)

--- One entry as a table of its fields, or with its sources as a table object; all entries of a kind.
Catalog.record = public(function(self, kind, name)
  return core.unpack(core.catalog_record(catalog_handle(self), text_of(kind, "a kind"), text_of(name, "a name")))[1]
end)
Catalog.show = public(function(self, kind, name)
  return table_object(core.catalog_show(catalog_handle(self), text_of(kind, "a kind"), text_of(name, "a name")))
end)
Catalog.list = public(function(self, kind)
  return table_object(core.catalog_list(catalog_handle(self), text_of(kind, "a kind")))
end)

--- A network, its parameters set as by catalog:network("resnet50", {classes = 10}); a system.
Catalog.network = public(function(self, name, sets)
  local attributes = attributes_of(sets)
  return network_object(core.catalog_network(catalog_handle(self), text_of(name, "a network"), attributes))
end)
Catalog.system = public(function(self, name)
  return object(System, core.catalog_system(catalog_handle(self), text_of(name, "a system")))
end)

--- A framework, "pt-nchw" or in another era of the GPU libraries "tf1-nchw@cudnn6": a table of its records framework, era
--- and band, whose constants may be changed before it is passed to pm.predict.
Catalog.framework = public(function(self, name)
  local function part(kind)
    return core.unpack(core.catalog_framework(catalog_handle(self), text_of(name, "a framework"), kind))[1]
  end
  return {framework = part("framework"), era = part("library_era"), band = part("band")}
end)

--- The shipped catalogue, with files or folders added: pm.catalog{"my-cluster.xml"}.
pm.catalog = public(function(paths)
  local catalog = object(Catalog, core.catalog_new())
  local list = list_of(paths, function(path) return text_of(path, "a path") end, "paths")
  for _, path in ipairs(list) do catalog:load(path) end
  return catalog
end)

-- The shipped catalogue, made when it is first needed.
local shipped
local function shipped_catalog()
  shipped = shipped or object(Catalog, core.catalog_new())
  return shipped
end

--- The same on the shipped catalogue: pm.network(name, sets), pm.system(name), pm.list(kind), pm.show(kind, name), ...
for _, name in ipairs{"network", "system", "framework", "list", "show", "record", "ids", "resolve"} do
  pm[name] = public(function(...) return Catalog[name](shipped_catalog(), ...) end)
end

-- ---- Kernels -------------------------------------------------------------------------------------------------------

-- The kernel constants of a GPU record; none by the roofline.
kernels_of = function(gpu, model)
  if model ~= nil and model ~= "calibrated" and model ~= "roofline" then
    error("kernel_model is calibrated or roofline", 0)
  end
  if model == "roofline" then return {} end
  return core.unpack(core.catalog_kernels(catalog_handle(shipped_catalog()), gpu))
end

--- One matrix product on one GPU, a table with every field of "kernel_time": pm.gemm{m = 4096, n = 4096, k = 4096,
--- gpu = "a100-sxm4-80gb", precision = "bf16"}. Options: count (independent products), kernel_model, tn (true: both
--- operands are stored along the contraction, as of a linear layer forward).
pm.gemm = public(function(options)
  check_options(options, {m = true, n = true, k = true, count = true, gpu = true, precision = true, kernel_model = true,
                          tn = true})
  local gpu = core.catalog_record(catalog_handle(shipped_catalog()), "gpu", text_of(options.gpu, "gpu"))
  local kernel = {operation = "gemm", precision = text_of(options.precision or "fp32", "precision"),
                  count = number_of(options.count or 1, "1", "count"), m = number_of(options.m, "1", "m"),
                  n = number_of(options.n, "1", "n"), k = number_of(options.k, "1", "k"), tn = options.tn and "yes" or "no"}
  return core.unpack(core.kernel_times(gpu, kernels_of(gpu, options.kernel_model), {kernel}))[1]
end)

local KERNEL_USUAL = {count = 1, groups = 1, stride_height = 1, padding_height = 0}
local KERNEL_SAME = {out_channels = "channels", kernel_width = "kernel_height", stride_width = "stride_height",
                     padding_width = "padding_height"}

--- Any kernel on one GPU: pm.kernel{operation = "softmax", m = 8192, n = 1024, gpu = "v100"}; operation, precision and
--- the fields of a "kernel" record. A convolution has as many outputs as inputs, one group, a square window and stride 1
--- unless said otherwise; a copy goes over the link that the GPU's record names.
pm.kernel = public(function(options)
  if type(options) ~= "table" then error("the argument must be a table of options", 0) end
  local gpu = core.catalog_record(catalog_handle(shipped_catalog()), "gpu", text_of(options.gpu, "gpu"))
  local kernel = {operation = text_of(options.operation, "operation"), precision = options.precision or "fp32"}
  for name, value in pairs(KERNEL_USUAL) do kernel[name] = value end
  for name, value in pairs(options) do
    if name ~= "gpu" and name ~= "kernel_model" then kernel[name] = value end
  end
  for name, other in pairs(KERNEL_SAME) do kernel[name] = kernel[name] or kernel[other] end
  local host = core.unpack(gpu)[1].pcie
  if kernel.operation == "copy" and kernel.link_bandwidth == nil and host ~= nil and host ~= "" then
    kernel.link_bandwidth = core.unpack(core.catalog_record(catalog_handle(shipped_catalog()), "link", host))[1].bandwidth
  end
  return core.unpack(core.kernel_times(gpu, kernels_of(gpu, options.kernel_model), {kernel}))[1]
end)

-- ---- Predictions ---------------------------------------------------------------------------------------------------

local RUN_OPTIONS = {network = true, system = true, gpus = true, nodes = true, batch = true, global_batch = true,
                     precision = true, overlap = true, kernel_model = true, epoch_samples = true, catalog = true,
                     framework = true, parallel = true, optimizer = true, accumulation = true, input_rate = true,
                     input_in_turn = true}

-- Networks or systems given as objects or by name.
local function handles_of(value, class, what, catalog)
  local kept = list_of(value, function(item)
    if type(item) == "string" then item = catalog[what](catalog, item) end
    handle_of(item, class, what)
    return item
  end, what)
  if #kept == 0 then error(what .. " is missing", 0) end
  local list = {}
  for i, item in ipairs(kept) do list[i] = handles[item] end
  return list
end

-- Frameworks by name, or as tables of the three records that pm.framework gives; "none": no framework.
local function frameworks_of(value, catalog)
  if value == nil then value = "generic" end
  if value == "none" then return {} end
  local one = type(value) == "string" or value.framework ~= nil
  return list_of(one and {value} or value, function(item)
    return type(item) == "string" and catalog:framework(item) or item
  end, "framework")
end

-- A plan over the networks and systems of the options; it holds them, because C refers to them.
local function plan_of(options)
  local catalog = options.catalog or shipped_catalog()
  catalog_handle(catalog)
  local plan = {
    networks = handles_of(options.network, Network, "network", catalog),
    systems = handles_of(options.system, System, "system", catalog),
  }
  plan.handle = core.plan_new(plan.networks, plan.systems)
  plan.frameworks = frameworks_of(options.framework, catalog)
  for _, f in ipairs(plan.frameworks) do core.plan_add_framework(plan.handle, {f.framework}, {f.era}, {f.band}) end
  return plan
end

local function numbers_of(options, name)
  return list_of(options[name], function(value) return number_of(value, "1", name) end, name)
end

-- One of the choices of a run's field.
local function run_choice(field, value)
  local texts = core.record_fields("run")
  for i = 1, #texts, 7 do
    if texts[i] == field then
      for known in texts[i + 5]:gmatch("[^\n]+") do
        if known == value then return value end
      end
      error('unknown ' .. field .. ' "' .. value .. '"; known are ' .. texts[i + 5]:gsub("\n", ", "), 0)
    end
  end
end

local function runs_of(plan, options)
  local default = core.unpack(core.run_default())[1]
  local by_gpu, global = numbers_of(options, "batch"), numbers_of(options, "global_batch")
  if #by_gpu > 0 and #global > 0 then error("batch (per GPU) and global_batch exclude each other", 0) end
  local precisions = list_of(options.precision, function(name) return text_of(name, "precision") end, "precision")
  for _, name in ipairs{"overlap", "kernel_model", "parallel", "optimizer"} do
    default[name] = run_choice(name, text_of(options[name] or default[name], name))
  end
  default.accumulation = number_of(options.accumulation or 1, "1", "accumulation")
  default.input_rate = options.input_rate and number_of(options.input_rate, "1/s", "input_rate")
  default.input_in_turn = options.input_in_turn and "yes" or "no"
  default.epoch_samples = number_of(options.epoch_samples or 0 / 0, "1", "epoch_samples")
  return core.grid_runs({default}, #plan.networks, #plan.systems, #plan.frameworks, precisions,
                        numbers_of(options, "nodes"), numbers_of(options, "gpus"), #global > 0 and global or by_gpu,
                        #global > 0 and 1 or 0)
end

local traces = setmetatable({}, {__mode = "k"}) -- what a prediction was made from

local Prediction = {
  __tostring = function(self)
    return string.format("%.4g samples/s, step %s, bottleneck %s (%s)", self.throughput,
                         core.quantity_format(self.step_time, "s"), self.bottleneck, self.basis)
  end,
}

--- One prediction, a table with every field of "prediction" by name. Options: network, system (names or objects), gpus,
--- nodes, batch (per GPU) or global_batch, precision, framework (a name, "generic" by default; what pm.framework gives;
--- "none": kernels and collectives only), parallel, overlap ("none", "backward"), optimizer, accumulation, input_rate
--- (samples per second that the input path brings to a node), input_in_turn (nothing is prefetched), kernel_model,
--- epoch_samples, catalog.
--- Errors: what cannot be predicted (batch 0, more GPUs than the system has, ...) raises.
pm.predict = public(function(options)
  check_options(options, RUN_OPTIONS)
  for name, value in pairs(options) do
    local one = name == "framework" and is_list(value) and value.framework ~= nil
    if is_list(value) and not one then error(name .. " is a list; use pm.sweep", 0) end
  end
  local plan = plan_of(options)
  local runs = runs_of(plan, options)
  core.run_check(plan.handle, runs)
  local prediction = setmetatable(core.unpack(core.predict(plan.handle, runs))[1], Prediction)
  traces[prediction] = {plan = plan, runs = runs}
  return prediction
end)

--- The timeline of one step of a prediction, layer by layer: JSON that ui.perfetto.dev opens, as text, or written to a
--- file: pm.trace(prediction, "step.json").
pm.trace = public(function(prediction, path)
  local made = traces[prediction]
  if made == nil then error("a prediction of pm.predict expected, got " .. type(prediction), 0) end
  local text = core.prediction_trace(made.plan.handle, made.runs)
  if path == nil then return text end
  local ok, why = write_file(text_of(path, "a path"), text)
  if not ok then error('cannot write "' .. path .. '": ' .. tostring(why), 0) end
end)

--- Every combination, as a table object: the options of pm.predict, each one value or a list. A point that cannot be
--- predicted has its status and no numbers, and the others go on.
pm.sweep = public(function(options)
  check_options(options, RUN_OPTIONS)
  local plan = plan_of(options)
  local runs = runs_of(plan, options)
  return table_object(core.prediction_table(plan.handle, runs, core.predict(plan.handle, runs)))
end)

-- What the driver reports, or, if nobody wrote that down, what is printed on the box.
local function usable_of(options, gpu, catalog)
  if options.usable ~= nil then return number_of(options.usable, "B", "usable") end
  local ok, record = pcall(catalog.record, catalog, "usable_memory", gpu.id)
  return ok and record.memory or gpu.memory
end

-- The record of a GPU, or of that of a system, by name; or a system's.
local function gpu_of(value, catalog)
  if getmetatable(value) == System then return core.unpack(core.system_gpu(system_handle(value)))[1] end
  if is_list(value) then return value end
  local ok, record = pcall(catalog.record, catalog, "gpu", text_of(value, "gpu"))
  if ok then return record end
  local found, system = pcall(catalog.system, catalog, value)
  if not found then error(record, 0) end
  return core.unpack(core.system_gpu(system_handle(system)))[1]
end

-- A record of the catalogue by name, or one given as a table.
local function record_of(value, kind, catalog)
  return is_list(value) and value or catalog:record(kind, text_of(value, kind))
end

-- ---- Inference -----------------------------------------------------------------------------------------------------

local INFERENCE_OPTIONS = {network = true, system = true, batch = true, precision = true, framework = true,
                           latency = true, gpus = true, nodes = true, usable = true, kernel_model = true, catalog = true}

-- A system by name or as an object.
local function target_of(value, catalog)
  if getmetatable(value) == System then return value end
  return catalog:system(text_of(value, "system"))
end

-- A plan with the system's usable memory.
local function inference_plan_of(options)
  local catalog = options.catalog or shipped_catalog()
  catalog_handle(catalog)
  local framework = options.framework or "tensorrt"
  if type(framework) == "table" and framework.id ~= nil then framework = {framework} end
  local profiles = list_of(framework, function(item)
    return type(item) == "table" and item or core.unpack(core.catalog_inference(catalog_handle(catalog), text_of(item, "framework")))[1]
  end, "framework")
  local plan = {networks = handles_of(options.network, Network, "network", catalog), profiles = #profiles}
  plan.objects = list_of(options.system, function(item) return target_of(item, catalog) end, "system")
  if #plan.objects == 0 then error("system is missing", 0) end
  plan.systems, plan.usable = {}, {}
  for i, system in ipairs(plan.objects) do
    plan.systems[i] = system_handle(system)
    plan.usable[i] = usable_of(options, core.unpack(core.system_gpu(plan.systems[i]))[1], catalog)
  end
  plan.handle = core.inference_plan_new(plan.networks, plan.systems, profiles,
                                        {catalog:record("memory_profile", "pytorch")})
  return plan
end

-- Every combination: batch fastest, then precision, framework, system, network.
local function inference_runs_of(plan, options)
  local runs, default = {}, core.unpack(core.inference_run_default())[1]
  local batches, precisions = numbers_of(options, "batch"), list_of(options.precision, text_of, "precision")
  local function add(n, s, f, precision, batch)
    local run = {}
    for name, value in pairs(default) do run[name] = value end
    run.network_index, run.system_index, run.profile_index, run.usable = n - 1, s - 1, f - 1, plan.usable[s]
    run.batch, run.precision = batch, precision
    for _, name in ipairs{"gpus", "nodes"} do run[name] = number_of(options[name] or 1, "1", name) end
    run.kernel_model = options.kernel_model or run.kernel_model
    runs[#runs + 1] = run
  end
  for n = 1, #plan.networks do
    for s = 1, #plan.systems do
      for f = 1, plan.profiles do
        for _, precision in ipairs(#precisions > 0 and precisions or {default.precision}) do
          for _, batch in ipairs(#batches > 0 and batches or {default.batch}) do add(n, s, f, precision, batch) end
        end
      end
    end
  end
  return runs
end

local Inference = {
  __tostring = function(self)
    return string.format("%.4g samples/s, batch %.0f in %s, limited by %s (%s)", self.throughput, self.batch,
                         core.quantity_format(self.latency, "s"), self.limit, self.basis)
  end,
}

--- Inference of one batch, a table with every field of "inference" by name, and `batch`. Options: network, system (a
--- system or a GPU), batch or latency (a limit: the largest batch within it), precision, framework (an inference
--- profile, default "tensorrt"), gpus, nodes, usable, kernel_model, catalog.
pm.infer = public(function(options)
  check_options(options, INFERENCE_OPTIONS)
  if options.batch ~= nil and options.latency ~= nil then error("batch and latency exclude each other", 0) end
  for name, value in pairs(options) do
    if is_list(value) and name ~= "framework" then error(name .. " is a list; use pm.infer_sweep", 0) end
  end
  local plan = inference_plan_of(options)
  local runs = inference_runs_of(plan, options)
  core.infer_check(plan.handle, runs)
  if options.latency ~= nil then
    runs = core.unpack(core.infer_within(plan.handle, runs, number_of(options.latency, "s", "latency")))
  end
  local answer = core.unpack(core.infer(plan.handle, runs))[1]
  answer.batch = runs[1].batch
  return setmetatable(answer, Inference)
end)

--- Every combination, as a table object: the options of pm.infer but latency, each one value or a list. A point that
--- cannot be predicted has its status and no numbers, and the others go on.
pm.infer_sweep = public(function(options)
  check_options(options, INFERENCE_OPTIONS)
  if options.latency ~= nil then error("latency is for pm.infer", 0) end
  local plan = inference_plan_of(options)
  local runs = inference_runs_of(plan, options)
  return table_object(core.inference_table(plan.handle, runs, core.infer(plan.handle, runs)))
end)

-- ---- Sizing --------------------------------------------------------------------------------------------------------

local SIZE_OPTIONS = {rate = true, epochs = true, within = true, dataset = true, minimize = true, prices = true, pue = true,
                      storage = true, units = true, loader = true, cache = true, nodes_most = true, switch_ports = true,
                      oversubscription = true}
for name in pairs(RUN_OPTIONS) do SIZE_OPTIONS[name] = name ~= "nodes" and name ~= "epoch_samples" or nil end

-- The goal; `dataset` is a record.
local function size_goal_of(options, dataset)
  local goal = core.unpack(core.size_goal_default())[1]
  for name, unit in pairs{rate = "1/s", epochs = "1", within = "s", pue = "1", nodes_most = "1", switch_ports = "1",
                          oversubscription = "1", global_batch = "1"} do
    if options[name] ~= nil then goal[name] = number_of(options[name], unit, name) end
  end
  goal.minimize = options.minimize or goal.minimize
  goal.samples, goal.sample_size = dataset.samples, dataset.sample_size
  return goal
end

-- Seven lists, one record each for every choice; empty without a storage.
local function size_inputs_of(options, machines, dataset, catalog)
  local lists = {{}, {}, {}, {}, {}, {}, {}}
  if options.storage == nil then return lists end
  local storage = record_of(options.storage, "storage", catalog)
  local loader = record_of(options.loader or "tensorflow", "loader", catalog)
  local known, access = pcall(catalog.record, catalog, "storage_access", storage.id)
  for i, machine in ipairs(machines) do
    local cpu = (machine.cpu or ""):gsub("^.* x ", "")
    local found, decoder = pcall(catalog.record, catalog, "decoder", cpu)
    local run = core.unpack(core.input_run_default())[1]
    run.units = number_of(options.units or 1, "1", "units")
    if options.cache ~= nil then run.cache, run.first_epoch = number_of(options.cache, "B", "cache"), "no" end
    local parts = {dataset, storage, known and access or {}, found and decoder or catalog:record("decoder", "skylake"),
                   loader, machine, run}
    for k = 1, 7 do lists[k][i] = parts[k] end
  end
  return lists
end

-- The price of a node by any name of its system.
local function price_in(prices, id, catalog)
  local found = 0 / 0
  for name, value in pairs(prices or {}) do
    local ok, resolved = pcall(catalog.resolve, catalog, "systems", name)
    if not ok and name ~= id then error(resolved, 0) end
    if name == id or resolved == id then found = number_of(value, "1", "price") end
  end
  return found
end

local Sizing = {}
Sizing.__index = Sizing
function Sizing.__tostring(self)
  local best = self[1]
  return string.format("%d x %s: %.4g samples/s, %s the target", best.nodes, best.system, best.throughput,
                       best.rank > 0 and "reaches" or "misses")
end

--- The least nodes (or what `minimize` says: "cost", "power", "rack-units") of every choice for a rate, or for epochs
--- within a time: a list of tables with the fields of "size_choice", best first, then what misses, nearest first. Options:
--- those of pm.predict but nodes, as lists where there are several choices (system, batch, precision, framework); rate, or
--- epochs and within; dataset, minimize, prices (of a node by system), pue, storage, units, loader, cache, nodes_most,
--- switch_ports, oversubscription. gpus: used in each node, all by default.
pm.size = public(function(options)
  check_options(options, SIZE_OPTIONS)
  local catalog = options.catalog or shipped_catalog()
  catalog_handle(catalog)
  local own = {}
  for name in pairs(RUN_OPTIONS) do own[name] = options[name] end
  own.global_batch, own.gpus = nil, nil
  local plan = plan_of(own)
  local runs = core.unpack(runs_of(plan, own))
  local dataset = record_of(options.dataset or "ilsvrc2012", "dataset", catalog)
  local prices, usable, machines = {}, {}, {}
  for i, run in ipairs(runs) do
    local system = plan.systems[run.system_index + 1]
    run.gpus = number_of(options.gpus or 0, "1", "gpus")
    machines[i] = core.unpack(core.system_machine(system))[1]
    prices[i] = price_in(options.prices, machines[i].id, catalog)
    usable[i] = usable_of({}, core.unpack(core.system_gpu(system))[1], catalog)
  end
  local inputs = size_inputs_of(options, machines, dataset, catalog)
  local function ask(what)
    return core.unpack(core.size_choices(
      plan.handle, {size_goal_of(options, dataset)}, runs, prices, usable, plan.networks[1],
      {catalog:record("memory_profile", "pytorch")}, {catalog:record("optimizer", "momentum")}, inputs[1], inputs[2],
      inputs[3], inputs[4], inputs[5], inputs[6], inputs[7], what))
  end
  local rows = ask("least")
  --- What takes less than the best, the fastest of it (nil if nothing does); the Pareto front, as a list.
  rows.next_cheaper = function() return ask("next")[1] end
  rows.front = function() return ask("front") end
  return setmetatable(rows, {__tostring = Sizing.__tostring})
end)

-- What pm.sensitivity and pm.upgrades hand to C before their own arguments.
local function sensitivity_question(options)
  local catalog = options.catalog or shipped_catalog()
  catalog_handle(catalog)
  local own = {}
  for name in pairs(RUN_OPTIONS) do own[name] = options[name] end
  for name, value in pairs(own) do
    if is_list(value) and not (name == "framework" and value.framework ~= nil) then error(name .. " is a list", 0) end
  end
  local plan = plan_of(own)
  local runs, f = core.unpack(runs_of(plan, own)), plan.frameworks[1]
  local machine = core.unpack(core.system_machine(plan.systems[1]))[1]
  local dataset = options.storage and record_of(options.dataset or "ilsvrc2012", "dataset", catalog)
  return plan, runs, f and {{f.framework}, {f.era}, {f.band}} or {{}, {}, {}},
         size_inputs_of(options, {machine}, dataset, catalog), catalog
end

local SENSITIVITY_OPTIONS = {by = true, storage = true, units = true, loader = true, cache = true, dataset = true}
for name in pairs(RUN_OPTIONS) do SENSITIVITY_OPTIONS[name] = true end

--- What a step owes to each number of the hardware, raised by the share `by` (0.1), as a table object: resource, rate,
--- step_time, change, elasticity, throughput, limit. Options: those of pm.predict; storage, units, loader, cache, dataset.
pm.sensitivity = public(function(options)
  check_options(options, SENSITIVITY_OPTIONS)
  local plan, runs, f, i = sensitivity_question(options)
  return table_object(core.sensitivity_table(plan.networks[1], plan.systems[1], runs, f[1], f[2], f[3], i[1], i[2], i[3],
                                             i[4], i[5], i[6], i[7], number_of(options.by or 0.1, "1", "by")))
end)

--- Which upgrade pays: the same run on other systems, `upgrades` by name (objects, or names of the catalogue; see
--- pm.with_gpu and pm.with_link), as a table object, most gain first. `prices` of the changes by the same names.
pm.upgrades = public(function(options)
  local known = {upgrades = true, prices = true}
  for name in pairs(SENSITIVITY_OPTIONS) do known[name] = name ~= "by" or nil end
  check_options(options, known)
  local plan, runs, f, i, catalog = sensitivity_question(options)
  local names, systems, prices, kept = {}, {}, {}, {}
  for name in pairs(options.upgrades or {}) do names[#names + 1] = text_of(name, "an upgrade's name") end
  table.sort(names)
  for n, name in ipairs(names) do
    local value = options.upgrades[name]
    kept[n] = type(value) == "string" and catalog:system(value) or value
    systems[n] = system_handle(kept[n])
    prices[n] = options.prices and options.prices[name] and number_of(options.prices[name], "1", "price") or 0 / 0
  end
  return table_object(core.upgrade_table(plan.networks[1], plan.systems[1], runs, f[1], f[2], f[3], i[1], i[2], i[3], i[4],
                                         i[5], i[6], i[7], systems, names, prices))
end)

--- A system with another GPU in it, on the same links.
pm.with_gpu = public(function(system, gpu)
  local catalog = shipped_catalog()
  if type(system) == "string" then system = catalog:system(system) end
  local record = gpu_of(gpu, catalog)
  return object(System, core.system_with_gpu(system_handle(system), {record}, kernels_of({record}, "calibrated")))
end)

--- A system with another type of link: in place of every link of the type `replaced`, or, without it, as its network.
pm.with_link = public(function(system, link, replaced)
  local catalog = shipped_catalog()
  if type(system) == "string" then system = catalog:system(system) end
  return object(System, core.system_with_link(catalog_handle(catalog), system_handle(system), replaced or "", link))
end)

-- ---- Memory --------------------------------------------------------------------------------------------------------

local MEMORY_OPTIONS = {network = true, gpu = true, batch = true, precision = true, optimizer = true, framework = true,
                        dp = true, zero = true, recompute = true, inference = true, usable = true, catalog = true}

local function memory_run_of(options, gpu, catalog)
  local run = core.unpack(core.memory_run_default())[1]
  for field, option in pairs{batch = "batch", ranks = "dp", zero_stage = "zero"} do
    if options[option] ~= nil then run[field] = number_of(options[option], "1", option) end
  end
  for _, option in ipairs{"precision", "recompute", "inference"} do
    if options[option] ~= nil then run[option] = options[option] end
  end
  run.usable = usable_of(options, gpu, catalog)
  return run
end

local function memory_question(options)
  check_options(options, MEMORY_OPTIONS)
  local catalog = options.catalog or shipped_catalog()
  catalog_handle(catalog)
  local question = {network = handles_of(options.network, Network, "network", catalog)[1]}
  question.gpu = gpu_of(options.gpu, catalog)
  question.profile = {record_of(options.framework or "pytorch", "memory_profile", catalog)}
  question.optimizer = {record_of(options.optimizer or "momentum", "optimizer", catalog)}
  question.run = {memory_run_of(options, question.gpu, catalog)}
  question.catalog = catalog
  return question
end

local Memory = {
  __tostring = function(self)
    return string.format("%s of %s: %s, largest batch %.0f", core.quantity_format(self.total, "B"),
                         core.quantity_format(self.usable, "B"), self.verdict, self.largest_batch)
  end,
}

--- Memory of one GPU at the peak of a step, a table with every field of "memory_use": total, verdict, largest_batch,
--- the parts. Options: network, gpu (a GPU or system), batch, precision, optimizer, framework (a memory profile), dp,
--- zero, recompute ("none", "selective", "full"), inference, usable, catalog.
pm.memory = public(function(options)
  local q = memory_question(options)
  return setmetatable(core.unpack(core.memory_use(q.network, q.profile, q.optimizer, q.run))[1], Memory)
end)

--- The same options: what every layer keeps, as a table object.
pm.memory_layers = public(function(options)
  local q = memory_question(options)
  return table_object(core.memory_layers(q.network, q.profile, q.run[1].batch, q.run[1].precision))
end)

--- The same options: single changes that take less memory, largest saving first, as a table object.
pm.memory_advice = public(function(options)
  local q, others = memory_question(options), {}
  for i, id in ipairs(q.catalog:ids("optimizers")) do others[i] = q.catalog:record("optimizer", id) end
  return table_object(core.memory_advice(q.network, q.profile, q.optimizer, q.run, others))
end)

-- ---- Input pipeline ------------------------------------------------------------------------------------------------

local INPUT_OPTIONS = {
  dataset = true, system = true, storage = true, loader = true, cpu = true, run = true, catalog = true,
}

--- Rates of every stage of the input path in samples per second of one node, a table with every field of "input_rates":
--- limit, throughput, utilisation, nodes_most, ... Options: dataset, system, storage, loader, cpu (a decoder; default
--- "skylake"), run (a table of fields of "input_run" that differ from the default, in SI units), catalog.
pm.input_pipeline = public(function(options)
  check_options(options, INPUT_OPTIONS)
  local catalog = options.catalog or shipped_catalog()
  catalog_handle(catalog)
  local storage = record_of(options.storage, "storage", catalog)
  local known, access = pcall(catalog.record, catalog, "storage_access", storage.id)
  local run = core.unpack(core.input_run_default())[1]
  local texts, fields = core.record_fields("input_run"), {}
  for i = 1, #texts, 7 do fields[texts[i]] = true end
  check_options(options.run or {}, fields)
  for name, value in pairs(options.run or {}) do run[name] = value end
  local rates = core.input_rates(
    {record_of(options.dataset, "dataset", catalog)}, {storage}, {known and access or {}},
    {record_of(options.cpu or "skylake", "decoder", catalog)},
    {record_of(options.loader or "tensorflow", "loader", catalog)},
    {record_of(options.system, "system", catalog)}, {run})
  return core.unpack(rates)[1]
end)

-- ---- Validation ----------------------------------------------------------------------------------------------------

local VALIDATE_OPTIONS = {set = true, rows = true, data = true, file = true, catalog = true}

--- The sets that pm.validate knows.
pm.validation_sets = public(function() return core.validation_sets() end)

--- Predictions beside published measurements, as a table object: a row for each group, with its errors in per cent, or
--- with `rows` one for each measurement. Options: set (one of pm.validation_sets; default "seeds"), rows, file (the path of
--- a table of yours, plain or gzip) or data (its text), catalog.
pm.validate = public(function(options)
  options = options or {}
  check_options(options, VALIDATE_OPTIONS)
  if options.data ~= nil and options.file ~= nil then error("data and file exclude each other", 0) end
  return table_object(core.validate_table(
    catalog_handle(options.catalog or shipped_catalog()), text_of(options.set or "seeds", "set"),
    options.data and text_of(options.data, "data") or "", options.file and text_of(options.file, "file") or "",
    options.rows and 1 or 0))
end)

-- ---- Calibration ---------------------------------------------------------------------------------------------------

local CALIBRATE_OPTIONS = {data = true, file = true, architectures = true, keep_out = true, kept_shapes = true,
                           catalog = true}

--- Constants of kernels fitted to measured times (docs/calibration.md): a table with constants and errors, table objects,
--- and xml, a text for a catalogue. Options: file (the path of a table of yours, plain or gzip) or data (its text),
--- architectures and keep_out (ids parted by commas), kept_shapes (share that is only predicted; default 0.2), catalog.
pm.calibrate = public(function(options)
  options = options or {}
  check_options(options, CALIBRATE_OPTIONS)
  if options.data ~= nil and options.file ~= nil then error("data and file exclude each other", 0) end
  local catalog = catalog_handle(options.catalog or shipped_catalog())
  local fit = core.calibrate_kernels(
    catalog, options.data and text_of(options.data, "data") or "", options.file and text_of(options.file, "file") or "",
    text_of(options.architectures or "", "architectures"), text_of(options.keep_out or "", "keep_out"),
    number_of(options.kept_shapes or 0.2, "1", "kept_shapes"))
  return {constants = table_object(core.calibration_constants(fit)), errors = table_object(core.calibration_errors(fit)),
          xml = core.kernel_fit_xml(fit, catalog)}
end)

-- ---- Quantities and records ----------------------------------------------------------------------------------------

--- pm.quantity("900 GB/s", "B/s") -> 9e11, and back: pm.format(9e11, "B/s") -> "900 GB/s".
pm.quantity = public(function(text, unit)
  return core.quantity_parse(text_of(text, "a quantity"), text_of(unit, "unit"))
end)
pm.format = public(function(value, unit)
  return core.quantity_format(number_of(value, text_of(unit, "unit"), "value"), unit)
end)

--- The kinds of catalogue entries, of layers, and of records.
pm.kinds = public(function() return core.catalog_kinds() end)
pm.layer_kinds = public(function() return core.layer_kinds() end)

--- What each kind of layer takes, by kind: "out_channels kernel stride=1"; one without a value must be given.
pm.layer_attributes = public(function()
  local kinds, texts, attributes = core.layer_kinds(), core.layer_attributes(), {}
  for i, kind in ipairs(kinds) do attributes[kind] = texts[i] end
  return attributes
end)
pm.record_types = public(function() return core.record_types() end)

--- The fields of a record type ("prediction", "gpu", ...): each {name=, unit=, doc=, kind=}.
pm.fields = public(function(record_type)
  local texts, fields = core.record_fields(text_of(record_type, "a record type")), {}
  for i = 1, #texts, 7 do
    fields[#fields + 1] = {name = texts[i], unit = texts[i + 1], doc = texts[i + 2], kind = texts[i + 3]}
  end
  return fields
end)

return pm
