-- reg.minimize: the smallest set of items that carries the difference between none of them and all of them. The engine
-- searches; this file runs, stores and resumes.

local Exactness = require("lib/sweep/ends").Exactness
local Queue = require "lib/sweep/queue"
local Stops = require "lib/sweep/stops"
local direction = require "lib/direction"
local investigation = require "lib/sweep/investigation"
local question = require "lib/sweep/question"
local some = require("lib/report/numbers").some
local culprits = require "lib/report/culprits"
local tracing = require "lib/tracing"
local trials = require "lib/sweep/trial"
local values = require "lib/values"

local find, map, only, set = values.find, values.map, values.only, values.set

local KEYS = { "items", "measure", "metric", "better", "exact", "budget", "title", "into", "config", "files", "redo",
  "suspect", "ends", "kind", "commands", "folder", "needs" }
local FAILS = "fails"  -- the metric of a `measure` that returns true or false: 0 and 1
local MOST_NAMED = 3  -- items in the label of a set
local ENDS = { none = "none", all = "all" }

local function usage(message, hint) core.fail("usage", "minimize: " .. message, hint) end

local function check_items(items)
  if type(items) ~= "table" or #items == 0 then usage "needs `items`, a list of at least one string" end
  local seen = {}
  for _, item in ipairs(items) do
    if type(item) ~= "string" then usage("an item must be a string, not a " .. type(item)) end
    if seen[item] then usage("an item is listed twice: '" .. item .. "'") end
    seen[item] = true
  end
end

-- The options with what follows from them.
local function complete(given)
  if type(given) ~= "table" then usage "takes a table { items =, measure =, ... }" end
  local o = investigation.options("minimize", given, KEYS, 4, { kind = "subset", ends = ENDS })
  check_items(o.items)
  o.unit = direction.unit(o.metric or "value")
  local measure = o.measure
  o.measure = measure and function(...)
    local result = measure(...)
    if type(result) ~= "boolean" then return result end
    return { [FAILS] = result and 0 or 1 }  -- a number, which the store can keep
  end
  o.config = { contents = investigation.contents(o.commands or {}, o.folder), more = o.config }
  return o
end

-- The items of a subset, which has their numbers.
local function named(items, subset) return map(subset, function(number) return items[number] end) end

local function new_search(o, exact, pass_fail)
  return core.nouns.minimize.new { n = #o.items, budget = o.budget, exact = exact, pass_fail = pass_fail }
end

-- What the set has: "good plus --a --b", "bad minus --c --d --e and 2 more".
local function label_of(o, subset)
  local few, left, on = {}, {}, set(subset)
  for number, item in ipairs(o.items) do table.insert(on[number] and few or left, item) end
  if #few == 0 or #left == 0 then return #few == 0 and o.ends.none or o.ends.all end
  if #few <= #left then return o.ends.none .. " plus " .. some(few, MOST_NAMED, " ") end
  return o.ends.all .. " minus " .. some(left, MOST_NAMED, " ")
end

-- A subset with the trials that it has: { subset =, id =, label =, queue = }.
local function subject_of(self, subset)
  local list = named(self.o.items, subset)
  local id = #list > 0 and table.concat(list, " ") or "none"
  local subject = self.subjects[id]
  if not subject then
    subject = { subset = subset, id = id, label = label_of(self.o, subset), queue = Queue.of(self.run, list, id) }
    self.subjects[id] = subject
  end
  return subject
end

local Minimization = {}
Minimization.__index = Minimization

function Minimization.new(o, run)
  local self = setmetatable({ o = o, run = run, search = new_search(o, o.exact), subjects = {}, asked = {}, reused = 0,
    asking = { kind = o.exact and "exact" or "noisy" }, exactness = Exactness.new(o) }, Minimization)
  local all = {}
  for i = 1, #o.items do all[i] = i end
  self.ends = { subject_of(self, {}).id, subject_of(self, all).id }
  return self
end

-- The number of a trial; nil if it failed. Of the first one it shows whether numbers are passes and failures.
local function value_of(self, trial)
  local fails = trial.status == "ok" and trial.samples[FAILS]
  if not fails then return trials.value(trial, self.run.metric) end
  if not self.pass_fail and #self.asked == 0 then
    self.pass_fail, self.exactness, self.search = true, nil, new_search(self.o, self.o.exact, true)
  end
  return type(fails) == "table" and fails[1] or fails
end

local function tell(self, entry)
  local search, subset = self.search, self.subjects[entry.subset].subset
  if entry.value then search:tell(subset, entry.value) else search:fail(subset, question.failure(entry.status)) end
end

-- What lib/sweep/ends asks of a session: the places of these are the ids of subsets.
function Minimization.build_at(_, id) return id end
function Minimization:queue_of(id) return self.subjects[id].queue end

function Minimization:search_for(kind)
  self.asking.kind, self.search = kind, new_search(self.o, kind == "exact")
  for _, entry in ipairs(self.asked) do tell(self, entry) end
end

function Minimization:measure(subset, reason, progress)
  local subject = subject_of(self, subset)
  progress:update { subject = subject.label }
  local _ <close> = tracing.phase("subject", subject.label)
  local trial, fresh = subject.queue:take()
  if not fresh then
    self.reused, self.stored = self.reused + 1, investigation.add_stored(self.stored, self.run, trial)
  end
  local value = value_of(self, trial)
  if not value and #subset == 0 then  -- nothing could be compared with it
    local message, log = Stops.failed(self.run.store, trial, "cannot test " .. subject.label .. ": " .. trial.message)
    core.fail("failed_trial", message, "After a fix run it again with --redo " .. trial.status .. ". " .. log)
  end
  if not value and #subset == #self.o.items then
    reg.log.warn("cannot test %s: %s; looking for what runs", subject.label, (trial.message:match "[^\n]*"))
  end
  local entry = { subset = subject.id, label = subject.label, reason = reason, trial = trial.id,
    value = value, status = trial.status, message = trial.message, reused = not fresh,
    suspect = trial.info.suspect and trial.info.suspect.why }
  self.asked[#self.asked + 1] = entry
  progress:update { done = #self.asked, subject = subject.label, note = Queue.shown(entry, self.run, self.pass_fail) }
  tell(self, entry)
  if self.exactness then self.exactness.check(self, { entry }) end
end

-- Of items each of which alone is enough, one that cannot be on without another of them says nothing of its own: only
-- the other one was measured alone.
local function without_dependents(culprit, needs)
  local own = only(culprit.any and culprit.items or {}, function(item)
    return not find(culprit.items, function(other) return other ~= item and needs(item, other) end)
  end)
  if #own == 0 or #own == #culprit.items then return end
  if own[1] ~= culprit.items[1] then culprit.alone = nil end
  culprit.items, culprit.any = own, #own > 1
end

--- What the runs so far say.
function Minimization:answer()
  local o, found = self.o, self.search:answer()
  for _, culprit in ipairs(found.culprits) do
    culprit.items = named(o.items, culprit.items)
    if o.needs then without_dependents(culprit, o.needs) end
  end
  found.excluded, found.items, found.ends = named(o.items, found.excluded), #o.items, o.ends
  found.pass_fail, found.metric, found.unit = self.pass_fail or false, self.run.metric, o.unit
  found.better, found.exact = self.pass_fail and "lower" or o.better, self.asking.kind == "exact"
  found.reused, found.stored, found.asked = self.reused, self.stored, self.asked
  found.suspect = self.run.suspicion:summary(self.asked)
  local worse = found.better and found.effect.value ~= 0
    and (found.effect.value > 0) == (found.better == "lower")
  found.regression = found.verdict == "found" and worse or false
  found.title = culprits.minimized_title(found)
  return found
end

function Minimization:knows() return #self.asked > 2 end

-- What to measure next, and why: the ends, until it is known whether their numbers are exact, or what the search wants.
function Minimization:ask()
  local first = self.exactness and self.exactness:ask(self)[1]
  if not first then return self.search:ask() end
  return self.subjects[first.place].subset, first.place == self.ends[1] and "none" or "all"
end

function Minimization:go(progress)
  for subset, reason in self.ask, self do self:measure(subset, reason, progress) end
end

---@class minimize.Options: sweep.CommonOptions
---@field items string[] what can be switched on: flags, variables, options
---@field measure? fun(subset: string[], trial: sweep.Trial): any one run with these items on, in the order of
--- `items`: a number, metrics by name, true for passed and false for failed, or reg.skip(reason). Without it
--- reg.minimize returns a minimize.Minimize
---@field metric? string name or pattern of the number, such as "MLUPS: {number}"
---@field exact? boolean a subset gives the same number at every run: nothing is repeated; without it, of a size or a
--- count, if each end gives the same integer twice
---@field budget? integer most runs, 200 by default
---@field ends? table<"none"|"all", string> what no items and all items are called in the answer, such as "good", "bad"
---@field kind? string what a subset is called in the store; "subset" by default
---@field commands? string[] what `measure` runs, to find the files that it names, as reg.ab does
---@field folder? string folder that the commands run in
---@field needs? fun(item: string, other: string): boolean whether `measure` has `other` on wherever `item` is

---@class minimize.Estimate
---@field value number
---@field low? number its 95 % interval; absent where the runs cannot tell the effect from another one
---@field high? number

---@class minimize.Culprit
---@field items string[] one item, or several that have an effect together
---@field any boolean each of them alone is enough; else it takes all of them
---@field effect minimize.Estimate after / before - 1; for pass and fail 1
---@field alone? minimize.Estimate what they bring alone, as a part of the whole difference; absent if it could not run
---@field without? minimize.Estimate what is gone without them, as a part of it; absent if it could not run

---@class minimize.Run
---@field subset string its items, or "none"
---@field label string
---@field reason "none"|"all"|"runnable"|"split"|"alone"|"without"
---@field trial integer
---@field status string
---@field value? number absent if it failed
---@field message? string why it failed
---@field reused boolean the store had it
---@field suspect? string[]

---@class minimize.Answer: sweep.CommonAnswer
---@field verdict "found"|"no_effect"|"inconclusive"
---@field why? string why it is inconclusive
---@field culprits minimize.Culprit[] those with at least a fifth of the difference, the largest first
---@field confidence number probability that they, and no others, carry the difference
---@field none minimize.Estimate level with no items
---@field all minimize.Estimate level with all items
---@field effect minimize.Estimate all / none - 1
---@field rest minimize.Estimate effect of all other items together, relative
---@field noise number run-to-run noise: relative standard deviation of one run
---@field excluded string[] items with which nothing can be run
---@field items integer how many there are
---@field ends table<"none"|"all", string>
---@field regression boolean all items are worse than none
---@field pass_fail boolean
---@field exact boolean
---@field runs integer
---@field failed integer runs without a number
---@field asked minimize.Run[] all runs in their order

--- Finds the smallest set of items that carries the difference between none of them and all of them: one culprit, items
--- that have an effect together, or several whose effects add up. It runs both ends twice, then always the subset that
--- tells most, and at last the culprits alone and all items without them. A subset that fails is skipped, and what
--- makes subsets fail is avoided; if all items together cannot be run, those that break it are found and excluded. The
--- store keeps the runs, which are not made again. Numbers are compared as ratios; passed and failed are taken to be
--- the same at every run. Raises failed_trial if nothing can be run without items, and usage for options that make no
--- sense. A dry run prints what would run, and returns nothing.
--- ```lua
--- local found = reg.minimize { items = { "-O3", "-funroll-loops", "-ffast-math" }, measure = function(flags, trial)
---   trial:build { shell = "cc -o bench bench.c " .. table.concat(flags, " ") }
---   return trial:run({ shell = "./bench" }).wall_s
--- end }
--- print(found.text)
--- ```
---@param options minimize.Options
---@return minimize.Answer|minimize.Minimize answer
return function(given)
  local o = complete(given)
  if not o.measure then return new_search(o, o.exact) end
  if not core.settings().dry_run then
    return investigation.conduct(o, culprits.minimized, { unit = "run" },
      function(run) return Minimization.new(o, run) end)
  end
  print(string.format("%s: %d items", o.title, #o.items))
  for side, subset in pairs { none = {}, all = o.items } do
    require("lib/sweep/dry_run").show_run("each run, for example that of " .. o.ends[side], subset, o)
  end
end
