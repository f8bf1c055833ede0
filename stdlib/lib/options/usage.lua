-- The --help of a script that calls reg.options: its head, its own options and those that all scripts have.

local command_line = require "lib/options/command_line"
local definition = require "lib/options/definition"
local shared = require "lib/options/shared"
local types = require "lib/options/types"

local usage = {}

usage.COMMON = {
  store = { "file that the results are kept in", type = "string", default = "regengine.db" },
  dry_run = { "change nothing; print what would run, how often and for how long", type = "boolean" },
  explain = { "print why each run is made, and a table of the reasons at the end", type = "boolean" },
  json = { "print the answer as one JSON object on the last line", type = "boolean" },
  quiet = { "print no progress", type = "boolean" },
  reuse = { "also use trials of other machines, GPUs and drivers", type = "string", choices = { "any-machine" } },
  retry_for = { "how long to retry when the network or a registry fails, before the run stops", type = "duration",
                default = "30m" },
  redo = { "measure trials with this status again", type = "string", list = true,
           choices = { "timeout", "test_failed", "build_failed", "crashed", "oom" } },
}

-- How --help groups what several scripts have. A script's own options come first.
local GROUPS = {
  { "The number", { "metric", "take", "drop", "better", "min_effect", "exact", "good_value", "bad_value" } },
  { "What is bad without a number, and what is reported", { "crash", "timeout_is_bad", "only", "fail_on_regression" } },
  { "The search", { "budget", "every", "parallel", "timeout", "artifact", "check_build", "says", "overlap",
    "keep_images", "keep_going", "try_skipped" } },
  { "The container", shared.container.group },
  { "All strategies", { "store", "dry_run", "explain", "json", "quiet", "redo", "reuse", "retry_for" } },
}

-- Those of them that mean something only to a script that runs trials, and how such a script does it.
local OF_TRIALS = { explain = true, redo = true, reuse = true, retry_for = true }
local RUNNERS = { "sweep", "bisect", "ab", "prove", "minimize", "flags" }

local function runs_trials(text)
  for _, name in ipairs(RUNNERS) do
    if text:find("%f[%w]reg%." .. name .. "%f[%W]") then return true end
  end
  return false
end

--- The names of options, required ones first.
function usage.sorted(specs)
  local names = {}
  for name in pairs(specs) do names[#names + 1] = name end
  table.sort(names, function(a, b)
    local a_first, b_first = specs[a].required, specs[b].required
    if a_first ~= b_first then return a_first end
    return a < b
  end)
  return names
end

-- The lines that begin with "---" at the top of the script: what it does.
local function about(text)
  local lines = {}
  for line in text:gmatch("[^\n]+") do
    local words = line:match("^%-%-%-%s?(.*)")
    if words then lines[#lines + 1] = words elseif #lines > 0 or not line:match("^#!") then break end
  end
  return table.concat(lines, "\n")
end

-- "FILES..." or "[NAME]".
local function word_words(name, spec)
  return spec.list and name:upper() .. "..." or "[" .. name:upper() .. "]"
end

-- "--repo [NAME=]PATH" and what it is.
local function describe(name, spec)
  local value, default = spec.value or types.TYPES[spec.type].value, spec.default
  local choices, notes = types.choices(spec), {}
  if spec.type == "repo" and spec.list then value = "[NAME=]PATH" end
  local shown = spec.words and word_words(name, spec) or command_line.flag_of(name) .. (value and " " .. value or "")
  if type(default) == "table" then default = table.concat(default, ", ") end
  if spec.required and not spec.words then notes[#notes + 1] = "required" end
  if choices then notes[#notes + 1] = "one of " .. table.concat(choices, ", ") end
  if spec.list and not spec.words then notes[#notes + 1] = "can be repeated" end
  if default ~= nil then notes[#notes + 1] = "default: " .. tostring(default) end
  return (spec.short and "-" .. spec.short .. ", " or "") .. shown, spec[1]
    .. (#notes > 0 and " (" .. table.concat(notes, "; ") .. ")" or "")
end

-- The options of a script by group, { { title, name, ... }, ... }; the first group has no title.
local function grouped(specs, has_trials)
  local own, groups = {}, {}
  for name, spec in pairs(specs) do own[name] = spec end
  for _, group in ipairs(GROUPS) do
    local found = { group[1] }
    for _, name in ipairs(group[2]) do
      local is_common = not specs[name] and usage.COMMON[name] and (has_trials or not OF_TRIALS[name])
      if is_common or specs[name] and (specs[name] == shared[name] or name == "parallel") then
        found[#found + 1], own[name] = name, nil
      end
    end
    groups[#groups + 1] = found
  end
  return { { false, table.unpack(usage.sorted(own)) }, table.unpack(groups) }
end

--- The text of --help for the script of this name and text.
function usage.text(specs, script, text)
  local words, blocks, width, rows = command_line.words_of(specs), {}, 0, {}
  local groups = grouped(specs, runs_trials(text))
  for i, group in ipairs(groups) do
    rows[i] = {}
    for k = 2, #group do
      rows[i][k - 1] = { describe(group[k], specs[group[k]] or usage.COMMON[group[k]]) }
    end
  end
  table.insert(rows[#rows], { "--help", "print this help" })
  for _, block in ipairs(rows) do
    for _, row in ipairs(block) do width = math.max(width, #row[1]) end
  end
  for i, block in ipairs(rows) do
    for k, row in ipairs(block) do block[k] = string.format("  %-" .. width .. "s  %s", row[1], row[2]) end
    if groups[i][1] then table.insert(block, 1, groups[i][1] .. ":") end
    if #block > 1 or not groups[i][1] and #block > 0 then blocks[#blocks + 1] = table.concat(block, "\n") end
  end
  return about(text) .. "\n\nusage: regengine " .. script .. " [options]"
    .. (words and " " .. word_words(words, specs[words]) or "") .. "\n\n" .. table.concat(blocks, "\n\n")
end

-- Stands for whatever else a script uses before and after it reads its options. It does nothing.
local inert
inert = setmetatable({}, { __index = function() return inert end, __call = function() return inert end })

--- The options of a shipped script, which is run only up to its reg.options; nil if it has none. The second result is
--- the script's text.
function usage.options_of(script)
  local text = core.embedded("scripts/" .. script)
  local found
  local pretended = setmetatable({}, { __index = inert })
  function pretended.options(specs)
    found = definition(specs)
    error "enough"
  end
  pcall(load(text:gsub("^#[^\n]*", ""), "=" .. script, "t", setmetatable({ reg = pretended }, { __index = _G })))
  return found, text
end

--- The text of --help of a shipped script.
function usage.of_shipped(script)
  local specs, text = usage.options_of(script)
  return usage.text(specs or {}, script, text)
end

--- The names of the shipped scripts, without ".lua".
function usage.shipped()
  local names = {}
  for _, file in ipairs(core.embedded_names()) do names[#names + 1] = file:match "^scripts/(.*)%.lua$" end
  return names
end

--- The first sentence of what a shipped script does.
function usage.first_words(name)
  local words = about(core.embedded("scripts/" .. name .. ".lua")):gsub("%s+", " ")
  return words:match "^(.-[%.?])%s" or words
end

return usage
