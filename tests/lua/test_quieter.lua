-- CPU time and instructions beside the wall time: advice to use one of them, and --metric @time, which is the quietest.

local test = require "harness"
local findings = reg.private "lib/report/findings"
local quieter = reg.private "lib/sweep/quieter"
local words = reg.private "lib/report/words"

reg.needs { process = "sh", files = "." }

local WALL, CPU = 0.2, 0.005  -- noise

-- Numbers around 0 with about the deviation 1, the same at each start.
local function noise_of(seed)
  local state = seed
  return function()
    local sum = 0
    for _ = 1, 12 do
      state = (state * 16807) % 2147483647
      sum = sum + state / 2147483647
    end
    return sum - 6
  end
end

local stores = 0
local function new_store()
  stores = stores + 1
  return "quieter" .. stores .. ".db"
end

-- A `measure` whose trials have the numbers of a program: of a subject its level in seconds, o.cpu(level) of them on
-- the CPU (unless given: all), and o.waits more seconds; o.wall: the noise of the wall time; o.instructions(level): nil
-- where none were counted.
local function measure_of(level_of, o)
  local noise = noise_of(11)
  return function(subject, trial)
    local level = level_of(subject)
    local cpu_s = (o.cpu and o.cpu(level) or level) * (1 + CPU * noise())
    local wall_s = level * (1 + (o.wall or WALL) * noise()) + (o.waits or 0)
    trial.costs = { wall_s = wall_s, user_s = cpu_s, sys_s = 0 }
    local count = o.instructions and o.instructions(level)
    trial.instructions = count or 0
    return o.metric == "@time" and { ["wall time"] = wall_s, ["CPU time"] = cpu_s, instructions = count } or wall_s
  end
end

local function level_at(subject) return subject.place < 8 and 1 or 1.15 end

local function sweep(o, into)
  local subjects, given = {}, { config = {}, into = into or new_store(), metric = o.metric, reported = o.reported }
  for i = 1, 12 do subjects[i] = { id = "s" .. i, place = i } end
  given.measure = measure_of(o.level_at or level_at, o)
  return reg.sweep(subjects, given), given.into
end

local function notes(series) return table.concat(words.notes(findings(series)), " ") end

test("@time is CPU time where that is quieter and differs as the wall time does", function()
  local series, into = sweep { metric = "@time" }
  test.equal({ series.metric, series.unit, series.quieter.taken }, { "CPU time", "s", "CPU time" })
  test.equal({ #series.changes, series.changes[1].first_bad }, { 1, "s8" })
  test.near(series.changes[1].effect, 0.15, 0.01)
  test.truthy(notes(series):find "@time is CPU time here: [%d.]+ %% noise, wall time [%d.]+ %%%.", notes(series))
  for _, point in ipairs(series.points) do
    for _, value in ipairs(point.values) do test.near(value, point.index < 8 and 1 or 1.15, 0.05) end
  end
  -- The stored numbers decide again, and the same.
  local again = sweep({ metric = "@time" }, into)
  test.equal({ again.runs, again.metric, again.changes[1].first_bad }, { 0, "CPU time", "s8" })
end)

test("@time is the wall time where the test waits, the CPU time is unchanged, or no less noisy", function()
  local cases = {
    { o = { waits = 5 }, says = "the test mostly waits, which CPU time does not see" },
    { o = { cpu = function() return 1 end },
      says = "the ends do not clearly differ in CPU time, or not as in wall time" },
    { o = { cpu = function(level) return 2 - level end, wall = 0.03 },
      says = "the ends do not clearly differ in CPU time, or not as in wall time" },
  }
  for _, case in ipairs(cases) do
    case.o.metric = "@time"
    local series = sweep(case.o)
    test.equal({ series.metric, series.quieter.taken }, { "wall time", "wall time" }, case.says)
    test.truthy(notes(series):find("@time is wall time here: " .. case.says .. ".", 1, true), notes(series))
  end
  local louder = quieter.choose { noise = 0.001, other = "CPU time", other_noise = 0.002 }
  test.equal(reg.private("lib/report/coverage").quieter(louder, "wall time"), "@time is wall time here: 0.1 % noise, CPU time 0.2 %.")
end)

local function counted(level) return math.tointeger(level * 1e9 // 1) end

test("@time is the instructions where these are quieter still, and a search by wall time names them", function()
  local series, into = sweep { metric = "@time", instructions = counted }
  test.equal({ series.metric, series.unit, series.quieter.taken }, { "instructions", nil, "instructions" })
  test.equal({ #series.changes, series.changes[1].first_bad, series.changes[1].before }, { 1, "s8", 1e9 })
  test.truthy(notes(series):find("@time is instructions here: 0 %% noise, wall time [%d.]+ %%%."), notes(series))
  local again = sweep({ metric = "@time", instructions = counted }, into)
  test.equal({ again.runs, again.metric }, { 0, "instructions" })
  series = sweep { metric = "@wall", instructions = counted }
  test.truthy(notes(series):find "instructions [%d.]+ %%: %-%-metric @instructions would take about %d+ runs%.", notes(series))
  -- Some do not change where the time does: CPU time is taken.
  series = sweep { metric = "@time", instructions = function() return 1000000 end }
  test.equal({ series.metric, series.unit }, { "CPU time", "s" })
end)

test("a run whose instructions were not counted is skipped once @time is the instructions", function()
  local runs = 0
  local series = sweep { metric = "@time", instructions = function(level)
    runs = runs + 1
    return runs ~= 9 and counted(level) or nil
  end }
  test.equal({ series.metric, #series.changes, series.changes[1].first_bad }, { "instructions", 1, "s8" })
end)

test("@time needs both ends, and no reported values", function()
  test.raises("@time needs both ends", function() sweep { metric = "@time", reported = { good = 1, bad = 2 } } end,
    "usage")
end)

test("a search by wall time says that CPU time would take fewer runs", function()
  local series = sweep { metric = "@wall" }
  local found = series.quieter
  test.truthy(found and math.abs(found.noise - WALL) < 0.1 and math.abs(found.other_noise - CPU) < 0.005,
    reg.json.encode(found or {}))
  test.truthy(found.runs >= 4 and found.runs < 40, found.runs)
  test.truthy(notes(series):find("CPU time [%d.]+ %%: %-%-metric @cpu would take about " .. found.runs .. " runs%."),
    notes(series))
  for _, o in ipairs { { waits = 5 }, { cpu = function() return 1 end }, { cpu = function(level) return 2 - level end, wall = 0.05 },
      { level_at = function() return 1 end } } do
    o.metric = "@wall"
    test.equal(sweep(o).quieter, nil)
  end
end)

test("ab says so too, and takes CPU time for @time", function()
  local function ab(o, wanted)
    local measure = measure_of(function(command) return command == "a" and 1 or 1.15 end, o)
    local found = reg.ab("a", "b", { measure = measure, metric = o.metric, into = new_store(), budget = 12 })
    test.truthy(found.text:find(wanted), found.text)
    return found
  end
  local found = ab({ metric = "@time" }, "@time is CPU time here: [%d.]+ %% noise, wall time [%d.]+ %%%.")
  test.equal({ found.metric, found.verdict, found.pairs }, { "CPU time", "worse", 5 })
  test.near(found.effect, 0.15, 0.01)
  found = ab({ metric = "@time", cpu = function() return 1 end }, "@time is wall time here: the ends do not clearly")
  test.equal(found.metric, "wall time")
  ab({ metric = "@wall", wall = 0.3 }, "Wall time has [%d.]+ %% noise here, CPU time [%d.]+ %%: %-%-metric @cpu would take "
    .. "about 5 pairs%.")
end)

test("Trial:test keeps both times for @time", function()
  local into = new_store()
  local series = reg.sweep({ "a", "b" }, { into = into, metric = "@time", measure = function(_, trial)
    return trial:test({ shell = "true" }, { metric = "@time" })
  end })
  local store <close> = reg.store.open(into)
  for _, trial in ipairs(store:trials()) do
    test.equal(trial.samples["wall time"], { trial.wall_s })
    test.near(trial.samples["CPU time"][1], trial.user_s + trial.sys_s, 1e-9)
  end
  test.truthy(series.quieter.taken == series.metric, series.metric)
end)

return test.finish()
