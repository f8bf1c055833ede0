-- A script's command line: which words belong to which option, how they override the options that a shared script was
-- reported with, and what is wrong with them.

local lists = require "lib/values"

local DAY_S = 86400
local UNIT = { minute = "m", hour = "h", day = "d", week = "w" }

local command_line = {}

-- What is wrong with a command line: collected, so that the user sees all of it at once.
local Problems = {}
Problems.__index = Problems

function command_line.problems(script)
  return setmetatable({ script = script:match "[^/]+$" or "regengine" }, Problems)
end

--- What is wrong, and what to do, a sentence that may be nil.
function Problems:add(what, hint) self[#self + 1] = { what = what, hint = hint } end

--- Raises usage if there is a problem. It names no line of the script: the mistake is on the command line.
function Problems:raise()
  local help = "Run regengine " .. self.script .. " --help for the options."
  if #self == 0 then return end
  if #self == 1 then
    error({ kind = "usage", message = self.script .. ": " .. self[1].what, hint = self[1].hint or help }, 0)
  end
  local lines = { self.script .. ": " .. #self .. " problems on the command line" }
  for _, problem in ipairs(self) do
    local stop = problem.what:find "[.?]$" and " " or ". "
    lines[#lines + 1] = "  " .. problem.what .. (problem.hint and stop .. problem.hint or "")
  end
  error({ kind = "usage", message = table.concat(lines, "\n"), hint = help }, 0)
end

function command_line.flag_of(name) return "--" .. name:gsub("_", "-") end
local flag_of = command_line.flag_of

--- The option that takes the words that belong to no option.
function command_line.words_of(specs)
  for name, spec in pairs(specs) do
    if spec.words then return name end
  end
end

function command_line.is_choice(choices, text)
  return lists.find(choices or {}, function(choice) return choice == text end) ~= nil
end

function command_line.is_clock(text) return text:match "^%d+%%?$" ~= nil end

--- The option that a word names by its letter, "-k", "-kVALUE" or "-k=VALUE", and the value.
function command_line.find_short(all, word)
  local letter, inline = word:match "^%-([^-])=?(.*)$"
  for name, spec in pairs(all) do
    if letter and spec.short == letter then return name, #word > 2 and inline or nil end
  end
end

local ENGINES = { ["--trust"] = true, ["--allow"] = true, ["--block"] = true }

-- Reports an unknown option. Returns the name of the option that was probably meant, which may be nil.
local function unknown(all, flag, problems)
  if ENGINES[flag] then
    problems:add("unknown option '" .. flag .. "'",
      "This option of the engine comes before the script: regengine " .. flag .. " ...")
    return nil
  end
  local guess = core.did_you_mean(flag, lists.map(lists.sorted_names(all), flag_of))
  problems:add("unknown option '" .. flag .. "'" .. guess)
  return guess ~= "" and guess:match "'%-%-(.-)'":gsub("-", "_") or nil
end

-- The option that a word names, and its value where it is "--name=value". Without one: nil, and whether the next word
-- may be its value.
local function find(all, word, given, problems)
  local short, value = command_line.find_short(all, word)
  if short then return short, value end
  local flag, inline = word:match("^(%-%-[^=]+)=?(.*)$")
  if not flag then
    problems:add("not an option: '" .. word .. "'", "Begin an option with --.")
    return nil, false
  end
  local name, has_value = flag:sub(3):gsub("-", "_"), word:find("=", 1, true)
  if all[name] then return name, has_value and inline or nil end
  local meant = unknown(all, flag, problems)
  if meant then given.meant[meant] = true end
  return nil, not has_value and not (meant and all[meant].type == "boolean")
end

local function add(given, name, spec, value)
  if not given.values[name] then
    given.names[#given.names + 1] = name
    given.values[name] = {}
  end
  if spec.list then table.insert(given.values[name], value) else given.values[name][1] = value end
end

-- Whether the word after a list's value is its next value: --repo a=A b=B. In a script that takes words, only a choice
-- is.
local function goes_on(spec, words, word)
  if not word or word:match "^%-" then return false end
  return not words or command_line.is_choice(spec.choices, word)
end

-- The value of an option, the word after `i` unless it came with the name, and the values of a list that follow it.
-- Returns the position of the last word that belongs to it.
local function add_value(all, given, name, value, args, i, problems)
  local spec = all[name]
  if not value and spec.otherwise and not command_line.is_clock(args[i + 1] or "") then
    value = spec.otherwise
  elseif not value then
    i = i + 1
    value = args[i]
  end
  if not value then
    problems:add(flag_of(name) .. " needs a value")
    given.meant[name] = true
    return i
  end
  add(given, name, spec, value)
  while spec.list and goes_on(spec, command_line.words_of(all), args[i + 1]) do
    i = i + 1
    add(given, name, spec, args[i])
  end
  return i
end

--- The options that the words `args` give, by their names in `all`: their names in the order in which they came first,
--- and the values of each, of which only a list has several. `meant`: options that were given in some other way, which
--- is a problem of its own.
function command_line.split(all, args, problems)
  local given, i, words = { names = {}, values = {}, meant = {} }, 1, command_line.words_of(all)
  while i <= #args do
    local name, value
    if words and not args[i]:match "^%-." then
      name, value = words, args[i]
      if all[words].rest then
        for k = i, #args do add(given, words, all[words], args[k]) end
        return given
      end
      if not all[words].list and given.values[words] then
        problems:add("takes only one " .. words:upper() .. ": '" .. given.values[words][1] .. "', '" .. value .. "'")
      end
    else
      name, value = find(all, args[i], given, problems)
    end
    if not name then
      if value and not words and args[i + 1] and not args[i + 1]:match "^%-" then i = i + 1 end
    elseif all[name].type ~= "boolean" then
      i = add_value(all, given, name, value, args, i, problems)
    elseif value and value ~= "true" and value ~= "false" then
      problems:add(flag_of(name) .. " takes no value")
    else
      add(given, name, all[name], value ~= "false")
    end
    i = i + 1
  end
  return given
end

local function name_in(value) return value:match "^([%w_.-]+)=." end

-- Your own list replaces the reported one; if it has NAME=VALUE, only the values of those names.
local function lay_over_list(reported, own)
  local by_name = {}
  for _, value in ipairs(own) do
    local name = name_in(value)
    if not name then return own end
    by_name[name] = value
  end
  local list = {}
  for i, value in ipairs(reported) do
    local name = name_in(value) or value
    list[i] = by_name[name] or value
    by_name[name] = nil
  end
  for _, value in ipairs(own) do
    if by_name[name_in(value)] then list[#list + 1] = value end
  end
  return list
end

local function lay_over(all, given, own)
  for name in pairs(own.meant) do given.meant[name] = true end
  for _, name in ipairs(own.names) do
    local values, reported = own.values[name], given.values[name]
    if not reported then given.names[#given.names + 1] = name end
    given.values[name] = reported and all[name].list and lay_over_list(reported, values) or values
  end
end

-- What was redacted must be passed again: the shared text does not have it. Words of no option are passed all or none.
-- Redacted values are not checked.
local function check_redacted(all, given, problems)
  local redactor = require "lib/redaction/redactor"  -- only shared text needs it
  local missing = {}
  for _, name in ipairs(given.names) do
    local bare, values = all[name].words, given.values[name]
    local redacted = lists.only(values, redactor.is_redacted)
    if #redacted > 0 then given.values[name], given.meant[name] = {}, true end
    for _, value in ipairs(bare and #redacted > 0 and values or redacted) do
      missing[#missing + 1] = redactor.to_pass(bare and value or flag_of(name) .. " " .. value)
    end
  end
  if #missing == 0 then return end
  local words = table.concat(missing, " ")
  problems:add("redacted when it was shared: " .. words,
    "Pass it again: regengine " .. core.settings().script .. " " .. words)
end

-- Seconds before now, for today, yesterday, 14d ago, 2 weeks ago and -14d; nil for any other text.
local function seconds_ago(text)
  if text == "today" then return 0 end
  if text == "yesterday" then return DAY_S end
  local duration = text:match "^%-(%d[%w.]*%a)$" or text:match "^(%d[%w.]*%a) ago$"
  local number, unit = text:match "^(%d+) (%a-)s? ago$"
  if UNIT[unit] then duration = number .. UNIT[unit] end
  local ok, seconds = pcall(reg.time.seconds, duration or "")
  return ok and seconds or nil
end

--- The time, in UTC, that a relative one means: a date if `type` is "date" or the text names a day, else to the minute.
--- nil for a text in another form.
function command_line.relative_time(text, type)
  local ago = seconds_ago(text)
  if not ago then return nil end
  local of_days = ago % DAY_S == 0
  return reg.time.format(math.floor(reg.time.now() - ago),
    (type == "date" or of_days) and "%Y-%m-%d" or "%Y-%m-%dT%H:%M")
end

-- The types of options whose value may be relative, and what it becomes: where "yesterday" is typed, so that what is
-- shared or resumed names the day.
local RELATIVE = { date = "date", time = "time", day_or_name = "date" }

-- NAME=VALUE of --env NAME: the search is repeated elsewhere with the same value, which the user did not type.
local function inherited(name, flag, problems)
  local value = core.variables()[name]
  if not value then
    problems:add(flag .. ": the variable " .. name .. " is not set",
      "Set it, or pass " .. flag .. " " .. name .. "=VALUE.")
  end
  core.inherited[name] = true
  return name .. "=" .. (value or "")
end

-- What the user typed: relative times and --env NAME get their values here, and what needs the user's own permission,
-- such as a device, is permitted.
local function take_typed(all, own, problems)
  core.inherited = core.inherited or {}
  for name, values in pairs(own.values) do
    local spec = all[name]
    for i, value in ipairs(values) do
      if RELATIVE[spec.type] then
        values[i] = command_line.relative_time(value, RELATIVE[spec.type]) or value
      elseif spec.type == "variable" and value:match "^[%a_][%w_]*$" then
        values[i] = inherited(value, flag_of(name), problems)
      elseif spec.permit then
        core.container_permit(spec.permit .. "=" .. value)
      end
    end
  end
end

--- What was given: the options the script was reported with, overridden by those on the command line. Adds what is
--- wrong with the words to `problems`.
function command_line.read(all, settings, problems)
  local given = command_line.split(all, settings.reported, problems)
  local own = command_line.split(all, settings.args, problems)
  take_typed(all, own, problems)
  lay_over(all, given, own)
  if #settings.reported > 0 then check_redacted(all, given, problems) end
  return given
end

--- The same as words that start the script again, without the options that all scripts have.
function command_line.words(all, given, common)
  local words, last = {}, {}
  for _, name in ipairs(given.names) do
    local spec, flag = all[name], flag_of(name)
    for _, value in ipairs(common[name] and {} or given.values[name]) do
      if spec.words then
        last[#last + 1] = value
      elseif type(value) == "boolean" then
        words[#words + 1] = value and flag or flag .. "=false"
      elseif value:match "^%-" and spec.list then
        words[#words + 1] = flag .. "=" .. value
      else
        words[#words + 1], words[#words + 2] = flag, value
      end
    end
  end
  return table.move(last, 1, #last, #words + 1, words)
end

return command_line
