-- The backends that the reports of reg.results compare: pytorch/xla's, or the values of a field of the experiment.

local null = reg.json.null

local XLA = {
  { name = "inductor", title = "Inductor", where = { dynamo = "inductor" } },
  { name = "openxla+dynamo", title = "XLA+Dynamo", where = { dynamo = "openxla", xla = "PJRT" } },
  { name = "openxla+lazytensor", title = "XLA+LazyTensor", where = { dynamo = null, xla = "PJRT" } },
  { name = "eager", title = "Eager", where = { dynamo = null, xla = null } },
}
local DEFAULT = { "inductor", "openxla+dynamo" }

local function usage(message, hint) core.fail("usage", "results.backends: " .. message, hint) end

local LITERALS = { ["true"] = true, ["false"] = false, null = null }

-- "9" is a number, "true", "false" and "null" are those values, anything else is a string.
local function value_of(text)
  if LITERALS[text] ~= nil then return LITERALS[text] end
  return tonumber(text) or text
end

local function xla_backend(name)
  local names = {}
  for i, backend in ipairs(XLA) do
    if backend.name == name then return backend end
    names[i] = backend.name
  end
  usage("no such backend: '" .. name .. "'" .. core.did_you_mean(name, names),
    "Valid backends: " .. table.concat(names, ", ") .. '. Or compare values of a field: "level=9,1".')
end

-- "level=9,1": the values of a field.
local function field_backends(text)
  local field, values = text:match "^([^=]+)=(.+)$"
  if not field then
    usage("not a valid FIELD=VALUE,VALUE: '" .. text .. "'",
      "Write for instance setting=best,fast, the baseline first.")
  end
  local backends = {}
  for value in values:gmatch "[^,]+" do
    backends[#backends + 1] = { name = value, title = field .. "=" .. value, where = { [field] = value_of(value) } }
  end
  return backends
end

return function(given)
  if type(given) == "string" then return field_backends(given) end
  local backends = {}
  for i, name in ipairs(#given > 0 and given or DEFAULT) do backends[i] = xla_backend(name) end
  return backends
end
