-- The runs of a comparison: each side in turn, back to back, with the stored rounds. A run that fails ends it.

local Keys = require "lib/identity/keys"
local Queue = require "lib/sweep/queue"
local Stops = require "lib/sweep/stops"
local investigation = require "lib/sweep/investigation"
local plain = require("lib/report/numbers").plain
local tracing = require "lib/tracing"
local trials = require "lib/sweep/trial"
local values = require "lib/values"

local grouped, map, merged = values.grouped, values.map, values.merged

local Turns = {}
Turns.__index = Turns

--- `subjects`: of the sides, with their `ids`; `names`: what messages call them; `run`: of lib/sweep/investigation;
--- `of`: what needs positive numbers, as "a ratio", or nil; `resume`: the option that goes on with stored rounds, or
--- nil; `build`: what messages add to the name of a side whose build fails, or nil. Has the number `n` of rounds, those
--- of the store (`reused`), what earlier commands ran of them (`stored`), and `all` turns.
function Turns.new(o)
  local self = setmetatable(merged({ resume = "", build = "", queues = {}, sides = {}, n = 0, reused = 0,
    all = {} }, o), Turns)
  self.keys = Keys.new(o.run, o.subjects, o.ids)
  for side = 1, #o.subjects do
    self.sides[side], self.queues[side] = side, Queue.new(o.run, self.keys, side)
  end
  return self
end

--- Goes on without this side.
function Turns:drop(side)
  self.sides = values.only(self.sides, function(one) return one ~= side end)
end

--- Ends it with what failed. `counted`: it is in the store for the next time.
function Turns:fail(side, trial, counted)
  local message = string.format("%s%s failed: %s", self.names[side],
    trial.status == "build_failed" and self.build or "", trial.message)
  local hint = Stops.TAKE
  if not trial.info.needs_take then
    local again = "After a fix run it again with " .. self.resume .. "--redo " .. trial.status .. ". "
    message, hint = Stops.failed(self.run.store, trial, message)
    hint = (counted and again or "") .. hint
  end
  error({ kind = "failed_trial", message = message, hint = hint }, 0)
end

-- The number of a trial, which must have one, and one with a logarithm where a ratio is asked for.
local function value_of(self, side, trial, counted)
  local value = trials.value(trial, self.run.metric)
  if not value then self:fail(side, trial, counted) end
  if self.of and value <= 0 then
    core.fail("usage", string.format("%s of %s is %s, and %s needs positive numbers", self.run.metric,
      self.names[side], plain(value), self.of))
  end
  return value
end

-- What counts of the trial of one side.
local function turn_of(self, side, trial)
  local turn = trials.entry(trial, value_of(self, side, trial, true))
  turn.id, turn.side, turn.session = trial.id, side, trial.info.session
  turn.wall_s, turn.user_s, turn.sys_s = trial.wall_s or 0, trial.user_s, trial.sys_s
  turn.elsewhere = trial.key and trial.key:match "[^@]*$" ~= self.keys:machine(side)
  return turn
end

-- The stored rounds, oldest first, each a list of turns by side that were run back to back; a part of one is of no use.
local function stored_rounds(self)
  local found, turns = {}, values.flat(self.sides, function(side)
    return map(self.queues[side]:stored(), function(trial)
      self.queues[side]:took(trial.id)
      return turn_of(self, side, trial)
    end)
  end)
  values.sort_by(turns, function(turn) return turn.id end)
  for _, session in ipairs(grouped(turns, function(turn) return tostring(turn.session) end)) do
    local _, by_side = grouped(session, function(turn) return turn.side end)
    local counts = map(self.sides, function(side) return #(by_side[side] or {}) end)
    for i = 1, math.min(table.unpack(counts)) do
      local round = {}
      for _, side in ipairs(self.sides) do round[side] = by_side[side][i] end
      found[#found + 1] = round
    end
  end
  return found
end

--- The last stored warm-up of a side if it failed; nil otherwise.
function Turns:failed_before(side)
  local stored = Queue.new(self.run, self.keys, side, nil, "warm-up "):stored()
  local last = stored[#stored]
  return last and last.status ~= "ok" and last or nil
end

--- Runs a side once, uncounted: it fills caches, and shows whether it runs. Else calls failed(side, trial), or ends.
function Turns:warm_up(side, failed)
  local run = setmetatable({ kind = "warm-up" }, { __index = self.run })
  self.progress:update { subject = self.names[side] .. ", warm-up" }
  local trial = trials.measure(self.subjects[side], run,
    { id = self.ids[side], key = "warm-up " .. self.keys:of(side)[1], number = 1 })
  if trial.status == "ok" then return value_of(self, side, trial) end
  if not failed then self:fail(side, trial) end
  failed(side, trial)
end

-- Runs a round, forwards or backwards, so that a machine that drifts treats all sides alike.
local function run_round(self, backwards)
  local round, n = {}, #self.sides
  for i = 1, n do
    local side = self.sides[backwards and n + 1 - i or i]
    self.progress:update { subject = self.names[side] }
    local _ <close> = tracing.phase("subject", self.names[side])
    round[side] = turn_of(self, side, (self.queues[side]:take()))
  end
  return round
end

--- Calls add(round, is_stored) for rounds, lists of turns by side, until is_done(); before new ones it calls warm_up().
function Turns:go(progress, is_done, add, warm_up)
  self.progress = progress
  local known, warm = stored_rounds(self), false
  while not is_done() do
    local round = known[self.n + 1]
    if not round and not warm then warm_up() end
    warm = warm or not round
    round = round or run_round(self, self.n % 2 == 1)
    self.n = self.n + 1
    if not warm then self.reused = self.n end
    for _, turn in pairs(round) do
      self.all[#self.all + 1] = turn
      if not warm then self.stored = investigation.add_stored(self.stored, self.run, turn) end
    end
    add(round, not warm)
  end
end

return Turns
