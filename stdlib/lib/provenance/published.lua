-- What is published of an investigation: what the engine made, such as numbers, digests and versions, and what was
-- asked of it, the commands and the script. What a command printed stays on the machine unless `with_output` is set.

local failure = require "lib/failure"
local read = require "lib/report/read"
local values = require "lib/values"

local sort_by, sorted_names = values.sort_by, values.sorted_names
local surroundings = require "lib/identity/surroundings"

-- How a run failed, in the engine's own words. The rest of a message may be output.
local OWN <const> = { "^exit code %d+$", "^ran past its time limit$", "^ran out of memory$", "^killed by signal %d+$",
  "^reported that it ran out of memory$", "^suspect: [^\n]*$" }

local function own_words(status, message)
  local how = message and failure.how(message) or ""
  if status == "not_finite" then return how end
  for _, pattern in ipairs(OWN) do
    local words = how:match(pattern) or message and message:match(pattern)
    if words then return words end
  end
  return how:find " %(exit code 127%)$" and "exit code 127" or nil
end

-- The lines of output in the messages of failed runs.
local function output_lines(stage)
  local lines = {}
  local function add(message)
    for line in (message or ""):sub(#failure.how(message or "") + 1):gmatch "[^\n]+" do
      line = line:match "^[: ]*(.-)%s*$"
      if line ~= "" then lines[#lines + 1] = line end
    end
  end
  for _, trial in ipairs(stage.trials) do add(trial.message) end
  for _, point in ipairs(stage.found.points) do add(point.message) end
  table.sort(lines, function(a, b) return #a > #b end)
  return lines
end

-- The sentence up to the output in it, and whether there is any.
local function before_output(text, lines)
  for _, line in ipairs(lines) do
    local at = text:find(": " .. line, 1, true) or #line >= 8 and text:find(line, 1, true)
    if at then return (text:sub(1, at - 1):gsub("[: ]+$", "")), true end
  end
  return text, false
end

local function cut_stopped(found, lines)
  local function cut(text)
    local shown, had = before_output(text, lines)
    return had and shown or failure.how(text)
  end
  found.stopped.why, found.stopped.tail = cut(found.stopped.why), nil
  found.why = found.why and cut(found.why)
end

-- The function that cuts a text of reg.why: of a variable that differs and that no framework reads only the name stays,
-- and of what failed how.
local function why_cutter(answer)
  local said = {}  -- what stands for what
  local function add(finding)
    local what = read.text(read.list(finding).what) or ""
    local name = what:match "^([%u_][%u%d_]*) "
    if name and not surroundings.matters(name) then said[what] = name .. " has another value" end
  end
  if read.list(answer.top).level ~= "swap" then add(answer.top) end
  for _, level in ipairs(read.each(answer.levels, read.list)) do
    local why = read.text(level.why)
    if why then said[why] = failure.how(why) end
    read.each(level.name == "environment" and level.findings, add)
  end
  for _, why in ipairs(read.each(answer.not_swapped, read.text)) do said[why] = failure.how(why) end
  return function(text)
    for _, what in ipairs(sort_by(sorted_names(said), function(one) return -#one end)) do  -- one may begin another
      text = text:gsub(what:gsub("%p", "%%%0"), (said[what]:gsub("%%", "%%%%")))
    end
    return text
  end
end

-- The answer of a script that searches nothing: its numbers, and its title or text.
local function cut_answer(answer, lines)
  for name, value in pairs(answer) do
    local kept = name == "title" or name == "text" or name == "verdict"
    if type(value) == "string" then answer[name] = kept and before_output(value, lines) or nil end
  end
end

local function withhold(stage)
  local found, lines = stage.found, output_lines(stage)
  for _, list in ipairs { found.points, found.side_points, found.assumed, found.skips, found.table, stage.trials } do
    for _, one in ipairs(list) do one.message = own_words(one.status, one.message) end
  end
  for _, move in ipairs(found.moves) do move.failed = move.failed and move.failed:match "^[%w_]*" end
  if found.stopped then cut_stopped(found, lines) else found.why = found.why and before_output(found.why, lines) end
  local cut = stage.sentence and why_cutter(stage.row.answer) or function(text) return (before_output(text, lines)) end
  stage.text, stage.sentence = stage.text and cut(stage.text), stage.sentence and cut(stage.sentence)
  if not stage.sentence then cut_answer(stage.row.answer, lines) end
end

--- Takes from stages (lib/report/stored.lua) what is not published. The folder of a store stays on the machine, too.
--- Returns what a redactor of their text takes: no rule redacts the names of the engine's own files in them. `o`:
--- with_output and keep_host.
return function(stages, o)
  local own = {}
  for _, stage in ipairs(stages) do
    stage.with_output = o.with_output
    if not o.with_output then withhold(stage) end
    local stopped = stage.found.stopped
    if stopped and stopped.log then
      stopped.log = stopped.log:match "[^/]+%.out/.*$" or stopped.log:match "[^/]*$"
      own[#own + 1] = stopped.log
    end
  end
  local hosts = values.map(stages, function(stage) return stage.row.host end)
  return { hosts = hosts, keep_host = o.keep_host, own = own, marked = true }
end
