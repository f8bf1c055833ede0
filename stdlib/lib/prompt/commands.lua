-- The prompt's dot commands.

local complete = require "lib/prompt/complete"
local sorted_names = require("lib/values").sorted_names
local typed = require "lib/prompt/typed"

local LABELS = { "label", "date", "subject", "name", "id" }
local IDENTITIES = { id = true, investigation = true, time = true, started = true, ended = true, trial = true }

local function misuse(message, hint) error({ kind = "usage", message = message, hint = hint }, 0) end

local commands = {}
local saved = {}  -- { [path] = text } of the files that this session wrote

-- The numeric fields, except those that identify a record; only `value` if there is one.
local function number_fields(records)
  local seen = {}
  for _, record in ipairs(records) do
    for name, value in pairs(record) do
      if type(value) == "number" and not IDENTITIES[name] then seen[name] = true end
    end
  end
  if seen.value then return { "value" } end
  local names = {}
  for name in pairs(seen) do names[#names + 1] = name end
  table.sort(names)
  return names
end

local function samples_of(trial)
  local metric = next(trial.samples or {})
  return metric and trial.samples[metric][1]
end

local function label_of(record, number)
  for _, name in ipairs(LABELS) do
    if record[name] ~= nil then return tostring(record[name]) end
  end
  return tostring(number)
end

local function plot_records(records, text)
  local plot = { values = {}, labels = {}, failed = {} }
  local names = records[1].samples and {} or number_fields(records)
  if not records[1].samples and #names ~= 1 then
    local why = #names == 0 and "no number" or "several numbers: " .. table.concat(names, ", ")
    misuse(".plot: the records of " .. text .. " have " .. why, "Plot a list of numbers, such as { 1, 2, 3 }.")
  end
  for i, record in ipairs(records) do
    local number = records[1].samples and samples_of(record) or record[names[1]]
    plot.values[i], plot.labels[i] = number or false, label_of(record, i)
    if not number then table.insert(plot.failed, i) end
  end
  return plot
end

-- The argument of reg.report.plot for a value, and the expression that draws the same in a script, if there is one.
-- `text`: the expression of the value.
local function plottable(value, text)
  local hint = "Pass a list of numbers, a series or a list of trials."
  if type(value) ~= "table" then misuse(".plot: " .. text .. " is a " .. type(value), hint) end
  if value.points or value.values or value.series then return value, "reg.report.plot(" .. text .. ")" end
  if type(value[1]) == "number" then return { values = value }, "reg.report.plot { values = " .. text .. " }" end
  if type(value[1]) == "table" then return plot_records(value, text) end
  misuse(".plot: no numbers in " .. text, hint)
end

-- name = { argument, what it does, function(session, argument) }: the function returns what the prompt runs.
local ALL = {}

ALL.help = { "", "this list", function()
  return function()
    for _, row in ipairs(commands.rows()) do print(string.format("  %-13s %s", row[1], row[2])) end
    print "help() lists what is in reg, help \"container.run\" shows a function, help \"nightly\" a shipped script."
  end
end }

ALL.load = { "FILE", "runs a Lua file as if it were typed here", function(session, file)
  return function()
    local text = reg.fs.read(file)
    core.join_script(file, text)
    local run, why = session.chunk(text:gsub("^#[^\n]*", ""), "@" .. file)
    if not run then misuse(why) end
    run()
  end
end }

ALL.save = { "FILE", "saves what was typed and did not fail as a script", function(session, file)
  return function()
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
  end
end }

ALL.plot = { "VALUE", "plots numbers, a series or trials", function(session, text)
  local value, why = load("return " .. text, "=prompt", "t", session.env)
  if not value then misuse(why) end
  return function()
    local plot, expression = plottable(value(), text)
    print((reg.report.plot(plot):gsub("\n$", "")))
    if expression then session.record:add(typed.value("(" .. expression .. ")", 1)) end
  end
end }

ALL.quit = { "", "quits, as Ctrl-D does", function() return "quit" end }

--- A list of { usage, what it does }.
function commands.rows()
  local rows = {}
  for i, name in ipairs(sorted_names(ALL)) do
    rows[i] = { (("." .. name .. " " .. ALL[name][1]):gsub(" $", "")), ALL[name][2] }
  end
  return rows
end

--- What a line asks for: a function to run, or "quit". Raises usage for an unknown command.
function commands.read(session, line)
  local name, argument = line:match "^%s*%.(%a[%w_]*)%s*(.-)%s*$"
  local command = ALL[name]
  if not command then
    misuse("no such command: ." .. name .. core.did_you_mean(name, sorted_names(ALL)), "Type .help for a list.")
  end
  if command[1] ~= "" and argument == "" then misuse("." .. name .. " needs an argument: " .. command[1]) end
  if command[1] == "" and argument ~= "" then misuse("." .. name .. " takes no argument") end
  return command[3](session, argument)
end

--- Completes a line that begins with a dot, as complete.names does; nil where an expression is expected.
function commands.complete(line)
  local part = line:match "^%s*%.(%a*)$"
  if part then return part, complete.fitting(part, sorted_names(ALL)), " " end
  local name, argument = line:match "^%s*%.(%a+)%s+(.*)$"
  if ALL[name] and ALL[name][1] == "FILE" then return argument, complete.files(argument), "" end
end

return commands
