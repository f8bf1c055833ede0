-- How a script that calls reg.options is started: its head's words, its own options and those every script has.

local command_line = require "lib/options/command_line"

local usage = {}

usage.COMMON = {
  store = { "regengine.db", "file the results are kept in" },
  dry_run = { false, "change nothing; say what would run, how often and for how long" },
  explain = { false, "say why each run was made: as it goes, and in a table at the end" },
  json = { false, "print the answer as one JSON object on the last line" },
  quiet = { false, "no progress" },
  redo = { reg.several, "measure trials of this status again: timeout, test_failed, build_failed, crashed, oom",
           choices = { "timeout", "test_failed", "build_failed", "crashed", "oom" } },
}

function usage.sorted(specs)
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

-- "FILES..." or "[NAME]".
local function word_words(name, spec)
  return spec[1] == reg.optional and "[" .. name:upper() .. "]" or name:upper() .. "..."
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
  local shown = spec.words and word_words(name, spec) or command_line.flag_of(name) .. value_words(default)
  if spec.short then shown = "-" .. spec.short .. ", " .. shown end
  return string.format("  %-24s %s%s", shown, spec[2], spec.words and "" or note)
end

--- The text of --help for the script of this name and text.
function usage.text(specs, script, text)
  local words = command_line.words_of(specs)
  local head = "usage: regengine " .. script .. " [options]" .. (words and " " .. word_words(words, specs[words]) or "")
  local lines = { about(text), "", head, "" }
  for _, name in ipairs(usage.sorted(specs)) do lines[#lines + 1] = describe(name, specs[name]) end
  lines[#lines + 1] = ""
  for _, name in ipairs(usage.sorted(usage.COMMON)) do
    if not specs[name] then lines[#lines + 1] = describe(name, usage.COMMON[name]) end
  end
  lines[#lines + 1] = string.format("  %-24s %s", "--help", "this text")
  return table.concat(lines, "\n")
end

-- Anything a script may do before and after it reads its options: nothing comes of it.
local inert
inert = setmetatable({}, { __index = function() return inert end, __call = function() return inert end })

--- The text of --help of a shipped script, which is run only as far as its reg.options.
function usage.of_shipped(script)
  local text = core.embedded("scripts/" .. script)
  local told
  local pretended = setmetatable({ required = reg.required, optional = reg.optional, several = reg.several }, { __index = inert })
  function pretended.options(specs)
    told = usage.text(specs, script, text)
    error "enough"
  end
  pcall(load(text:gsub("^#[^\n]*", ""), "=" .. script, "t", setmetatable({ reg = pretended }, { __index = _G })))
  return told or usage.text({}, script, text)
end

--- The names of the shipped scripts, without ".lua".
function usage.shipped()
  local names = {}
  for _, file in ipairs(core.embedded_names()) do names[#names + 1] = file:match "^scripts/(.*)%.lua$" end
  return names
end

--- The first sentence of a shipped script's head.
function usage.first_words(name)
  local words = about(core.embedded("scripts/" .. name .. ".lua")):gsub("%s+", " ")
  return words:match "^(.-[%.?])%s" or words
end

return usage
