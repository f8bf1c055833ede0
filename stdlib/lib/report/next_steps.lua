-- What to do after an answer: commands to paste.

local command_line = require "lib/options/command_line"
local sorted_names = require("lib/values").sorted_names
local usage = require "lib/options/usage"

local STORE = usage.COMMON.store.default
local INDENT = "       "

-- The option that names the store, unless it is the one that every script takes.
local function store_words(store) return store.path ~= STORE and { "--store", store.path } or {} end

-- A variable that was passed on from the environment is passed on again: its value may be a secret.
local function by_name(variables)
  local list = {}
  for i, word in ipairs(variables) do
    local name, value = word:match "^([^=]+)=(.*)$"
    list[i] = core.variables()[name] == value and name or word
  end
  return list
end

-- The options of this run that the script has too, but `values` where they are given, as words.
local function words_for(script, values, store)
  local specs = usage.options_of(script)
  local given = command_line.split(specs, core.given, command_line.problems "")
  for _, name in ipairs(sorted_names(values)) do
    if not given.values[name] then given.names[#given.names + 1] = name end
    given.values[name] = values[name]
  end
  given.values.env = given.values.env and by_name(given.values.env)
  local words = command_line.words(specs, given, {})
  return table.move(store, 1, #store, #words + 1, words)
end

-- investigate.lua for the nights on both sides of a change.
local function investigate(change, store)
  local repo = core.options.repo and #core.options.repo > 0 and core.options.repo or { "NAME=PATH" }
  return words_for("investigate.lua", { from = { change.last_good }, to = { change.first_bad }, repo = repo }, store)
end

-- A script that goes down into the dependency that a commit bumps, and its words; nil where this run cannot tell how,
-- or tried it.
local function descend(change, store)
  local pin, asked = change.pins[1], core.options or {}
  local of_bisect = type(asked.repo) == "string" and asked.good ~= nil
  if not (core.given and asked.test and asked.repo and (of_bisect or asked.commit or asked.descend ~= nil)) then
    return nil
  end
  local repos = of_bisect and { asked.repo } or table.move(asked.repo, 1, #asked.repo, 1, {})
  local Repositories = require "lib/descend/repositories"
  if not Repositories.new(repos):find(pin) then
    repos[#repos + 1] = Repositories.word(pin)
  elseif not of_bisect and asked.descend ~= false then
    return nil
  end
  if asked.descend ~= nil then
    return "investigate.lua", words_for("investigate.lua", { repo = repos, descend = { true } }, store)
  end
  local values = { repo = repos, commit = { asked.commit or change.first_bad } }
  -- Numbers that were reported for the ends of the range are not those of the commit's two sides.
  if of_bisect then values.good_value, values.bad_value = {}, {} end
  if of_bisect and #change.pins > 1 then values.pin = { pin.name } end
  return "descend.lua", words_for("descend.lua", values, store)
end

-- The words as a command, on several lines with "\\" at their ends where it is wider than the terminal.
local function command(script, words)
  local parts = {}
  for _, word in ipairs(words) do
    local shown, flag = core.shell_words { word }, parts[#parts]
    if word:match "^%-%-" or not flag or flag:find " " then
      parts[#parts + 1] = shown
    else
      parts[#parts] = flag .. " " .. shown
    end
  end
  local lines, room = { "regengine " .. script }, core.nouns.report.room() - #INDENT - #" \\"
  for _, part in ipairs(parts) do
    local line = lines[#lines] .. " " .. part
    if room > 0 and #line > room then
      lines[#lines + 1] = "  " .. part
    else
      lines[#lines] = line
    end
  end
  return table.concat(lines, " \\\n" .. INDENT)
end

-- Whether the series is of nightly images, measured by a script that was started as nightly.lua is.
local function is_nightly(series, change)
  local asked = core.options
  return series.kind == "night" and asked and asked.image and asked.test and asked.from and core.given
    and type(change.lo) == "table" and change.lo.image ~= nil
end

--- The commands, one a line, for a series with a store.
return function(series)
  local words, change = store_words(series.store), reg.largest(series)
  local store = core.shell_words(words)
  local form = "regengine %s" .. (store ~= "" and " %s" or "%s") .. "   %s"
  local lines = { string.format(form, "report", store, "the page with plots and every run"),
    string.format(form, "share", store, " Markdown for an issue") }
  local room = core.nouns.report.room() - #INDENT
  if room > 0 and #lines[1] > room then
    for i, line in ipairs(lines) do lines[i] = line:gsub("   +", "\n" .. INDENT .. "  ") end
  end
  if change and is_nightly(series, change) then
    lines[3] = command("investigate.lua", investigate(change, words))
  elseif change and change.pins then
    local script, further = descend(change, words)
    if script then lines[3] = command(script, further) end
  end
  return "Next:  " .. table.concat(lines, "\n" .. INDENT)
end
