-- The run of a sweep: asks the search what to measure, measures it, tells it, runs the good end again, and stops.

local Breakdown = require "lib/sweep/breakdown"
local Queue = require "lib/sweep/queue"
local coverage = require "lib/report/coverage"
local direction = require "lib/direction"
local ends = require "lib/sweep/ends"
local investigation = require "lib/sweep/investigation"
local values = require "lib/values"
local question = require "lib/sweep/question"
local tracing = require "lib/tracing"
local trials = require "lib/sweep/trial"

local find, merged = values.find, values.merged

-- Rounds of the ends before the search, at most, while it is not clear whether they reproduce the report.
local REPORT_ROUNDS = 6
-- With several runs at a time: rounds that are needed whatever the others tell, so that none waits for the slowest.
local ROUNDS_AHEAD = 4
local IS_AHEAD = { first_look = true, round = true }
local DEAR_RUNS = 4  -- of a flaky test for each build that takes longer than 4 runs

local Session = {}
Session.__index = Session

--- `o`: excluded (ids of subjects that are not to be run), run (see Queue.new), passes (it is by pass and fail), stops;
--- and perhaps keep_images, try_skipped, exactness, good_end, and spent, { runs = how many, trials = their ids } of the
--- budget, which it adds to: what a search around this one has measured counts.
function Session.new(o)
  local self = setmetatable(o, Session)
  self.asked, self.measured, self.reused = {}, 0, 0
  self.spent = self.spent or { runs = 0, trials = {} }
  self.elsewhere = 0    -- runs that were made on another machine
  self.discarded = {}   -- runs that the answer does not rest on
  self.since = 0        -- the trial after which those that count were made
  self.sides = {}       -- of changes, to be measured again
  return self
end

--- Takes the line to search: `subjects`, `ids`, `labels`, `keys`, `asking`, the question, and perhaps the `outlook`.
function Session:begin(line)
  for name, value in pairs(line) do self[name] = value end
  line.asking.ahead = (line.asking.parallel or 1) > 1 and ROUNDS_AHEAD or nil
  self.ends, self.head, self.queues = { 1, line.asking.n }, question.heads(line.asking), {}
  self.breakdown = Breakdown.new()
  self.search = self:new_search(line.asking)
end

--- A search that knows which subjects are excluded.
function Session:new_search(asking)
  local search = core.nouns.search.new(asking)
  for place, id in ipairs(self.ids) do
    if self.excluded[id] then search:fail(place, question.failure "excluded") end
  end
  return search
end

--- The first place of its build.
function Session:build_at(place) return self.head[place] end

function Session:queue_of(place)
  local head = self.head[place]
  self.queues[head] = self.queues[head] or Queue.new(self.run, self.keys, head, self.head)
  return self.queues[head]
end

-- Whether a run of a flaky test is repeated at once, as it took a build. Of numbers the search makes runs together.
local function is_dear(self, trial)
  return self.asking.kind == "flaky" and trial.status == "ok"
    and (trial.info.build_s or 0) > DEAR_RUNS * (trial.wall_s or math.huge)
end

--- Measures a place, or takes its stored trial if it was made after the trial `since`. Returns an entry of `asked`.
function Session:measure(request, since)
  local place, label = request.place, self.labels[request.place]
  local why = question.reason(request, self.labels)
  local _ <close> = tracing.phase("subject", label)
  self.progress:update { subject = label }
  if core.options and core.options.explain then reg.log.info("%s: %s", label, why) end
  local began = core.seconds()
  local queue = self:queue_of(place)
  local trial, fresh = queue:take(place, since or self.since, request.node)
  if fresh and self.outlook then self.outlook.times:add(trial, core.seconds() - began) end
  if self.good_end then self.good_end:note(trial) end
  if fresh then self.measured = self.measured + 1 else self.reused = self.reused + 1 end
  if not self.spent.trials[trial.id] then
    self.spent.runs, self.spent.trials[trial.id] = self.spent.runs + 1, true
    if not fresh then self.stored_runs = investigation.add_stored(self.stored_runs, self.run, trial) end
  end
  local entry, here = trials.entry(trial, trials.value(trial, self.run.metric)), queue:machine(place)
  if entry.artifact and entry.value then
    self.run.artifacts[entry.artifact] = self.run.artifacts[entry.artifact] or trial
  end
  local machine = fresh and here or trial.key:match "[^@]*$"
  if machine ~= here then self.elsewhere = self.elsewhere + 1 end
  for _, name in ipairs { "place", "reason", "lo", "hi", "p" } do entry[name] = request[name] end
  entry.id, entry.label, entry.why, entry.reused = self.ids[place], label, why, not fresh
  entry.machine, entry.dear = self.run.any_machine and machine or nil, is_dear(self, trial) or nil
  entry.cause = trial.status ~= "ok" and not trial.info.unprepared
    and question.cause(self, trial.status, trial.message) or nil
  self.progress:update { done = self.measured + self.reused, subject = label,
    note = Queue.shown(entry, self.run, self.passes) }
  if self.nodes then self.nodes:note(self, entry, request.node) end
  if fresh and not entry.unplaced then self.breakdown:note(self, entry) end
  return entry
end

--- Measures a place that the search did not ask for, as Session:measure does; `node`: of a cluster, where, or nil.
function Session:measure_again(place, reason, since, node)
  node = node or self.nodes and self.nodes:one(self)
  return self:measure({ place = place, reason = reason, lo = place, hi = place, p = 0, node = node }, since)
end

--- The stored trial of a request; nil if it must be run.
function Session:stored(request) return self:queue_of(request.place):next(self.since, request.node) end

local function runs_left(self) return (self.asking.budget or math.huge) - self.spent.runs end

--- Whether the budget allows for one more run.
function Session:has_room() return runs_left(self) > 0 end

-- A subject that passed and failed: the test is flaky. Where everything fails from some moment on, it broke instead.
local function note_chance(self, entry)
  local before = ends.numbers(self, entry.place)[1]
  if before and entry.value and before ~= entry.value then self.mixed = self.mixed or entry.label end
  if not self.mixed or entry.value ~= 0 or self.asking.kind == "flaky" then return end
  self.asking.kind, self.by_chance = "flaky", self.mixed
  reg.log.info("%s passed and failed: the test fails by chance. The search goes on with failure rates.", self.mixed)
end

--- Adds entries to those that the search knows.
function Session:use(entries)
  for _, entry in ipairs(entries) do
    if entry.unplaced then
      self:leave_out { entry }
    else
      self.asked[#self.asked + 1] = entry
      if entry.reason ~= "node" then question.tell(self.search, entry) end
      self.nodes = self.nodes or entry.node and require("lib/cluster/nodes").new()
    end
  end
  if self.nodes and self.nodes:update(self) then return end  -- which started the search again
  for _, entry in ipairs(self.asking.chance and entries or {}) do note_chance(self, entry) end
end

--- Keeps entries for the record only.
function Session:leave_out(entries) table.move(entries, 1, #entries, #self.discarded + 1, self.discarded) end

--- Starts a search that knows only the runs for which is_used(entry). Returns the others.
function Session:restart(is_used)
  local used, others, asking = {}, {}, merged(self.asking)
  for _, entry in ipairs(self.asked) do table.insert(is_used(entry) and used or others, entry) end
  self:leave_out(others)
  asking.budget = asking.budget and asking.budget - #self.discarded
  self.search, self.asked = self:new_search(asking), {}
  self:use(used)
  return others
end

--- Goes on with a search of another kind, which knows all runs.
function Session:search_for(kind)
  self.asking.kind = kind
  self:restart(function() return true end)
end

-- Both sides of each change, as requests.
local function sides_of(found)
  local sides = {}
  local function add(place, change)
    local side = { place = place, reason = "moved", lo = change.lo, hi = change.hi, p = change.p }
    sides[#sides + 1] = change.p > 0.5 and side or nil
  end
  question.each_side(values.flat { found.changes, found.doubts }, add)
  return values.unique(sides, function(side) return side.place end)
end

--- The machine changed before the trial `first`: starts a search with what was measured from then on and with `made`,
--- new entries. It begins with the sides of what the search had found. Returns how many runs it does not use.
function Session:start_again(first, made, found)
  table.move(made, 1, #made, #self.asked + 1, self.asked)
  self.since, self.sides = first - 1, sides_of(found)
  return #self:restart(function(entry) return entry.trial >= first end)
end

-- The ends before the search, while it is not clear whether they reproduce the report.
local function compare_ends(self)
  local wanted = self.stops.reported and not self.compared and self.asking.kind == "noisy" and self.head[#self.head] > 1
  local round = wanted and ends.round(self, REPORT_ROUNDS, "ends") or {}
  self.compared = #round == 0
  return round
end

--- The number that has much less noise than the wall time that is compared (lib/quieter); nil for none.
function Session:quieter()
  local metric = self.run.config.metric
  if not (metric and direction.is_wall_time(metric)) or self.asking.kind ~= "noisy" then return nil end
  local builds = values.grouped(self.asked, function(entry) return entry.value and self.head[entry.place] end)
  values.sort_by(builds, function(runs) return runs[1].place end)
  return require("lib/quieter").of(builds, 1, #builds)
end

-- Says so once, when an end was run.
local function advise(self, place)
  local head = self.head[place]
  if self.advised or head ~= 1 and head ~= self.head[#self.head] then return end
  self.advised = self:quieter()
  if self.advised then reg.log.info("%s", coverage.quieter(self.advised, self.run.metric)) end
end

--- What to measure next: sides of changes, or what the search asks for, which does not know of runs that are left out.
function Session:ask()
  local nodes = self.nodes
  local round = nodes and nodes:compare(self) or {}
  local links = #round
  if links == 0 and self.exactness then round = self.exactness:ask(self) end
  if #round == 0 then round = compare_ends(self) end
  for _, side in ipairs(#round == 0 and self.sides or {}) do
    local numbers, failed = ends.numbers(self, side.place)
    if #round < (self.asking.parallel or 1) and #numbers == 0 and not failed then round[#round + 1] = side end
  end
  if #round == 0 then round = self.search:ask() end
  if #round == 0 and nodes then round = nodes:confirm(self) end
  if links > 0 and not (self.exactness or self.stops.reported or #self.sides > 0) then
    for _, one in ipairs(self.search:ask()) do round[#round + 1] = IS_AHEAD[one.reason] and one or nil end
  end
  if nodes then nodes:pin(self, round) end
  return table.move(round, 1, math.min(#round, runs_left(self)), 1, {})
end

--- Tells the search what was measured on the way back to a good end (lib/sweep/back_to_good).
function Session:take_over(back)
  self.back, self.stopped = back, back.stopped
  for _, entry in ipairs(back.entries) do
    local _, place = find(self.ids, function(id) return id == entry.id end)
    if place then
      entry.place, entry.lo, entry.hi = place, place, place
      self:queue_of(place):took(entry.trial)
      self:use { entry }
    end
  end
end

function Session:go()
  if self.stopped then return end
  local round = self:ask()
  if core.options and core.options.same_node then round = { round[1] } end
  while #round > 0 do
    local now = table.move(round, 1, math.min(#round, self.stops:room(self.asked, self.asking.parallel or 1)), 1, {})
    if self.outlook then self.outlook:show(self, now) end
    local function measure(request) return self:measure(request) end
    local entries = #now == 1 and { measure(now[1]) }
      or reg.parallel(now, measure, { at_most = self.asking.parallel or #now })
    for _ = 2, entries[1].dear and #now == 1 and math.min(DEAR_RUNS, runs_left(self) + 1) or 0 do
      entries[#entries + 1] = self:measure(now[1])
    end
    self:use(entries)
    advise(self, now[1].place)
    self.breakdown:check(self)
    if self.exactness then self.exactness.check(self, entries) end
    round = self:ask()
    if self.asking.chance and self.breakdown:check_passes(self, #round == 0) then round = self:ask() end
    self.stopped = self.stops:check(self, #round > 0 and round[1].reason == "first_look", #round == 0)
    if self.stopped then return end
    if self.keep_images then require "lib/sweep/keep_images"(self, round) end
    if self.outlook and #round == 0 then self.outlook:show(self, round) end
    if self.good_end and self.asking.kind == "noisy" then round = self.good_end:before(self, round) end
  end
end

return Session
