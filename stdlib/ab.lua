-- reg.ab(a, b, options): runs two commands in turn until it is clear whether the second one is slower, faster or about
-- equal. The pairs are A B, B A, A B ..., so that a machine that drifts treats both alike. The store keeps the runs.

local Keys = require "lib/identity/keys"
local Queue = require "lib/sweep/queue"
local Sequence = require "lib/results/sequence"
local Stops = require "lib/sweep/stops"
local check_keys = require "lib/options/check_keys"
local leases = require "lib/sweep/leases"
local named_files = require "lib/identity/named_files"
local phase = require "lib/sweep/phase"
local plain = require("lib/report/numbers").plain
local plan = require "lib/sweep/plan"
local run_of = require "lib/sweep/run"
local text_of = require "lib/report/ab"
local trials = require "lib/sweep/trial"

local KEYS = { "measure", "metric", "better", "min_effect", "budget", "title", "into", "folder", "config", "files",
  "redo", "suspect" }
local NAMES = { "A", "B" }
local BUDGET = 30         -- pairs
local MOST_PAIRS = 10000  -- that are worth a prediction
local RESOLUTION = 3      -- in deviations of a run: without a minimum effect, a coarser interval is no answer

local function usage(message, hint) core.fail("usage", "ab: " .. message, hint) end

local function wall_time(command, trial) return trial:run({ shell = command }).wall_s end

-- The options with what follows from them.
local function complete(a, b, given)
  if type(a) ~= "string" or type(b) ~= "string" then usage "takes two commands, each a string" end
  check_keys("ab", given, KEYS)
  local o = { title = "ab", kind = "command", budget = BUDGET, measure = wall_time, metric = "wall time" }
  for name, value in pairs(given) do o[name] = value end
  o.better = o.better or not given.metric and "lower" or nil
  if o.better and o.better ~= "lower" and o.better ~= "higher" then usage 'better must be "lower" or "higher"' end
  if math.type(o.budget) ~= "integer" or o.budget < 1 then usage "budget must be an integer of at least 1" end
  if o.min_effect and (type(o.min_effect) ~= "number" or o.min_effect <= 0) then
    usage "min_effect must be a positive number; 0.01 is one percent"
  end
  local contents = reg.json.array {}
  for _, command in ipairs { a, b } do
    for _, path in ipairs(named_files(command, o.folder or ".")) do contents[#contents + 1] = core.path_hash(path) end
  end
  o.config = { commands = { a, b }, contents = contents, more = o.config }
  return o
end

local function describe(commands, o)
  local path = type(o.into) == "string" and o.into or core.options and core.options.store or "regengine.db"
  local least = 2 * (math.min(Sequence.FEWEST, o.budget) + 1)
  local most = 2 * (o.budget + 1)
  print(string.format("%s: would run each command %d to %d times, in turn, once of which to warm up; %s", o.title,
    least // 2, most // 2, plan.time_words(path, least, most)))
  for side = 1, 2 do
    print("  " .. NAMES[side] .. ":")
    for _, line in ipairs(plan.run_lines(commands[side], o, leases.per_trial(core.options or {}))) do print(line) end
  end
end

local Ab = {}
Ab.__index = Ab

local function new(commands, o)
  local run = run_of(o)
  local keys = Keys.new(commands, NAMES, run.config, o.measure, run.gpus_per_trial)
  local self = setmetatable({ commands = commands, o = o, run = run, keys = keys, queues = {}, used = {}, reused = 0,
    values = { reg.json.array {}, reg.json.array {} }, wall_s = 0.0,
    sequence = Sequence.new(math.log(1 + (o.min_effect or 0))) }, Ab)
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
    usage(string.format("%s of %s is %s, and a ratio needs positive numbers", self.run.metric, NAMES[side],
      plain(value)))
  end
  return value
end

-- Adds both trials of a pair.
local function add(self, pair)
  for side = 1, 2 do
    local value, trial = value_of(self, side, pair[side], true), pair[side]
    table.insert(self.values[side], value)
    self.wall_s = self.wall_s + (trial.wall_s or 0)
    self.used[#self.used + 1] = { suspect = trial.info.suspect and trial.info.suspect.why }
  end
  self.sequence:add(math.log(self.values[2][self.sequence.n + 1] / self.values[1][self.sequence.n + 1]))
end

-- The pairs that the store has: what was run back to back belongs together, and half of a pair is of no use.
local function stored_pairs(self)
  local sessions, by_session, found = {}, {}, {}
  for side = 1, 2 do
    for _, trial in ipairs(self.queues[side]:stored()) do
      value_of(self, side, trial, true)
      local name = tostring(trial.info.session)
      if not by_session[name] then
        by_session[name] = { first = trial.id, {}, {} }
        sessions[#sessions + 1] = by_session[name]
      end
      table.insert(by_session[name][side], trial)
    end
    self.queues[side]:skip_stored()
  end
  table.sort(sessions, function(a, b) return a.first < b.first end)
  for _, session in ipairs(sessions) do
    for i = 1, math.min(#session[1], #session[2]) do found[#found + 1] = { session[1][i], session[2][i] } end
  end
  return found
end

-- Runs each command once, uncounted: the first run fills caches, and shows whether it runs at all.
local function warm_up(self, progress)
  local run = setmetatable({ kind = "warm-up" }, { __index = self.run })
  for side = 1, 2 do
    progress:update { subject = NAMES[side] .. ", warm-up" }
    local trial = trials.measure(self.commands[side], run,
      { id = NAMES[side], key = "warm-up " .. self.keys:of(side)[1], number = 1 })
    value_of(self, side, trial)
  end
end

local function run_pair(self, progress)
  local pair, first = {}, self.sequence.n % 2 + 1
  for _, side in ipairs { first, 3 - first } do
    progress:update { subject = NAMES[side] }
    local _ <close> = phase("subject", NAMES[side])
    pair[side] = self.queues[side]:take(self.commands[side], NAMES[side], self.keys:of(side)[1])
    value_of(self, side, pair[side], true)
  end
  return pair
end

-- Of equal numbers the number itself, without an error of rounding.
local function geometric_mean(values)
  local sum = 0.0
  for _, value in ipairs(values) do sum = sum + math.log(value / values[1]) end
  return values[1] * math.exp(sum / #values)
end

-- What the pairs so far say, as data.
local function answer_of(self)
  local sequence, o, n = self.sequence, self.o, self.sequence.n
  local low, high = sequence:interval()
  local deviation, decision = sequence:deviation(), sequence:decision()
  local found = { metric = self.run.metric, better = o.better, min_effect = o.min_effect, pairs = n,
    reused = self.reused, pair_seconds = self.wall_s > 0 and self.wall_s / n or nil, commands = self.commands,
    confidence = 0.95, verdict = "inconclusive",
    values = { a = self.values[1], b = self.values[2] }, investigation = self.run.investigation }
  found.a, found.b = geometric_mean(self.values[1]), geometric_mean(self.values[2])
  found.effect, found.noise = math.exp(sequence.mean) - 1, deviation and deviation / math.sqrt(2)
  if low > -math.huge then found.low, found.high = math.exp(low) - 1, math.exp(high) - 1 end
  if decision == "different" then
    found.verdict = found.effect > 0 and "higher" or "lower"
    if o.better then found.verdict = found.verdict == o.better and "better" or "worse" end
  elseif decision == "same" or found.low and not o.min_effect
    and math.max(-low, high) <= RESOLUTION * found.noise then
    found.verdict = "no_difference"
  end
  if not decision and found.noise then
    local halves = found.verdict == "no_difference"
    local needed = halves and sequence:narrowed(0.5, MOST_PAIRS) or not halves and sequence:needed(MOST_PAIRS)
    found.more_pairs = needed and math.max(1, needed - n) or nil
  end
  found.regression = found.verdict == "worse"
  found.suspect = self.run.suspicion:summary(self.used)
  return found
end

local function progress_note(sequence)
  local low, high = sequence:interval()
  if low == -math.huge then return nil end
  return string.format("difference %+.2g to %+.2g %%", 100 * (math.exp(low) - 1), 100 * (math.exp(high) - 1))
end

local function go(self, progress)
  local sequence, stored, warm = self.sequence, stored_pairs(self), false
  while sequence.n < self.o.budget and not sequence:decision() do
    local pair = stored[sequence.n + 1]
    if pair then
      self.reused = self.reused + 1
    elseif not warm then
      warm_up(self, progress)
      warm = true
    end
    add(self, pair or run_pair(self, progress))
    local expected = sequence.n >= Sequence.FEWEST and sequence:needed(self.o.budget) or self.o.budget
    progress:update { done = sequence.n, total = expected, value = self.values[2][sequence.n],
      note = progress_note(sequence) }
  end
end

return function(a, b, given)
  local o, commands = complete(a, b, given or {}), { a, b }
  if core.settings().dry_run then return describe(commands, o) end
  local _ <close> = phase("investigation", o.title)
  local started_at, self = core.seconds(), new(commands, o)
  local function answer()
    local found = answer_of(self)
    found.seconds = core.seconds() - started_at
    found.text = text_of(found)
    return found
  end
  local finished
  -- Ctrl-C and a failure end it with what is known so far.
  local _ <close> = setmetatable({}, { __close = function()
    if not finished and self.sequence.n > 0 then print("So far: " .. answer().text) end
  end })
  do
    local progress <close> = reg.progress { title = o.title, metric = self.run.metric, total = o.budget }
    go(self, progress)
  end
  finished = answer()
  self.run.store:finish_investigation(self.run.investigation, finished)
  return finished
end
