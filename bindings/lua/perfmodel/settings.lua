-- Runs as other programs have them. Private; users see it in `pm`.

local core = require "perfmodel.core"
local arguments = require "perfmodel.arguments"
local new_table = require "perfmodel.table"
local text_of = arguments.text_of

local settings = {}

-- "yes", "8", "full" as what they are.
local function value_of(word)
  if word == "yes" or word == "no" then return word == "yes" end
  return tonumber(word) or word
end

local Settings = {__tostring = function(self) return tostring(self.settings) end}

--- How a run is split, from a script of Megatron-LM, a recipe of NeMo or Megatron-Bridge, torchtitan's TOML,
--- DeepSpeed's JSON or Accelerate's YAML: a table of `options`, which pm.predict takes beside network and system;
--- `network`, sizes of the network as the file has them; `not_understood`, keys whose effect is not known;
--- `not_modelled`, keys of what the model leaves out; and `settings`, a table object with a row for each. format:
--- "megatron", "nemo", "torchtitan", "deepspeed" or "accelerate"; by default by what the file looks like.
settings.run_from = arguments.public(function(path, format)
  local rows = new_table(core.settings_table(text_of(format or "", "format"), arguments.path_of(path)))
  local run = {settings = rows, options = {}, network = {}, not_understood = {}, not_modelled = {}}
  local keys, states, options, values = rows:column "key", rows:column "state", rows:column "option",
      rows:column "set_to"
  for i, option in ipairs(options) do
    local size = option:match "^network%.(.*)"
    if size then run.network[size] = value_of(values[i])
    elseif option ~= "" then run.options[option] = value_of(values[i]) end
    if states[i] == "not understood" then run.not_understood[#run.not_understood + 1] = keys[i] end
    if states[i] == "not modelled" then run.not_modelled[#run.not_modelled + 1] = keys[i] end
  end
  return setmetatable(run, Settings)
end)

return settings
