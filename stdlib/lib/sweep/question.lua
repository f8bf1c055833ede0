-- The question for the engine's search: what a script says about it - lists, functions of a subject, "flaky" - checked
-- and put into the search's own terms.

local failure = require "lib/failure"

local question = {}

--- The options of a script that go into the question.
question.keys = { "min_effect", "max_error", "budget", "parallel", "first_look", "min_width", "builds", "prior", "cost",
  "ends", "together", "exact", "flaky", "try_skipped" }

-- What may pass the second time. A test that ran and failed is taken at its word.
local MAY_PASS = { crashed = true, timeout = true, oom = true, interrupted = true }

-- One value for each subject, out of a list or a function.
local function of_each(name, value, subjects)
  if value == nil then return nil end
  local list = value
  if type(value) == "function" then
    list = {}
    for i, subject in ipairs(subjects) do list[i] = value(subject) end
  end
  if type(list) ~= "table" or #list ~= #subjects then
    core.fail("usage", string.format("search: '%s' must have %d values, one for each place", name, #subjects))
  end
  return list
end

-- The costs of each place's first run, and that of a further run. A single number is the cost of a first run in units
-- of a further one.
local function costs(cost, subjects)
  local first, again = cost, nil
  if type(cost) == "table" and (cost.first or cost.again) then first, again = cost.first, cost.again end
  if type(first) == "number" then
    local each = first
    first = function() return each end
  end
  return of_each("cost", first, subjects), again
end

-- The size that "no change" must exclude: half the difference that was reported for the ends (lib/sweep/stops).
local function excluded(o)
  local reported = o.reported
  if type(reported) ~= "table" or not reported.good or not reported.bad or reported.good == 0 then return nil end
  return math.abs(reported.bad / reported.good - 1) / 2
end

--- The options of core.nouns.search.new for these subjects.
function question.of(o, subjects)
  if o.exact and o.flaky then core.fail("usage", "search: numbers cannot be both exact and flaky") end
  local kind = o.exact and "exact" or o.flaky and "flaky" or "noisy"
  local first, again = costs(o.cost, subjects)
  local together = o.together  -- where going to another subject costs a build or a pull
  if together == nil then together = o.build ~= nil or o.keep_images ~= nil end
  return {
    n = #subjects, kind = kind, min_effect = o.min_effect, exclude = excluded(o), max_error = o.max_error,
    budget = o.budget, parallel = o.parallel, first_look = o.first_look, min_width = o.min_width,
    together = together or nil,
    ends = o.ends or o.known_ends ~= nil and o.known_ends ~= "branch" or nil,
    chance = kind == "exact" and o.passes ~= nil or nil,
    builds = of_each("builds", o.builds, subjects), prior = of_each("prior", o.prior, subjects), cost = first,
    repeat_cost = again,
  }
end

--- Whether the numbers have noise: they are not exact, and not passed and failed.
function question.has_noise(asking) return asking.kind == "noisy" end

--- Runs f(request) for each request of a round, in parallel if there are several. Returns the results in the round's
--- order.
function question.run(round, f)
  if #round == 1 then return { f(round[1]) } end
  return reg.parallel(round, f, { at_most = #round })
end

--- What the search is told about a trial without a number.
function question.failure(status)
  return MAY_PASS[status] and "crashed" or "broken"
end

--- The cause of a failure, for which the search may assume that subjects around it fail alike; nil with `try_skipped`,
--- an option of the script or of the command line.
function question.cause(o, status, message)
  local try_skipped = o.try_skipped
  if try_skipped == nil then try_skipped = core.options and core.options.try_skipped end
  return not try_skipped and failure.cause(status, message) or nil
end

--- Tells the search of a run, { place =, value =, status =, cause =, machine =, started = }. Without a machine, runs
--- count as made on one, in the order in which they are told.
function question.tell(search, entry)
  if entry.value then
    search:tell(entry.place, entry.value, entry.machine and { machine = entry.machine, at = entry.started })
  else
    search:fail(entry.place, question.failure(entry.status), entry.cause)
  end
end

return question
