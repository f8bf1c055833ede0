local test = require "harness"
local real_git = require "real_git"

local function lines_of(path) return test.map(test.lines(reg.fs.read(path)), reg.json.decode) end

-- A suite of commands that say what they were given, in a folder of its own.
local folders = 0
local function a_suite(o)
  folders = folders + 1
  local suite = test.merged({ name = "s" .. folders, workloads = { "a", "b" }, axes = { { level = { 1, 2 } } },
    command = function(c) return "echo " .. c.workload .. c.level .. " >> said" .. folders end }, o)
  return suite, "out" .. folders, "said" .. folders
end

local function said(path) return (reg.fs.read(path):gsub("\n", " "):gsub(" $", "")) end

-- A run of it, of one process for each experiment where nothing else is asked for.
local function run(suite, folder, o)
  return reg.suite.run(suite, test.merged({ folder = folder, warmup = 0, ["repeat"] = 1 }, o))
end

-- The records that it wrote, by workload and this field of the experiment.
local function records_of(done, field)
  local by = {}
  for _, r in ipairs(lines_of(done.results)) do by[r.model.model_name .. (field and r.experiment[field] or "")] = r end
  return by
end

test("a plan tells each experiment with its command, and runs nothing", function()
  local suite, folder, said_file = a_suite { skip = { { function(c) return c.workload == "b" end, "never ends" } } }
  local rows = reg.suite.plan(suite)
  test.equal(#rows, 4)
  test.equal(rows[1], { experiment = "a level=1", command = "echo a1 >> " .. said_file, env = "ITERATIONS=1" })
  test.equal(rows[4].skipped, "never ends")
  rows = reg.suite.plan(suite, { filter = { "^b" } })
  test.equal({ #rows, rows[1].experiment }, { 2, "b level=1" })
  -- As the run's own options have it.
  suite.metric, suite.env = "took {number}", { MODE = "x", NONE = reg.json.null }
  function suite.command(c) return { "bench", c.repeats, c.iterations } end
  local words
  rows, words = reg.suite.plan(suite, { ["repeat"] = 3, iterations = 7, processes = 5, warmup = 2 })
  test.equal({ rows[1].command, rows[1].env }, { "bench 3 7", "ITERATIONS=7 MODE=x REPEAT=3" })
  test.has(words, "experiments: 4 (2 skipped); processes per experiment: 5 after 2 warm-up")
  test.equal({ reg.fs.exists(folder), reg.fs.exists(said_file) }, { false, false })
end)

test("a record for each experiment, in upstream's format, with what upstream lacks", function()
  local suite, folder = a_suite { skip = { { function(c) return c.workload == "b" and c.level == 2 end,
    "never ends" } } }
  local done = run(suite, folder, { ["repeat"] = 3, iterations = 2 })
  test.equal({ done.ran, done.failed, #done.experiments, done.summary }, { 9, 0, 4, "3 new, 1 skipped" })
  local by = records_of(done, "level")
  local r = by.a2
  test.equal({ r.model.suite_name, r["repeat"], r.iterations_per_run, #r.metrics.total_time }, { suite.name, 3, 2, 3 })
  test.equal(r.metrics.per_iter_time[1], r.metrics.total_time[1] / 2)
  test.truthy(#r.process_started == 3 and r.process_started[1] < r.process_started[3], "when each process started")
  test.equal({ r.status, r.verification_code, r.values_per_process, r.experiment.xla },
    { "ok", "VERIFIER_SKIPPED", 1, reg.json.null })
  test.equal({ by.b2.metrics.error, by.b2.status, by.b2.reason }, { "SKIP", "skipped", "never ends" })
  for _, field in ipairs { "host", "kernel", "cpu", "engine", "timestamp", "order" } do test.truthy(r[field], field) end
  test.equal({ r.command, r.env.ITERATIONS }, { "echo a2 >> said" .. folders, 2 })
  -- What reads such files reads these.
  local analysis = reg.results.analyze { files = { done.results } }
  test.equal({ #analysis.lines, analysis.failed }, { 4, 1 })
end)

test("odd names of workloads and values of any kind: each experiment has a name and a folder of its own", function()
  local names = { "a/b", "a b", "größe", "größé", "..", "results.jsonl", string.rep("long", 100) }
  local values = { true, reg.json.null, 0.5, { depth = 2 }, { 1, 2 }, string.rep("word ", 60) .. "1",
    string.rep("word ", 60) .. "2" }
  local suite, folder = a_suite { workloads = names, axes = { { x = values } }, command = 'echo "$X" > "$DUMP_DIR/x"',
    env = function(c) return { X = c.workload .. reg.json.encode(c.x) } end }
  local done = run(suite, folder, { dump = true })
  test.equal({ done.failed, done.rows[4].experiment, done.rows[2].experiment },
    { 0, 'a/b x={"depth":2}', "a/b x=null" })
  local seen = {}
  for _, experiment in ipairs(done.experiments) do
    local wrote = reg.fs.read(experiment.folder .. "/0/x")
    test.truthy(not seen[wrote], "two experiments share a folder")
    seen[wrote] = true
  end
  test.equal(#reg.suite.plan(suite, { config = { workload = "..", x = { depth = 2 } } }), 1)
  -- The names are the same the next time: nothing is run again.
  test.equal(run(suite, folder, { dump = true }).ran, 0)
end)

test("processes alternate within a workload: abba, random by the seed, or one after the other", function()
  local function order_of(o)
    local suite, folder, file = a_suite()
    run(suite, folder, o)
    return said(file)
  end
  test.equal(order_of { ["repeat"] = 3 }, "a1 a2 a2 a1 a1 a2 b1 b2 b2 b1 b1 b2")
  test.equal(order_of { ["repeat"] = 2, order = "none" }, "a1 a1 a2 a2 b1 b1 b2 b2")
  local first = order_of { ["repeat"] = 8, order = "random", seed = 7 }
  test.equal(order_of { ["repeat"] = 8, order = "random", seed = 7 }, first)
  test.truthy(order_of { ["repeat"] = 8, order = "random", seed = 8 } ~= first, "another seed is another order")
  test.equal(select(2, first:gsub("a1", "")), 8)
end)

test("what has a result is not run again; another repeat count, environment or status to redo is", function()
  local suite, folder, file = a_suite { workloads = { "a" } }
  test.equal({ run(suite, folder, { ["repeat"] = 2 }).ran, run(suite, folder, { ["repeat"] = 2 }).ran }, { 4, 0 })
  test.equal(#lines_of(folder .. "/results.jsonl"), 2)
  -- Three repeats: the two in the store and one more.
  test.equal(run(suite, folder, { ["repeat"] = 3 }).ran, 2)
  test.equal(#lines_of(folder .. "/results.jsonl")[3].metrics.total_time, 3)
  suite.env = { FLAG = "on" }
  test.equal(run(suite, folder, { ["repeat"] = 2 }).ran, 4)
  test.equal(run(suite, folder, { ["repeat"] = 2, resume = false }).ran, 4)
  test.equal({ #lines_of(folder .. "/results.jsonl"), #said(file) // 3 + 1 }, { 8, 14 })
end)

test("a failure is a record with its status; the others go on; it runs again only where that is asked for", function()
  local suite, folder = a_suite { workloads = { "fails", "hangs", "dies", "works" }, axes = {}, command = function(c)
    return ({ fails = "echo no such flag >&2; exit 3", hangs = "sleep 60", dies = "kill -SEGV $$",
      works = "true" })[c.workload]
  end }
  local done = run(suite, folder, { ["repeat"] = 2, timeout = 0.3 })
  local by = records_of(done)
  test.equal({ by.fails.status, by.hangs.status, by.dies.status, by.works.status },
    { "test_failed", "timeout", "crashed", "ok" })
  test.has(by.fails.metrics.error, "exit code 3: no such flag")
  test.equal({ by.hangs.verification_code, done.failed, done.ran }, { "VERIFIER_DIDNT_RUN", 3, 5 })
  test.equal(run(suite, folder, { ["repeat"] = 2, timeout = 0.3 }).ran, 0)
  test.equal(run(suite, folder, { ["repeat"] = 2, timeout = 0.3, redo = { "timeout" } }).ran, 1)
  -- A program that is missing.
  suite, folder = a_suite { axes = {},
    command = function(c) return { c.workload == "a" and "no-such-program" or "true" } end }
  done = run(suite, folder, { ["repeat"] = 2, warmup = 1 })
  test.equal({ done.summary, done.rows[1].status, done.rows[1].why },
    { "1 new, 1 failed", "test_failed", "cannot run 'no-such-program': no such program" })
end)

test("a command or variable that is none is told before anything is run", function()
  for words, o in pairs {
    ["b level=2 has no command: it is nil"] = { command = function(c)
      if c.workload ~= "b" or c.level ~= 2 then return "echo ran > ran-before" end
    end },
    ["has no command: it is {}"] = { command = {} },
    ['has no command: it is ""'] = { command = "" },
    ["the variable FLAGS of a level=1 is a table"] = { env = { FLAGS = { "-O2" } } },
  } do
    local suite, folder = a_suite(o)
    test.raises(words, function() run(suite, folder) end)
  end
  test.truthy(not reg.fs.exists "ran-before", "something was run")
  -- Functions may have nothing to say.
  local function nothing() end
  local silent, out = a_suite { axes = {}, env = nothing, image = nothing, rev = nothing, prepare = nothing,
    profile = nothing, command = "true" }
  test.equal(run(silent, out, { profile = true }).failed, 0)
  -- null is no variable at all.
  local suite, folder, file = a_suite { axes = {}, workloads = { "a" }, env = { HOW = reg.json.null, ON = true } }
  suite.command = 'echo "${HOW-none} $ON" > ' .. file
  run(suite, folder)
  test.equal(said(file), "none true")
end)

test("a changed skip rule, preparation, build, variable or accelerator measures again", function()
  local suite, folder = a_suite { workloads = { "a" }, axes = {}, command = "true" }
  local skip = { { function() return true end, "not yet" } }
  for i, step in ipairs { { "1 skipped", { skip = skip } }, { "1 new", { skip = {} } }, { "1 reused", {} },
    { "1 skipped", { skip = skip } }, { "1 new", { skip = {}, prepare = "true" } }, { "1 new", { build = "true" } },
    { "1 reused", {}, { gpus = "all", runtime = "docker" } },  -- they say nothing without an image
    { "1 new", {}, { env = { "A=1" } } }, { "1 reused", {}, { env = { "A=1" } } }, { "1 new", {}, { env = { "A=2" } } },
    { "1 new", { accelerator = "another" } } } do
    test.merged(suite, step[2])
    test.equal(run(suite, folder, { options = step[3] }).summary, step[1], "step " .. i)
  end
end)

test("the options of a command line override the suite's own, and one for a container is refused on the host", function()
  local suite, folder = a_suite { workloads = { "a" }, axes = {}, env = { A = "suite", B = "suite" } }
  suite.command = "echo $A $B $CUDA_VISIBLE_DEVICES > " .. reg.fs.absolute "env-of-suite"
  run(suite, folder, { options = { env = { "A=line=1" }, gpus = "1" } })
  test.equal(reg.fs.read "env-of-suite", "line=1 suite 1\n")
  test.raises("shm_size: needs a container", function() run(suite, folder, { options = { shm_size = "1g" } }) end,
    "usage")
  suite.shm_size = "8x"
  test.raises("shm_size: not a valid value: '8x'", function() run(suite, folder) end, "usage")
end)

test("results that were moved are reused, also if the command names its folder", function()
  local suite, folder = a_suite { workloads = { "a" }, axes = {} }
  function suite.command(c) return "test -n " .. c.folder end
  test.equal(run(suite, folder, { ["repeat"] = 2 }).ran, 2)
  reg.process.run { cmd = { "mv", folder, "moved" } }
  test.equal({ run(suite, "moved", { ["repeat"] = 2 }).ran, run(suite, "moved", { ["repeat"] = 3 }).ran }, { 0, 1 })
end)

test("a warm-up is run and not counted, and its failure is the experiment's", function()
  local suite, folder, file = a_suite { workloads = { "a" }, axes = {}, command = "echo x >> said" .. folders + 1 }
  local done = run(suite, folder, { ["repeat"] = 2, warmup = 3 })
  test.equal({ done.ran, said(file) }, { 2, "x x x x x" })
  local failing, other = a_suite { workloads = { "a" }, axes = {}, command = "false" }
  test.equal(run(failing, other, { warmup = 1 }).failed, 1)
end)

test("numbers that the program prints: a value a repeat, one process an experiment or several", function()
  local suite, folder = a_suite { workloads = { "a" }, axes = {},
    metric = { total_time = "run: {number} s", peak = "peak {number} MB" },
    command = "i=0; while [ $i -lt $REPEAT ]; do i=$((i + 1)); echo run: 0.$i s; done; echo peak 7 MB" }
  local done = run(suite, folder, { ["repeat"] = 3, processes = 2 })
  local r = lines_of(done.results)[1]
  local times = { 0.1, 0.2, 0.3, 0.1, 0.2, 0.3 }
  test.equal(r.metrics, { total_time = times, per_iter_time = times, peak = { 7.0, 7.0 } })
  test.equal({ done.ran, r.values_per_process }, { 2, 3 })
  -- Another metric alone has its own number; processes of different numbers of values have none.
  suite.metric = { peak = "peak {number} MB" }
  test.equal(lines_of(run(suite, folder, { ["repeat"] = 3, processes = 2 }).results)[2].values_per_process, 1)
  suite.metric = { peak = "peak {number} MB", run = "run: {number} s" }
  test.equal(lines_of(run(suite, folder, { ["repeat"] = 3, processes = 2 }).results)[3].values_per_process, nil)
  suite.metric = "run: {number} minutes"
  test.equal(run(suite, folder).rows[1].status, "test_failed")
end)

test("filters, tiers, shards and one configuration choose; together the shards are the whole", function()
  local suite = a_suite { workloads = { "gzip", "bzip2", "xz" }, tiers = { quick = { "gzip" } } }
  local function ids(o)
    return table.concat(test.map((reg.suite.plan(suite, o)), function(row) return (row.experiment:gsub(" level=", "")) end), " ")
  end
  test.equal(ids { filter = { "ZIP" }, exclude = { "^b" } }, "gzip1 gzip2")
  test.equal(ids { tier = { "quick" } }, "gzip1 gzip2")
  test.equal(ids { config = { workload = "xz", level = 2 } }, "xz2")
  test.equal(ids { shard = "1/2" } .. " " .. ids { shard = "2/2" }, "gzip1 bzip21 xz1 gzip2 bzip22 xz2")
  for words, o in pairs {
    ["no such tier: 'quik' (did you mean 'quick'?)"] = { tier = { "quik" } },
    ["not a valid shard: '3'"] = { shard = "3" },
    ["several configurations match"] = { config = { workload = "xz" } },
    ["no configuration matches"] = { config = { workload = "lz4" } },
  } do
    test.raises(words, function() ids(o) end)
  end
end)

-- A line of shell that dumps two numbers.
local function dump(...)
  local header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n"
  local file = table.concat({ ... }, "-") .. ".npy"
  reg.fs.write(file, string.pack("<c8s2dd", "\x93NUMPY\1\0", header, ...))
  return "cp " .. reg.fs.absolute(file) .. ' "${DUMP_DIR-.}/out.npy"'
end

test("each experiment is held against its reference, and the number is kept", function()
  local suite, folder = a_suite {
    workloads = { "exact", "close", "wrong", "broken" }, axes = { { backend = { "eager", "fast" } } },
    where = function(c) return c.backend == "fast" or c.workload == "exact" end,
    verify = { reference = { backend = "eager" }, result = "out.npy", tolerance = 0.02, repeat_reference = true },
    command = function(c)
      local value = c.backend == "eager" and 1 or ({ exact = 1, close = 1.01, wrong = 1.5 })[c.workload]
      if not value then return '[ -z "$DUMP_DIR" ] || exit 4' end
      return '[ -z "$DUMP_DIR" ] || ' .. dump(value, 2)
    end,
  }
  local function verified() return run(suite, folder, { verify = true }) end
  local done = verified()
  local by = records_of(done, "backend")
  for name, code in pairs { exacteager = "PASS", exactfast = "PASS", closefast = "PASS", wrongfast = "FAIL",
    brokenfast = "VERIFIER_DIDNT_RUN" } do test.equal(by[name].verification_code, code, name) end
  test.near(by.closefast.verification_mean_rel_error, 0.005, 1e-9)
  test.near(by.wrongfast.verification_mean_rel_error, 0.25, 1e-9)
  test.equal({ #by.wrongfast.metrics.total_time, by.brokenfast.status, done.failed, done.unverified },
    { 1, "ok", 0, 2 })
  -- Another tolerance gives another answer from the same processes; files of an earlier process are not reused.
  suite.verify.tolerance = 0.5
  done = verified()
  test.equal({ done.ran, done.rows[4].verification }, { 0, "PASS" })
  local command = suite.command
  function suite.command(c) return c.workload == "wrong" and c.backend == "fast" and "true" or command(c) end
  done = verified()
  test.truthy(done.rows[4].verification ~= "PASS", "a file of before was verified")
  test.equal(done.summary, "1 new, 4 reused; 2 failed verification")
  -- Another reference is another verification.
  function suite.command(c) return c.backend == "eager" and dump(9, 9) or command(c) end
  done = verified()
  test.equal({ done.rows[3].experiment, done.rows[3].verification }, { "close backend=fast", "FAIL" })
  test.raises("--verify needs `verify` in the suite", function() run(a_suite(), "none", { verify = true }) end)
end)

test("a checkout at a revision, patched, is where the commands run, and the record says so", function()
  real_git.new_repo "repo"
  real_git.commit("repo", "batch", "16\n", 1)
  reg.fs.write("size.patch", "--- a/batch\n+++ b/batch\n@@ -1 +1 @@\n-16\n+32\n")
  local suite, folder = a_suite { workloads = { "cat" }, axes = {}, metric = { total_time = "{number}" },
    command = { "cat", "batch" } }
  local plain = run(suite, folder, { repo = "repo" })
  local patched = run(suite, folder, { repo = "repo", patch = "size.patch" })
  local found = lines_of(patched.results)
  test.equal({ found[1].metrics.total_time[1], found[2].metrics.total_time[1] }, { 16.0, 32.0 })
  test.equal({ #found[1].commit, found[2].commit == found[1].commit, found[2].patch.file }, { 40, true, "size.patch" })
  test.equal({ #found[2].patch.sha256, plain.ran, patched.ran }, { 64, 1, 1 })
  -- Two revisions side by side: their processes take turns, each in a checkout of its own.
  real_git.commit("repo", "batch", "64\n", 2)
  local both, beside, file = a_suite { workloads = { "cat" }, axes = { { rev = { "HEAD~1", "HEAD" } } }, repo = "repo",
    rev = function(c) return c.rev end, build = "cp batch built" }
  both.command = "cat built >> " .. reg.fs.absolute(file)
  local done = run(both, beside, { ["repeat"] = 2 })
  test.equal(said(file), "16 64 64 16")
  local old, new = table.unpack(lines_of(done.results))
  test.truthy(old.commit ~= new.commit, "each record has its own commit")
  test.raises("the suite chooses rev for each configuration, so --rev has no effect", function()
    run(both, beside, { rev = "HEAD" })
  end)
  -- Recorded results need no build.
  reg.fs.remove(beside .. "/BUILD")
  test.equal({ run(both, beside, { ["repeat"] = 2 }).ran, reg.fs.exists(beside .. "/BUILD") }, { 0, false })
  test.equal({ run(both, beside, { ["repeat"] = 3 }).ran, reg.fs.exists(beside .. "/BUILD") }, { 2, true })
  reg.fs.write("other.patch", "--- a/batch\n+++ b/batch\n@@ -1 +1 @@\n-17\n+32\n")
  test.raises("does not apply", function() run(suite, folder, { repo = "repo", patch = "other.patch" }) end)
  test.raises("--patch needs a repository", function() run(suite, folder, { patch = "size.patch" }) end)
end)

test("a build for each configuration: each command builds once, in a checkout of its own", function()
  real_git.new_repo "flags"
  real_git.commit("flags", "source", "source\n", 1)
  local suite, folder = a_suite { repo = "flags", workloads = { "a", "b" }, axes = { { flag = { "-O0", "-O2", "-Ox" } } },
    metric = "took {number}", command = function(c) return "grep -qx -e " .. c.flag .. " built && echo took 1" end,
    build = function(c)
      return c.flag == "-Ox" and "echo unknown flag >&2; exit 1" or "test ! -e built && echo " .. c.flag .. " > built"
    end }
  local done = run(suite, folder)
  test.equal(test.map(done.rows, function(row) return row.experiment .. " " .. row.status end), { "a flag=-O0 ok",
    "a flag=-O2 ok", "a flag=-Ox build_failed", "b flag=-O0 ok", "b flag=-O2 ok", "b flag=-Ox build_failed" })
  test.has(done.rows[3].why, "unknown flag")
  test.equal({ done.ran, done.failed, run(suite, folder).ran }, { 4, 2, 0 })
  -- Of another build the results do not count; nil builds nothing.
  function suite.build(c) return c.flag == "-O0" and "echo -O0 > built; true" or nil end
  test.equal(run(suite, folder, { filter = { "^a" } }).ran, 3)
  function suite.build() return 7 end
  test.raises("the build of a flag=-O0 is 7", function() run(suite, folder) end, "usage")
end)

test("what a workload needs is made once; where that fails its experiments fail, and no others", function()
  local suite, folder, file = a_suite()
  function suite.prepare(workload)
    return workload == "b" and "echo no data >&2; exit 1" or "echo prepared >> " .. file
  end
  local done = run(suite, folder)
  test.equal({ said(file), done.failed }, { "prepared a1 a2", 2 })
  test.has(done.rows[3].why, "no data")
end)

test("dump folders: one for each process, by workload and configuration; a profile is a process of its own", function()
  local suite, folder = a_suite { workloads = { "a" }, command = 'echo hello > "$DUMP_DIR/x"',
    profile = function() return { command = 'echo profiled > "$PROFILE_DIR/p"' } end }
  local done = run(suite, folder, { ["repeat"] = 2, dump = true, profile = true })
  test.equal(done.ran, 4)
  for _, file in ipairs { "level=1/0/x", "level=1/1/x", "level=2/1/x", "level=2/profile/p" } do
    test.truthy(reg.fs.exists(folder .. "/a/" .. file), file)
  end
end)

test("an incomplete last line is removed and recorded again; other invalid lines stay", function()
  local suite, folder = a_suite { workloads = { "a" } }
  run(suite, folder)
  local path = folder .. "/results.jsonl"
  local whole = reg.fs.read(path)
  -- Returns how many processes ran again for a file with this text, the file's text afterward, and the summary.
  local function again(text)
    reg.fs.write(path, text)
    local done = run(suite, folder)
    return done.ran, reg.fs.read(path), done.summary
  end
  test.equal({ again("nonsense\n" .. whole:sub(1, #whole - 40)) }, { 0, "nonsense\n" .. whole, "1 new, 1 reused" })
  -- What somebody edited is no result of ours any more: its processes are recorded anew.
  for _, metrics in ipairs { '"total_time": null', '"total_time": []', '"total_time": ["a", 2]', '"error": 7', '' } do
    local edited = whole:gsub('"metrics":{[^}]*}', '"metrics":{' .. metrics .. "}")
    for _, text in ipairs { whole .. edited, edited } do
      local ran, now, summary = again(text)
      test.equal({ ran, #test.lines(now) }, { 0, 4 }, metrics)
      if text ~= edited then test.equal(summary, "2 reused", metrics) end
    end
  end
  local ran, now = again((whole:match "^[^\n]*"))
  test.equal({ ran, select(2, now:gsub("\n", "")) }, { 0, 2 })
end)

test("an invalid suite raises in one line", function()
  for words, o in pairs {
    ["needs a command"] = { command = false },
    ["unknown option 'comand' (did you mean 'command'?)"] = { comand = "x" },
    ["'axes' must be a table, not a string"] = { axes = "level" },
    ["'folder' is not a valid axis name"] = { axes = { { folder = { 1 } } } },
    ["'axes' must be a list"] = { axes = { level = { 1, 2 } } },
    ["two experiments are called 'workload=a level=1'"] = { axes = { { level = { 1, 2, 1 } } } },
    ["two experiments are called 'workload=b"] = { workloads = { "b", "a", "b" } },
    ["tier 'quick' must be a list of workloads"] = { tiers = { quick = "a" } },
    ["tier 'quick' lists 'ab', which is not a workload"] = { tiers = { quick = { "ab" } } },
    ["a workload must be a string, not 1"] = { workloads = { 1 } },
    ["which is not an axis (did you mean 'level'?)"] = { verify = { result = "x", reference = { levle = 1 } } },
    ["names '1', which is not an axis"] = { verify = { result = "x", reference = { "eager" } } },
    ["'verify' needs a result and a reference"] = { verify = { result = "x", reference = {} } },
    ["needs a result and a reference"] = { verify = { result = "x" } },
  } do
    local suite = a_suite(o)
    if o.command == false then suite.command = nil end
    test.raises(words, function() reg.suite.plan(suite) end)
  end
  reg.fs.write("broken.lua", "return {\n  name = }\n")
  test.raises("broken.lua:2:", function() reg.suite.load "broken.lua" end)
  test.raises("not a valid 'order': 'baab'", function() run(a_suite(), "x", { order = "baab" }) end)
  test.raises("not a valid duration: 'soon'", function() run(a_suite(), "x", { timeout = "soon" }) end)
  test.raises("'repeat' must be an integer of at least 1", function() run(a_suite(), "x", { ["repeat"] = 0 }) end)
end)

return test.finish()
