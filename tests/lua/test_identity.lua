-- Keys of trials. tests/scripts/test_identity.sh edits one thing at a time.

local test = require "harness"

test("leased GPUs count with their own power limit, and equal ones are the same", function()
  local fakes = test.variable "REGENGINE_FAKES"
  if not reg.fs.exists(fakes .. "/nvml.so") then test.skip "REGENGINE_FAKES is not set: run under ctest" end
  reg.fs.write("gpu", "gpus=3\ngpu1.limit_mw=500000\n")
  reg.fs.write("leases.lua", [[
    local series = reg.sweep({ "0", "1", "2" }, { into = "leases.db", every = true, exact = true, parallel = 3,
      measure = function(gpu, trial) return trial:run({ shell = "true", gpus = gpu }).code + 1 end })
    local keys = {}
    for _, trial in ipairs(series.store:trials {}) do keys[trial.info.leased[1].index] = trial.key:match "@(.*)" end
    print(keys[0] == keys[1], keys[0] == keys[2])]])
  local run = reg.process.run { shell = 'exec "$REGENGINE" -q leases.lua',
    env = { REGENGINE_NVML = fakes .. "/nvml.so", REGENGINE_FAKE_NVML = reg.fs.absolute "gpu" } }
  test.truthy(run.stdout:find "^false\ttrue\n", run.stdout .. run.stderr)
end)

test("reg.identity: equal parts and machine give an equal key, which names the machine after '@'", function()
  local key = reg.identity { a = 1, b = { 2, 3 } }
  test.equal(reg.identity { b = { 2, 3 }, a = 1 }, key)
  test.truthy(reg.identity { a = 2, b = { 2, 3 } } ~= key)
  test.truthy(key:find "^%x+@%x+$", key)
  test.refuses("usage", reg.identity, { { "takes a table", "a" }, { "no JSON form", { f = print } } })
end)

-- The runs of two sweeps over one subject, with these functions as `measure`.
local function runs(first, second, into)
  into = into or test.fresh ".db"
  return test.map({ first, second }, function(measure)
    return reg.sweep({ "a" }, { into = into, exact = true, measure = measure }).runs
  end)
end

test("a table that contains itself does not count as data", function()
  local class = { one = 1 }
  class.__index = class
  local function measure() return class.one end
  test.equal(runs(measure, measure), { 1, 0 })
end)

test("a rehearsal leaves no trace: variables, tables, prints and effects", function()
  local calls, list, state = 0, {}, setmetatable({}, { __index = { base = 1 } })
  local function measure(subject, trial)
    calls = calls + 1
    list[#list + 1] = subject
    state.last = subject
    reg.fs.append("effects", "x")
    print "measured"
    return trial:run({ shell = "true" }).wall_s
  end
  reg.sweep({ "a" }, { into = "trace.db", exact = true, measure = measure })
  test.equal({ calls, list, state.last, reg.fs.read "effects" }, { 1, { "a" }, "a", "x" })
end)

test("settings in a table and global variables count, and state does not", function()
  local function scaled(settings)
    return function(_, trial) return trial:run({ shell = "true" }).wall_s * settings.by end
  end
  test.equal(runs(scaled { by = 1 }, scaled { by = 1 }), { 1, 0 })
  test.equal(runs(scaled { by = 1 }, scaled { by = 2 }), { 1, 1 })
  local state = { calls = 0 }
  local function counts(_, trial)
    state.calls = state.calls + 1
    return trial:run({ shell = "true" }).code + 1
  end
  test.equal({ runs(counts, counts), state.calls }, { { 1, 0 }, 1 })
end)

test("a file that the command writes does not count as input", function()
  local function reads_result(_, trial)
    trial:run { shell = "echo $$ >result" }
    return tonumber(reg.fs.read "result")
  end
  test.equal(runs(reads_result, reads_result), { 1, 0 })
end)

test("a measure that cannot be rehearsed to its end is known by its code and the data it uses", function()
  local function waits(factors)
    return function(_, trial)
      reg.sleep(0.001)
      return trial:run({ shell = "true" }).code + factors[1]
    end
  end
  test.equal(runs(waits { 1 }, waits { 1 }), { 1, 0 })
  test.equal(runs(waits { 1 }, waits { 2 }), { 1, 1 })
  local function fails(_, trial) return tonumber(trial:run({ shell = "echo 5" }).stdout:match "%d") + 0 end
  test.equal(runs(fails, fails), { 1, 0 })
end)

test("what is read from files counts", function()
  local function reads(_, trial)
    return tonumber(reg.fs.read "factor") + trial:run({ shell = "true" }).code
  end
  for _, factor in ipairs { "1", "2" } do
    reg.fs.write("factor", factor)
    test.equal(runs(reads, reads, "factors.db"), { 1, 0 })
  end
end)

test("a trial that timed out is measured again with a longer limit only", function()
  local function slow(limit)
    local options = setmetatable({ shell = "sleep 5", timeout_s = limit }, {})
    return function(_, trial) return trial:run(options).code end
  end
  test.equal(runs(slow(0.2), slow(0.2)), { 1, 0 })
  test.equal(runs(slow(0.2), slow(0.1)), { 1, 0 })
  test.equal(runs(slow(0.1), slow(0.2)), { 1, 1 })
end)

return test.finish()
