-- With `repeats`, a look of the search at a subject runs `measure` that often in a row: one trial, whose numbers are
-- those of the runs, and whose value is their median.

local median = require "lib/median"

local MOST = 1000

local function check(o)
  local n = o.repeats
  if math.type(n) ~= "integer" or n < 1 or n > MOST then
    core.fail("usage", string.format("sweep: repeats must be an integer from 1 to %d, not %s", MOST, tostring(n)))
  end
  if o.passes or o.flaky then
    core.fail("usage", "sweep: a test that passes or fails has no median, so `repeats` has no effect",
      "Omit it; with `flaky`, the search repeats runs itself.")
  end
end

-- The number of one run: the median of a list. What has no median, as NaN, stays as it is, and fails the trial later.
local function one_of(value)
  for _, x in ipairs(type(value) == "table" and value or {}) do
    if type(x) ~= "number" or x ~= x then return x end
  end
  return type(value) == "table" and #value > 0 and median(value) or value
end

-- Adds the numbers of a run, each metric once. Returns what is not numbers.
local function add(numbers, result)
  if type(result) == "number" then result = { result } end
  if type(result) ~= "table" or result.kind == "failed_trial" or next(result) == nil then return result end
  if #result > 0 then
    numbers[#numbers + 1] = one_of(result)
    return nil
  end
  for name, value in pairs(result) do
    numbers[name] = numbers[name] or {}
    table.insert(numbers[name], one_of(value))
  end
end

--- The options with a `measure` that runs the script's own so often; one that fails ends the trial.
return function(o)
  check(o)
  if o.repeats == 1 then return o end
  local measure, options = o.measure, {}
  for name, value in pairs(o) do options[name] = value end
  options.config = { repeats = o.repeats }
  for name, value in pairs(o.config or {}) do options.config[name] = value end
  function options.measure(subject, trial)
    if core.in_rehearsal or core.settings().dry_run then return measure(subject, trial) end
    local numbers = {}
    for _ = 1, o.repeats do
      local other = add(numbers, measure(subject, trial))
      if other ~= nil then return other end
    end
    return numbers
  end
  return options
end
