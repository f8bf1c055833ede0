-- The session of the prompt: compiles and runs what is typed, keeps locals, and records what .save writes.

local locals_of = require "lib/prompt/locals"
local commands = require "lib/prompt/commands"
local record = require "lib/prompt/record"
local complete = require "lib/prompt/complete"
local strategies = require "lib/strategies"
local tokens_of = require "lib/prompt/tokens"
local usage = require "lib/options/usage"

local NAME = "=prompt"
-- The beginning of a text that can only be an expression: then the error is about the expression.
local VALUE_BEGINS = "^[%d\"'{#~-]"

local session = { record = record.new() }
local declared, closing = {}, {}

-- The globals of chunks: the prompt's locals before the globals of scripts, so that `local type = 1` does not change
-- the standard library, and the strategies behind both, so that a variable of the user's own may have their names.
session.env = setmetatable({}, {
  __index = function(_, name)
    local value = _G[name]
    if value == nil then value = strategies.named(name) end
    return value
  end,
  __newindex = function(env, name, value)
    if declared[name] then rawset(env, name, value) else _G[name] = value end
  end,
})
rawset(session.env, "help", reg.help)

local function show(...)
  if select("#", ...) == 0 then return end
  rawset(session.env, "_", (...))
  print(reg.inspect(...))
end

-- Keeps the chunk's <close> locals, to close them when the prompt ends.
local function keep_for_closing(names)
  for _, name in ipairs(names) do closing[#closing + 1] = session.env[name] end
end

-- The names of the strategies that the text uses. A field, or what is assigned to, is none.
local function strategies_in(text)
  local names, tokens = {}, tokens_of(text)
  for i, token in ipairs(tokens) do
    local before, after = tokens[i - 1] and tokens[i - 1].text, tokens[i + 1] and tokens[i + 1].text
    local is_value = token.kind == "name" and before ~= "." and before ~= ":" and after ~= "="
    names[#names + 1] = is_value and strategies.name_of(session.env[token.text]) or nil
  end
  return names
end

-- Whether the text calls a strategy, which prints what there is to see.
local function calls_strategy(text)
  local first, second = table.unpack(tokens_of(text), 1, 2)
  return second ~= nil and (second.kind == "string" or second.text == "{" or second.text == "(")
    and strategies.name_of(session.env[first.text]) ~= nil
end

-- The error of a call, with the function or strategy that a name which does not exist may stand for.
local function explained(why)
  local name = type(why) == "string" and why:match "%(global '([%w_]+)'%)$"
  if not name then return why end
  local known = usage.shipped()
  for global in pairs(_G) do known[#known + 1] = type(global) == "string" and global or nil end
  return { kind = "usage", message = why .. core.did_you_mean(name, known) }
end

-- Runs it as a script: investigations record its text, and a sweep measures again what another text measured.
local function run(compiled, entry)
  local settings = core.settings()
  settings.title, settings.text = "prompt", session.record:script_of(entry)
  core.set_script(settings)
  local results = table.pack(pcall(compiled))
  if not results[1] then error(explained(results[2]), 0) end
  return table.pack(table.unpack(results, 2, results.n))
end

--- A function that runs the chunk, shows what it returns and records it unless it fails; nil and why if it does not
--- compile. `name`: the chunk's name in messages.
function session.chunk(text, name)
  local compiled, why = load(text, name, "t", session.env)
  if not compiled then return nil, why end
  local found = locals_of(text)
  if #found.names > 0 then compiled = assert(load(found.text, name, "t", session.env)) end
  return function()
    for _, declaration in ipairs(found.names) do declared[declaration] = true end
    local entry = record.chunk(text, found, strategies_in(text))
    local results = run(compiled, entry)
    keep_for_closing(found.closing)
    session.record:add(entry)
    show(table.unpack(results, 1, results.n))
  end
end

-- The same for an expression.
local function value(text)
  local compiled, why = load("return " .. text, NAME, "t", session.env)
  if not compiled then return nil, why end
  return function()
    local called = strategies_in(text)
    local results = run(compiled, record.value(text, 1, called))
    if not strategies.name_of(results[1]) then session.record:add(record.value(text, results.n, called)) end
    show(table.unpack(results, 1, results.n))
  end
end

-- exit, quit, exit() and quit() leave the prompt.
local function is_quit(text)
  local word = text:match "^%s*(%a+)%s*%(?%)?%s*$"
  return (word == "exit" or word == "quit") and session.env[word] == nil
end

local function is_open(why) return why and why:find "<eof>$" ~= nil end

--- Reads the text: a function to run, "quit", or nil if it continues on the next line. Raises usage for invalid Lua.
function session.read(text)
  if text:find "^%s*%.%a" then return commands.read(session, text) end
  if is_quit(text) then return "quit" end
  local chunk = calls_strategy(text) and session.chunk(text, NAME)
  if chunk then return chunk end
  local why_no_value
  chunk, why_no_value = value(text:match "^%s*return%f[%W]%s*(.*)$" or text)
  if chunk then return chunk end
  local why
  chunk, why = session.chunk(text, NAME)
  if chunk then return chunk end
  if is_open(why) or is_open(why_no_value) then return nil end
  error({ kind = "usage", message = text:find(VALUE_BEGINS) and why_no_value or why }, 0)
end

--- Completes `text`, as prompt/complete.
function session.complete(text)
  if text:find "^%s*%.%a*$" or text:find "^%s*%.%a+%s" then
    local part, names, suffix = commands.complete(text)
    if part then return part, names, suffix end
    text = text:match "^%s*%.%a+%s+(.*)$"
  end
  return complete(text, session.env)
end

--- Closes what was declared <close>, in reverse order.
function session.close()
  while #closing > 0 do
    local _ <close> = table.remove(closing)
  end
end

return session
