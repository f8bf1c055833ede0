-- When a search ends because more runs would show the same mistake: a good end that cannot be tested, runs that fail
-- alike before the first number, several numbers without --take, or ends that are one build or unlike the report.

---@class sweep.Stop
---@field why string the reason in one line
---@field hint string what to do
---@field log? string file with the output of the run that failed
---@field tail? string its last lines
---@field alike? string[] labels of the runs that failed alike

local ends = require "lib/sweep/ends"
local failure = require "lib/failure"
local numbers = require "lib/report/numbers"
local values = require "lib/values"

local find, map, median = values.find, values.map, values.median

local ALIKE = 3        -- failures in a row
local PASSES = 2       -- of a bad end
local HALF = 0.5       -- of the difference that was reported
local CLEAR = 2.5      -- standard errors
local MEDIAN = 1.25    -- the standard error of a median, in those of a mean
local TAIL = 8         -- lines of the log that are shown
local TAIL_BYTES = 4096

local Stops = { TAKE = "Pass --take first, last, median or min; --drop N ignores the first N." }
Stops.__index = Stops

-- The numbers that were reported for both ends, which may be nil. One alone is allowed where the good end is not known.
local function reported_of(o, goes_back)
  local reported = type(o.reported) == "table" and o.reported or o.reported ~= nil and { true } or {}
  local good, bad = reported.good, reported.bad
  if next(reported) == nil or goes_back and bad == nil then return nil end
  if type(good) ~= "number" or type(bad) ~= "number" or good == bad then
    core.fail("usage", "sweep: the reported values of the two ends must be two different numbers",
      "Check --good-value and --bad-value.")
  end
  return { good = good, bad = bad }
end

--- `o`: the options of the sweep. `goes_back`: the good end is not known.
function Stops.new(o, goes_back)
  local keep_going = o.keep_going
  if keep_going == nil then keep_going = core.options and core.options.keep_going end
  local is_branch = o.known_ends == "branch"  -- of a line on which numbers were measured: any commit may fail
  return setmetatable({ kind = o.kind or "subject", reported = reported_of(o, goes_back),
    keep_going = keep_going or is_branch, known_ends = not is_branch and o.known_ends or nil }, Stops)
end

local function reason_of(entry) return failure.line(entry.message or entry.status) end

-- The file with the output of the command that failed, and its last lines; nil if there is none.
local function log_of(store, entry)
  local base = entry.status == "build_failed" and "BUILD" or "OUT"
  local files = values.only(store:output(entry.trial, { keep_bytes = TAIL_BYTES }), function(file)
    return file.name:find(base, 1, true) == 1 and file.bytes > 0
  end)
  local wanted = files[#files]
  if not wanted then return nil end
  local lines = values.matches(wanted.text, "[^\r\n]+")
  local folder = store:query("SELECT folder FROM trials WHERE id = ?", entry.trial)[1].folder
  return string.format("%s.out/%s/%s", store.path, folder, wanted.name),
    table.concat(lines, "\n", math.max(1, #lines - TAIL + 1))
end

-- What to do where the test names a file by a path that does not lead to it in the worktree.
local function elsewhere(text)
  local asked = core.options or {}
  for word in (asked.repo and type(asked.test) == "string" and asked.test or ""):gmatch "[%w_./-]+" do
    local name = word:find "^[^/-].*[./]" and word:gsub("%p", "%%%0")
    if name and (text:find(name .. ": not found") or text:find(name .. "'?: [^:\n]*No such file")) then
      return "The test runs in the worktree: pass a file that is elsewhere by its absolute path. "
    end
  end
  return ""
end

local function stop(why, hint, entry, store)
  local log, tail
  if entry then log, tail = log_of(store, entry) end
  return { why = why, hint = elsewhere(tail or "") .. hint, log = log, tail = tail }
end

-- What failed, by the status.
local WHAT = { build_failed = "the build", test_failed = "the test", crashed = "the test", timeout = "the test",
  oom = "the test", not_finite = "the test" }

-- What to do about failed runs, which are in the store and are not made again.
local function retry_hint(status, message)
  local has_option = core.options and core.options.keep_going ~= nil
  local go_on = (has_option and "pass --keep-going" or "set keep_going = true") .. " to continue anyway."
  if not WHAT[status] then return (go_on:gsub("^%l", string.upper)) end
  return string.format("%s %s and run again with --redo %s, or %s", (message or ""):find("(check --metric)", 1, true)
    and "Check --metric, or fix" or "Fix", WHAT[status], status, go_on)
end

-- A message without the last lines of the output, with which it may end.
local function without_output(message, tail)
  for line in tail:gmatch "[^\n]+" do
    local at = message:find(": " .. line, 1, true)
    if at then return message:sub(1, at - 1) end
  end
  return message
end

--- The message of a run that failed, with the last lines of its output, and where the whole output is.
function Stops.failed(store, trial, message)
  local log, tail = log_of(store, { trial = trial.id, status = trial.status })
  if tail then message = without_output(message, tail) .. "\n  " .. tail:gsub("\n", "\n  ") end
  return message, log and "The whole output: " .. log or ""
end

--- What is said of an end, "good" or "bad", that has no number. `entry`: trial (its id), status and message.
function Stops.untested(role, kind, label, entry, store)
  return stop(string.format("cannot %s the %s %s %s: %s", entry.status ~= "build_failed" and "test" or "build", role,
    kind, label, reason_of(entry)), retry_hint(entry.status, entry.message), entry, store)
end

-- The run of an end to speak of, one with a number if there is one; and all its numbers.
local function end_of(session, place)
  local results, _, runs = ends.numbers(session, place)
  return find(runs, function(run) return run.value end) or runs[#runs], results
end

-- Whether each run had this result, and so many did that it is not chance.
local function always(results, result, enough)
  return #results >= enough and not find(results, function(value) return value ~= result end)
end

-- Whether the ends are what the user says they are: checked until both were measured.
function Stops:ends(session)
  local first, firsts = end_of(session, 1)
  local last, lasts = end_of(session, #session.head)
  local to_fix, store = self.known_ends == "fails", session.run.store
  if first and not first.value and not self.keep_going then
    return Stops.untested(to_fix and "bad" or "good", self.kind, first.label, first, store)
  end
  if self.known_ends == "measured" then
    if first and last then self.known_ends = nil end
    return nil
  end
  local is_good = always(to_fix and lasts or firsts, 1, to_fix and 1 or ALIKE)
  if not is_good and not always(to_fix and firsts or lasts, 0, PASSES) then return nil end
  local entry, role = is_good == to_fix and last or first, is_good and "good" or "bad"
  return stop(string.format("the test %s at the %s %s %s", is_good and "fails" or "passes", role, self.kind,
    entry.label), string.format("Check --%s and the test.%s%s", role, is_good and "" or failure.by_time(),
    failure.by_chance()), entry, store)
end

-- Whether the build made the same at both ends.
function Stops:unchanged(session)
  if self.keep_going or session.head[#session.head] == 1 then return nil end
  local good, bad = end_of(session, 1), end_of(session, #session.head)
  if not good or not good.artifact or not bad or bad.artifact ~= good.artifact then return nil end
  return stop(string.format("the build made the same at %s and at %s: it did not take effect, or no commit changed it",
    good.label, bad.label), "Check that --build builds what --artifact names.")
end

function Stops:same_failure(asked, store)
  if self.keep_going or self.any_number or failure.alike(asked) < ALIKE then return nil end
  local last = asked[#asked]
  local what = WHAT[last.status]
  local found = stop(what and what .. " itself seems to fail: " .. reason_of(last) or reason_of(last),
    retry_hint(last.status, last.message), last, store)
  found.alike = map({ table.unpack(asked, #asked - ALIKE + 1) }, function(entry) return entry.label end)
  return found
end

-- The levels of the ends, and the standard error of their difference; nil where too few runs tell that. At the end of a
-- search with an answer, the error is its own: its changes have levels, and "no change" excludes half the report.
local function levels_of(session, low, high, ended)
  local lows, highs = ends.numbers(session, low), ends.numbers(session, high)
  if session.asking.kind == "exact" then return lows[1], highs[1], 0 end
  local found = ended and session.search:answer()
  local last = found and found.changes[#found.changes]
  if last then return found.changes[1].before, last.leave_hi and last.before or last.after, 0 end
  local noise, spare = require("lib/quieter").noise { lows, highs }
  if found then
    noise = found.verdict ~= "no_change" and (found.noise or noise) or 0
  elseif not noise or spare < 2 or spare < 4 and noise > 0 then
    return nil
  end
  local good, bad = median(lows), median(highs)
  return good, bad, MEDIAN * noise * math.sqrt(1 / #lows + 1 / #highs) * math.max(math.abs(good), math.abs(bad))
end

-- Whether the ends differ by half of what was reported, once that is clear or at the end. `looking`: the first look.
function Stops:reproduced(session, looking, ended)
  local reported, run = self.reported, session.run
  if not reported then return nil end
  local places = values.sorted(map(session.asked, function(entry) return entry.value and entry.place end))
  local low, high = places[1], places[#places]  -- the outermost ones with a number
  -- An end that fails is replaced by a subject near it, which the first look finds.
  local replaced = low ~= 1 or high ~= session.head[#session.head]
  if not low or low == high or replaced and looking then return nil end
  local good, bad, err = levels_of(session, low, high, ended)
  local size = math.abs(reported.bad - reported.good)
  local share = good and (bad - good) / (reported.bad - reported.good)
  if not good or math.abs(share - HALF) * size < CLEAR * err then return nil end
  self.reported = nil
  if share >= HALF then return nil end
  local before, after = numbers.pair({ before = good, after = bad }, run)
  local from, to = numbers.pair({ before = reported.good, after = reported.bad }, run)
  return stop(string.format("the ends do not reproduce the report: %s %s -> %s here, %s -> %s reported", run.metric,
    before, after, from, to),
    "Compare the machine, the driver, the clocks and the options with those of the report, "
      .. "or omit --good-value and --bad-value.")
end

--- How many runs of a round to make now: until there is a number, no more than show that all fail alike.
function Stops:room(asked, parallel)
  if self.keep_going or self.any_number then return math.huge end
  return math.max(1, math.max(ALIKE, parallel) - failure.alike(asked))
end

--- Why to stop now, as { why =, hint =, log =, tail =, alike = }; nil to go on. `looking`: whether the next round still
--- belongs to the first look; `ended`: there is none. Raises usage if the output has several numbers.
function Stops:check(session, looking, ended)
  local asked = session.asked
  self.any_number = self.any_number or find(asked, function(entry) return entry.value end) ~= nil
  local several = not self.any_number and find(asked, function(entry) return entry.needs_take end)
  if several then
    error({ kind = "usage", message = several.label .. ": " .. several.message, hint = Stops.TAKE }, 0)
  end
  return self.known_ends and self:ends(session) or self:same_failure(asked, session.run.store)
    or self:unchanged(session) or self:reproduced(session, looking, ended)
end

return Stops
