-- reg.options{ name = { default, "what it is" } }: the script's own command line, its --help and its checks, from one
-- table. The default gives the type: a string, a number, true/false (a flag), reg.required, reg.optional (nil unless
-- given), reg.several (a list; may be given more than once). `file = true` wants a file that exists, `choices = { ... }` one of
-- those, `short = "k"` lets -k stand for it, and `words = true` makes a list of the words that stand without an option, of which
-- there must be one.

local command_line = require "internal/command_line"

local flag_of, misuse, words_of = command_line.flag_of, command_line.misuse, command_line.words_of

local COMMON = {
  store = { "regengine.db", "file the results are kept in" },
  dry_run = { false, "change nothing; say what would run, how often and for how long" },
  explain = { false, "say why each run was made: as it goes, and in a table at the end" },
  json = { false, "print the answer as one JSON object on the last line" },
  quiet = { false, "no progress" },
  redo = { reg.several, "measure trials of this status again: timeout, test_failed, build_failed, crashed, oom" },
}

local function sorted(specs)
  local names = {}
  for name in pairs(specs) do names[#names + 1] = name end
  table.sort(names, function(a, b)
    local a_first, b_first = specs[a][1] == reg.required, specs[b][1] == reg.required
    if a_first ~= b_first then return a_first end
    return a < b
  end)
  return names
end

-- The lines behind "---" at the script's head: what it does, in its own words.
local function about(text)
  local lines = {}
  for line in text:gmatch("[^\n]+") do
    local words = line:match("^%-%-%-%s?(.*)")
    if words then lines[#lines + 1] = words elseif #lines > 0 or not line:match("^#!") then break end
  end
  return table.concat(lines, "\n")
end

local function value_words(default)
  if type(default) == "boolean" then return "" end
  return type(default) == "number" and " N" or " VALUE"
end

local function describe(name, spec)
  local default = spec[1]
  local note = ""
  if default == reg.required then
    note = " (required)"
  elseif default == reg.several then
    note = " (may be repeated)"
  elseif default ~= reg.optional and type(default) ~= "boolean" then
    note = " (" .. tostring(default) .. ")"
  end
  local usage = spec.words and name:upper() .. "..." or flag_of(name) .. value_words(default)
  if spec.short then usage = "-" .. spec.short .. ", " .. usage end
  return string.format("  %-24s %s%s", usage, spec[2], spec.words and "" or note)
end

local function help(specs)
  local settings = core.settings()
  local words = words_of(specs)
  local usage = "usage: regengine " .. settings.script .. " [options]" .. (words and " " .. words:upper() .. "..." or "")
  local lines = { about(settings.text), "", usage, "" }
  for _, name in ipairs(sorted(specs)) do lines[#lines + 1] = describe(name, specs[name]) end
  lines[#lines + 1] = ""
  for _, name in ipairs(sorted(COMMON)) do
    if not specs[name] then lines[#lines + 1] = describe(name, COMMON[name]) end
  end
  lines[#lines + 1] = string.format("  %-24s %s", "--help", "this text")
  return table.concat(lines, "\n")
end

local function convert(name, spec, text)
  if type(spec[1]) == "number" then
    return tonumber(text) or misuse(flag_of(name) .. ": '" .. text .. "' is no number")
  end
  if spec.file then
    local ok, why = pcall(core.file_hash, text)
    if not ok then misuse(flag_of(name) .. ": " .. why.message, "it names a file that exists") end
  end
  if spec.choices then
    for _, choice in ipairs(spec.choices) do
      if choice == text then return text end
    end
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
  for name, spec in pairs(COMMON) do all[name] = spec end
  for name, spec in pairs(specs) do
    check(all, name, spec)
    all[name] = spec
  end
  local settings = core.settings()
  for _, word in ipairs(settings.args) do
    if word == "--help" or word == "-h" then
      print(help(specs))
      core.exit(0)
    end
  end

  local given, values = command_line.read(all, settings), {}
  for name, list in pairs(given.values) do values[name] = value_of(name, all[name], list) end
  for _, name in ipairs(sorted(all)) do
    local default = all[name][1]
    if values[name] == nil then
      if all[name].words then misuse("needs " .. name:upper() .. ": " .. all[name][2]) end
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
  core.options, core.given = values, command_line.words(all, given, COMMON)
  return values
end
