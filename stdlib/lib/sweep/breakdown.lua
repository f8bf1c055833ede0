-- Whether the machine or the test broke in mid-run: from some moment on everything fails. Several failures in a row of
-- subjects that ran before show it. Where new subjects fail alike, the last one that ran is run again: it fails too, or
-- they are broken themselves. In a search by pass and fail, the last subject that passed is run again before the answer
-- if the last runs failed. If something broke, the failures since then are discarded, and the run pauses.

local ends = require "lib/sweep/ends"
local failure = require "lib/failure"
local values = require "lib/values"

local map, only = values.map, values.only

local SEVERAL = 3  -- failures in a row
local PROBES = 2   -- runs of the last subject that ran: one may fail by chance

local Breakdown = {}
Breakdown.__index = Breakdown

function Breakdown.new() return setmetatable({ failed = {}, again = 0 }, Breakdown) end

local function time_of(entry) return reg.time.format(math.floor(entry.started), "%Y-%m-%d %H:%M UTC") end

-- Discards the failures, and ends the run.
local function pause(session, failed, message, hint)
  for _, entry in ipairs(failed) do
    session.run.store:set_aside(entry.trial, "discarded: the machine or the test broke")
  end
  error({ kind = "paused", message = "the machine or the test broke " .. message, hint = hint }, 0)
end

-- The same for runs without a number.
local function pause_at(self, session)
  local first, last = self.failed[1], self.failed[#self.failed]
  pause(session, self.failed, string.format("at %s: the %d runs since then failed, and %s ran before: %s",
    time_of(first), #self.failed, last.label, failure.line(last.message or last.status)),
    "Check that " .. last.label .. " runs.")
end

--- Notes a run that was made now. Ends the run of the sweep where it shows that something broke.
function Breakdown:note(session, entry)
  if entry.value then
    self.failed, self.again, self.good = {}, 0, entry.place
    return
  end
  self.failed[#self.failed + 1] = entry
  if #ends.numbers(session, entry.place) > 0 then self.again = self.again + 1 end
  if self.again >= SEVERAL and not session.run.keep_going then pause_at(self, session) end
end

--- After a round: runs the last subject that ran again if new ones fail alike. These runs are discarded.
function Breakdown:check(session)
  local alike, cause = failure.alike(self.failed)
  if alike < SEVERAL or not cause or cause == self.believed or not self.good or session.run.keep_going then return end
  for _ = 1, PROBES do
    if not session:has_room() then return end
    local entry = session:measure_again(self.good, "works", math.maxinteger)
    session.run.store:set_aside(entry.trial, "discarded: showed whether the test still works")
    if entry.value then
      self.believed = cause
      return
    end
  end
  pause_at(self, session)
end

-- The last run that passed, those that failed since then, and how many of these are of builds that had passed.
local function since_passed(session)
  local function build_of(entry) return session.head[entry.place] end
  local passes = only(session.asked, function(entry) return entry.value == 0 end)
  local last = values.sort_by(passes, function(entry) return entry.trial end)[#passes]
  local failed = only(last and session.asked or {}, function(entry)
    return entry.value == 1 and entry.trial > last.trial
  end)
  local passed = values.set(map(passes, build_of))
  return last, failed, #only(failed, function(entry) return passed[build_of(entry)] end)
end

--- In a search by pass and fail: whether the test still passes where it passed last, once that failed, or at the end
--- where others failed since. A test that fails by chance passes again. Whether it made runs, which the search knows.
function Breakdown:check_passes(session, ended)
  if self.passes_again then return false end
  local passed, failed, again = since_passed(session)
  if #failed == 0 or again >= SEVERAL or again == 0 and not (ended and session.asking.kind == "exact")
      or session.run.keep_going then
    return false
  end
  local made = false
  while again < SEVERAL and session:has_room() do
    local newest = math.max(table.unpack(map(session.asked, function(entry) return entry.trial end)))
    local entry = session:measure_again(passed.place, "works", newest)
    session:use { entry }
    made = true
    self.passes_again = entry.value == 0 and again > 0
    if entry.value ~= 1 then return made end
    again, failed[#failed + 1] = again + 1, entry
  end
  if again < SEVERAL then return made end
  pause(session, failed, string.format("after %s: %s passed then and fails now, so the %d failed runs since then are "
    .. "discarded", time_of(passed), passed.label, #failed),
    "Check that the test passes at " .. passed.label .. "." .. failure.by_chance())
end

return Breakdown
