-- The run of a sweep: asks the search, measures what it wants, tells it, and looks at the reference now and then.

local Queue = require "lib/sweep/queue"
local phase = require "lib/sweep/phase"
local question = require "lib/sweep/question"
local reasons = require "lib/sweep/reasons"
local trials = require "lib/sweep/trial"

local Session = {}
Session.__index = Session

-- Which places are one build: the first of them for each.
local function heads(asking)
  local head = {}
  for i = 1, asking.n do
    local same = i > 1 and asking.builds and asking.builds[i] == asking.builds[i - 1]
    head[i] = same and head[i - 1] or i
  end
  return head
end

-- `o`: asking (the question), subjects, ids, labels, keys(i), store, redo, prepare, run (options of trial.run but the key),
-- metric, progress, expected, reference (or nil).
function Session.new(o)
  local self = setmetatable(o, Session)
  self.head, self.queues, self.asked, self.measured, self.reused = heads(o.asking), {}, {}, 0, 0
  self.search = core.nouns.search.new(o.asking)
  return self
end

function Session:queue_of(place)
  local head = self.head[place]
  if not self.queues[head] then
    local keys, i = {}, head
    while self.head[i] == head do
      keys[#keys + 1] = self.key(i)
      i = i + 1
    end
    self.queues[head] = Queue.new(self.store, keys, self.redo, self.prepare, self.run.suspicion)
  end
  return self.queues[head]
end

local function tell(search, entry)
  if entry.value then search:tell(entry.place, entry.value) else search:fail(entry.place, question.failure(entry.status)) end
end

function Session:say(entry)
  local known = self.measured + self.reused
  self.expected = math.max(self.expected, known)  -- an estimate: there may be more changes
  self.progress:update { done = known, total = self.expected, subject = entry.label, value = entry.value,
    note = not entry.value and entry.status or entry.suspect and "suspect: " .. entry.suspect[1] or nil }
end

function Session:measure(request)
  local place, label = request.place, self.labels[request.place]
  local why = reasons(request, function(i) return self.labels[i] end)
  local _ <close> = phase("subject", label)
  self.progress:update { subject = label }
  if core.options and core.options.explain then reg.log.info("%s: %s", label, why) end
  local call = setmetatable({ id = self.ids[place], key = self.key(place) }, { __index = self.run })
  local trial, fresh = self:queue_of(place):take(self.subjects[place], call)
  if fresh then self.measured = self.measured + 1 else self.reused = self.reused + 1 end
  local suspect = trial.info.suspect and trial.info.suspect.why
  local entry = { place = place, id = call.id, label = label, reason = request.reason, lo = request.lo, hi = request.hi,
    p = request.p, why = why, status = trial.status, message = trial.message, value = trials.value(trial, self.metric),
    trial = trial.id, started = trial.started, reused = not fresh, suspect = suspect }
  self:say(entry)
  return entry
end

-- Whether every run of the round is in the store.
function Session:known(round)
  for _, request in ipairs(round) do
    if self:queue_of(request.place):empty() then return false end
  end
  return true
end

-- The machine moved: the trials since it was last known not to have are told to nobody, now or later.
function Session:set_aside(why, reference_trials)
  local search, rest, aside = core.nouns.search.new(self.asking), {}, {}
  local message = "set aside: " .. why
  for _, entry in ipairs(self.asked) do
    if entry.started >= self.reference.last_good then
      aside[#aside + 1] = entry
      self.store:set_aside(entry.trial, message)
    else
      rest[#rest + 1] = entry
      tell(search, entry)
    end
  end
  for _, trial in ipairs(reference_trials) do self.store:set_aside(trial.id, message) end
  self.search, self.asked, self.aside = search, rest, aside
  self.moved = string.format("%s; %d runs since then are set aside", why, #aside)
end

-- True where the machine moved.
function Session:check_reference()
  local why, reference_trials = self.reference:check(self.search:answer().noise)
  if why then self:set_aside(why, reference_trials) end
  return why ~= nil
end

function Session:go()
  local round = self.search:ask()
  while #round > 0 do
    if self.reference and self.reference:due() and not self:known(round) and self:check_reference() then return end
    local before = self.measured
    local entries = question.run(round, function(request) return self:measure(request) end)
    for _, entry in ipairs(entries) do
      self.asked[#self.asked + 1] = entry
      tell(self.search, entry)
    end
    if self.reference then self.reference:count(self.measured - before) end
    round = self.search:ask()
    if #round == 0 and self.reference and self.reference.since > 0 and self:check_reference() then return end
  end
end

return Session
