-- The command of an end. Its shell line has parts, the variables that it sets first, the Python that it runs, and the
-- rest: they can be exchanged between two lines, and be told from each other in what differs. And its report of Nsight
-- Systems, to be opened beside that of the other end.

local instrumented = require "lib/instrumented"
local merged = require("lib/values").merged

local command = {}

local HINT <const> = "Pass the path of a new folder."

-- The word at `at` as the shell reads it, and where it ends; nil where the shell would replace something in it.
local function word_at(line, at)
  local parts = {}
  while at <= #line do
    local plain = line:match("^[^%s'\"\\$`;&|<>()*?%[#~]+", at)
    local single, double = line:match("^'([^']*)'", at), line:match('^"([^"\\$`]*)"', at)
    if plain then
      parts[#parts + 1], at = plain, at + #plain
    elseif single or double then
      parts[#parts + 1], at = single or double, at + #(single or double) + 2
    else
      break
    end
  end
  if #parts == 0 or at <= #line and not line:find("^%s", at) then return nil end
  return table.concat(parts), at
end

-- Whether the line is one command: variables before the first of several are not those of the others.
local function is_one(line)
  local bare = line:gsub("\\.", ""):gsub("'[^']*'", ""):gsub('"[^"]*"', ""):gsub("%d?>&%d", "")
  return not bare:find "[;&|\n(]"
end

--- The parts of a line: `env`, `names` of its variables in their order, `python` (nil if it runs another program) and
--- `rest`.
function command.parse(line)
  local parts = { env = {}, names = {}, rest = line }
  if not is_one(line) then return parts end
  local at = line:match "^%s*env%s+()%a[%w_]*=" or line:match "^%s*()"
  while true do
    local name, value_at = line:match("^([%a_][%w_]*)=()", at)
    if not name then break end
    local value, stop = "", value_at
    if not line:find("^%s", value_at) then value, stop = word_at(line, value_at) end
    if not value then break end
    if not parts.env[name] then parts.names[#parts.names + 1] = name end
    parts.env[name], at = value, line:match("^%s*()", stop)
  end
  parts.rest = line:sub(at)
  local program, stop = word_at(line, at)
  if program and program:find "^[%w_./+-]*python[%d.]*$" then parts.python, parts.rest = program, line:sub(stop) end
  return parts
end

--- Makes the Python a part of the rest.
function command.join_python(parts)
  if parts.python then parts.rest, parts.python = parts.python .. parts.rest, nil end
end

local function quoted(value) return value:find "^[%w_./,:=+-]+$" and value or core.shell_words { value } end

--- The line that has these parts.
function command.join(parts)
  local words = {}
  for i, name in ipairs(parts.names) do words[i] = name .. "=" .. quoted(parts.env[name]) end
  if parts.python then words[#words + 1] = quoted(parts.python) end
  words[#words + 1] = parts.rest:match "^%s*(.*)$"
  return table.concat(words, " ")
end

--- The variables that an end sets: in its options, then in its line, then `more`.
function command.variables(one, more)
  return merged(one.call.env, one.parts.env, more)
end

--- The options of an end, to be changed.
function command.options(one) return merged(one.call) end

--- The call of an end with the variables of its line in its environment, where more can be added to them.
function command.call(one)
  local call, rest = command.options(one), merged(one.parts, { names = {} })
  call.env, call.shell = command.variables(one), command.join(rest)
  return call
end

--- Runs the command that builds an end, if it has one: another end's build may have replaced it.
function command.build(one)
  if one.build then command.run_build(one.build(one.parts), one.name) end
end

--- Runs the command that builds what is called `name`.
function command.run_build(call, name)
  local run = instrumented.execute(call)
  if run.ok or run.dry then return end
  core.fail("failed_trial", name .. " cannot be built: exit code " .. run.code, run.stderr:match "([^\n]+)%s*$")
end

--- Makes the folder. Raises usage for one that has anything in it.
function command.make_reports(folder)
  if type(folder) ~= "string" or folder == "" then core.fail("usage", "why: nsys must be the path of a folder") end
  if reg.fs.exists(folder) then
    local ok, names = pcall(reg.fs.list, folder)
    if not ok and names.kind == "permission" then error(names, 0) end
    if not ok then core.fail("usage", "why: not a folder: '" .. folder .. "'", HINT) end
    if #names > 0 then core.fail("usage", "why: not an empty folder: '" .. folder .. "'", HINT) end
  end
  reg.fs.mkdir(folder)
end

--- Raises what keeps nsys from running both ends.
function command.check_nsys(both)
  for _, one in ipairs(both) do
    if one.call.image then
      core.fail("usage", "why: nsys profiles commands on this machine, and " .. one.name .. " runs in a container",
        "Leave it out; the kernels are compared without it.")
    end
  end
  local status = reg.nsys.status()
  if not status.ok then core.fail("unavailable", "why: " .. status.message, status.hint) end
end

--- Runs each end once under nsys. Returns the paths of both reports, or nil and why there are not two.
function command.profile(folder, both)
  local reports = {}
  for _, one in ipairs(both) do
    local call = command.call(one)
    command.build(one)
    call.output = reg.fs.absolute(folder .. "/" .. one.name)
    local ok, run = pcall(reg.nsys.profile, call)
    if not ok and (type(run) ~= "table" or run.kind ~= "failed_trial") then error(run, 0) end
    if not ok then return nil, run.message end
    if not run.ok then return nil, string.format("%s failed under nsys with exit code %d", one.name, run.code) end
    table.insert(reports, folder .. "/" .. one.name .. run.report:match "%.[^./]+$")
  end
  return reports
end

return command
