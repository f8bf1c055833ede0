-- Trials beside GPUs, with the fake driver (tests/support/fakes/nvml): what is kept of them, which are suspect, and
-- what becomes of those. Each case is an engine of its own, since the driver is chosen by the environment it starts in.

local test = require "harness"
local with_fake = require("with_fake_gpu").with_fake

-- Beside what with_fake says, `sweep(n, o)` is there: n subjects into STORE, run(place, times) gives the number, and
-- `runs` counts all runs; `idle` is such a run, long enough for a few samples. `in_image` is another, of a command.
local PRELUDE = [[
runs = 0
local function fake(state) reg.fs.write(FAKE, "gpu0.uuid=" .. UUID .. "\n" .. state:gsub(" ", "\n")) end
local function trials() return reg.store.open(STORE):trials() end
local function sweep(n, o)
  local subjects, times = {}, {}
  for i = 1, n do subjects[i] = { id = "s" .. i, place = i } end
  local options = { into = STORE, config = {}, every = true, exact = true }
  for name, value in pairs(o) do options[name] = value end
  options.run = nil
  function options.measure(subject, trial)
    runs = runs + 1
    times[subject.place] = (times[subject.place] or 0) + 1
    return o.run(subject.place, times[subject.place], trial)
  end
  return reg.sweep(subjects, options)
end
local function idle() reg.sleep(0.25) return 1 end
reg.fs.mkdir "image"
local function in_image(trial, shell, gpus)
  trial:run { image = "image", runtime = "local", shell = shell, gpus = gpus }
  return 1
end
local MEET = "until [ $(wc -l <seen) -ge 2 ]; do sleep 0.02; done; sleep 0.25"  -- both have written a line
local function why(i) return (trials()[i or 1].info.suspect or {}).why or {} end
local function statuses(of)
  local list = {}
  for i, trial in ipairs(trials()) do list[i] = of and of(trial) or trial.status end
  return list
end
]]

local function try_engine(state, code, goes_on, variables)
  return with_fake(state, code, nil, variables, PRELUDE, goes_on)
end

local function engine(state, code, goes_on, variables)
  local got, run = try_engine(state, code, goes_on, variables)
  if not got then error(run.stdout .. run.stderr, 2) end
  return got, run
end

test("a trial keeps what the GPU did beside it, and that no clock was locked", function()
  local all = engine("gpu0.temperature=61 gpu0.power_mw=350000", "sweep(1, { run = idle }) return trials()[1].info")
  local info = all.gpu
  test.equal(all.quiet, nil)
  test.equal({ info.sm_mhz.median, info.temperature_c.min, info.power_w.max }, { 1980.0, 61.0, 350.0 })
  test.equal({ info.throttled, info.locked, info.why_not_locked }, { false, false, "no lock was requested" })
  test.truthy(info.samples >= 2 and info.seconds > 0.2)
  test.equal({ #info.gpus, info.gpus[1].index }, { 1, 0 })
end)

test("a lock is in the record, and a lock that was refused with its reason", function()
  local info = engine("", [[local clocks <close> = reg.gpu.lock { sm = 1590 }
    sweep(1, { run = function() return 1 end })
    clocks:close()
    sweep(1, { run = function() return 1 end, config = { again = true } })
    return { trials()[1].info.gpu, trials()[2].info.gpu }]])
  test.equal({ info[1].locked, info[1].locks[1].asked, info[1].locks[1].gpus[1].sm_mhz }, { true, "sm 1590", 1590 })
  test.equal({ info[2].locked, info[2].why_not_locked }, { false, "no lock was requested" })
  local refused
  for _, lock in ipairs { "reg.gpu.lock { sm = 1590 }", "reg.machine.tune { gpu = 1590 }" } do
    refused = engine("rc.nvmlDeviceSetGpuLockedClocks=4", "local lock <close> = " .. lock
      .. " sweep(1, { run = function() return 1 end }) return trials()[1].info")
    test.equal(refused.gpu.locked, false)
    test.has(refused.gpu.why_not_locked, "only root can lock clocks")
  end
  local measure = refused.quiet[1]
  test.equal({ measure.measure, measure.state, measure.wanted }, { "gpu", "refused", "sm 1590" })
  test.truthy(measure.command:find("^nvidia%-smi %-%-lock%-gpu%-clocks=1590,1590 %-i GPU%-"), measure.command)
end)

test("reg.machine.tune locks the clocks, and gives them back", function()
  test.equal(engine("", [[
    local quiet = reg.machine.tune { gpu = "80%", env = { CUDA_AUTO_BOOST = "0" } }
    local locked, record = reg.gpu.get(0).sm_mhz, quiet:record()
    quiet:close()
    return { locked, reg.gpu.get(0).sm_mhz, record[2].measure, record[2].state, record[2].now, #record }]]),
    { 1590, 1980, "gpu", "done", "SM 1590 MHz", 2 })
  test.equal(engine("", [[
    local ok, why = pcall(reg.machine.tune, { env = { A = "1" }, gpu = "fast" })
    return { ok, why.kind, reg.process.run({ shell = "echo ${A-none}" }).stdout }]]), { false, "usage", "none\n" })
end)

test("where there is no GPU nothing is kept and nothing is said", function()
  local info, run = engine("rc.nvmlInit_v2=9", [[
    sweep(2, { run = function() return 1 end })
    return { trials()[1].info.gpu == nil }]])
  test.equal(info, { true })
  test.equal(run.stderr:find("GPU", 1, true), nil)
end)

test("a throttled trial is run again, twice at most; it is used then, and the answer says so", function()
  local got, run = engine("gpu0.throttled.sw_thermal=0.25", [[
    local series = sweep(2, { run = function(place) idle() return place end })
    reg.answer(series)
    print(reg.report.table(series))
    return { statuses(), trials()[1].message, trials()[3].info.suspect, runs, series.runs, series.suspect,
      series.asked[1].suspect,
      series.points[2].value }]])
  test.equal(got[1], { "set_aside", "set_aside", "ok", "set_aside", "set_aside", "ok" })
  test.equal(got[2], "suspect: SW thermal slowdown")
  test.equal({ got[3], got[4], got[5] }, { { why = { "SW thermal slowdown" }, run_again = false }, 6, 6 })
  test.equal(got[6], { trials = 2, of = 2, set_aside = 4, in_vain = false, why = { "SW thermal slowdown" } })
  test.equal({ got[7], got[8] }, { { "SW thermal slowdown" }, 2.0 })
  test.has(run.stdout,
    "\n2 of 2 trials are suspect: SW thermal slowdown (4 more discarded and run again). " .. "2 subjects, 6 runs, ")
  test.truthy(run.stdout:find "s1%s+1%s+ok%s+suspect: SW thermal slowdown", run.stdout)
end)

test("a minimization says which trials are suspect, too", function()
  local text = engine("gpu0.throttled.sw_thermal=0.25", [[
    return reg.minimize({ items = { "a" }, metric = "bytes", exact = true, into = STORE, config = {},
      measure = function(items) idle() return 100 + #items end }).text]])
  test.has(text, "2 of 2 trials are suspect: SW thermal slowdown (4 more discarded and run again).")
end)

test("a suspect number is not told where running again gave a better one", function()
  local got, run = engine("", [[
    local series = sweep(3, { run = function(place, times)
      local bad = place == 2 and times == 1
      fake(bad and "gpu0.throttled.hw_thermal=1" or "") idle()
      return bad and 100 or 1
    end })
    reg.answer(series)
    return { statuses(function(trial) return trial.subject .. " " .. trial.status end), series.verdict, runs, trials()[3].samples.value }]])
  test.equal(got, { { "s1 ok", "s3 ok", "s2 set_aside", "s2 ok" }, "no_change", 4, { 100.0 } })
  test.has(run.stdout, "\n1 suspect trial discarded and run again: HW thermal slowdown.\n")
end)

test("suspect = \"keep\" runs nothing again, and says how many were", function()
  local got, run = engine("gpu0.throttled.sw_thermal=0.25", [[
    reg.answer(sweep(3, { suspect = "keep", run = idle }))
    return { runs, #trials(), trials()[1].status, trials()[1].info.suspect.run_again }]])
  test.equal(got, { 3, 3, "ok", false })
  test.has(run.stdout, "3 of 3 trials are suspect: SW thermal slowdown.\n")
  test.raises("not a valid 'suspect': ", function()
    reg.sweep({ "a" }, { into = "none.db", suspect = "never", measure = function() return 1 end })
  end, "usage")
end)

test("trials side by side are watched too, and those of a bisection are treated alike", function()
  local got = engine("gpu0.throttled.sw_thermal=1", [[
    local series = sweep(4, { parallel = 2, exact = false, run = function()
      if runs > 2 then fake "" end
      return idle()
    end })
    local kept = 0
    for _, trial in ipairs(trials()) do kept = kept + (trial.info.gpu and trial.info.gpu.samples > 0 and 1 or 0) end
    return { kept == #trials(), series.suspect.trials, series.suspect.set_aside, series.verdict, runs }]])
  test.equal({ got[1], got[2], got[4] }, { true, 0, "no_change" })
  test.truthy(got[3] >= 1 and got[3] <= 2, got[3] .. " set aside")
  got = engine("gpu0.throttled.sw_thermal=1", [[
    local commits = { { id = "a" }, { id = "b" }, { id = "c" } }
    local series = reg.bisect(commits, { into = STORE, config = {}, passes = function(commit) idle()
      return commit.id ~= "c"
    end })
    return { series.changes[1].first_bad, series.suspect.trials, series.suspect.of, series.runs }]])
  test.equal(got, { "c", 6, 6, 12 })
end)

test("where running again does not help, time after time, it is given up", function()
  local got, run = engine("gpu0.throttled.sw_thermal=0.25", [[
    reg.answer(sweep(6, { run = idle }))
    return { runs, #trials() }]])
  test.equal(got, { 12, 12 })
  test.has(run.stdout,
    "\n6 of 6 trials are suspect: SW thermal slowdown (6 more discarded and run again, to no avail).\n")
end)

-- Each row: the code of a trial, then pairs of a GPU's state and how the only reason starts: "" where nothing is suspect.
for what, case in pairs {
  ["somebody else's process on the GPU makes a trial suspect; one of its own commands does not"] = {
    "trial:run { shell = 'sleep 0.25' } return 1",
    { "gpu0.procs=1:1048576", "foreign GPU process: 1" }, { "gpu0.procs=self:1048576", "" } },
  ["what comes up while a container runs is the container's, what was there before is not"] = {
    [[fake("gpu0.procs=1:1048576") return in_image(trial, "sleep 0.25", "all")]],
    { "", "" }, { "gpu0.procs=1:4096", "foreign GPU process: 1" } },
  ["a GPU that the trial's commands were not given is nobody's concern"] = {
    [[return in_image(trial, "sleep 0.25", "0")]], { "gpus=2 gpu1.throttled.sw_thermal=0.5", "" } },
  ["a slow GPU that they were given makes the trial suspect"] = { [[return in_image(trial, "sleep 0.25", "0,1")]],
    { "gpus=2 gpu1.throttled.sw_thermal=0.5", "SW thermal slowdown" } },
  ["a clock off its lock is suspect while the GPU works, and not while it idles"] = {
    "return idle()", { "gpu0.held_sm=1200", "SM clock off its lock: 1200 MHz, not 1590" },
    { "gpu0.held_sm=1575", "" }, { "gpu0.held_sm=345 gpu0.reasons=1 gpu0.util=0", "" },
    first = "local clocks <close> = reg.gpu.lock { sm = 1590 } " },
} do
  test(what, function()
    local code = (case.first or "") .. "sweep(1, { suspect = 'keep', run = function(_, _, trial) " .. case[1]
      .. " end }) return why()"
    for _, row in ipairs { table.unpack(case, 2) } do
      local state, wanted = table.unpack(row)
      local found = engine(state, code)
      test.equal({ #found, (found[1] or ""):sub(1, #wanted) }, { wanted == "" and 0 or 1, wanted }, state)
    end
  end)
end

test("trials at the same time lease a GPU each, are watched on that one alone, and say which it was", function()
  for state, why in pairs { ["gpus=2 gpu1.throttled.sw_thermal=0.5"] = "SW thermal slowdown",
    ["gpus=2 gpu1.procs=1:4096"] = "foreign GPU process" } do
    test.equal(engine(state, [[
      reg.fs.write("image/seen", "")
      sweep(2, { parallel = 2, exact = false, suspect = "keep", budget = 2, run = function(_, _, trial)
        return in_image(trial, 'echo "$CUDA_VISIBLE_DEVICES" >>seen; ' .. MEET, "all")
      end })
      local found = {}
      for _, trial in ipairs(trials()) do
        local info, lease = trial.info, trial.info.leased[1]
        found[lease.index + 1] = { #info.leased, #info.gpu.gpus, info.gpu.gpus[1].index,
          info.suspect and #info.suspect.why == 1 and info.suspect.why[1]:match "^[^:]+" or "none",
          lease.uuid == UUID .. (lease.index == 1 and "-b" or "") }
      end
      local seen = reg.fs.read "image/seen"
      return { found, seen:find(UUID .. "\n", 1, true) ~= nil, seen:find(UUID .. "-b\n", 1, true) ~= nil }]]),
      { { { 1, 1, 0, "none", true }, { 1, 1, 1, why, true } }, true, true }, state)
  end
end)

test("a lease of the script itself counts as that of the trial", function()
  test.equal(engine("gpus=2 gpu0.throttled.sw_thermal=0.5", [[
    sweep(1, { run = function(_, _, trial)
      local lease <close> = reg.gpu.lease { gpus = 1 }
      trial:run { shell = "sleep 0.25", lease = lease }
      return 1
    end })
    return { trials()[1].info.suspect or {}, trials()[1].info.leased[1].index, #trials() }]]), { {}, 1, 1 })
end)

test("a trial that asked for a GPU which nothing used is skipped", function()
  local code = [[
    sweep(1, { run = function(_, _, trial) return in_image(trial, "sleep 1.2", %s) end })
    return { trials()[1].status, trials()[1].message }]]
  test.equal(engine("gpu0.util=0", code:format '"all"'), { "skipped", "the GPU was not used" })
  test.equal(engine("gpu0.util=40", code:format '"all"')[1], "ok")
  test.equal(engine("gpu0.util=0", code:format "nil")[1], "ok")
  test.equal(engine("gpu0.util=0 gpu0.rc.nvmlDeviceGetUtilizationRates=3", code:format '"all"')[1], "ok",
    "a driver that does not tell")
  -- A short program in a container that hides its processes: its memory tells.
  local grown = code:format '"all"':gsub('"sleep 1.2"',
    '"sleep 0.6; (echo; echo gpu0.mem_used=9000000000) >>" .. FAKE .. "; sleep 0.6"')
  test.equal(engine("gpu0.util=0", grown)[1], "ok")
end)

test("GPUs that programs do not see are not watched: others work on them", function()
  local state = "gpus=2 gpu1.procs=1:1000 gpu1.throttled.hw_thermal=0.5"
  local code = [[sweep(1, { suspect = 'keep', run = idle })
    local info = trials()[1].info
    return { #info.gpu.gpus, #((info.suspect or {}).why or {}) }]]
  test.equal(engine(state, code), { 2, 2 })
  test.equal(engine(state, code, false, { CUDA_VISIBLE_DEVICES = "0" }), { 1, 0 })
end)

test("the power cap is normal while clocks are free, and suspect where they are locked", function()
  local code = [[%s sweep(1, { run = idle })
    return { trials()[1].info.suspect or {}, trials()[1].info.gpu.power_capped or false }]]
  test.equal(engine("gpu0.throttled.sw_power_cap=0.5", code:format ""), { {}, true })
  local locked = engine("gpu0.throttled.sw_power_cap=0.5", code:format "local clocks <close> = reg.gpu.lock { sm = 1590 }")
  test.equal({ locked[1].why, locked[2] }, { { "SW power cap" }, true })
end)

test("new memory errors, an Xid and a narrower link make a trial suspect; old ones do not", function()
  local code = [[
    sweep(1, { suspect = "keep", run = function()
      fake "%s" idle() return 1
    end })
    return why()]]
  local old = "gpu0.ecc_errors=3 gpu0.remapped=2 gpu0.xid=13 gpu0.pcie_width=8"
  test.equal(engine(old, code:format(old)), {})
  local new = "gpu0.ecc_errors=5 gpu0.remapped=3 gpu0.xid=79 gpu0.pcie_width=4"
  test.equal(engine(old, code:format(new)), { "GPU fault: 1 new remapped memory row",
    "GPU fault: 2 new uncorrected ECC errors", "GPU fault: PCIe link of 4 lanes, 8 before", "GPU fault: Xid 79" })
  -- A driver that tells nothing of them.
  local mute = " rc.nvmlDeviceGetTotalEccErrors=3 rc.nvmlDeviceGetRemappedRows=3 rc.nvmlDeviceGetCurrPcieLinkWidth=3 "
    .. "rc.nvmlEventSetCreate=3"
  test.equal(engine(old .. mute, code:format(new .. mute)), {})
  -- Errors of NVLink, a request of the driver and another power limit, on Hopper and Blackwell.
  for _, model in ipairs { "", " gpu0.blackwell=1" } do
    old = "gpu0.nvlinks=18 gpu0.nvlink_errors=3 gpu0.recovery=1" .. model
    test.equal(engine(old, code:format(old)), {})
    new = "gpu0.nvlinks=18 gpu0.nvlink_errors=5 gpu0.recovery=4 gpu0.limit_mw=500000" .. model
    test.equal(engine(old, code:format(new)), { "GPU fault: 2 new NVLink errors",
      "GPU fault: power limit of 500 W, 700 before", "GPU fault: the driver asks to drain and reset the GPU" }, model)
  end
end)

test("a link that became slower since an earlier trial makes a trial suspect; one that idles does not", function()
  test.equal(engine("", [[
    local states = { "", "gpu0.pcie_generation=3 gpu0.pcie_width=8", "gpu0.util=0" }  -- the ends come first
    sweep(3, { suspect = "keep", run = function(place)
      fake(states[place]) idle() return 1
    end })
    return statuses(function(trial) return (trial.info.suspect or {}).why or {} end)]]),
    { {}, {}, { "GPU fault: PCIe link of 8 lanes, 16 before", "GPU fault: PCIe link of generation 3, 5 before" } })
  -- The width of a link that was narrowed between two trials.
  test.equal(engine("", [[
    sweep(1, { suspect = "keep", run = idle })
    fake "gpu0.pcie_width=4"
    sweep(2, { suspect = "keep", run = idle })
    return why(2)]]), { "GPU fault: PCIe link of 4 lanes, 16 before" })
end)

test("a GPU that falls off the bus makes its trials suspect, and ends nothing", function()
  test.equal(engine("", [[
    sweep(2, { suspect = "keep", run = function(place)
      if place == 1 then fake "gpu0.lost=1" end idle() return 1
    end })
    local first, second = trials()[1], trials()[2]
    local lost = "GPU lost: GPU 0 is lost: it fell off the bus"
    return { first.info.suspect.why[1], first.info.suspect.why[2] == lost, second.info.suspect.why[1]:match "^[^:]+",
      second.samples.value[1] }]]), { "GPU fault: Xid 79", true, "GPU lost", 1.0 })
end)

test("a build is not part of what is watched", function()
  test.equal(engine("gpu0.throttled.sw_thermal=1", [[
    sweep(1, { run = function(_, _, trial)
      trial:build { shell = "sleep 0.3" }
      fake("")
      trial:run { shell = "sleep 0.3" }
      return 1
    end })
    return { trials()[1].info.suspect or {}, trials()[1].info.gpu.seconds < 0.6 }]]), { {}, true })
end)

test("a trial that was to be run again when the engine was killed is run again at the next start", function()
  local _, killed = try_engine("gpu0.throttled.sw_thermal=0.5", [[
    sweep(1, { run = function(_, times)
      if times == 2 then reg.process.run { shell = "kill -9 $PPID; sleep 5" } end idle()
      return 100
    end })]])
  test.equal(killed.signal, 9)
  test.equal(engine("", [[
    local series = sweep(1, { run = function() return 1 end })
    return { statuses(), series.points[1].value, series.runs }]], true), { { "set_aside", "interrupted", "ok" }, 1.0, 1 })
end)

return test.finish()
