-- reg.options { "timeout", name = { "what it is", type = "integer", ... } }: the script's command line, its checks, its
-- --help and what the script reaches through its options, from one table.

local command_line = require "lib/options/command_line"
local definition = require "lib/options/definition"
local needs = require "lib/options/needs"
local types = require "lib/options/types"
local usage = require "lib/options/usage"
local wrapped = require "lib/report/wrapped"

-- The option's value from the words given for it, else from its default.
local function value_of(name, spec, given)
  if not given and spec.required then
    command_line.misuse("needs " .. (spec.words and name:upper() or command_line.flag_of(name)) .. ": " .. spec[1])
  end
  local default = spec.default
  if default == nil and spec.type == "boolean" then default = false end
  local values = {}
  for i, one in ipairs(given or type(default) == "table" and default or { default }) do
    values[i] = types.convert(name, spec, one)
  end
  if spec.list then return values end
  return values[1]
end

return function(specs)
  local own, all, values = definition(specs), {}, {}
  for name, spec in pairs(usage.COMMON) do all[name] = spec end
  for name, spec in pairs(own) do all[name] = spec end
  local settings = core.settings()
  for _, word in ipairs(settings.args) do
    if word == "--help" or word == "-h" then
      print(wrapped(usage.text(own, settings.script, settings.text)))
      core.exit(0)
    end
  end

  local given = command_line.read(all, settings)
  for _, name in ipairs(usage.sorted(all)) do values[name] = value_of(name, all[name], given.values[name]) end
  needs(own, values)
  if values.dry_run then core.start_dry_run() end
  if values.quiet then core.start_quiet() end
  core.retry_for(reg.time.seconds(values.retry_for))
  values.dry_run = values.dry_run or settings.dry_run
  core.options, core.given = values, command_line.words(all, given, usage.COMMON)
  return values
end
