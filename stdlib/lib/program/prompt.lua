-- The session of the prompt: compiles and runs what is typed, keeps locals, and records what .save writes.

local commands = require "lib/prompt/commands"
local complete = require "lib/prompt/complete"
local strategies = require "lib/strategies"
local typed = require "lib/prompt/typed"
local usage = require "lib/options/usage"

local NAME = "=prompt"
-- The beginning of a text that can only be an expression: then the error is about the expression.
local VALUE_BEGINS = "^[%d\"'{#~-]"

local session = { record = typed.record() }
local declared, closing = {}, {}  -- the locals of chunks; those that are <close> are closed when the prompt ends

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

-- The names of the strategies that the text mentions. A field, or what is assigned to, is none.
local function strategies_in(text)
  local names = {}
  for at, name, stop in text:gmatch "()%f[%w_]([%a_][%w_]*)()" do
    local is_field = text:sub(1, at - 1):find "[.:]%s*$"
    local is_assigned = text:find("^%s*=[^=]", stop)
    names[#names + 1] = not is_field and not is_assigned and strategies.name_of(session.env[name]) or nil
  end
  return names
end

-- Whether the text calls a strategy, which prints what there is to see.
local function calls_strategy(text)
  local name = text:match "^%s*([%a_][%w_]*)%s*[\"'{(%[]"
  return name ~= nil and strategies.name_of(session.env[name]) ~= nil
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

--- A function that runs the chunk named `name`, shows what it returns and records it unless it fails; or nil and why.
function session.chunk(text, name)
  local compiled, why = load(text, name, "t", session.env)
  if not compiled then return nil, why end
  local entry = typed.chunk(text)
  if #entry.names > 0 then compiled = assert(load(entry.global, name, "t", session.env)) end
  return function()
    for _, declaration in ipairs(entry.names) do declared[declaration] = true end
    entry.strategies = strategies_in(text)
    local results = run(compiled, entry)
    for _, one in ipairs(entry.closing) do closing[#closing + 1] = session.env[one] end
    session.record:add(entry)
    show(table.unpack(results, 1, results.n))
  end
end

-- The same for an expression.
local function value(text)
  local compiled, why = load("return " .. text, NAME, "t", session.env)
  if not compiled then return nil, why end
  return function()
    local entry = typed.value(text, 1)
    entry.strategies = strategies_in(text)
    local results = run(compiled, entry)
    entry.count = results.n
    if not strategies.name_of(results[1]) then session.record:add(entry) end
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

--- What Tab adds to `text`, and what it lists, as complete.added.
function session.complete(text)
  if text:find "^%s*%.%a*$" or text:find "^%s*%.%a+%s" then return complete.added(commands.complete(text)) end
  return complete.added(complete.names(text, session.env))
end

--- Closes what was declared <close>, in reverse order.
function session.close()
  while #closing > 0 do
    local _ <close> = table.remove(closing)
  end
end

return session
