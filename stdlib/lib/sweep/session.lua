-- The run of a sweep: asks the search what to measure, measures it, tells the search, now and then checks the
-- reference, and stops where going on makes no sense.

local Ahead = require "lib/sweep/ahead"
local Queue = require "lib/sweep/queue"
local keep_images = require "lib/sweep/keep_images"
local phase = require "lib/sweep/phase"
local question = require "lib/sweep/question"
local reasons = require "lib/sweep/reasons"
local trials = require "lib/sweep/trial"

local Session = {}
Session.__index = Session

-- The first place of each place's build: neighbours of one build are measured once.
local function heads(asking)
  local head = {}
  for i = 1, asking.n do
    local same = i > 1 and asking.builds and asking.builds[i] == asking.builds[i - 1]
    head[i] = same and head[i - 1] or i
  end
  return head
end

--- `o`: asking (the question), subjects, ids and labels by place, keys (lib/identity/keys), run (what all trials share,
--- see Queue.new), progress, expected (number of runs), stops, reference, which may be nil, and overlap.
function Session.new(o)
  local self = setmetatable(o, Session)
  self.head, self.queues, self.asked, self.measured, self.reused = heads(o.asking), {}, {}, 0, 0
  self.elsewhere = 0  -- runs that were made on another machine
  self.search = core.nouns.search.new(o.asking)
  self.ahead = o.overlap and o.run.prepare and Ahead.new(self) or nil
  return self
end

function Session:queue_of(place)
  local head = self.head[place]
  if not self.queues[head] then
    self.queues[head] = Queue.new(self.run, function()
      local keys, i = {}, head
      while self.head[i] == head do
        table.move(self.keys:of(i), 1, #self.keys:of(i), #keys + 1, keys)
        i = i + 1
      end
      return keys
    end, self.keys.rehearsed[head])
  end
  return self.queues[head]
end

local tell = question.tell

function Session:show(entry)
  local finished = self.measured + self.reused
  self.expected = math.max(self.expected, finished)  -- an estimate: there may be more changes
  self.progress:update { done = finished, total = self.expected, subject = entry.label, value = entry.value,
    note = not entry.value and entry.status or entry.suspect and "suspect: " .. entry.suspect[1] or nil }
end

function Session:measure(request)
  local place, label = request.place, self.labels[request.place]
  local why = reasons(request, function(i) return self.labels[i] end)
  local _ <close> = phase("subject", label)
  self.progress:update { subject = label }
  if core.options and core.options.explain then reg.log.info("%s: %s", label, why) end
  local trial, fresh = self:queue_of(place):take(self.subjects[place], self.ids[place], self.keys:of(place)[1])
  if fresh then self.measured = self.measured + 1 else self.reused = self.reused + 1 end
  local artifact, artifacts = trial.info.artifact, self.run.artifacts
  if artifact and trial.status == "ok" then artifacts[artifact] = artifacts[artifact] or trial end
  if not fresh and trial.key:match "[^@]*$" ~= self.keys:machine(place) then self.elsewhere = self.elsewhere + 1 end
  local entry = { place = place, id = self.ids[place], label = label, reason = request.reason, lo = request.lo,
    hi = request.hi, p = request.p, why = why, status = trial.status, message = trial.message,
    value = trials.value(trial, self.run.metric), trial = trial.id, started = trial.started, reused = not fresh,
    suspect = trial.info.suspect and trial.info.suspect.why, needs_take = trial.info.needs_take,
    artifact = artifact, same_as = trial.info.same_as, loaded = trial.info.loaded,
    installed = trial.info.installed }
  self:show(entry)
  return entry
end

-- Whether the store has every run of the round.
function Session:has_stored(round)
  for _, request in ipairs(round) do
    if self:queue_of(request.place):empty() then return false end
  end
  return true
end

-- The machine changed: discards the trials made since the reference last agreed, and starts a search without them.
function Session:discard(why, reference_trials)
  local search, rest, discarded = core.nouns.search.new(self.asking), {}, {}
  local message = "discarded: " .. why
  for _, entry in ipairs(self.asked) do
    if entry.started >= self.reference.last_good then
      discarded[#discarded + 1] = entry
      self.run.store:set_aside(entry.trial, message)
    else
      rest[#rest + 1] = entry
      tell(search, entry)
    end
  end
  for _, trial in ipairs(reference_trials) do self.run.store:set_aside(trial.id, message) end
  self.search, self.asked, self.discarded = search, rest, discarded
  self.moved = string.format("%s; the %d runs since then are discarded", why, #discarded)
end

-- True if the machine changed.
function Session:check_reference()
  local why, reference_trials = self.reference:check(self.search:answer().noise)
  if why then self:discard(why, reference_trials) end
  return why ~= nil
end

function Session:go()
  local round = self.search:ask()
  local ahead <close> = self.ahead
  while #round > 0 do
    local reference = self.reference
    if reference and reference:due() and not self:has_stored(round) and self:check_reference() then return end
    local before = self.measured
    local now = table.move(round, 1, math.min(#round, self.stops:room(self.asked)), 1, {})
    if ahead and not self:has_stored(now) then ahead:begin(now) end
    local entries = question.run(now, function(request) return self:measure(request) end)
    for _, entry in ipairs(entries) do
      self.asked[#self.asked + 1] = entry
      tell(self.search, entry)
    end
    if reference then reference:count(self.measured - before) end
    round = self.search:ask()
    self.stopped = self.stops:check(self, #round > 0 and round[1].reason == "first_look")
    if self.stopped then return end
    if self.keep_images then keep_images(self, round) end
    if #round == 0 and reference and reference.since > 0 and self:check_reference() then return end
  end
end

return Session
