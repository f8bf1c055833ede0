-- Takes numbers out of a test's output. A number that is missing fails the trial, and so does NaN or infinity, with a
-- status of its own.

local measured = require "lib/measured"
local lists = require "lib/values"
local not_finite = require "lib/not_finite"
local pattern_of = require "lib/metric_pattern"

local SHOWN = 3         -- matched lines in a message
local LONGEST = 160     -- bytes of one of them

--- Takes numbers out of a test's output. A pattern is text with {number} in place of the number, in which a blank
--- matches any blanks and tabs, or a Lua pattern with one capture. If it captures no number, the functions raise a
--- failed trial (see reg.skip), which a sweep records before it goes on; of NaN and infinity its status is not_finite,
--- "the loss became NaN". An invalid pattern, or one that captures no number, raises usage.
--- ```lua
--- print(reg.metric.name "MLUPS: {number}", reg.metric.find("MLUPS: 587.9", "MLUPS: {number}"))  --> MLUPS 587.9
--- local steps_ms = reg.metric.all("step 12ms\nstep 13ms\n", "step {number}ms")
--- ```
---@class reg.metric
local metric = {}

-- "1,234.5" and "1_234.5" without their separators, each before three digits; nil where a comma is something else, as
-- in "1,5" and "1,2,3".
local function ungrouped(text)
  if not text:find "%d[,_]%d" then return text end
  local grouped, rest = text:match "^([-+]?[%d,_]*%d)(.*)$"
  for _, separator in ipairs(grouped and not rest:find "%d[,_]%d" and { ",", "_" } or {}) do
    local first = grouped:gsub(separator .. "%d%d%d%f[%D]", "")
    if first:find "^[-+]?[1-9]%d?%d?$" then return grouped:gsub(separator, "") .. rest end
  end
end

-- "3.5ms" is 3.5: a unit may follow a number directly.
local function leading_number(text)
  text = ungrouped(text) or ""
  return tonumber(text) or tonumber(text:match("^[-+]?%d*%.?%d+[eE][-+]?%d+") or text:match("^[-+]?%d*%.?%d+"))
end

-- The Lua pattern; raises usage where there is none.
local function to_lua(pattern)
  local lua_pattern, problem, hint = pattern_of.parse(pattern)
  return lua_pattern or core.fail("usage", "metric: " .. problem, hint)
end

-- A number that `pattern` found. Text that is the pattern itself was found because the pattern captures nothing.
-- `said()`: the output that has it, for messages.
local function captured_number(captured, pattern, said)
  if captured == pattern then
    core.fail("usage", "metric: the pattern '" .. pattern .. "' captures no number",
      "Write it as '" .. pattern .. ": {number}'.")
  end
  local word = not_finite.word(captured)
  if word then error(not_finite.skip(metric.name(pattern), word, said()), 0) end
  local number = type(captured) == "string" and leading_number(captured) or tonumber(captured)
  if not number then
    error(reg.skip(string.format("'%s' gives '%s', which is not a number", pattern, tostring(captured)), said()), 0)
  end
  return number + 0.0
end

-- A text without its terminal's colors and other control sequences.
local function without_colors(text) return (text:gsub("\27%[[0-9;:?]*%a", "")) end

local function without_blanks(text) return (text:gsub("[ \t]", "")) end

local DIFFERENCES = {
  { "in blanks", without_blanks },
  { "in upper and lower case", string.lower },
  { "in blanks and in upper and lower case", function(text) return without_blanks(text:lower()) end },
}

-- ", but 'mlups: 7' differs only in upper and lower case": of the first line that the pattern nearly matches; or "".
local function near_miss(pattern, output)
  for _, difference in ipairs(pattern:find("{number}", 1, true) and DIFFERENCES or {}) do
    local words, simplified = table.unpack(difference)
    local lua_pattern = to_lua(simplified(pattern))
    for line in output:gmatch "[^\r\n]+" do
      local captured = simplified(line):match(lua_pattern)
      if captured and leading_number(captured) then
        return string.format(", but '%s' differs only %s", line:match("^%s*(.-)%s*$"):sub(1, LONGEST), words)
      end
    end
  end
  return ""
end

-- `hint`: what to check, " (check --metric)".
local function fail_without_match(pattern, output, hint)
  error(reg.skip("no match for '" .. pattern .. "'" .. near_miss(pattern, output) .. (hint or ""), output), 0)
end

--- The name of a metric, for tables and stores: the words its pattern begins with, or "value" if there are none. Text
--- without a pattern is the name itself. It has no unit. Raises usage for anything but a string.
---@param pattern string
---@return string name
function metric.name(pattern)
  if type(pattern) ~= "string" or pattern == "" then to_lua(pattern) end  -- raises
  if measured[pattern] then return measured[pattern].name end
  if not pattern:find "[{(%%]" then return pattern end
  return pattern:match("^[%w_][%w_ /]*%w") or "value"
end

-- A rehearsal of `measure` has no output: any number will do, and the pattern is noted.
local function rehearsed(pattern)
  if core.in_rehearsal then core.note("metric " .. pattern) end
  return core.in_rehearsal
end

--- The first number that the pattern matches, in the unit of the output; a unit may follow the number directly. Raises
--- a failed trial if nothing matches, or for nan and inf.
---@param text string
---@param pattern string
---@return number value
function metric.find(text, pattern)
  if rehearsed(pattern) then return 1.0 end
  text = without_colors(text)
  local captured = text:match(to_lua(pattern))
  if captured == nil then fail_without_match(pattern, text) end
  return captured_number(captured, pattern, function() return text end)
end

--- Every number that the pattern matches, in order: several samples of one run. Raises what reg.metric.find raises.
---@param text string
---@param pattern string
---@return number[] values
function metric.all(text, pattern)
  if rehearsed(pattern) then return { 1.0 } end
  text = without_colors(text)
  local found = lists.matches(text, to_lua(pattern))
  if #found == 0 then fail_without_match(pattern, text) end
  return lists.map(found, function(captured)
    return captured_number(captured, pattern, function() return text end)
  end)
end

-- Adds every match in `text`, which comes after `gaps` places where output was not kept.
local function add_matches(found, text, lua_pattern, gaps)
  local from = 1
  while from <= #text + 1 do
    local first, last, captured = text:find(lua_pattern, from)
    if not first then return end
    found[#found + 1] = { value = captured, text = text, first = first, last = last, gaps = gaps }
    if lua_pattern:sub(1, 1) == "^" then return end
    from = math.max(first, last) + 1
  end
end

-- Every match in stdout, then in stderr, and the number of gaps: of output that was too long to be kept there are the
-- beginning and the end, as lines.
local function matches_in(run, lua_pattern)
  local found, gaps = {}, 0
  for _, name in ipairs { "stdout", "stderr" } do
    local text, bytes = run[name] or "", run[name .. "_bytes"]
    local cut = bytes and bytes ~= #text and text or ""
    local head, tail = cut:match "^(.*)\n%[%.%.%. %d+ bytes omitted %.%.%.%]\n(.*)$"
    for i, piece in ipairs(head and { head:match "^(.*\n)" or "", tail:match "\n(.*)$" or "" } or { text }) do
      if i == 2 then gaps = gaps + 1 end  -- between the two pieces
      add_matches(found, without_colors(piece), lua_pattern, gaps)
    end
  end
  return found, gaps
end

local function line_of(match)
  local from = match.text:sub(1, match.first - 1):match "^.*[\r\n]()" or 1
  local to = match.text:find("[\r\n]", match.first) or 0
  return match.text:sub(from, to - 1):sub(1, LONGEST)
end

local function lines_of(matches)
  return table.concat(lists.map({ table.unpack(matches, 1, SHOWN) }, function(one) return "\n  " .. line_of(one) end))
end

-- A failed trial that only --take can fix: the first trial of a search ends the search with it.
local function fail_without_take(...)
  local skip = reg.skip(string.format(...))
  skip.info = { needs_take = true }
  error(skip, 0)
end

local TAKE = {
  first = function(values) return values[1] end,
  last = function(values) return values[#values] end,
  median = lists.median,
  min = function(values) return lists.sorted(values)[1] end,
}

-- The matches that `take` needs, or a failed trial where output that was not kept may hold others.
local function chosen(matches, take, gaps, pattern)
  local one = take == "first" and matches[1] or take == "last" and matches[#matches]
  local seen = gaps == 0 or take == "first" and one.gaps == 0 or take == "last" and one.gaps == gaps
  if not seen then
    fail_without_take("the output is too long to be kept: '%s' may have matches in the part that was omitted", pattern)
  end
  if not take and #matches > 1 then
    fail_without_take("the output has %d matches for '%s':%s", #matches, pattern, lines_of(matches))
  end
  return one and { one } or matches
end

---@class metric.Choice
---@field metric string the pattern; or what Trial:test measures: @wall, @cpu, @gpu_busy in seconds, @peak_memory,
--- @gpu_memory in bytes, @gpu_cycles, @instructions, or what reg.hlo.count, reg.jit.traces and reg.jit.compiles return
---@field take? "first"|"last"|"median"|"min" which number to use if there are several
---@field drop? integer ignore the first N matches, such as those of warm-up steps; 0 by default

---@class metric.Quieter
---@field noise number run-to-run noise of the time that was compared, relative
---@field other "CPU time"|"instructions" the number beside it that has the least noise
---@field other_noise number that number's noise
---@field effect? number by how much it differs between the ends, bad / good - 1, where that is clear

--- The number that the options --metric, --take and --drop pick out of what a command printed: its stdout, and then its
--- stderr. Units are those of the output. Or a number that was measured of the command. Raises a failed trial if
--- nothing matches, for nan and inf, if `drop` leaves nothing, if the number may be in output that was too long to be
--- kept (see keep_bytes of reg.process.run), and for several matches without `take`. If no earlier run of a sweep gave
--- a number, the sweep stops there with a usage error that shows three of the matches. Raises usage for what is not
--- measured. In a dry run, in which commands print nothing, it returns 1.
--- ```lua
--- local opt = { metric = "step time: {number} ms", take = "median", drop = 10 }
--- local ms = reg.metric.of({ stdout = ("step time: 12.5 ms\n"):rep(11), stderr = "" }, opt)
--- ```
---@param run process.Result|container.Result
---@param opt metric.Choice
---@return number value
function metric.of(run, opt)
  local pattern, take, drop = opt.metric, opt.take, opt.drop or 0
  if measured[pattern] then
    return (rehearsed(pattern) or run.dry) and 1.0 or measured[pattern].of(run)
      or core.fail("usage", "metric: " .. pattern .. " is only measured of a command that trial:test runs",
        "Call trial:test(command, { metric = \"" .. pattern .. "\" }).")
  end
  local lua_pattern = to_lua(pattern)
  local pick = TAKE[lists.choice("metric", "take", take, { "first", "last", "median", "min" })]
  if rehearsed(table.concat({ pattern, take or "", drop }, " ")) or run.dry then return 1.0 end
  local found, gaps = matches_in(run, lua_pattern)
  if #found == 0 then
    fail_without_match(pattern, without_colors((run.stdout or "") .. "\n" .. (run.stderr or "")), " (check --metric)")
  end
  if #found <= drop then
    error(reg.skip(string.format("'%s' matches %s, and drop = %d leaves none:%s", pattern,
      #found == 1 and "once" or #found .. " times", drop, lines_of(found))), 0)
  end
  local matches = chosen(table.move(found, drop + 1, #found, 1, {}), take, gaps, pattern)
  return pick(lists.map(matches, function(match)
    return captured_number(match.value or match.text:sub(match.first, match.last), pattern, function()
      return line_of(match)
    end)
  end))
end

return metric
