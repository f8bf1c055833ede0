-- What a search says of itself while it runs: about how many runs it takes, the best answer so far and the time left.

local ends = require "lib/sweep/ends"
local numbers = require "lib/report/numbers"
local question = require "lib/sweep/question"
local values = require "lib/values"

local find, largest_of, map, median, sum = values.find, reg.largest, values.map, values.median, values.sum

local SAME = { "repo", "image", "test", "commands" }  -- the options that say what is run
local PATHS = "'$." .. table.concat(SAME, "', '$.") .. "'"
local MOST = 200                                      -- trials that it looks back
local OWN = 3                                         -- own trials from which on only these count
local LEAST_S = 0.5                                   -- a shorter build or pull had nothing to do
local LIKELY = 0.5  -- probability of a change that is worth a word
local SHARE = 0.02  -- of the time, which the estimates take at most

local FEW = 16     -- builds that are measured several times, each of them
local EACH = 3     -- these times
local NAMING = 8   -- runs that name a change among more builds that are all measured
local CONFIRM = 3  -- runs more of a change that may be chance
local UNCHANGED = { noisy = 10, flaky = 19 }  -- runs that show that nothing changed, at an ordinary noise
local SPLIT = { noisy = 1, flaky = 7 }        -- runs that halve the stretch in which a change is

-- How long runs, builds and pulls take, as those of earlier trials and of this sweep did.
local Times = {}
Times.__index = Times

-- Trials of investigations with the same options SAME, as a JSON object; of those of the same script if there are none.
local EARLIER <const> = ([[SELECT t.ended - t.started AS s, t.wall_s, json_extract(t.info, '$.build_s') AS build_s,
  json_extract(t.info, '$.prepare_s') AS prepare_s
  FROM trials t JOIN subjects s ON s.id = t.subject JOIN investigations i ON i.id = t.investigation
  WHERE t.status = 'ok' AND t.ended IS NOT NULL AND s.kind = ?1 AND (?2 <> '{}' OR i.script = ?3)
    AND CASE WHEN json_valid(i.options) THEN json_extract(i.options, %s) = json_extract(?2, %s) END
  ORDER BY t.id DESC LIMIT %d]]):format(PATHS, PATHS, MOST)

local function add(lists, row)
  local build_s, prepare_s = row.build_s or 0, row.prepare_s or 0
  -- In older stores, a build may have been outside of its trial.
  table.insert(lists.run, math.max(row.s - build_s, row.wall_s or 0))
  if build_s >= LEAST_S then table.insert(lists.build, build_s) end
  if prepare_s >= LEAST_S then table.insert(lists.pull, prepare_s) end
end

local function typical(list) return median(table.move(list, math.max(1, #list - MOST + 1), #list, 1, {})) end

local function lists() return { run = {}, build = {}, pull = {} } end

--- Those of earlier trials in `store`, or none, of subjects of this kind. `options`: of the script: they say what runs.
function Times.new(store, kind, options)
  local self = setmetatable({ earlier = lists(), own = lists() }, Times)
  if not store then return self end
  local asked = reg.json.encode(values.picked(options or {}, SAME))
  for _, row in ipairs(store:query(EARLIER, kind or "", asked, core.settings().title or "")) do
    add(self.earlier, row)
  end
  return self
end

--- Adds a trial of this sweep, which took that long with what came before it.
function Times:add(trial, seconds)
  if trial.status ~= "ok" then return end
  local prepare_s = trial.info.prepare_s
  add(self.own, { s = seconds - (prepare_s or 0), wall_s = trial.wall_s, build_s = trial.info.build_s,
    prepare_s = prepare_s })
end

--- How many earlier trials there are.
function Times:known() return #self.earlier.run end

-- What `runs` more runs take, as parts { n =, name =, each = seconds }: as many of them build or pull as did before.
local function parts_of(self, runs)
  local from = #self.own.run < OWN and #self.earlier.run > 0 and self.earlier or self.own
  return map({ "run", "build", "pull" }, function(name)
    local n = #from[name] > 0 and math.ceil(runs * #from[name] / #from.run) or 0
    return n > 0 and { n = n, name = name, each = typical(from[name]) } or nil
  end)
end

--- How long that takes, in seconds; nil where nothing tells.
function Times:seconds(runs)
  local parts = parts_of(self, runs)
  return #parts > 0 and sum(parts, function(part) return part.n * part.each end) or nil
end

--- "13 runs of 12 s, about 7 builds of 30 s".
function Times:words(runs)
  return table.concat(map(parts_of(self, runs), function(part)
    local each = part.each < 60 and string.format("%.2g s", part.each) or reg.time.words(part.each)
    return (part.name ~= "run" and "about " or "") .. numbers.count(part.n, part.name) .. " of " .. each
  end), ", ")
end

local Outlook = {}
Outlook.__index = Outlook

--- About how many runs the search takes if nothing changed, and for one change of an ordinary size and noise.
function Outlook.expected_runs(asking)
  local _, builds = question.heads(asking)
  local exact, noisy, first = asking.kind == "exact", asking.kind == "noisy", asking.first_look or 0
  local check = noisy and builds > 1 and 1 or 0  -- of the good end
  local splits = builds > 2 and math.ceil(math.log(builds - 1, 2)) or 0
  local unchanged, one
  if noisy and builds <= FEW then
    unchanged = EACH * builds + check
    one = unchanged
  elseif first >= asking.n and builds > FEW then
    unchanged = builds + check
    one = exact and unchanged or unchanged + NAMING
  else
    unchanged = math.max(UNCHANGED[asking.kind] or math.min(builds, 2), math.min(builds, first))
    one = unchanged + splits * (SPLIT[asking.kind] or 1) + (asking.chance and splits > 0 and CONFIRM or 0)
  end
  local budget = asking.budget or math.huge
  return math.min(unchanged, budget), math.min(one, budget)
end

--- `o`: the options of the sweep. Has the `times` of its runs.
function Outlook.new(o, store)
  return setmetatable({ times = Times.new(store, o.kind, core.options), thing = o.kind or "subject", due = 0 }, Outlook)
end

-- The runs that both sides of a change still need, where a failure may be chance.
local function to_confirm(session, change)
  local function left(place, value) return math.max(0, (value == 1 and 3 or 2) - #ends.numbers(session, place)) end
  return left(change.lo, change.before) + left(change.hi, change.after)
end

-- The changes, or the stretch that probably holds one, about how many more runs it takes, how many changes
-- to find, and how many runs more the search makes at most.
local function changes_of(session)
  local found = session.search:answer()
  local changes, doubts = found.changes, found.doubts
  local naming = sum(changes, function(change) return change.runs_to_name or 0 end)
  local confirming = not session.asking.chance and 0 or sum(changes, function(one) return to_confirm(session, one) end)
  local doubtful = sum(doubts, function(doubt) return doubt.p end)
  local edges = #changes + math.floor(doubtful + 0.5)
  if #changes == 0 and doubtful > LIKELY then
    changes = { { lo = doubts[1].lo, hi = doubts[#doubts].hi, likely = true } }
  end
  return changes, math.max(found.runs_to_resolve, naming) + confirming, edges, found.budget - found.runs
end

-- "at 2024-03-11", or "within 5 nights".
local function where(self, session, change)
  local n = change.hi - change.lo
  return n == 1 and "at " .. session.labels[change.hi] or "within " .. numbers.count(n, self.thing)
end

local function words_of(self, session, changes)
  local largest = largest_of { changes = changes }
  if not largest then return "no change yet" end
  if largest.likely then return "probably a change " .. where(self, session, largest) end
  local of = setmetatable({ flaky = session.asking.kind == "flaky" }, { __index = session.run })
  local what = session.passes and (largest.after > largest.before and "breaks" or "passes again")
    or numbers.effect(largest, of) or "a change"
  local one = what .. " " .. where(self, session, largest)
  if #changes == 1 then return one end
  return ("%s%s %s"):format(numbers.count(#changes, "change"), session.passes and "," or ", the largest", one)
end

-- What the runs so far say of the rest. `looking`: the first look goes on, and the noise is not known yet.
local function revise(self, session, done, looking)
  local used, changes, more, edges, left = #session.asked, changes_of(session)
  local unchanged, one = Outlook.expected_runs(session.asking)
  if looking then more = one - used end
  if not looking and (edges == 0 or session.asking.kind ~= "exact") then
    more = math.max(more, unchanged + edges * (one - unchanged) - used)
  end
  self.total = done + math.max(1, math.min(math.ceil(more), left, (session.asking.budget or math.huge) - done))
  self.best = used > 1 and words_of(self, session, changes) or nil
end

--- Shows what is expected of the rest, before runs that are not in the store; none: the good end is run again, which is
--- the last run. An estimate that takes long is not made for each of many short runs.
function Outlook:show(session, round)
  if #round > 0 and not find(round, function(request) return not session:stored(request) end) then return end
  local began, done, parallel = core.seconds(), session.measured + session.reused, session.asking.parallel or 1
  if #round == 0 then
    self.total = done + 1
  elseif began >= self.due then
    revise(self, session, done, round[1].reason == "first_look")
    self.due = core.seconds() + (core.seconds() - began) / SHARE
  end
  local total = math.max(done, self.total)
  local seconds = self.times:seconds(math.max(total - done, 1))
  session.progress:update { total = total, best = self.best, running = math.max(#round, 1),
    left = seconds and seconds / parallel, left_now = seconds and self.times:seconds(1) }
end

Outlook.Times = Times
return Outlook
