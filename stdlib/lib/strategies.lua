-- The shipped strategies as values that are called with options: nightly { image = "...", metric = "..." }. A call does
-- what the command line does, with the same checks and messages.

local due = require "lib/report/due"
local command_line = require "lib/options/command_line"
local usage = require "lib/options/usage"
local values = require "lib/values"

local strategies = {}
local by_name, names = {}, {}
local running  -- the name of the one that runs

local function misuse(message, hint) error({ kind = "usage", message = message, hint = hint }, 0) end

-- A value as the command line has it. Relative times are those of now, also where they are not typed.
local function word(strategy, name, spec, value)
  local is = math.type(value) or type(value)
  if is ~= "string" and is ~= "boolean" and is ~= "integer" and is ~= "float" then
    misuse(("%s: '%s' must be a string, a number or a boolean, not a %s"):format(strategy, name, is))
  end
  local text = tostring(is == "float" and math.tointeger(value) or value)
  local is_time = spec and (spec.type == "date" or spec.type == "time")
  return ("--%s=%s"):format(name:gsub("_", "-"), is_time and command_line.relative_time(text, spec.type) or text)
end

-- The words of the command line for a table of options. Its list part is what stands there without an option.
local function words_of(strategy, specs, options)
  local words, of_words = {}, command_line.words_of(specs)
  for i, value in ipairs(options) do
    if not of_words then
      misuse(("%s: not an option: '%s'"):format(strategy, tostring(value)),
        ("Write %s { NAME = VALUE, ... }; help(%s) lists the options."):format(strategy, strategy))
    end
    if i > 1 and not specs[of_words].list then
      misuse(("%s: takes only one %s: '%s', '%s'"):format(strategy, of_words:upper(), options[1], value))
    end
    words[i] = word(strategy, of_words, specs[of_words], value)
  end
  for _, name in ipairs(values.sorted_names(options)) do
    local spec, value = specs[name] or usage.COMMON[name], options[name]
    if type(value) == "table" and spec and not spec.list then
      misuse(("%s: '%s' takes one value, not a list"):format(strategy, name))
    end
    for _, one in ipairs(type(value) == "table" and value or { value }) do
      words[#words + 1] = word(strategy, name, spec, one)
    end
  end
  return words
end

-- Runs the script of a strategy. Meanwhile what the engine remembers of the script that calls it is set aside.
local function run(name, words)
  if running then
    misuse(name .. ": the strategy " .. running .. " is running", "Call one strategy after the other.")
  end
  local text = core.embedded("scripts/" .. name .. ".lua")
  local script = assert(load(text:gsub("^#[^\n]*", ""), "=scripts/" .. name .. ".lua", "t", _G))
  -- What code from elsewhere passes counts as what a shared script was reported with: it permits nothing.
  local untrusted = core.untrusted()
  local was, options, given, series = core.settings(), core.options, core.given, due.take()
  local runtime, patience = core.container_default "", core.retry_for(0)
  local _ <close> = setmetatable({}, { __close = function(_, failure)
    local finished = due.take()
    if failure ~= nil and #finished > 0 then pcall(reg.answer, table.unpack(finished)) end
    core.options, core.given, running = options, given, nil
    for _, one in ipairs(series) do due.add(one) end
    core.container_default(runtime)
    core.retry_for(patience)
    core.set_script(was)
  end })
  running = name
  core.options, core.given = nil, nil
  core.set_script { script = name, title = name .. ".lua", text = text, args = untrusted and {} or words,
                    reported = untrusted and words or {}, quiet = was.quiet, dry_run = was.dry_run }
  return script()
end

local function call(name, ...)
  local options, first = { ... }, ...
  if type(first) == "table" then options = first end
  local specs = usage.options_of(name .. ".lua") or {}
  return run(name, words_of(name, specs, options))
end

--- The strategy of this name; nil if there is none.
function strategies.named(name) return by_name[name] end

--- The name of a strategy; nil for any other value.
function strategies.name_of(value) return names[value] end

-- A stub of a call, for completion: a field for each option.
local function entry_of(name)
  local specs, text = usage.options_of(name .. ".lua")
  local options = values.flat(usage.groups(specs or {}, text), function(group) return group end)
  local fields = values.map(options, function(one)
    local choices = one.choices and '"' .. table.concat(one.choices, '"|"') .. '"'
    return { name = one.name, type = choices or one.type, doc = one.what }
  end)
  return { name = name, params = { { name = "options", type = "table", fields = fields } }, returns = {} }
end

local entries = {}
--- What stubs.all().functions has of other functions, of a strategy; nil for any other value.
function strategies.entry(value)
  local name = names[value]
  if name then entries[name] = entries[name] or entry_of(name) end
  return entries[name]
end

--- What it does, and its options as they are passed to it.
function strategies.text(name)
  local specs, text = usage.options_of(name .. ".lua")
  return usage.text_of_call(specs or {}, name, text)
end

for _, name in ipairs(usage.shipped()) do
  local strategy = setmetatable({}, {
    __call = function(_, ...) return call(name, ...) end,
    __tostring = function() return strategies.text(name) end,
    __metatable = "strategy",
  })
  by_name[name], names[strategy] = strategy, name
end

return strategies
