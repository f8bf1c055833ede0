-- The runs of both ends before a search: what they are and what is missing. Of a session or a minimization it uses
-- `asked`, the runs so far, `ends`, the places of both ends, `asking`, and build_at(place).

local direction = require "lib/direction"
local plain = require("lib/report/numbers").plain
local trials = require "lib/sweep/trial"
local values = require "lib/values"

local find, grouped, map, only = values.find, values.grouped, values.map, values.only

local ends = {}

--- The numbers of a place's build, whether a run of it failed, and its runs.
function ends.numbers(session, place)
  local build = session:build_at(place)
  local runs = only(session.asked, function(entry) return session:build_at(entry.place or entry.subset) == build end)
  local numbers = map(runs, function(entry) return entry.value end)
  return numbers, #numbers < #runs, runs
end

--- The next of up to `most` runs of each end, in alternation; none, and false, if one failed or not is_usable(numbers).
function ends.round(session, most, reason, is_usable)
  local round, fewest = {}, most
  for _, place in ipairs(session.ends) do
    local numbers, failed = ends.numbers(session, place)
    if failed or is_usable and not is_usable(numbers) then return {}, false end
    if #numbers < fewest then round, fewest = {}, #numbers end
    if #numbers == fewest and fewest < most and #round < (session.asking.parallel or 1) then
      round[#round + 1] = { place = place, reason = #numbers == 0 and "first_look" or reason, lo = place, hi = place,
        p = 0 }
    end
  end
  return round, true
end

-- Whether the numbers of a search have no noise: a size or a count where each end gives the same integer twice. Rounded
-- ones may do that by chance, so a build with a number of its own is run once more; one that differs shows noise.
local Exactness = {}
Exactness.__index = Exactness

--- `o`: of a sweep or a minimization. nil where numbers are known to have noise, or are passes and failures.
function Exactness.new(o)
  if o.flaky or o.passes or not o.metric or not (o.exact or direction.is_counted(o.metric)) then return nil end
  return setmetatable({ known = o.exact == true, told = o.exact == true }, Exactness)
end

local function is_steady(numbers)
  return not find(numbers, function(number) return number ~= numbers[1] or number % 1 ~= 0 end)
end

-- The first build with a number that a single run gave.
local function seen_once(session)
  local _, runs = grouped(session.asked, function(entry) return entry.value end)
  local once = find(session.asked, function(entry) return entry.place and entry.value and #runs[entry.value] == 1 end)
  return { once and { place = once.place, reason = "exact", lo = once.place, hi = once.place, p = 0 } }
end

--- The ends, each twice, and in a search what was seen once; none once it is known whether the numbers are exact.
function Exactness:ask(session)
  if self.known then return not self.told and session.asking.kind == "exact" and seen_once(session) or {} end
  local round, steady = ends.round(session, 2, "exact", is_steady)
  if #round > 0 then return round end
  self.known = true
  if steady then session:search_for "exact" end
  return round
end

-- The numbers of a build: those that the search knows, and others in the store.
local function all_numbers(session, entry)
  local place = entry.place or entry.subset
  local numbers = ends.numbers(session, place)
  for _, trial in ipairs(session:queue_of(place):stored()) do
    numbers[#numbers + 1] = trials.value(trial, session.run.metric)
  end
  return numbers
end

--- Of new entries: goes on with a search for numbers with noise where one build gave two numbers.
function Exactness.check(session, entries)
  if session.asking.kind ~= "exact" then return end
  for _, entry in ipairs(entries) do
    local numbers = entry.value and all_numbers(session, entry) or {}
    local other = find(numbers, function(number) return number ~= entry.value end)
    if other then
      reg.log.warn("%s gave %s and %s: the numbers are not exact, so the search repeats runs", entry.label,
        plain(entry.value), plain(other))
      return session:search_for "noisy"
    end
  end
end

ends.Exactness = Exactness
return ends
