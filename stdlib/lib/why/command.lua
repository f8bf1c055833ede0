-- The command of an end. Its shell line has parts, the variables that it sets first, the Python that it runs, and the
-- rest: they can be exchanged between two lines, and be told from each other in what differs.

local instrumented = require "lib/instrumented"
local last_line, merged = require("lib/values").last_line, require("lib/values").merged

local command = {}

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

--- The parts of a line: `env`, `names` of its variables in their order, `python` (nil if it runs another program) and
--- `rest`.
function command.parse(line)
  local parts = { env = {}, names = {}, rest = line }
  -- Of several commands the first one's variables are not those of the others.
  local bare = line:gsub("\\.", ""):gsub("'[^']*'", ""):gsub('"[^"]*"', ""):gsub("%d?>&%d", "")
  if bare:find "[;&|\n(]" then return parts end
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
function command.variables(one, more) return merged(one.call.env, one.parts.env, more) end

--- The call of an end with the variables of its line in its environment, where more can be added to them.
function command.call(one)
  local call, rest = merged(one.call), merged(one.parts, { names = {} })
  call.env, call.shell = command.variables(one), command.join(rest)
  return call
end

--- Runs the command that builds what is called `name`.
function command.build(call, name)
  local run = instrumented.execute(call)
  if run.ok or run.dry then return end
  core.fail("failed_trial", name .. " cannot be built: exit code " .. run.code, last_line(run.stderr))
end

return command
