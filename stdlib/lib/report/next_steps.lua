-- What to do after an answer: commands to paste.

local Problems = require "lib/options/problems"
local command_line = require "lib/options/command_line"
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

-- The options of this run that investigate.lua has too, for the nights on both sides of a change, as words.
local function investigate(change, store)
  local specs = usage.options_of "investigate.lua"
  local given = command_line.split(specs, core.given, Problems.new "")
  given.values.from, given.values.to = { change.last_good }, { change.first_bad }
  given.values.env = given.values.env and by_name(given.values.env)
  if not given.values.repo then
    given.names[#given.names + 1], given.values.repo = "repo", { "NAME=PATH" }
  end
  local words = command_line.words(specs, given, {})
  return table.move(store, 1, #store, #words + 1, words)
end

-- The words as a command, on several lines with "\\" at their ends where it is wider than the terminal.
local function command(words)
  local parts = {}
  for _, word in ipairs(words) do
    local shown, flag = core.shell_words { word }, parts[#parts]
    if word:match "^%-%-" or not flag or flag:find " " then
      parts[#parts + 1] = shown
    else
      parts[#parts] = flag .. " " .. shown
    end
  end
  local lines, room = { "regengine investigate.lua" }, core.nouns.report.room() - #INDENT - #" \\"
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
  local lines = { string.format(form, "report", store, "the page with plots, logs and environment"),
    string.format(form, "share", store, " Markdown for an issue") }
  if change and is_nightly(series, change) then lines[3] = command(investigate(change, words)) end
  return "Next:  " .. table.concat(lines, "\n" .. INDENT)
end
