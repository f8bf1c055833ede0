-- reg.options{ name = { default, "what it is" } }: the script's own command line, its --help and its checks, from one
-- table. The default gives the type: a string, a number, true/false (a flag), reg.required, reg.optional (nil unless
-- given), reg.several (a list; may be given more than once). `file = true` wants a file that exists, `choices = { ... }` one of
-- those, `short = "k"` lets -k stand for it, and `words = true` makes a list of the words that stand without an option, of which
-- there must be one; with reg.optional it is one such word, or none.

local command_line = require "lib/options/command_line"
local usage = require "lib/options/usage"
local wrapped = require "lib/report/wrapped"

local flag_of, misuse = command_line.flag_of, command_line.misuse

-- A shared script's files stand beside it in the same Markdown.
local function where_it_is(path)
  local settings, name = core.settings(), path:match "[^/]*$"
  local line = settings.files[name]
  return line and string.format("%s holds it: save the block at its line %d as %s", settings.script, line, path)
end

local function convert(name, spec, text)
  if type(spec[1]) == "number" then
    return tonumber(text) or misuse(flag_of(name) .. ": '" .. text .. "' is no number")
  end
  if spec.file then
    local ok, why = pcall(core.file_hash, text)
    if not ok then misuse(flag_of(name) .. ": " .. why.message, where_it_is(text) or "it names a file that exists") end
  end
  if spec.choices and not command_line.is_choice(spec, text) then
    misuse(flag_of(name) .. ": no '" .. text .. "'" .. core.did_you_mean(text, spec.choices), table.concat(spec.choices, ", "))
  end
  if text == "" and spec[1] == reg.required then misuse(flag_of(name) .. " is empty") end
  return text
end

-- The option's value, from all that was given for it.
local function value_of(name, spec, list)
  if type(spec[1]) == "boolean" then return list[1] end
  if spec[1] ~= reg.several then return convert(name, spec, list[1]) end
  local values = {}
  for i, value in ipairs(list) do values[i] = convert(name, spec, value) end
  return values
end

local function check(all, name, spec)
  if type(spec) ~= "table" or type(spec[2]) ~= "string" then
    core.fail("usage", "options: '" .. name .. "' must be { default, \"what it is\" }")
  end
  if spec.short == nil then return end
  if type(spec.short) ~= "string" or not spec.short:match "^%a$" or spec.short == "h" then
    core.fail("usage", "options: '" .. name .. "': short must be one letter, and -h is --help")
  end
  local other = command_line.find_short(all, "-" .. spec.short)
  if other then core.fail("usage", "options: '" .. name .. "' and '" .. other .. "' both have short = \"" .. spec.short .. "\"") end
end

return function(specs)
  local all = {}
  for name, spec in pairs(usage.COMMON) do all[name] = spec end
  for name, spec in pairs(specs) do
    check(all, name, spec)
    all[name] = spec
  end
  local settings = core.settings()
  for _, word in ipairs(settings.args) do
    if word == "--help" or word == "-h" then
      print(wrapped(usage.text(specs, settings.script, settings.text)))
      core.exit(0)
    end
  end

  local given, values = command_line.read(all, settings), {}
  for name, list in pairs(given.values) do values[name] = value_of(name, all[name], list) end
  for _, name in ipairs(usage.sorted(all)) do
    local default = all[name][1]
    if values[name] == nil then
      if all[name].words and default ~= reg.optional then misuse("needs " .. name:upper() .. ": " .. all[name][2]) end
      if default == reg.required then misuse("needs " .. flag_of(name) .. ": " .. all[name][2]) end
      if default == reg.several then
        values[name] = {}
      elseif default ~= reg.optional then
        values[name] = default
      end
    end
  end
  if values.dry_run then core.start_dry_run() end
  if values.quiet then core.start_quiet() end
  values.dry_run = values.dry_run or settings.dry_run
  core.options, core.given = values, command_line.words(all, given, usage.COMMON)
  return values
end
