-- Where the good end is not known: goes back from the bad end by 1, 2, 4, 8 ... until a subject is good: one that
-- passes, or whose number is nearer to the good value than to the bad end's. The session of the search measures them.

---@class sweep.Back
---@field id string of the good subject
---@field label string
---@field distance number from the bad end, in `unit`
---@field unit string "commit", "night", "hour" ...
---@field words string the distance in words: "32 commits"
---@field from string label of the bad end
---@field runs integer made on the way, which the search uses

local Queue = require "lib/sweep/queue"
local Stops = require "lib/sweep/stops"
local caught, median = require("lib/values").caught, require("lib/values").median
local numbers = require "lib/report/numbers"

local count, plain = numbers.count, numbers.plain

local BUDGET = 200     -- runs, as of a search
local SURE = 3         -- runs of a number with noise before a subject counts as good, and of the bad end
local MOST_SKIPPED = 3 -- subjects in a row that cannot be tested, before it goes on by doubling
local LONG_GAP = 32    -- nights without an image, before which there is none
local SAME = 0.01      -- a bad end that differs less from the good value is as good, without a minimum effect
local UNIT_S = { night = 86400, hour = 3600 }
local BEGINNING = { commit = "the root commit", night = "the oldest image", hour = "the first commit",
  image = "the oldest image" }
local OF_REGISTRY = { night = true, image = true }  -- someone would have to ask for every one

local Back = {}
Back.__index = Back

--- `line(n)`: the subjects from n units before the bad end up to it, oldest first, and true or a name for its beginning
--- if the first of them is the first of all; raises not_found beyond that. `o`: session (which has not begun), asking
--- (of bad_end alone), bad_end, id_of, label_of, kind, exact, good_value, min_effect, budget. Has `entries`, the runs.
function Back.new(line, o)
  local self = setmetatable(o, Back)
  self.line, self.entries, self.by_id, self.budget = line, {}, {}, o.budget or BUDGET
  self.run, self.passes, self.unit = o.session.run, o.session.passes, o.kind or "subject"
  o.session:begin { subjects = {}, ids = {}, labels = {}, asking = o.asking }
  return self
end

-- A subject that is tried, { place = in the session, values =, last = its last run }.
local function tried(self, subject)
  local session, id = self.session, self.id_of(subject)
  if not self.by_id[id] then
    local place = #session.ids + 1
    session.subjects[place], session.ids[place], session.labels[place] = subject, id, self.label_of(subject)
    session.head[place], session.queues[place] = place, Queue.of(self.run, subject, id)
    self.by_id[id] = { place = place, values = {} }
  end
  return self.by_id[id]
end

-- The median of up to SURE runs, as far as the budget goes; nil without a number. `wanted(value)`: whether it is worth
-- more than one.
local function level(self, subject, wanted)
  local seen = tried(self, subject)
  for _ = 1, (self.passes or self.exact) and 1 or SURE do
    if #self.entries >= self.budget then break end
    local first = self.entries[1]  -- of a cluster: all on one node, since nodes differ
    seen.last = self.session:measure_again(seen.place, "back", nil, first and first.node)
    table.insert(self.entries, seen.last)
    table.insert(seen.values, seen.last.value)
    if not seen.last.value or not wanted(median(seen.values)) then break end
  end
  return #seen.values > 0 and median(seen.values) or nil
end

local function is_good(self, value)
  if self.passes then return value == 0 end
  return math.abs(value - self.good_value) < math.abs(value - self.bad_value)
end

local function stop(self, why, hint) self.stopped = { why = why, hint = hint } end

-- How far the first of these subjects is from the last one, and in words: "32 commits".
local function distance(self, list)
  local first, last, unit = list[1], list[#list], UNIT_S[self.kind]
  if not unit then return #list - 1, count(#list - 1, self.unit) end
  local seconds = last.time - first.time
  if seconds % unit ~= 0 then return seconds / unit, reg.time.words(seconds) end
  return seconds // unit, count(math.tointeger(seconds // unit), self.unit)
end

local function start(self, bad)
  local label = self.label_of(bad)
  local value = level(self, bad, function() return true end)
  if not value then
    self.stopped = Stops.untested("bad", self.unit, label, self.by_id[self.id_of(bad)].last, self.run.store)
    return
  end
  self.bad_value = value
  local option = self.kind == "commit" and "--bad" or "--to"
  if self.passes and value == 0 then
    return stop(self, string.format("the test passes at the bad %s %s", self.unit, label),
      "Check " .. option .. " and the test.")
  end
  local good = self.good_value
  if not self.passes and (value == good or good ~= 0 and not self.exact
      and math.abs(value / good - 1) < (self.min_effect or SAME)) then
    stop(self, string.format("the bad %s %s is as good as --good-value: %s is %s, and %s was given", self.unit, label,
      self.run.metric, plain(value, self.run), plain(good, self.run)), "Check " .. option .. " and --good-value.")
  end
end

-- The subjects from n units back, and whether they begin with the first of all. `low`: how far back it was before.
local function reach(self, n, low)
  local list, ended = caught("not_found", self.line, n)
  if list then return list, ended end
  while n - low > 1 do  -- the beginning lies between them
    local middle = (low + n) // 2
    if pcall(self.line, middle) then low = middle else n = middle end
  end
  return self.line(low), true
end

-- What is said where nothing good is left to try.
local function nothing_good(self, list, ended)
  local first, _, words = list[1], distance(self, list)
  local at = string.format("%s (%s back)", self.label_of(first), words)
  local beginning = type(ended) == "string" and ended or BEGINNING[self.kind] or "the first one"
  local seen = self.by_id[self.id_of(first)]
  local how = #seen.values == 0 and "cannot be tested" or self.passes and "fails, too"
    or string.format("has %s, which is nearer to the bad end's %s than to %s", plain(median(seen.values), self.run),
      plain(self.bad_value, self.run), plain(self.good_value, self.run))
  stop(self, string.format("nothing good to go back to: %s is %s, and it %s", at, beginning, how),
    self.passes and "Check the test: it may fail for another reason in old versions."
      or "Check --good-value and the test.")
end

-- Whether the first of these subjects is good; nil where it has no number, or the budget is spent.
local function try(self, list)
  local id = self.id_of(list[1])
  if self.session.excluded[id] then
    self.by_id[id] = { values = {} }
    return nil
  end
  local value = level(self, list[1], function(value) return is_good(self, value) end)
  if not self.by_id[id].last then
    local _, words = distance(self, list)
    stop(self, string.format("the budget of %d runs is spent, %s back at %s", self.budget, words,
      self.label_of(list[1])), "Pass a larger --budget.")
  end
  return value and is_good(self, value)
end

--- Goes back. Returns the subjects of the search, from the good one on - or as far as it came, with `stopped` as a
--- session has it. Then `found` says how far it went.
function Back:go()
  local step, skipped, gap, reached = 1, 0, 0, 0  -- subjects that cannot be tested are passed over
  local subjects = { self.bad_end }
  start(self, self.bad_end)
  while not self.stopped do
    local list, ended = reach(self, step + skipped, reached)
    local is_new, good = not self.by_id[self.id_of(list[1])], nil
    reached, gap = step + skipped, is_new and 0 or gap + step - step // 2
    ended = ended or OF_REGISTRY[self.kind] and gap >= LONG_GAP
    if is_new then subjects, good = list, try(self, list) end
    if good then
      local steps, words = distance(self, list)
      local of, label = list[1], self.label_of(list[1])
      local day = type(of) == "table" and of.parents and tostring(of.date):match "^%d+-%d+-%d+"  -- of a commit
      self.found = { id = self.id_of(of), label = label .. (day and " " .. day or ""),
        distance = steps, unit = self.unit, words = words, from = self.label_of(list[#list]), runs = #self.entries }
      reg.log.info("good %s back: %s", words, self.found.label)
      break
    end
    if ended and not self.stopped then nothing_good(self, list, ended) end
    if is_new and good == nil and skipped < math.min(MOST_SKIPPED, step - 1) then
      skipped = skipped + 1
    else
      step, skipped = 2 * step, 0
    end
  end
  return subjects
end

return Back
