local test = require "harness"

local function subjects(n)
  local list = {}
  for i = 1, n do list[i] = { id = string.format("s%03d", i), place = i } end
  return list
end

test("with repeats = N, each trial runs measure N times and takes the median", function()
  local calls, order = 0, {}
  local function repeated(o, measure)
    local all = { into = "repeats.db", metric = "v", better = "higher", config = {}, measure = measure, repeats = 3 }
    for name, value in pairs(o) do all[name] = value end
    return reg.sweep(subjects(20), all)
  end
  -- Every third run is wild; its median is not.
  local function measure(subject)
    calls = calls + 1
    order[#order + 1] = subject.id
    return (subject.place < 12 and 100 or 80) * (calls % 3 == 0 and 40 or 1)
  end
  local series = repeated({ exact = true }, measure)
  test.equal(series.changes[1].first_bad, subjects(20)[12].id)
  test.equal(calls, 3 * series.runs)
  test.equal({ order[1], order[2] }, { order[3], order[3] })
  local store <close> = reg.store.open "repeats.db"
  test.equal(store:trials({})[1].samples.v, { 100.0, 100.0, 4000.0 })
  local before = calls
  test.equal(repeated({ exact = true }, measure).reused, series.runs)
  test.equal(calls, before)
  test.truthy(repeated({ exact = true, repeats = 1 }, function() return 1 end).reused == 0, "another number of repeats")
  repeated({ exact = true, config = { lists = true } }, function() return { v = { 1, 2, 9 }, w = 5 } end)
  test.raises("repeats must be an integer from 1 to 1000, not 0", function() repeated({ repeats = 0 }, measure) end, "usage")
  test.raises("a test that passes or fails has no median", function() repeated({ flaky = true }, measure) end, "usage")
end)

return test.finish()
