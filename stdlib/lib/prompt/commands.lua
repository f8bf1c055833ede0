-- The prompt's dot commands.

local complete = require "lib/prompt/complete"
local sorted_names = require("lib/values").sorted_names

local function misuse(message, hint) error({ kind = "usage", message = message, hint = hint }, 0) end

local commands = {}
local saved = {}  -- { [path] = text } of the files that this session wrote

-- name = { argument, what it does, function(session, argument) }; "quit" is the prompt's own.
local ALL = { quit = { "", "quits, as Ctrl-D does" } }

ALL.help = { "", "this list", function()
  for _, name in ipairs(sorted_names(ALL)) do
    print(("  .%-12s %s"):format(name .. " " .. ALL[name][1], ALL[name][2]))
  end
  print "help() lists what is in reg, help \"container.run\" shows a function, help \"nightly\" a shipped script."
end }

ALL.load = { "FILE", "runs a Lua file as if it were typed here", function(session, file)
  local text = reg.fs.read(file)
  core.join_script(file, text)
  local run, why = session.chunk(text:gsub("^#[^\n]*", ""), "@" .. file)
  if not run then misuse(why) end
  run()
end }

ALL.save = { "FILE", "saves what was typed and did not fail as a script", function(session, file)
  local path = reg.fs.absolute(file)
  if reg.fs.exists(file) and not (saved[path] and reg.fs.read(file) == saved[path]) then
    misuse(".save: file exists: " .. file .. (saved[path] and " (changed since it was saved)" or ""),
      "Choose another name.")
  end
  local script, count = session.record:script()
  reg.fs.write(file, script)
  saved[path] = script
  local _, why = load(script:gsub("^#[^\n]*", ""), "=" .. file)
  print(("%s: %d entries; %s"):format(file, count, why or "run it with: regengine " .. file))
  if not core.settings().dry_run then core.trust_saved(file, script) end
end }

--- What a line asks for: a function to run, or "quit". Raises usage for an unknown command.
function commands.read(session, line)
  local name, argument = line:match "^%s*%.(%a[%w_]*)%s*(.-)%s*$"
  local command = ALL[name]
  if not command then
    misuse("no such command: ." .. name .. core.did_you_mean(name, sorted_names(ALL)), "Type .help for a list.")
  end
  if command[1] ~= "" and argument == "" then misuse("." .. name .. " needs an argument: " .. command[1]) end
  if command[1] == "" and argument ~= "" then misuse("." .. name .. " takes no argument") end
  return command[3] and function() command[3](session, argument) end or "quit"
end

--- Completes a line that begins with a dot, as complete.names does.
function commands.complete(line)
  local part = line:match "^%s*%.(%a*)$"
  if part then return part, complete.fitting(part, sorted_names(ALL)), " " end
  local name, argument = line:match "^%s*%.(%a+)%s+(.*)$"
  return argument, ALL[name] and ALL[name][1] == "FILE" and complete.files(argument) or {}, ""
end

return commands
