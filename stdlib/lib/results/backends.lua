-- What the reports of reg.results compare: pytorch/xla's backends, or the values of some field of the experiment.

local null = reg.json.null

local XLA = {
  { name = "inductor", title = "Inductor", where = { dynamo = "inductor" } },
  { name = "openxla+dynamo", title = "XLA+Dynamo", where = { dynamo = "openxla", xla = "PJRT" } },
  { name = "openxla+lazytensor", title = "XLA+LazyTensor", where = { dynamo = null, xla = "PJRT" } },
  { name = "eager", title = "Eager", where = { dynamo = null, xla = null } },
}
local BY_DEFAULT = { "inductor", "openxla+dynamo" }

local function usage(message, hint) core.fail("usage", "results.backends: " .. message, hint) end

local WORDS = { ["true"] = true, ["false"] = false, null = null }

-- "9" is a number, "true", "false" and "null" are what they say, all else is text.
local function value_of(word)
  if WORDS[word] ~= nil then return WORDS[word] end
  return tonumber(word) or word
end

local function of_xla(name)
  local names = {}
  for i, backend in ipairs(XLA) do
    if backend.name == name then return backend end
    names[i] = backend.name
  end
  usage("no backend '" .. name .. "'" .. core.did_you_mean(name, names),
    table.concat(names, ", ") .. "; or the values of a field, as \"level=9,1\"")
end

-- "level=9,1": the values of a field.
local function of_field(text)
  local field, values = text:match "^([^=]+)=(.+)$"
  if not field then usage("'" .. text .. "' is no FIELD=VALUE,VALUE", "as setting=best,fast: the baseline first") end
  local backends = {}
  for word in values:gmatch "[^,]+" do backends[#backends + 1] = { name = word, where = { [field] = value_of(word) } } end
  return backends
end

return function(given)
  if type(given) == "string" then return of_field(given) end
  local backends = {}
  for i, name in ipairs(#given > 0 and given or BY_DEFAULT) do backends[i] = of_xla(name) end
  return backends
end
