-- The session of the prompt: compiles and runs what is typed, keeps locals, and records what .save writes.

local complete = require "lib/prompt/complete"
local strategies = require "lib/strategies"
local sorted_names = require("lib/values").sorted_names
local typed = require "lib/prompt/typed"
local usage = require "lib/options/usage"

local NAME = "=prompt"
-- The beginning of a text that can only be an expression: then the error is about the expression.
local VALUE_BEGINS = "^[%d\"'{#~-]"

local record = {}  -- the entries that did not fail
local saved = {}  -- { [path] = text } of the files that this session wrote
local declared, closing = {}, {}  -- the locals of chunks; those that are <close> are closed when the prompt ends

-- The globals of chunks: the prompt's locals before the globals of scripts, so that `local type = 1` does not change
-- the standard library, and the strategies behind both, so that a variable of the user's own may have their names.
local env = setmetatable({}, {
  __index = function(_, name)
    local value = _G[name]
    if value == nil then value = strategies.named(name) end
    return value
  end,
  __newindex = function(own, name, value)
    if declared[name] then rawset(own, name, value) else _G[name] = value end
  end,
})
rawset(env, "help", reg.help)

local function misuse(message, hint) error({ kind = "usage", message = message, hint = hint }, 0) end

local function show(...)
  if select("#", ...) == 0 then return end
  rawset(env, "_", (...))
  print(reg.inspect(...))
end

-- The names of the strategies that the text mentions. A field, or what is assigned to, is none.
local function strategies_in(text)
  local names = {}
  for at, name, stop in text:gmatch "()%f[%w_]([%a_][%w_]*)()" do
    local is_field = text:sub(1, at - 1):find "[.:]%s*$"
    local is_assigned = text:find("^%s*=[^=]", stop)
    names[#names + 1] = not is_field and not is_assigned and strategies.name_of(env[name]) or nil
  end
  return names
end

-- Whether the text calls a strategy, which prints what there is to see.
local function calls_strategy(text)
  local name = text:match "^%s*([%a_][%w_]*)%s*[\"'{(%[]"
  return name ~= nil and strategies.name_of(env[name]) ~= nil
end

-- The error of a call, with the function or strategy that a name which does not exist may stand for.
local function explained(why)
  local name = type(why) == "string" and why:match "%(global '([%w_]+)'%)$"
  if not name then return why end
  local known = usage.shipped()
  for global in pairs(_G) do known[#known + 1] = type(global) == "string" and global or nil end
  return { kind = "usage", message = why .. core.did_you_mean(name, known) }
end

-- A function that runs what was compiled as a script: investigations record its text, and a sweep measures again what
-- another text measured. It shows what that returns, and records the entry unless it fails.
local function runner(compiled, entry)
  return function()
    for _, name in ipairs(entry.names) do declared[name] = true end
    entry.strategies = strategies_in(entry.text)
    local settings = core.settings()
    settings.title, settings.text = "prompt", typed.script_of(record, entry)
    core.set_script(settings)
    local results = table.pack(pcall(compiled))
    if not results[1] then error(explained(results[2]), 0) end
    for _, name in ipairs(entry.closing) do closing[#closing + 1] = env[name] end
    entry.count = results.n - 1
    if not (entry.is_value and strategies.name_of(results[2])) then table.insert(record, entry) end
    show(table.unpack(results, 2, results.n))
  end
end

-- A function that runs the chunk named `name`; or nil and why it does not compile.
local function read_chunk(text, name)
  local compiled, why = load(text, name, "t", env)
  if not compiled then return nil, why end
  local entry = typed.chunk(text)
  if #entry.names > 0 then compiled = assert(load(entry.global, name, "t", env)) end
  return runner(compiled, entry)
end

-- The same for an expression.
local function read_value(text)
  local compiled, why = load("return " .. text, NAME, "t", env)
  if not compiled then return nil, why end
  return runner(compiled, typed.value(text))
end

-- name = { argument, what it does, function(argument) }; "quit" is the prompt's own.
local COMMANDS = { quit = { "", "quits, as Ctrl-D does" } }

COMMANDS.help = { "", "this list", function()
  for _, name in ipairs(sorted_names(COMMANDS)) do
    print(("  .%-12s %s"):format(name .. " " .. COMMANDS[name][1], COMMANDS[name][2]))
  end
  print "help() lists what is in reg, help \"container.run\" shows a function, help \"nightly\" a shipped script."
end }

COMMANDS.load = { "FILE", "runs a Lua file as if it were typed here", function(file)
  local text = reg.fs.read(file)
  core.join_script(file, text)
  local run, why = read_chunk(text:gsub("^#[^\n]*", ""), "@" .. file)
  if not run then misuse(why) end
  run()
end }

COMMANDS.save = { "FILE", "saves what was typed and did not fail as a script", function(file)
  local path = reg.fs.absolute(file)
  if reg.fs.exists(file) and not (saved[path] and reg.fs.read(file) == saved[path]) then
    misuse(".save: file exists: " .. file .. (saved[path] and " (changed since it was saved)" or ""),
      "Choose another name.")
  end
  local script, count = typed.script(record)
  reg.fs.write(file, script)
  saved[path] = script
  local _, why = load(script:gsub("^#[^\n]*", ""), "=" .. file)
  print(("%s: %d entries; %s"):format(file, count, why or "run it with: regengine " .. file))
  if not core.settings().dry_run then core.trust_saved(file, script) end
end }

-- What a line asks for: a function to run, or "quit". Raises usage for an unknown command.
local function read_command(line)
  local name, argument = line:match "^%s*%.(%a[%w_]*)%s*(.-)%s*$"
  local command = COMMANDS[name]
  if not command then
    misuse("no such command: ." .. name .. core.did_you_mean(name, sorted_names(COMMANDS)), "Type .help for a list.")
  end
  if command[1] ~= "" and argument == "" then misuse("." .. name .. " needs an argument: " .. command[1]) end
  if command[1] == "" and argument ~= "" then misuse("." .. name .. " takes no argument") end
  return command[3] and function() command[3](argument) end or "quit"
end

-- Completes a line that begins with a dot, as complete.names does.
local function complete_command(line)
  local part = line:match "^%s*%.(%a*)$"
  if part then return part, complete.fitting(part, sorted_names(COMMANDS)), " " end
  local name, argument = line:match "^%s*%.(%a+)%s+(.*)$"
  return argument, COMMANDS[name] and COMMANDS[name][1] == "FILE" and complete.files(argument) or {}, ""
end

-- exit, quit, exit() and quit() leave the prompt.
local function is_quit(text)
  local word = text:match "^%s*(%a+)%s*%(?%)?%s*$"
  return (word == "exit" or word == "quit") and env[word] == nil
end

local function is_open(why) return why and why:find "<eof>$" ~= nil end

local session = {}

--- Reads the text: a function to run, "quit", or nil if it continues on the next line. Raises usage for invalid Lua.
function session.read(text)
  if text:find "^%s*%.%a" then return read_command(text) end
  if is_quit(text) then return "quit" end
  local chunk, why = read_chunk(text, NAME)
  local value, why_no_value = read_value(text:match "^%s*return%f[%W]%s*(.*)$" or text)
  if chunk and (calls_strategy(text) or not value) then return chunk end
  if value or is_open(why) or is_open(why_no_value) then return value end
  misuse(text:find(VALUE_BEGINS) and why_no_value or why)
end

--- What Tab adds to `text`, and what it lists, as complete.added.
function session.complete(text)
  if text:find "^%s*%.%a*$" or text:find "^%s*%.%a+%s" then return complete.added(complete_command(text)) end
  return complete.added(complete.names(text, env))
end

--- Closes what was declared <close>, in reverse order.
function session.close()
  while #closing > 0 do
    local _ <close> = table.remove(closing)
  end
end

return session
