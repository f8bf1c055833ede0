-- The trials of one build, whichever of its subjects they were made for: the stored ones first, oldest first, then new
-- ones. And what becomes of trials whose numbers are in doubt.

---@class sweep.Suspect
---@field trials integer runs in `asked` that are suspect
---@field of integer runs in `asked`
---@field set_aside integer suspect trials that were discarded and run again
---@field in_vain boolean running again did not help several times, and was given up
---@field why string[] "SW thermal slowdown", "foreign GPU process", ...

local names = require "lib/report/names"
local numbers = require "lib/report/numbers"
local trials = require "lib/sweep/trial"
local values = require "lib/values"

local find, map, sorted_names = values.find, values.map, values.sorted_names

-- A trial that is still "running" was cut short by an error in this very script.
local UNUSABLE = { running = true, interrupted = true, set_aside = true }

local IN_A_ROW = 3    -- subjects that cannot be prepared
local EXTRA_RUNS = 2  -- of one measurement that stays suspect
local IN_VAIN = 3     -- measurements in a row that stayed suspect: from then on each is run once

-- For all trials of a sweep: what it does with those whose numbers lib/gpu/watch doubts, run them again or keep them.
local Suspicion = {}
Suspicion.__index = Suspicion

-- "foreign GPU process: 4711 (python)" is of the kind "foreign GPU process".
local function add_kinds(kinds, why)
  for _, reason in ipairs(why) do kinds[reason:match "^[^:]+"] = true end
end

--- `policy`: "again" (also nil) or "keep".
function Suspicion.new(policy)
  policy = values.choice("sweep", "suspect", policy, { "again", "keep" })
  return setmetatable({ again = policy == "again", in_vain = 0, extra_runs = 0, set_aside = 0, kinds = {} }, Suspicion)
end

--- Calls run(may_run_again), which returns a trial, until a trial is not suspect or enough were run. Returns the last
--- one; the store keeps the others as discarded, with the reason.
function Suspicion:run(store, run)
  for extra = 0, EXTRA_RUNS do
    local trial = run(self.again and self.in_vain < IN_VAIN and extra < EXTRA_RUNS)
    local suspect = trial.info.suspect
    if not suspect then self.in_vain = 0 end
    if not suspect or not suspect.run_again then
      if suspect and extra == EXTRA_RUNS then self.in_vain = self.in_vain + 1 end
      return trial
    end
    self:discard(store, trial)
    self.extra_runs = self.extra_runs + 1
  end
end

function Suspicion:discard(store, trial)
  local why = trial.info.suspect.why
  store:set_aside(trial.id, "suspect: " .. table.concat(why, ", "))
  self.set_aside = self.set_aside + 1
  add_kinds(self.kinds, why)
end

--- Whether a stored trial was about to be run again when the engine was stopped; if so, it is discarded.
function Suspicion:is_undone(store, trial)
  local suspect = trial.info.suspect
  if not (self.again and suspect and suspect.run_again) then return false end
  self:discard(store, trial)
  return true
end

--- Of `asked`, on which the answer rests: how many are suspect, how many were discarded, and why; nil for none.
function Suspicion:summary(asked)
  local suspect = map(asked, function(entry) return entry.suspect end)
  if #suspect + self.set_aside == 0 then return nil end
  for _, why in ipairs(suspect) do add_kinds(self.kinds, why) end
  return { trials = #suspect, of = #asked, set_aside = self.set_aside, in_vain = self.in_vain >= IN_VAIN,
    why = sorted_names(self.kinds) }
end

--- The summaries of two sweeps as one.
function Suspicion.together(a, b)
  if not a or not b then return a or b end
  return { trials = a.trials + b.trials, of = a.of + b.of, set_aside = a.set_aside + b.set_aside,
    in_vain = a.in_vain or b.in_vain, why = sorted_names(values.set(values.flat { a.why, b.why })) }
end

local Queue = {}
Queue.__index = Queue

-- Whether a trial may be used again: none that was interrupted or discarded, none of a status to redo, none whose
-- subject could not be prepared, and none that timed out within less time than it would have now.
local function is_usable(self, trial)
  local o = self.o
  if UNUSABLE[trial.status] or trial.info.unprepared or o.suspicion:is_undone(o.store, trial) then return false end
  local limit_s = trial.status == "timeout" and self.rehearsed.timeout_s
  if limit_s and limit_s > (trial.info.timeout_s or math.huge) then return false end
  return not find(o.redo, function(status) return trial.status == status end)
end

-- The keys of all subjects that are this build.
local function all_keys(self)
  local last = self.place
  while self.head and self.head[last + 1] == self.place do last = last + 1 end
  return values.flat({ table.unpack(self.keys.subjects, self.place, last) }, function(_, i)
    return map(self.keys:of(self.place + i - 1), function(key) return self.prefix .. key end)
  end)
end

-- A trial of a command with --fresh hides those that it passed over, also from later commands.
local function read_stored(self)
  local all, seen, passed_over = {}, {}, self.o.passed_over or 0
  for _, key in ipairs(self.o.only_new and {} or all_keys(self)) do
    for _, trial in ipairs(self.o.store:trials { key = key, any_machine = self.o.any_machine }) do
      if not seen[trial.id] then all[#all + 1] = trial end
      -- Of a store that was imported into another one, the numbers of trials may have changed.
      local by_this = math.min(math.tointeger(trial.info.passed_over) or 0, trial.id - 1)
      seen[trial.id], passed_over = true, math.max(passed_over, by_this)
    end
  end
  all = values.only(all, function(trial) return trial.id > passed_over and is_usable(self, trial) end)
  return values.sort_by(all, function(trial) return trial.id end)
end

--- `o`: of lib/sweep/investigation, and `only_new`: without the stored ones. `keys`: of lib/identity/keys; `place`: in
--- it; `head`: the first place of each place's build, where subjects share one; `prefix`: of the keys of other trials.
function Queue.new(o, keys, place, head, prefix)
  return setmetatable({ o = o, keys = keys, place = place, head = head, prefix = prefix or "",
    rehearsed = keys.rehearsed[place], taken = {}, used = 0 }, Queue)
end

--- The queue of a subject that shares no key with another.
function Queue.of(run, subject, id)
  return Queue.new(run, require("lib/identity/keys").new(run, { subject }, { id }), 1)
end

-- What f(self, ...) returns, which is called once, whichever task comes first; kept as `name`.
local function once(self, name, f, ...)
  while self[f] do reg.sleep(0.01) end
  if self[name] == nil then
    self[f] = true
    local _ <close> = setmetatable({}, { __close = function() self[f] = nil end })  -- also of a cancelled task
    self[name] = f(self, ...)
  end
  return self[name]
end

--- The stored trials that may be used again, oldest first.
function Queue:stored() return once(self, "found", read_stored) end

--- The next stored trial, of those after the trial `since` (nil for all) and on `node` if given; nil if it must be run.
function Queue:next(since, node)
  return (find(self:stored(), function(trial)
    local is_there = not node or trial.info.node and trial.info.node.name == node
    return is_there and not self.taken[trial.id] and trial.id > (since or 0)
  end))
end

--- Passes over a trial that is known.
function Queue:took(id) self.taken[id], self.used = true, self.used + 1 end

-- One subject may be at fault itself, as an image that its registry lost a part of. If several in a row cannot be
-- prepared, it is the registry or this machine, so nothing is held against them. `--pull never` asks for it.
local function check_in_a_row(o, why)
  o.unprepared = (o.unprepared or 0) + 1
  if o.unprepared < IN_A_ROW or o.keep_going or core.options and core.options.pull == "never" then return end
  core.fail("network", string.format("%d %ss in a row could not be prepared: %s", o.unprepared, o.kind or "subject",
    why.message), "Pass --keep-going to skip them.")
end

-- Prepares the build; the failure, or false.
local function prepare(self, subject)
  local o = self.o
  if not o.prepare then return false end
  local pulls, began = type(subject) == "table" and subject.image, core.seconds()
  if o.doing then o.doing(subject, pulls and "pulling" or "preparing") end
  local _, why = values.caught("failed_trial", function()
    if pulls and core.cluster then core.cluster:import(subject.image, subject.digest) else o.prepare(subject) end
  end)
  if why then check_in_a_row(o, why) else o.unprepared = 0 end
  self.prepare_s = core.seconds() - began
  return why ~= nil and { kind = "failed_trial", status = why.status or "skipped", message = why.message,
    info = { unprepared = true } }
end

--- What the progress shows of a run, { value =, status =, suspect =, reused = }. `passes`: it passes or fails.
function Queue.shown(entry, run, passes)
  local note = not entry.value and names.status(entry.status) or entry.suspect and "suspect: " .. entry.suspect[1]
    or passes and (entry.value == 0 and "passes" or "fails") or numbers.named(entry.value, run)
  return note .. (entry.reused and " (stored)" or "")
end

--- The end of the keys of the subject at `place` of those that are this build.
function Queue:machine(place) return self.keys:machine(self.head and place or self.place) end

--- The next trial: a stored one made after the trial `since`, or one run now, for the subject at `place` of those that
--- are this build. `node`: of a cluster, where it must run. True beside it where it was run now.
function Queue:take(place, since, node)
  local stored, o = self:next(since, node), self.o
  if stored then
    self:took(stored.id)
    return stored, false
  end
  place, self.used = self.head and place or self.place, self.used + 1
  local subject, number = self.keys.subjects[place], self.used
  local failure, prepare_s = once(self, "failure", prepare, subject) or nil, self.prepare_s
  self.prepare_s = nil
  return o.suspicion:run(o.store, function(may_run_again)
    return trials.measure(subject, o, { id = self.keys.ids[place], key = self.prefix .. self.keys:of(place)[1],
      number = number, failure = failure, may_run_again = may_run_again, prepare_s = prepare_s, node = node })
  end), true
end

Queue.Suspicion = Suspicion
return Queue
