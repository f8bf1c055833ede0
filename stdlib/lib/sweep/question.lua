-- What a script says of a search - lists, functions of a subject, "flaky" - as the engine's search takes it.

local question = {}

--- The options of a script that go into the question.
question.keys = { "min_effect", "max_error", "budget", "parallel", "first_look", "min_width", "builds", "prior", "cost", "exact",
  "flaky" }

-- What may pass the second time. A test that ran and said no is taken at its word.
local MAY_PASS = { crashed = true, timeout = true, oom = true, interrupted = true }

-- One value a subject: a list of them, or a function that gives each.
local function of_each(name, value, subjects)
  if value == nil then return nil end
  local list = value
  if type(value) == "function" then
    list = {}
    for i, subject in ipairs(subjects) do list[i] = value(subject) end
  end
  if type(list) ~= "table" or #list ~= #subjects then
    core.fail("usage", string.format("search: '%s' must have one value for each of the %d places", name, #subjects))
  end
  return list
end

-- Costs of a first run of each place, and of a further one. A lone number is what a first run costs, in further runs.
local function costs(cost, subjects)
  local first, again = cost, nil
  if type(cost) == "table" and (cost.first or cost.again) then first, again = cost.first, cost.again end
  if type(first) == "number" then
    local each = first
    first = function() return each end
  end
  return of_each("cost", first, subjects), again
end

--- The options of core.nouns.search.new for these subjects.
function question.of(o, subjects)
  if o.exact and o.flaky then core.fail("usage", "search: numbers are either exact or flaky, not both") end
  local kind = o.exact and "exact" or o.flaky and "flaky" or "metric"
  local first, again = costs(o.cost, subjects)
  return {
    n = #subjects, kind = kind, min_effect = o.min_effect, max_error = o.max_error,
    budget = o.budget, parallel = o.parallel, first_look = o.first_look, min_width = o.min_width,
    builds = of_each("builds", o.builds, subjects), prior = of_each("prior", o.prior, subjects), cost = first,
    repeat_cost = again,
  }
end

--- Runs f(request) for each request of a round, side by side where there are several; the results in the round's order.
function question.run(round, f)
  if #round == 1 then return { f(round[1]) } end
  return reg.parallel(round, f, { at_most = #round })
end

--- How the search takes a trial that gave no number.
function question.failure(status)
  return MAY_PASS[status] and "crashed" or "broken"
end

return question
