-- Networks: their fields, building them. Private; users get the objects.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local strict = require "perfmodel.strict"
local public, text_of, number_of = arguments.public, arguments.text_of, arguments.number_of

local Network, last_layer = {}, setmetatable({}, {__mode = "k"})

local function handle_of(self) return arguments.handle_of(self, Network, "network") end

--- Fields: id, name, input, output, layers, parameters, mac, flop, ... (every field of "network_totals"), per sample.
--- `layers` and `times` are methods; the number of layers is the field `layer_count`.
function Network.__index(self, name)
  local function totals() return strict.unpack(core.network_totals(handle_of(self)))[1] end
  if name == "layer_count" then return totals().layers end
  local value = strict.member(Network, "a network", {type = "network", value = totals}, name)
  return value
end

Network.__tostring = public(function(self)
  return string.format("%s: %.0f parameters, %.0f MAC per sample", self.name, self.parameters, self.mac)
end)

--- The output shape of a layer or input, by its number: net:shape(0) is {3, 224, 224}.
Network.shape = public(function(self, layer)
  local sizes = core.network_shape(handle_of(self), number_of(layer, "1", "layer"))
  for i, size in ipairs(sizes) do sizes[i] = math.tointeger and math.tointeger(size) or size end
  return sizes
end)

--- The network as a file of the catalogue, a flat list of layers: as text, or written to a file.
Network.to_xml = public(function(self, path)
  local text = core.network_format_xml(handle_of(self))
  if path == nil then return text end
  arguments.write_file(path, text)
end)

--- An input of a shape: net:input("image", {3, 224, 224}). Returns its number.
Network.input = public(function(self, name, shape)
  local sizes = arguments.list_of(shape, function(size) return number_of(size, "1", "a size") end, "shape")
  last_layer[self] = core.network_add_input(handle_of(self), text_of(name, "a name"), sizes)
  return last_layer[self]
end)

--- A layer on the one before, or on `inputs`: net:add("conv2d", {name = "conv1", out_channels = 64, kernel = 7}).
--- Returns its number.
Network.add = public(function(self, kind, options)
  local attributes = arguments.attributes_of(options)
  local name = attributes.name or ""
  local inputs = arguments.list_of(options and options.inputs or last_layer[self],
                                   function(input) return number_of(input, "1", "an input") end, "inputs")
  attributes.name, attributes.inputs = nil, nil
  last_layer[self] = core.network_add(handle_of(self), text_of(kind, "a kind"), name, inputs, attributes)
  return last_layer[self]
end)

return Network
