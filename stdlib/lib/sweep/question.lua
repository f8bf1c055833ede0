-- The question for the engine's search: what a script says about it - lists, functions of a subject, "flaky" - checked
-- and put into the search's own terms; what the search is told; and why it wants each run, in words.

---@alias sweep.Reason "back"|"first_look"|"ends"|"round"|"split"|"repeat"|"confirm"|"chance"|"odd_one"|"retry"|"check"
---|"exact"|"link"|"witness"|"works"|"moved"|"node"|"one_node"

---@class sweep.Asked
---@field place integer position of the subject in the list
---@field id string
---@field label string
---@field reason sweep.Reason
---@field why string the reason in words
---@field lo integer positions of the nearest subjects on both sides that were run
---@field hi integer
---@field p number probability of a change between lo and hi
---@field value? number
---@field cpu_s? number CPU time of the test
---@field cpu_share? number its part of the time in which other programs left it a CPU
---@field instructions? integer of the test in user mode, where the machine counts them
---@field status string "ok", or how it failed
---@field message? string why it failed
---@field cause? string equal for failures that are alike
---@field reused boolean whether it came from the store
---@field trial integer its id in the store
---@field node? string of a cluster: where it ran
---@field raw? number what was measured there; `value` is made comparable with other nodes
---@field started number Unix seconds
---@field suspect? string[] why its number is in doubt
---@field artifact? string hash of what was built
---@field same_as? integer the trial of another subject with the same build, whose numbers these are
---@field loaded? sweep.Loaded what its commands loaded from worktrees
---@field installed? table<string, string> versions of the Python packages that its command installed into its image

local failure = require "lib/failure"
local map = require("lib/values").map
local numbers = require "lib/report/numbers"

local question = {}

--- The options of a script that go into the question.
question.keys = { "min_effect", "max_error", "budget", "parallel", "first_look", "min_width", "ends",
  "together", "exact", "flaky", "try_skipped" }

-- What may pass the second time. A test that ran and failed is taken at its word.
local MAY_PASS = { crashed = true, timeout = true, oom = true, interrupted = true }

-- The size that "no change" must exclude: half the difference that was reported for the ends (lib/sweep/stops).
local function excluded(o)
  local reported = o.reported
  if type(reported) ~= "table" or not reported.good or not reported.bad or reported.good == 0 then return nil end
  return math.abs(reported.bad / reported.good - 1) / 2
end

-- What each subject was built from, if every one of them says so.
local function builds_of(subjects)
  for _, field in ipairs { "build", "digest" } do
    local builds = map(subjects, function(subject) return type(subject) == "table" and subject[field] or nil end)
    if #builds == #subjects then return builds end
  end
end

--- The options of core.nouns.search.new for these subjects.
function question.of(o, subjects)
  if o.exact and o.flaky then core.fail("usage", "search: numbers cannot be both exact and flaky") end
  local kind = o.exact and "exact" or o.flaky and "flaky" or "noisy"
  local together = o.together  -- where going to another subject costs a build or a pull
  if together == nil then together = o.build ~= nil or o.keep_images ~= nil end
  return {
    n = #subjects, kind = kind, min_effect = o.min_effect, exclude = excluded(o), max_error = o.max_error,
    budget = o.budget, parallel = o.parallel, first_look = o.every and #subjects or o.first_look,
    min_width = o.min_width, together = together or nil,
    ends = o.ends or o.known_ends ~= nil and o.known_ends ~= "branch" or nil,
    chance = kind == "exact" and o.passes ~= nil or nil,
    builds = builds_of(subjects),
  }
end

--- The first place of each place's build, as neighbors of one build are measured once; and how many builds there are.
function question.heads(asking)
  local head, builds = {}, 0
  for i = 1, asking.n do
    local same = i > 1 and asking.builds and asking.builds[i] == asking.builds[i - 1]
    head[i], builds = same and head[i - 1] or i, builds + (same and 0 or 1)
  end
  return head, builds
end

--- What the search is told about a trial without a number.
function question.failure(status) return MAY_PASS[status] and "crashed" or "broken" end

--- The cause of a failure, for which subjects around it may be assumed to fail alike; nil with `try_skipped`.
function question.cause(o, status, message)
  local try_skipped = o.try_skipped
  if try_skipped == nil then try_skipped = core.options and core.options.try_skipped end
  return not try_skipped and failure.cause(status, message) or nil
end

--- Tells the search of a run, { place =, value =, status =, cause =, machine =, started = }; without a machine, of one.
function question.tell(search, entry)
  if entry.value then
    search:tell(entry.place, entry.value, entry.machine and { machine = entry.machine, at = entry.started })
  else
    search:fail(entry.place, question.failure(entry.status), entry.cause)
  end
end

local SIDES = { "lo", "hi", "leave_lo", "leave_hi" }

--- Calls f(place, change) for each place that is a side of one of these changes or doubts of the search's answer.
function question.each_side(changes, f)
  for _, change in ipairs(changes) do
    for _, side in ipairs(SIDES) do
      if change[side] then f(change[side], change) end
    end
  end
end

local WORDS = {
  first_look = "first look",
  round = "each is measured in turn",
  ends = "compares the two ends",
  split = "splits LO..HI, where the probability of a change is P",
  ["repeat"] = "repeated: the probability of a change between LO and HI is P",
  confirm = "repeated: a level next to a change has too few runs",
  chance = "repeated: whether its result is chance",
  odd_one = "repeated: a single run far from its neighbors",
  retry = "repeated: it crashed, and LO and HI around it differ",
  link = "repeated: another machine ran it, so this shows how the machines compare",
  exact = "repeated: checks whether the numbers have noise",
  moved = "repeated: the machine changed, and this is a side of a change",
  back = "goes back to a good one",
  check = "checks that it still measures the same",
  witness = "checks whether it moved as the good end did",
  works = "checks that the test still works",
  node = "shows how its node compares with the others",
  one_node = "compares LO and HI on one node",
}

--- Why the search wants a run, in words. `labels`: of the places.
function question.reason(request, labels)
  local words = { LO = labels[request.lo], HI = labels[request.hi], P = numbers.confidence(request.p) }
  return (WORDS[request.reason]:gsub("%f[%w]%u+%f[^%w]", words))
end

return question
