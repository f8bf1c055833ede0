-- CPU time and instructions beside a noisy wall time: advice to use one of them.

local test = require "harness"
local shown = require "shown"

reg.needs { process = "sh", files = "." }

local WALL, CPU = 0.2, 0.005  -- noise

-- A `measure` whose trials have the numbers of a program: of a subject its level in seconds on the CPU, and o.waits more
-- seconds; o.wall: the noise of the wall time; o.instructions(level).
local function measure_of(level_of, o)
  test.seed(11)
  return function(subject, trial)
    local level = level_of(subject)
    local cpu_s = level * (1 + CPU * test.normal())
    local wall_s = level * (1 + (o.wall or WALL) * test.normal()) + (o.waits or 0)
    trial.costs = { wall_s = wall_s, user_s = cpu_s, sys_s = 0 }
    trial.instructions = o.instructions and o.instructions(level) or 0
    return wall_s
  end
end

local function level_at(subject) return subject.place < 8 and 1 or 1.15 end

local function sweep(o, n, level_of)
  return reg.sweep(test.subjects(n or 12), { into = test.fresh ".db", metric = "@wall",
    measure = measure_of(level_of or level_at, o) })
end

local function notes(series) return table.concat(shown(series), " ") end

local function counted(level) return math.tointeger(level * 1e9 // 1) end

test("a search by wall time says which number has much less noise", function()
  local series = sweep {}
  local found = series.quieter
  test.truthy(found and math.abs(found.noise - WALL) < 0.1 and math.abs(found.other_noise - CPU) < 0.005,
    reg.json.encode(found or {}))
  test.truthy(notes(series):find("Wall time has [%d.]+ %% noise here, CPU time 0.[%d]+ %% and a difference of %+1[3-7][%d.]* %%: "
    .. "%-%-metric @cpu needs fewer runs, but does not see waiting%."), notes(series))
  test.near(found.effect, 0.15, 0.02)
  series = sweep { instructions = counted }
  test.truthy(notes(series):find "instructions 0 %% and a difference of %+1[3-7][%d.]* %%: %-%-metric @instructions needs",
    notes(series))
  -- Of many subjects, few of which are measured, each more than once.
  test.near(sweep({}, 60, function(subject) return subject.place < 40 and 1 or 1.15 end).quieter.effect, 0.15, 0.02)
  test.equal(sweep({}, 7).quieter.effect, nil)
  -- A program that mostly waits, and a quiet wall time.
  for _, o in ipairs { { waits = 5 }, { wall = 0.02 } } do test.equal(sweep(o).quieter, nil) end
end)

test("ab says so too", function()
  local measure = measure_of(function(command) return command == "a" and 1 or 1.15 end, { wall = 0.3 })
  local found = reg.ab("a", "b", { measure = measure, metric = "@wall", into = test.fresh ".db", budget = 12 })
  test.truthy(found.text:find "Wall time has [%d.]+ %% noise here, CPU time [%d.]+ %% and a difference "
    .. "of %+1[3-7][%d.]* %%: %-%-metric @cpu needs fewer runs",
    found.text)
end)

return test.finish()
