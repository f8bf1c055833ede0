-- reg.host: what a command costs, and causes that were planted. What takes time is repeated with more of it until it is
-- found: a slow machine only takes longer.

local test = require "harness"
local host = reg.host

-- The finding whose text has `text`, of two commands that get ever larger numbers; nil after a few tries.
local function found(text, before, after)
  for _, size in ipairs { 0.3, 0.6, 1.2, 2.4, 4.8 } do
    local ends = {}
    for i, make in ipairs { before, before, after, after } do ends[i] = host.collect(make(size)) end
    for _, finding in ipairs(host.diff({ ends[1], ends[2] }, { ends[3], ends[4] })) do
      local is_whole = finding.share or finding.unit ~= "s"  -- on a loaded machine no share may be clear
      if is_whole and finding.what:find(text, 1, true) then return finding, size end
    end
  end
end

local function shell(line) return function(size) return { shell = line:gsub("SIZE", tostring(size)) } end end

test("what a command costs", function()
  local run = host.collect { shell = "i=0; while [ $i -lt 100 ]; do true | cat; i=$((i+1)); done" }
  test.truthy(run.wall_s > 0 and run.user_s + run.sys_s > 0, "times")
  test.truthy(run.minor_faults > 100 and run.major_faults >= 0, "page faults")
  test.truthy(run.voluntary_switches > 20 and run.involuntary_switches >= 0, "context switches")
  test.truthy(run.peak_bytes > 0, "memory")
  test.truthy((run.instructions or 0) > 1000 or type(run.missing.instructions) == "string", "instructions")
  test.truthy(type(run.load) == "number", "load average")
  test.equal({ run.imports, run.missing.imports }, { nil, "no process of the command was Python 3.7 or newer" })
end)

test("a command that waits longer", function()
  local finding = found("waits", shell "true", shell "sleep SIZE")
  test.truthy(finding and finding.what:find "^waits [^ ]* s longer", finding and finding.what)
  test.truthy(finding.share > 0.5 and finding.share <= 1, finding.share)
end)

test("a command that starts more processes has more page faults and context switches", function()
  local function starting(n)
    return function() return { shell = "i=0; while [ $i -lt " .. n .. " ]; do true | cat; i=$((i+1)); done" } end
  end
  local faults = found("minor page faults", starting(10), starting(300))
  test.truthy(faults and faults.what:find "times as many" and faults.after > 10 * faults.before, faults and faults.what)
  test.truthy(found("voluntary context switches", starting(10), starting(300)), "context switches")
end)

test("a slower import is named, with the module that takes the time", function()
  test.needs "python3"
  local function importing(slow)
    return function(size)
      reg.fs.mkdir "modules/outer"
      reg.fs.write("modules/outer/__init__.py", "import inner_of_it\n")
      reg.fs.write("modules/inner_of_it.py", slow and "import time\ntime.sleep(" .. size .. ")\n" or "import time\n")
      return { cmd = { "python3", "-B", "-c", "import outer" }, env = { PYTHONPATH = reg.fs.absolute "modules" } }
    end
  end
  local one = host.collect(importing(false)())
  test.truthy(one.imports.total_s > 0 and one.imports.modules[1].self_s >= one.imports.modules[2].self_s, "sorted")
  local finding, size = found("import takes", importing(false), importing(true))
  test.truthy(finding and finding.what:find "^import takes .* s more, .* s of it in inner_of_it itself$",
    finding and finding.what)
  test.truthy(finding.after - finding.before > 0.7 * size and finding.share > 0.5, finding.share)
end)

test("import times, nested and of several processes", function()
  local run = host.collect { shell = [[cat >&2 <<'END'
import time: self [us] | cumulative | imported package
import time:       100 |        100 |   inner
a line of the program
import time:       200 |        300 | outer
import time: self [us] | cumulative | imported package
import time:        50 |         50 | outer
import time: cut off
END]] }
  test.near(run.imports.total_s, 350e-6, 1e-12)
  test.equal({ run.imports.modules[1].name, #run.imports.modules }, { "outer", 2 })
  test.near(run.imports.modules[1].self_s, 250e-6, 1e-12)
end)

-- A run of a program with such costs, each with the noise that it usually has.
local NOISE <const> = { user_s = 0.015, sys_s = 0.03, minor_faults = 0.01, major_faults = 0.1,
  voluntary_switches = 0.1, involuntary_switches = 0.15, peak_bytes = 0.01, instructions = 0.001, load = 0.1 }
local function simulated(factors)
  local one = { user_s = 4, sys_s = 0.5, minor_faults = 9e4, major_faults = 3, voluntary_switches = 900,
    involuntary_switches = 400, peak_bytes = 5e8, instructions = 1e10, load = 0.7,
    imports = { total_s = 0.9 * (1 + 0.01 * test.normal()), modules = {} } }
  for name, noise in pairs(NOISE) do one[name] = one[name] * (factors[name] or 1) * (1 + noise * test.normal()) end
  one.wall_s = one.user_s + one.sys_s + 1.5 * (factors.waiting or 1) * (1 + 0.03 * test.normal())
  return one
end

test("noise of ordinary size: no finding in 50 comparisons", function()
  test.seed(20240711)
  local silent, all = 0, {}
  for _ = 1, 50 do
    local list = host.diff({ simulated {}, simulated {} }, { simulated {}, simulated {} })
    silent = silent + (#list == 0 and 1 or 0)
    for _, finding in ipairs(list) do all[#all + 1] = finding.what end
  end
  test.equal(silent, 50, table.concat(all, "; "))
end)

test("what costs more is found among that noise, the longest time first", function()
  test.seed(7)
  local more = { user_s = 1.3, minor_faults = 3 }
  local list = host.diff({ simulated {}, simulated {} }, { simulated(more), simulated(more) })
  test.truthy(list[1].what:find "more CPU time in user mode" and list[1].share > 0.8, list[1].what)
  test.truthy(list[2].what:find "^minor page faults .*, %d%.?%d* times as many$", list[2].what)
  test.equal({ #list, list[1].level, list[2].share }, { 2, "host", nil })
end)

test("shares: of imports where these differ most, else of the other times, and none where CPUs work at the same time", function()
  local function run(wall, user, imported)
    return { wall_s = wall, user_s = user, sys_s = 0,
      imports = imported and { total_s = imported, modules = { { name = "m", self_s = imported } } } }
  end
  local list = host.diff(run(2, 1, 0.5), run(3, 2, 1.4))
  test.equal({ list[1].what, list[2].share }, { "import takes 0.9 s more, 0.9 s of it in m itself", nil })
  test.near(list[1].share, 0.9, 1e-9)
  local slower = run(3, 2, 1.4)  -- all of many modules are
  slower.imports.modules = {}
  for i = 1, 10 do slower.imports.modules[i] = { name = "m" .. i, self_s = 0.14 } end
  local before = run(2, 1, 0.5)
  before.imports.modules = {}
  for i = 1, 10 do before.imports.modules[i] = { name = "m" .. i, self_s = 0.05 } end
  test.equal(host.diff(before, slower)[1].what, "1 s more CPU time in user mode")
  list = host.diff(run(2, 1, 0.5), run(4, 1, 0.7))
  test.equal({ list[1].what, list[1].share, list[2].share }, { "waits 2 s longer", 1.0, nil })
  list = host.diff(run(2, 6), run(3, 9))
  test.equal({ #list, list[1].what, list[1].share }, { 1, "3 s more CPU time in user mode", nil })
end)

test("waiting for a CPU is told from a command that sleeps", function()
  local function run(wall, crowded) return { wall_s = wall, user_s = 1, sys_s = 0, crowded_s = crowded } end
  local function said(before, after) return host.diff(before, after)[1].what end
  test.equal(said(run(2, 1), run(4, 2.9)), "waits 2 s longer, while programs wait for a CPU")
  test.equal(said(run(2, 1), run(4, 1.5)), "waits 2 s longer")
  test.equal(said(run(2), run(4)), "waits 2 s longer")
  test.equal(said(run(4, 2.9), run(2, 1)), "waits 2 s less")

  -- Of a command that is not in a container its own threads tell, whatever others do.
  local function delayed(wall, delay) return { wall_s = wall, user_s = 1, sys_s = 0, cpu_delay_s = delay, crowded_s = wall } end
  test.equal(said(delayed(2, 0.1), delayed(4, 1.9)), "waits 2 s longer, 1.8 s of it for a CPU")
  test.equal(said(delayed(2, 0.1), delayed(4, 0.9)), "waits 2 s longer")
  test.equal(said(delayed(2, 0), delayed(4, 9)), "waits 2 s longer, 2 s of it for a CPU")

  -- What computes more waits for a CPU more, where others use them; on a machine that is free it sleeps as well.
  local function computing(user, waits, crowded)
    return { wall_s = user + waits, user_s = user, sys_s = 0, crowded_s = crowded }
  end
  local list = host.diff(computing(1, 2, 2.9), computing(3, 5, 7.9))
  test.equal({ #list, list[1].what, list[1].share },
    { 1, "2 s more CPU time in user mode, and waits 3 s longer for a CPU", 1.0 })
  test.equal(said(computing(1, 2, 0), computing(3, 5, 0)), "waits 3 s longer")
  list = host.diff(computing(1, 0.2, 0.1), computing(1.2, 5, 6))
  test.equal({ #list, list[1].what }, { 2, "waits 4.8 s longer, while programs wait for a CPU" })
end)

test("page faults of one program vary by a quarter with the load of the machine", function()
  local function runs(first, second)
    local function run(faults) return { wall_s = 1, user_s = 1, sys_s = 0, minor_faults = faults } end
    return { run(first), run(second) }
  end
  test.equal(#host.diff(runs(52600, 52700), runs(38100, 38300)), 0)
  test.equal(host.diff(runs(52600, 52700), runs(120000, 121000))[1].what,
    "minor page faults 52650 -> 120500, 2.3 times as many")
end)

test("misuse, and a command that fails", function()
  test.refuses("usage", host.collect, { { "takes a table of options", "x" }, { "unknown option 'cdm'", { cdm = {} } } })
  test.raises("takes what was collected", function() host.diff(1, 2) end, "usage")
  local why = test.raises("the command failed with exit code 3", function()
    host.collect { shell = "echo reason >&2; exit 3" }
  end, "failed_trial")
  test.equal(why.hint, "reason")
  test.raises("the command timed out", function() host.collect { shell = "sleep 9", timeout_s = 0.05 } end, "failed_trial")
end)

test.with_each_engine("a command in a container", function(name, image)
  local run = host.collect { image = image, runtime = name, network = "none",
    shell = "i=0; while [ $i -lt 100 ]; do true | cat; i=$((i+1)); done" }
  test.truthy(run.minor_faults > 100 and run.voluntary_switches > 20 and run.peak_bytes > 0, reg.json.encode(run))
  test.equal(run.missing.instructions, "instructions are not counted in containers")
end)

return test.finish()
