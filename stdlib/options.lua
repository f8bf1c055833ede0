-- reg.options{ name = { default, "what it is" } }: the script's own command line, its --help and its checks, from one
-- table. The default gives the type: a string, a number, true/false (a flag), reg.required, reg.optional (nil unless
-- given), reg.several (a list; may be given more than once). `file = true` wants a file that exists, `choices = { ... }` one of
-- those, `short = "k"` lets -k stand for it, and `words = true` makes a list of the words that stand without an option, of which
-- there must be one.

local COMMON = {
  store = { "regengine.db", "file the results are kept in" },
  dry_run = { false, "change nothing; say what would run, how often and for how long" },
  explain = { false, "say why each run was made: as it goes, and in a table at the end" },
  json = { false, "print the answer as one JSON object on the last line" },
  quiet = { false, "no progress" },
  redo = { reg.several, "measure trials of this status again: timeout, test_failed, build_failed, crashed, oom" },
}

-- The list that takes the words without an option.
local function words_of(specs)
  for name, spec in pairs(specs) do
    if spec.words then return name end
  end
end

local function flag_of(name) return "--" .. name:gsub("_", "-") end

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

local function misuse(message, hint)
  local script = core.settings().script:match("[^/]+$") or "regengine"
  -- No place in the script: the mistake is on the command line.
  error({ kind = "usage", message = script .. ": " .. message, hint = hint or "regengine " .. script .. " --help lists the options" }, 0)
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
  for _, name in ipairs(sorted(COMMON)) do lines[#lines + 1] = describe(name, COMMON[name]) end
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

-- "-k", "-kVALUE" or "-k=VALUE", where an option has that letter.
local function find_short(all, word)
  local letter, inline = word:match "^%-([^-])=?(.*)$"
  for name, spec in pairs(all) do
    if letter and spec.short == letter then return name, #word > 2 and inline or nil end
  end
end

-- Splits "--name=value" and finds the option; a misspelt one is told what was meant.
local function find(all, word)
  local short, value = find_short(all, word)
  if short then return short, value end
  local flag, inline = word:match("^(%-%-[^=]+)=?(.*)$")
  if not flag then misuse("'" .. word .. "' is no option", "options begin with --") end
  local name = flag:sub(3):gsub("-", "_")
  if not all[name] then
    local flags = {}
    for known in pairs(all) do flags[#flags + 1] = flag_of(known) end
    misuse("unknown option '" .. flag .. "'" .. core.did_you_mean(flag, flags))
  end
  return name, word:find("=", 1, true) and inline or nil
end

local function read(all, args)
  local given, i, words = {}, 1, words_of(all)
  while i <= #args do
    local name, value
    if words and not args[i]:match "^%-." then
      name, value = words, args[i]
    else
      name, value = find(all, args[i])
    end
    local spec = all[name]
    if type(spec[1]) == "boolean" then
      if value and value ~= "true" and value ~= "false" then misuse(flag_of(name) .. " takes no value") end
      given[name] = value ~= "false"
    else
      if not value then
        i = i + 1
        value = args[i] or misuse(flag_of(name) .. " needs a value")
      end
      value = convert(name, spec, value)
      if spec[1] == reg.several then
        given[name] = given[name] or {}
        table.insert(given[name], value)
        while not words and args[i + 1] and not args[i + 1]:match("^%-") do  -- --repo a=A b=B
          i = i + 1
          table.insert(given[name], convert(name, spec, args[i]))
        end
      else
        given[name] = value
      end
    end
    i = i + 1
  end
  return given
end

local function check(all, name, spec)
  if type(spec) ~= "table" or type(spec[2]) ~= "string" then
    core.fail("usage", "options: '" .. name .. "' must be { default, \"what it is\" }")
  end
  if spec.short == nil then return end
  if type(spec.short) ~= "string" or not spec.short:match "^%a$" or spec.short == "h" then
    core.fail("usage", "options: '" .. name .. "': short must be one letter, and -h is --help")
  end
  local other = find_short(all, "-" .. spec.short)
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

  local values = read(all, settings.args)
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
  core.options = values
  return values
end
