-- The --help of a script that calls reg.options: its head, its own options and those that all scripts have.

local command_line = require "lib/options/command_line"
local definition = require "lib/options/definition"
local lists = require "lib/values"
local values = require "lib/options/values"

local find, map, merged = lists.find, lists.map, lists.merged

local usage = {}

usage.COMMON = {
  store = { "file that the results are kept in", type = "string", default = core.default_store() },
  dry_run = { "change nothing; print what would run, how often and for how long", type = "boolean" },
  explain = { "print why each run is made, and a table of the reasons at the end", type = "boolean" },
  json = { "print the answer as one JSON object on the last line", type = "boolean" },
  quiet = { "print no progress", type = "boolean" },
  fresh = { "measure again what is stored", type = "boolean" },
  reuse = { "also use trials of other machines, GPUs and drivers", type = "string", choices = { "any-machine" } },
  retry_for = { "how long to retry when the network or a registry fails, before the run stops", type = "duration",
                default = "30m" },
  redo = { "measure trials with this status again", type = "string", list = true,
           choices = { "timeout", "test_failed", "build_failed", "crashed", "oom", "not_finite" } },
}

-- How --help groups what several scripts have. A script's own options come first.
local GROUPS = {
  { "The number", { "metric", "take", "drop", "better", "min_effect", "exact", "good_value", "bad_value" } },
  { "Pass/fail and reporting", { "crash", "timeout_is_bad", "only", "fail_on_regression" } },
  { "The search", { "budget", "every", "parallel", "timeout", "artifact", "check_build", "says", "submodules",
    "no_submodules", "keep_images", "keep_going", "try_skipped" } },
  { "The container", definition.SHARED.container.group },
  { "More than one machine", definition.SHARED.cluster.group },
  { "All strategies", { "store", "dry_run", "explain", "json", "quiet", "fresh", "redo", "reuse", "retry_for" } },
}

-- Those of them that mean something only to a script that runs trials, and how such a script does it.
local OF_TRIALS = { explain = true, fresh = true, redo = true, reuse = true, retry_for = true }
local RUNNERS = { "sweep", "bisect", "ab", "prove", "minimize", "flags" }

local function runs_trials(text)
  return find(RUNNERS, function(name) return text:find("%f[%w]reg%." .. name .. "%f[%W]") end) ~= nil
end

--- Whether a script of this text may print JSON; its modules may, too.
function usage.prints_json(text)
  return (text:find "%f[%w]json%f[%W]" or text:find "reg%.answer" or text:find "require *[(\"']") ~= nil
end

--- The lines that begin with "---" at the top of the script: what it does.
function usage.about(text)
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

-- An option as --help, the completions and the man page describe it: `flag` and `short`, the word for its value, what
-- it is, and `words` = "FILES..." if it takes the words that belong to no option.
local function described(name, spec)
  local value, default = spec.value or values.TYPES[spec.type].value, spec.default
  local choices, notes = values.choices(spec), {}
  if spec.type == "repo" and spec.list then value = "[NAME=]PATH" end
  if type(default) == "table" then default = table.concat(default, ", ") end
  if spec.required and not spec.words then notes[#notes + 1] = "required" end
  local unless = table.concat(map(spec.required_unless or {}, command_line.flag_of), " or ")
  if unless ~= "" then notes[#notes + 1] = "required without " .. unless end
  if choices then notes[#notes + 1] = "one of " .. table.concat(choices, ", ") end
  if spec.list and not spec.words then notes[#notes + 1] = "can be repeated" end
  if default ~= nil then notes[#notes + 1] = "default: " .. tostring(default) end
  return { name = name, flag = command_line.flag_of(name), short = spec.short and "-" .. spec.short, value = value,
           words = spec.words and word_words(name, spec), what = spec[1], choices = choices, type = spec.type,
           list = spec.list, required = spec.required,
           notes = #notes > 0 and " (" .. table.concat(notes, "; ") .. ")" or "" }
end

-- "-o, --output FILE"
local function flags_shown(option)
  return (option.short and option.short .. ", " or "")
    .. (option.words or option.flag .. (option.value and " " .. option.value or ""))
end

--- The options of a script of this text, described, by group: { { title = , ... }, ... }. The first group, of the
--- script's own options, has no title.
function usage.groups(specs, text)
  local own, groups, has_trials, has_json = merged(specs), { {} }, runs_trials(text), usage.prints_json(text)
  for i, group in ipairs(GROUPS) do
    local options = { title = group[1] }
    for _, name in ipairs(group[2]) do
      local spec, common = specs[name], usage.COMMON[name]
      local is_common = common and (has_trials or not OF_TRIALS[name]) and (has_json or name ~= "json")
      if not spec and is_common or spec and (spec == definition.SHARED[name] or name == "parallel") then
        options[#options + 1], own[name] = described(name, spec or common), nil
      end
    end
    groups[i + 1] = options
  end
  for i, name in ipairs(values.sorted(own)) do groups[1][i] = described(name, specs[name]) end
  return groups
end

-- The groups of options as text: a row for each, which begins with what `shown` makes of it.
local function rows_text(groups, shown)
  local blocks, width = {}, 0
  for _, option in ipairs(lists.flat(groups)) do width = math.max(width, #shown(option)) end
  for _, group in ipairs(groups) do
    local block = { group.title and group.title .. ":" }
    for _, option in ipairs(group) do
      block[#block + 1] = string.format("  %-" .. width .. "s  %s", shown(option), option.what .. option.notes)
    end
    if #block > (group.title and 1 or 0) then blocks[#blocks + 1] = table.concat(block, "\n") end
  end
  return table.concat(blocks, "\n\n")
end

--- The text of --help for the script of this name and text; without `specs` it has no options of its own.
function usage.text(specs, script, text)
  specs = specs or {}
  local groups, words = usage.groups(specs, text), command_line.words_of(specs)
  table.insert(groups[#groups], { flag = "--help", what = "print this help", notes = "" })
  return usage.about(text) .. "\n\nusage: regengine " .. script .. " [options]"
    .. (words and " " .. word_words(words, specs[words]) or "") .. "\n\n" .. rows_text(groups, flags_shown)
end

--- The same for a call of the script as a strategy, with its options as fields.
function usage.text_of_call(specs, script, text)
  local words = command_line.words_of(specs)
  local rows = rows_text(usage.groups(specs, text), function(option)
    return option.words or option.name .. " = " .. (option.value or "true")
  end)
  return ("%s\n\nusage: %s { %sOPTION = VALUE, ... }\n\n%s"):format(usage.about(text), script,
    words and word_words(words, specs[words]) .. ", " or "", rows)
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
    found = definition.read(specs)
    error "enough"
  end
  pcall(load(text:gsub("^#[^\n]*", ""), "=" .. script, "t", setmetatable({ reg = pretended }, { __index = _G })))
  return found, text
end

--- The names of the shipped scripts, without ".lua".
function usage.shipped()
  return map(core.embedded_names(), function(file) return file:match "^scripts/(.*)%.lua$" end)
end

--- The first sentence of what a shipped script does.
function usage.first_words(name)
  local words = usage.about(core.embedded("scripts/" .. name .. ".lua")):gsub("%s+", " ")
  return words:match "^(.-[%.?])%s" or words
end

return usage
