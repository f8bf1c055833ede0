-- The prompt's dot commands.

local files = require "lib/help/files"
local plottable = require "lib/prompt/plottable"
local record = require "lib/prompt/record"
local sorted_names = require "lib/sorted_names"

local commands = {}
local saved = {}  -- files this session wrote, and their texts

local function misuse(message, hint) error({ kind = "usage", message = message, hint = hint }, 0) end

-- name = { words after it, what it does, function(session, words) }: the function returns what the prompt is to run.
local ALL = {}

ALL.help = { "", "this list", function()
  return function()
    for _, row in ipairs(commands.rows()) do print(string.format("  %-13s %s", row[1], row[2])) end
    print "help() tells what reg holds, help \"container.run\" one of it, help \"nightly\" a shipped script."
  end
end }

ALL.load = { "FILE", "runs a Lua file as if it were typed here: its locals stay", function(session, file)
  return function()
    local text = reg.fs.read(file)
    local run, why = session.chunk(text:gsub("^#[^\n]*", ""), "@" .. file)
    if not run then misuse(why) end
    core.join_script(file, text)  -- somebody else's is asked about, as `regengine FILE` would
    run()
  end
end }

ALL.save = { "FILE", "writes what was typed and did not fail as a script", function(session, file)
  return function()
    local path = reg.fs.absolute(file)
    if reg.fs.exists(file) and not (saved[path] and reg.fs.read(file) == saved[path]) then
      misuse(".save: " .. file .. " is there already" .. (saved[path] and ", and was changed since" or ""),
        "it is left as it is; choose another name")
    end
    local script, count = session.record:script()
    reg.fs.write(file, script)
    saved[path] = script
    local _, why = load(script:gsub("^#[^\n]*", ""), "=" .. file)
    print(("%s: %d entries; %s"):format(file, count, why or "regengine " .. file .. " runs it"))
  end
end }

ALL.plot = { "VALUE", "draws numbers, a series or trials", function(session, words)
  local value, why = load("return " .. words, "=prompt", "t", session.env)
  if not value then misuse(why) end
  return function()
    local drawn, expression = plottable(value(), words)
    print((reg.report.plot(drawn):gsub("\n$", "")))
    if expression then session.record:add(record.value("(" .. expression .. ")", 1)) end
  end
end }

ALL.quit = { "", "leaves, as Ctrl-D does", function() return "quit" end }

--- { usage, what it does } of each.
function commands.rows()
  local rows = {}
  for _, name in ipairs(sorted_names(ALL)) do rows[#rows + 1] = { (("." .. name .. " " .. ALL[name][1]):gsub(" $", "")), ALL[name][2] } end
  return rows
end

--- What the line asks for: a function to run, or "quit". Raises usage for a command that is none.
function commands.read(session, line)
  local name, words = line:match "^%s*%.(%a[%w_]*)%s*(.-)%s*$"
  local command = ALL[name]
  if not command then misuse("no command ." .. name .. core.did_you_mean(name, sorted_names(ALL)), ".help lists them") end
  if command[1] ~= "" and words == "" then misuse("." .. name .. " needs " .. command[1], "as in ." .. name .. " " .. command[1]) end
  if command[1] == "" and words ~= "" then misuse("." .. name .. " takes nothing after it") end
  return command[3](session, words)
end

local function beginning_with(part, list)
  local found = {}
  for _, name in ipairs(list) do
    if name:sub(1, #part) == part then found[#found + 1] = name end
  end
  return found
end

--- What may stand at the end of a line that begins with a dot: the part that is there, whole names, what follows the only one;
--- nil where it is an expression.
function commands.complete(line)
  local part = line:match "^%s*%.(%a*)$"
  if part then return part, beginning_with(part, sorted_names(ALL)), " " end
  local name, words = line:match "^%s*%.(%a+)%s+(.*)$"
  if ALL[name] and ALL[name][1] == "FILE" then return words, beginning_with(words, files(words)), "" end
end

return commands
