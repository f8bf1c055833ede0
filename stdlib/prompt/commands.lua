-- The prompt's dot commands.

local plottable = require "prompt/plottable"
local record = require "prompt/record"

local commands = {}
local saved = {}  -- files this session wrote

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
    local text = reg.fs.read(file):gsub("^#[^\n]*", "")
    local run, why = session.chunk(text, "@" .. file)
    if not run then misuse(why) end
    run()
  end
end }

ALL.save = { "FILE", "writes what was typed and did not fail as a script", function(session, file)
  return function()
    if reg.fs.exists(file) and not saved[reg.fs.absolute(file)] then
      misuse(".save: " .. file .. " is there already", "it is left as it is; choose another name")
    end
    local script = session.record:script()
    reg.fs.write(file, script)
    saved[reg.fs.absolute(file)] = true
    local _, why = load(script:gsub("^#[^\n]*", ""), "=" .. file)
    print(("%s: %d entries; %s"):format(file, #session.record, why or "regengine " .. file .. " runs it"))
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

local function names()
  local list = {}
  for name in pairs(ALL) do list[#list + 1] = name end
  table.sort(list)
  return list
end

--- { usage, what it does } of each.
function commands.rows()
  local rows = {}
  for _, name in ipairs(names()) do rows[#rows + 1] = { (("." .. name .. " " .. ALL[name][1]):gsub(" $", "")), ALL[name][2] } end
  return rows
end

--- What the line asks for: a function to run, or "quit". Raises usage for a command that is none.
function commands.read(session, line)
  local name, words = line:match "^%s*%.(%a[%w_]*)%s*(.-)%s*$"
  local command = ALL[name]
  if not command then misuse("no command ." .. name .. core.did_you_mean(name, names()), ".help lists them") end
  if command[1] ~= "" and words == "" then misuse("." .. name .. " needs " .. command[1], "as in ." .. name .. " " .. command[1]) end
  if command[1] == "" and words ~= "" then misuse("." .. name .. " takes nothing after it") end
  return command[3](session, words)
end

-- Files and folders of the workspace that begin with `part`.
local function files(part)
  local folder, begin = part:match "^(.*/)([^/]*)$"
  local ok, found = pcall(reg.fs.list, folder or ".")
  local list = {}
  for _, name in ipairs(ok and found or {}) do
    if name:sub(1, #(begin or part)) == (begin or part) then list[#list + 1] = (folder or "") .. name end
  end
  return list
end

--- What may stand at the end of a line that begins with a dot: the part that is there, whole names, what follows the only one;
--- nil where it is an expression.
function commands.complete(line)
  local part = line:match "^%s*%.(%a*)$"
  if part then
    local list = {}
    for _, name in ipairs(names()) do
      if name:sub(1, #part) == part then list[#list + 1] = name end
    end
    return part, list, " "
  end
  local name, words = line:match "^%s*%.(%a+)%s+(.*)$"
  if ALL[name] and ALL[name][1] == "FILE" then return words, files(words), "" end
end

return commands
