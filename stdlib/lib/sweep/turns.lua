-- The runs of an A/B: each side in turn, back to back, with the pairs that the store has. A run that fails ends it.

local Keys = require "lib/identity/keys"
local Queue = require "lib/sweep/queue"
local Stops = require "lib/sweep/stops"
local phase = require "lib/sweep/phase"
local plain = require("lib/report/numbers").plain
local trials = require "lib/sweep/trial"

local Turns = {}
Turns.__index = Turns

Turns.NAMES = { "A", "B" }
local NAMES = Turns.NAMES

--- `run`: what all trials share (lib/sweep/run).
function Turns.new(commands, run, progress)
  local keys = Keys.new(commands, NAMES, run.config, run.measure, run.gpus_per_trial)
  local self = setmetatable({ commands = commands, run = run, keys = keys, queues = {}, progress = progress }, Turns)
  for side = 1, 2 do
    self.queues[side] = Queue.new(run, function() return keys:of(side) end, keys.rehearsed[side])
  end
  return self
end

-- What to do about a failed trial. `counted`: it is in the store for the next time, as a warm-up is not.
local function advice(trial, counted, log)
  if trial.info.needs_take then return Stops.TAKE end
  local again = counted and "After a fix run it again with --redo " .. trial.status .. ". " or ""
  return again .. (log and "The whole output: " .. log or "")
end

-- The message of a failed trial without the lines of output in it, which are in `tail` too.
local function without_output(message, tail)
  for line in tail:gmatch "[^\n]+" do
    local at = message:find(": " .. line, 1, true)
    if at then return message:sub(1, at - 1) end
  end
  return message
end

local function fail(self, side, trial, counted)
  local log, tail = Stops.log_of(self.run.store, { trial = trial.id, status = trial.status })
  local message = NAMES[side] .. " failed: " .. trial.message
  if tail and not trial.info.needs_take then
    message = without_output(message, tail) .. "\n  " .. tail:gsub("\n", "\n  ")
  end
  error({ kind = "failed_trial", message = message, hint = advice(trial, counted, log) }, 0)
end

-- The number of a trial, which must have one, and one with a logarithm.
local function value_of(self, side, trial, counted)
  local value = trials.value(trial, self.run.metric)
  if not value then fail(self, side, trial, counted) end
  if value <= 0 then
    core.fail("usage", string.format("ab: %s of %s is %s, and a ratio needs positive numbers", self.run.metric,
      NAMES[side], plain(value)))
  end
  return value
end

-- What counts of the trial of one side.
local function turn_of(self, side, trial)
  return { value = value_of(self, side, trial, true), wall_s = trial.wall_s or 0, id = trial.id,
    session = trial.info.session, suspect = trial.info.suspect and trial.info.suspect.why,
    elsewhere = trial.key and trial.key:match "[^@]*$" ~= self.keys:machine(side) }
end

--- The pairs that the store has, oldest first: what was run back to back belongs together, and half of a pair is of no
--- use.
function Turns:stored()
  local sessions, by_session, found = {}, {}, {}
  for side = 1, 2 do
    for _, trial in ipairs(self.queues[side]:stored()) do
      local turn = turn_of(self, side, trial)
      local name = tostring(turn.session)
      if not by_session[name] then
        by_session[name] = { first = turn.id, {}, {} }
        sessions[#sessions + 1] = by_session[name]
      end
      table.insert(by_session[name][side], turn)
    end
    self.queues[side]:skip_stored()
  end
  table.sort(sessions, function(a, b) return a.first < b.first end)
  for _, session in ipairs(sessions) do
    for i = 1, math.min(#session[1], #session[2]) do found[#found + 1] = { session[1][i], session[2][i] } end
  end
  return found
end

--- Runs each command once, uncounted: the first run fills caches, and shows whether it runs at all.
function Turns:warm_up()
  local run = setmetatable({ kind = "warm-up" }, { __index = self.run })
  for side = 1, 2 do
    self.progress:update { subject = NAMES[side] .. ", warm-up" }
    local trial = trials.measure(self.commands[side], run,
      { id = NAMES[side], key = "warm-up " .. self.keys:of(side)[1], number = 1 })
    value_of(self, side, trial)
  end
end

--- Runs a pair that begins with the side `first`, 1 or 2.
function Turns:pair(first)
  local pair = {}
  for _, side in ipairs { first, 3 - first } do
    self.progress:update { subject = NAMES[side] }
    local _ <close> = phase("subject", NAMES[side])
    local trial = self.queues[side]:take(self.commands[side], NAMES[side], self.keys:of(side)[1])
    pair[side] = turn_of(self, side, trial)
  end
  return pair
end

return Turns
