-- reg.search{ n =, measure = f, ... }: finds where along 1..n a number changed, in as few runs of f(place) as the noise
-- allows. It stores nothing; reg.sweep does. Without `measure` it returns the search itself, for strategies of your
-- own:
--
--   local search = reg.search { n = 61 }
--   for _, request in ipairs(search:ask()) do search:tell(request.place, number) end     -- until ask() returns none
--   local answer = search:answer()

local check_keys = require "lib/options/check_keys"
local failure = require "lib/failure"
local question = require "lib/sweep/question"

local KEYS = table.move(question.keys, 1, #question.keys, 3, { "n", "measure" })

local function places(n)
  if math.type(n) ~= "integer" or n < 1 then core.fail("usage", "search: 'n' must be the number of places") end
  local list = {}
  for i = 1, n do list[i] = i end
  return list
end

-- One run, as { value = number, passed = boolean or nil } or { failed = "broken" or "crashed", cause = }.
local function run(o, place)
  local ok, result = pcall(o.measure, place)
  local kind = type(result)
  if kind == "table" and result.kind == "failed_trial" then
    failure.check_shortage({ subject_id = "place " .. place }, result)
    local status = result.status or "build_failed"
    return { failed = question.failure(status), cause = question.cause(o, status, result.message) }
  end
  if not ok then error(result, 0) end
  if kind == "boolean" then return { value = result and 0 or 1, passed = result } end
  if kind ~= "number" then
    core.fail("usage", "search: `measure` must return a number, true or false, or reg.skip(...), not a " .. kind)
  end
  return { value = result }
end

local function tell(search, place, result)
  if result.failed then search:fail(place, result.failed, result.cause) else search:tell(place, result.value) end
end

local function any_passes(results)
  for _, result in ipairs(results) do
    if result.passed ~= nil then return true end
  end
  return false
end

return function(o)
  if type(o) ~= "table" then core.fail("usage", "search: takes a table { n =, measure =, ... }") end
  check_keys("search", o, KEYS)
  local asking = question.of(o, places(o.n))
  local search = core.nouns.search.new(asking)
  if not o.measure then return search end

  local asked, round_number = {}, 0
  local round = search:ask()
  while #round > 0 do
    round_number = round_number + 1
    local results = question.run(round, function(request) return run(o, request.place) end)
    if round_number == 1 and asking.kind == "noisy" and any_passes(results) then
      -- Pass and fail, and the script does not say which kind: flaky. The search was told nothing yet, so start it
      -- again.
      asking = question.of(setmetatable({ flaky = true }, { __index = o }), places(o.n))
      search = core.nouns.search.new(asking)
    end
    for i, request in ipairs(round) do
      local result = results[i]
      tell(search, request.place, result)
      request.round, request.value, request.failed = round_number, result.value, result.failed
      asked[#asked + 1] = request
    end
    round = search:ask()
  end
  local answer = search:answer()
  answer.asked = asked
  return answer
end
