-- reg.options { "timeout", name = { "what it is", type = "integer", ... } }: the script's command line, its checks, its
-- --help and what the script reaches through its options, from one table.

local Problems = require "lib/options/problems"
local check_measured = require "lib/check_measured"
local command_line = require "lib/options/command_line"
local definition = require "lib/options/definition"
local lock_clocks = require "lib/options/lock_clocks"
local needs = require "lib/options/needs"
local relations = require "lib/options/relations"
local types = require "lib/options/types"
local usage = require "lib/options/usage"
local wrapped = core.nouns.report.wrap

-- The option's value from the words given for it, else from its default.
local function value_of(name, spec, given, problems)
  local default = spec.default
  if default == nil and spec.type == "boolean" then default = false end
  local values = {}
  for _, one in ipairs(given or type(default) == "table" and default or { default }) do
    local value, problem, hint = types.convert(name, spec, one)
    if problem then problems:add(problem, hint) else values[#values + 1] = value end
  end
  if spec.list then return values end
  return values[1]
end

-- A folder of somebody else may have a link by the name that is written unless another is given.
local function check_default(name, spec, problems)
  local folder, path = reg.fs.absolute ".", reg.fs.absolute(spec.default)
  if path:sub(1, #folder + 1) == folder .. "/" then return end
  problems:add(("%s is a link to %s, outside this folder"):format(spec.default, path),
    ("Remove the link, or name the file with %s."):format(types.shown(name, spec)))
end

-- The values of all options. Raises usage with everything that is wrong with the command line.
local function values_of(all, given, problems)
  local values = {}
  for _, name in ipairs(usage.sorted(all)) do
    local spec = all[name]
    if spec.required and not given.values[name] and not given.meant[name] then
      problems:add("needs " .. types.shown(name, spec) .. ": " .. spec[1])
    else
      values[name] = value_of(name, spec, given.values[name], problems)
      if spec.type == "output" and spec.default and not given.values[name] then check_default(name, spec, problems) end
    end
  end
  relations(all, values, given, problems)
  problems:raise()
  -- As Worktree:checkout takes it.
  if all.submodules and (values.no_submodules or #values.submodules == 0) then
    values.submodules = not values.no_submodules
  end
  return values
end

return function(specs)
  local own, all = definition(specs), {}
  for name, spec in pairs(usage.COMMON) do all[name] = spec end
  for name, spec in pairs(own) do all[name] = spec end
  local settings = core.settings()
  for _, word in ipairs(settings.args) do
    if word == "--help" or word == "-h" then
      print(wrapped(usage.text(own, settings.script, settings.text)))
      core.exit(0)
    end
  end

  local problems = Problems.new(settings.script)
  local given = command_line.read(all, settings, problems)
  local values = values_of(all, given, problems)
  needs(own, values)
  if values.image then check_measured.in_any_container(values.metric) end
  if values.dry_run then core.start_dry_run() end
  if values.quiet then core.start_quiet() end
  core.retry_for(reg.time.seconds(values.retry_for))
  values.dry_run = values.dry_run or settings.dry_run
  if not values.dry_run then lock_clocks(values) end
  core.options, core.given = values, command_line.words(all, given, usage.COMMON)
  return values
end
