-- reg.ab(a, b, options), reg.ab({ a, b, c ... }, options): runs commands in turn until it is clear how each differs
-- from the first. The rounds are A B C, C B A, A B C ..., so that a machine that drifts treats all alike. The store
-- keeps the runs.

local Rounds = require "lib/ab/rounds"
local Sequence = require "lib/results/sequence"
local Turns = require "lib/sweep/turns"
local coverage = require "lib/report/coverage"
local cpu_time = require "lib/sweep/cpu_time"
local direction = require "lib/direction"
local export = require "lib/ab/export"
local investigation = require "lib/sweep/investigation"
local leases = require "lib/sweep/leases"
local numbers = require "lib/report/numbers"
local plan = require "lib/sweep/plan"
local predict = require "lib/predict/answer"
local predictions = require "lib/predict/parse"
local report = require "lib/report/ab"
local scan = require "lib/ab/scan"

local KEYS = { "measure", "metric", "better", "min_effect", "budget", "title", "into", "folder", "config", "files",
  "redo", "resume", "suspect", "predict", "warmup", "runs", "min_runs", "setup", "cleanup", "all_pairs", "parameters",
  table.unpack(export.names) }
local BUDGET = 30  -- rounds
local ROUNDS = 3   -- rounds that decide what @time is

local function usage(message, hint) core.fail("usage", "ab: " .. message, hint) end

local function wall_time(command, trial) return trial:run({ shell = command }).wall_s end

-- A, B ... Z, C27, C28 ...
local function name_of(i) return i <= 26 and string.char(64 + i) or "C" .. i end

local function check_count(o, name, least)
  if o[name] ~= nil and (math.type(o[name]) ~= "integer" or o[name] < least) then
    usage(string.format("%s must be an integer of at least %d", name, least))
  end
end

-- The options with what follows from them, and the commands (lib/ab/scan) with their names.
local function complete(templates, given)
  for _, one in ipairs(templates) do
    if type(one) ~= "string" then usage "takes two commands or more, each a string" end
  end
  local o = investigation.options("ab", given, KEYS, 1, { kind = "command", budget = BUDGET, measure = wall_time,
    metric = "wall time", warmup = 1, min_runs = 1 })
  check_count(o, "warmup", 0)
  check_count(o, "runs", 1)
  check_count(o, "min_runs", 1)
  o.min_runs, o.budget = o.runs or o.min_runs, o.runs or math.max(o.budget, o.min_runs)
  o.list = scan.expanded(templates, o.parameters)
  if #o.list < 2 then usage("takes two commands or more, not " .. #o.list) end
  o.commands, o.templates, o.names, o.fills = {}, {}, {}, {}
  for i, one in ipairs(o.list) do
    o.commands[i], o.templates[i], o.names[i] = one.command, one.template, name_of(i)
    o.fills[one.command] = scan.filler(one.values)
  end
  local measure, fills = o.measure, o.fills
  if o.parameters then
    o.measure = function(command, trial) return measure(command, trial, fills[command]) end
  end
  o.afresh = not o.resume  -- what a command reads is not known, so neither is whether its old numbers still hold
  o.unit = direction.unit(given.metric or "@wall")
  o.predict = predictions("ab", given.predict, reg.metric.name(o.metric), {})
  if o.predict and #o.list > 2 then usage "a prediction needs exactly two commands" end
  if o.min_effect and (type(o.min_effect) ~= "number" or o.min_effect <= 0) then
    usage "min_effect must be a positive number; 0.01 is one percent"
  end
  o.config = { commands = o.commands, contents = investigation.contents(o.commands, o.folder), more = o.config }
  return o
end

local WARM_UP = { [0] = "", ", once of which to warm up" }

local function describe(o)
  local path = type(o.into) == "string" and o.into or core.options and core.options.store or "regengine.db"
  local least = math.min(math.max(Sequence.FEWEST, o.min_runs), o.budget) + o.warmup
  local most = o.budget + o.warmup
  print(string.format("%s: would run each command %s times, in turn%s; %s", o.title,
    least == most and least or least .. " to " .. most,
    WARM_UP[o.warmup] or ", " .. o.warmup .. " of which to warm up",
    plan.time_words(path, o.kind, #o.list * least, #o.list * most)))
  for side, command in ipairs(o.commands) do
    print("  " .. o.names[side] .. ":")
    for _, line in ipairs(plan.run_lines(command, o, leases.per_trial(core.options or {}))) do print(line) end
  end
end

-- A comparison that runs.
local Ab = {}
Ab.__index = Ab

function Ab.new(o, run)
  return setmetatable({ o = o, run = run, rounds = Rounds.new(o.names, o), turns = {}, wall_s = 0.0, reused = 0,
    elsewhere = 0, undecided = o.metric == "@time" }, Ab)
end

-- Decides what @time is, and goes on with it.
local function decide(self)
  self.undecided, self.time = nil, cpu_time.choose(cpu_time.compare(self.rounds.turns))
  if self.time.why then return end
  self.run.metric = self.time.taken
  self.rounds:take_cpu_time()
end

-- About how many pairs it takes by CPU time, where these are much fewer; or what @time is.
local function quieter_of(self) return self.time or self.rounds:quieter() end

--- What the rounds so far say, as data.
function Ab:answer()
  local o, rounds = self.o, self.rounds
  local found = #o.list > 2 and rounds:all_compared() or rounds:compared(rounds.comparisons[1])
  if #o.list == 2 then found.values = { a = rounds:values(1), b = rounds:values(2) } end
  found.metric, found.unit, found.better, found.min_effect = self.run.metric, o.unit, o.better, o.min_effect
  found.commands, found.names, found.results = o.commands, o.names, rounds:results(o.list)
  found.templates = o.parameters and o.templates or nil
  found.pairs, found.confidence, found.quieter = rounds.n, 0.95, quieter_of(self)
  found.reused, found.stored, found.other_machines = self.reused, self.stored, self.elsewhere
  found.pair_seconds = self.wall_s > 0 and self.wall_s / rounds.n or nil
  found.suspect = self.run.suspicion:summary(self.turns)
  found.predictions, found.title = predict(o.predict, found), report.title(found)
  return found
end

function Ab:knows() return self.rounds.n > 0 end

-- The difference so far, or the numbers of the last round; of more than two commands, how many comparisons are decided.
local function progress_note(self, round)
  local rounds, of = self.rounds, { metric = self.run.metric, unit = self.o.unit, better = self.o.better }
  if #round > 2 then return string.format("%d of %d decided", rounds:decided(), #rounds.comparisons) end
  local now = rounds:compared(rounds.comparisons[1])
  local size, interval = numbers.effect({ effect = now.effect, effect_low = now.low, effect_high = now.high }, of)
  if interval then return "B " .. size .. " (" .. interval .. ")" end
  return string.format("A %s, B %s", numbers.plain(round[1][rounds.field], of),
    numbers.plain(round[2][rounds.field], of))
end

function Ab:is_done()
  local n, o = self.rounds.n, self.o
  return n >= o.budget or n >= o.min_runs and self.rounds:decided() == #self.rounds.comparisons
end

function Ab:add(round, progress, stored)
  local rounds = self.rounds
  rounds:add(round)
  self.elsewhere = self.elsewhere + (round[1].elsewhere and 1 or 0)
  for _, turn in ipairs(round) do
    table.insert(self.turns, turn)
    self.wall_s = self.wall_s + turn.wall_s
    if stored then self.stored = investigation.add_stored(self.stored, self.run, turn) end
  end
  if stored then self.reused = self.reused + 1 end
  if self.undecided and rounds.n == ROUNDS then decide(self) end
  progress:update { done = rounds.n, total = math.max(rounds:expected(self.o.budget), self.o.min_runs), subject = "",
    note = progress_note(self, round) .. (stored and " (stored)" or "") }
  local found = not self.advised and not self.time and quieter_of(self)
  if found then reg.log.info("%s", coverage.quieter(found, self.run.metric)) end
  self.advised = self.advised or found
end

local function warm_up(turns, side)
  local trial = turns:warm_up(side)
  if trial.status ~= "ok" then turns:fail(side, trial) end
end

--- Adds rounds, those of the store first, until it is decided or the budget is spent.
function Ab:go(progress)
  local o, is_set_up = self.o, {}
  local turns = Turns.new { subjects = o.commands, ids = o.names, names = o.names, run = self.run, of = "a ratio",
    resume = "--resume ", build = ": --prepare", progress = progress }
  for _, round in ipairs(turns:stored()) do
    if not self:is_done() then self:add(round, progress, true) end
  end
  if self:is_done() then return end
  local _ <close> = setmetatable({}, { __close = function()
    for _, command in ipairs(o.cleanup and is_set_up or {}) do o.cleanup(command, o.fills[command]) end
  end })
  for side, command in ipairs(o.commands) do
    if o.setup then o.setup(command, o.fills[command]) end
    is_set_up[side] = command
  end
  for side = 1, #o.list do
    for _ = 1, o.warmup do warm_up(turns, side) end
  end
  while not self:is_done() do self:add(turns:round(self.rounds.n % 2 == 1), progress) end
end

return function(a, b, given)
  local commands = { a, b }
  if type(a) == "table" then commands, given = a, b end
  local o = complete(commands, given or {})
  if core.settings().dry_run then return describe(o) end
  local found = investigation.conduct(o, report.text, { unit = #o.list > 2 and "round" or "pair", total = o.budget },
    function(run) return Ab.new(o, run) end)
  export.write(found, o)
  return found
end
