local test = require "harness"
local trace = reg.trace
local stand_in = require "traced"
local traced, traced_v2, names = stand_in.run, stand_in.run_v2, stand_in.names
local fakes, program = stand_in.fakes, stand_in.program

local function says(of, ok, ...)
  test.equal(of.ok, ok)
  test.has(of.why, ...)
end

test("kernels are summed up by name, most time first, and their names demangled", function()
  local run = traced("kernel _Z3addPfS_ 1000 2000\nkernel _Z3addPfS_ 5000 8000\nkernel gemm 10000 30000\n",
    "init play say done")
  test.equal({ run.ok, run.stdout, run.stderr, run.trace.ok, run.trace.why }, { true, "done\n", "", true })
  local add = run.trace.kernels[2]
  test.equal({ names(run.trace.kernels), add.count }, { { "gemm", "add(float*, float*)" }, 2 })
  test.near(add.total_s, 4e-6, 1e-12)
  test.near(add.min_s, 1e-6, 1e-12)
  test.near(add.max_s, 3e-6, 1e-12)
  test.equal({ run.trace.processes[1].complete, run.trace.processes[1].records }, { true, 3 })
end)

test("busy is the union in time on each GPU, span from the first start to the last end", function()
  local run = traced("kernel a 1000 2000\nkernel b 1500 3000\nkernel c 4000 5000\nkernel inside 4200 4300\n"
    .. "kernel late 9000 9500\nkernel early 500 1000\nkernel other_gpu 1000 3000 1\n", "init play")
  test.near(run.trace.busy_s, (2500 + 1000 + 500 + 2000) * 1e-9, 1e-12)
  test.near(run.trace.span_s, 9000e-9, 1e-12)
end)

test("copies by kind, with bytes; memsets among them", function()
  local copies = traced("memcpy 1 4096 1000 2000\nmemcpy 1 96 3000 3500\nmemcpy 8 7 5000 9000\nmemset 64 9000 9100\n",
    "init play").trace.copies
  test.equal(names(copies), { "dtod", "htod", "memset" })
  test.equal({ copies[2].count, copies[2].bytes, copies[3].bytes }, { 2, 4192, 64 })
  test.near(copies[2].total_s, 1500e-9, 1e-12)
end)

test("the peak of device memory; host memory does not count, and what no record tells of has no peak, not zero", function()
  local allocated = "alloc 1000 1000000\nalloc 2000 500000\nfree 1000 0\nalloc 3000 400000\nalloc 4000 900000000 2\nfree 2000 500000\n"
  -- The virtual memory API has no records of allocations; an old CUPTI refuses to tell of memory.
  for records, peak in pairs { [allocated] = 1500000, ["free 1000 10\n"] = false, ["refuse 49 21\nalloc 1000 10\n"] = false } do
    local run = traced(records .. "kernel a 1000 2000\n", "init play")
    test.equal({ run.trace.ok, run.trace.memory_peak_bytes or false }, { true, peak })
  end
end)

-- Records, and why nothing can be said of them.
for what, case in pairs {
  ["another client that takes the records over"] = { "kernel a 1000 2000\nkineto\nkernel b 3000 9000\nkineto_stop\n"
    .. "kernel c 10000 20000\n", "another CUPTI client took the records over" },
  ["a client that begins before anything ran on the GPU"] =
    { "kineto\nkernel b 3000 9000\nkineto_stop\nkernel c 10000 20000\n", "" },
  ["another tool in the process"] = { "subscribe 39\nkernel a 1000 2000\n", "another tool traces this process" },
  ["a CUPTI that refuses"] = { "refuse 10 35\n", "cuptiActivityEnable failed: CUPTI_ERROR_OF_THE_FAKE (35)" },
  ["a program that uses no GPU"] = { "", "CUDA was initialized, and no work of a GPU was recorded" },
} do
  test(what .. ": unavailable, and never a zero", function()
    local run = traced(case[1], "init play say fine")
    test.equal({ run.ok, run.stdout }, { true, "fine\n" })
    says(run.trace, false, case[2])
    test.equal({ run.trace.kernels, run.trace.busy_s, run.trace.memory_peak_bytes, run.trace.copies }, {})
  end)
end

-- A CUPTI of CUDA 13.3, which lets several clients subscribe by its _v2 functions.

test("from CUDA 13.3 on the program's own profiler subscribes beside the trace, and neither loses anything", function()
  local run = traced_v2("kernel a 1000 2000\nmosaic\nkernel b 3000 9000\n", "init play say fine")
  test.equal({ run.signal, run.stdout, run.trace.ok, run.trace.why }, { 0, "fine\n", true, nil })
  test.equal({ #run.trace.kernels, run.trace.processes[1].records }, { 2, 2 })
  run = traced_v2("kernel a 1000 2000 0 7\ncall 7\nkineto\nkernel b 3000 9000\ndropped 0\n", "init push step play pop")
  test.equal({ run.trace.ok, #run.trace.kernels }, { true, 2 })  -- an older client takes nothing over
  if run.trace.ranges[1] then test.equal(run.trace.ranges[1].kernels, 1) end
end)

test("a driver that is too old for several subscribers: traced as before 13.3", function()
  for _, refused in ipairs { "subscribe_v2 27", "refuse_v2 10 27" } do
    local run = traced_v2(refused .. "\nkernel a 1000 2000\n", "init play")
    test.equal({ run.trace.ok, run.trace.why, #(run.trace.kernels or {}) }, { true, nil, 1 }, refused)
  end
end)

test("copies without a kernel are not believed: an old CUPTI records no kernels of a newer GPU", function()
  local seen = traced("memcpy 1 4096 1000 2000\n", "init play").trace
  says(seen, false, "copies were recorded, but no kernel")
  test.equal(#seen.copies, 1)
end)

test("more threads than there are buffers lose no record; a CUPTI before 27, which crashes without a buffer, always gets one", function()
  for _, cupti in ipairs { "", "version 26\nfixed 1\n" } do
    local run = traced(cupti .. ("kernel a 1000 2000\nstop\n"):rep(64 * 1000), "init threads 64")
    test.equal({ run.ok, run.trace.ok, run.trace.dropped, run.trace.kernels[1].count }, { true, true, 0, 64 * 1000 })
  end
end)

test("unknown records are passed over, lost ones counted", function()
  local run = traced("overhead 65536 1000 3000\noverhead 1 0 900000\nmarker\ndropped 5\n"
    .. "kernel a 1000 2000\nkernel untimed 0 0\n", "init play")
  says(run.trace, false, "6 records were lost")
  test.equal({ run.trace.dropped, #run.trace.kernels }, { 6, 1 })
end)

test("another tool that has a name is named, and nothing was dropped", function()
  for _, named in ipairs { traced, traced_v2 } do
    local seen = named("subscribe 39\nholder CUPTI for PyTorch\n", "init play").trace
    says(seen, false, "another tool traces this process (CUPTI for PyTorch)")
    test.equal(seen.dropped, nil)
  end
end)

test("a file that is not a CUPTI library is refused with the reason", function()
  local function with(file) return trace.run({ cmd = { program, "init" }, env = { REGENGINE_CUPTI = file } }).trace end
  says(with "/nowhere/libcupti.so", false, "cannot load REGENGINE_CUPTI: /nowhere/libcupti.so")
  local why = with(fakes .. "/nvml.so").why
  test.truthy(why:find("libcupti has no function cupti", 1, true) or why:find("cannot load", 1, true), why)
end)

test("the CUPTI to use is the one that is loaded, else that of the wheels in a folder that the program runs from", function()
  local function put(fake, path)
    reg.fs.mkdir(path:match "(.*)/")
    reg.process.run { cmd = { "cp", fakes .. "/" .. fake .. ".so", path } }
    return reg.fs.absolute(path)
  end
  local function served_by(...)
    local words = { program }
    for _, path in ipairs { ... } do table.move({ "load", path }, 1, 2, #words + 1, words) end
    words[#words + 1] = "init"
    return trace.run({ cmd = words }).trace.processes[1].cupti
  end
  local venv = "venv/lib/python3.11/site-packages/"
  local wheel, jaxlib = put("cupti", venv .. "nvidia/cuda_cupti/lib/libcupti.so.12"), put("nvml", venv .. "jaxlib/xla_extension.so")
  local of_torch = put("cupti", venv .. "torch/lib/libcupti-b2ffe1e9.so.12")
  test.equal({ served_by(jaxlib), served_by(of_torch) }, { wheel, of_torch })
  test.equal(served_by(put("nvml", "system/dist-packages/numpy.libs/libopenblas.so"), jaxlib), wheel, "each folder of packages")
  local torch = put("nvml", "site-packages/torch/_C.so")
  reg.fs.mkdir "site-packages/nvidia/cu14/lib"
  for _, cuda in ipairs { 13, 14 } do
    local newest = put("cupti", ("site-packages/nvidia/cu%d/lib/libcupti.so.%d"):format(cuda, cuda))
    test.equal(served_by(torch), newest)
  end
end)

test("the toolkit's own CUPTI, where there is no driver: unavailable", function()
  local cupti
  for _, path in ipairs { "/usr/local/cuda/lib64/libcupti.so", "/usr/local/cuda/lib/libcupti.so.13",
    "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so" } do
    if reg.process.run({ cmd = { "test", "-e", path } }).ok then cupti = path end
  end
  if not cupti then test.skip "the CUDA Toolkit's libcupti is not here" end
  if reg.process.run({ shell = "ls /dev/nvidiactl 2>/dev/null" }).ok then test.skip "there is a driver here" end
  local run = trace.run { cmd = { program, "init", "say", "alive" }, env = { REGENGINE_CUPTI = cupti } }
  test.equal({ run.ok, run.stdout, run.trace.kernels }, { true, "alive\n" })
  says(run.trace, false, "cuptiSubscribe failed: CUPTI_ERROR_")
end)

test("a command that never initialized CUDA says so", function()
  local run = trace.run { cmd = { "echo", "hello" } }
  test.equal({ run.ok, run.stdout, run.trace.ok, run.trace.why, run.trace.kernels, run.trace.busy_s },
    { true, "hello\n", false, "no CUDA was initialized in the command" })
end)

test("a command's failure stays its own, and what it did is told", function()
  local run = traced("kernel a 1000 2000\n", "init play code 3")
  test.equal({ run.ok, run.code, run.trace.ok, #run.trace.kernels }, { false, 3, true, 1 })
end)

test("killed, or left by _exit: the last snapshot is there, and said to be one", function()
  for _, ending in ipairs { "kill", "_exit" } do
    local call = { cmd = { program, "init", "play", "wait", "snapshot", ending, "0" },
      env = { REGENGINE_CUPTI = fakes .. "/cupti.so", REGENGINE_FAKE_CUPTI = "records" }, folder = ending }
    reg.fs.write("records", "kernel a 1000 2000\n")
    reg.fs.remove "snapshot"
    local over
    local task = reg.spawn(function()
      local ok, run = pcall(trace.run, call)
      over = true
      return ok and run or error(run, 0)
    end)
    while not over and not (reg.fs.exists(ending) and trace.read(ending).ok) do reg.sleep "5ms" end
    reg.fs.write("snapshot", "")
    local run = task:wait()
    says(run.trace, true, "the last records may be missing")
    test.equal({ run.signal, run.trace.processes[1].complete, run.trace.kernels[1].count },
      { ending == "kill" and 9 or 0, false, 1 })
  end
  -- Before the first snapshot nothing was recorded.
  local seen = traced("kernel a 1000 2000\n", "init play _exit 0").trace
  says(seen, false, "no work of a GPU was recorded: process", "was killed, or left by _exit")
  test.equal(seen.kernels, nil)
end)

test("in a sweep, trials whose trace may lack its end are said to be suspect, and are not run again", function()
  reg.fs.write("records", "kernel gemm 1000 3000\n")
  local here = reg.fs.absolute "."
  local function measure(_, trial)
    local run = trial:run { trace = true,
      shell = "cd " .. here .. "; rm -f go; (sleep 1; touch go) & exec $P init play wait go _exit 0",
      env = { P = program, REGENGINE_CUPTI = fakes .. "/cupti.so", REGENGINE_FAKE_CUPTI = "records" } }
    return run.trace.busy_s
  end
  local found = reg.sweep({ "a", "b" }, { into = "cut.db", every = true, exact = true, measure = measure })
  test.equal({ found.suspect and found.suspect.trials, found.runs }, { 2, 2 })
  test.equal(found.suspect.why, { "the end of the GPU work may be missing (a process was killed, or left by _exit)" })
end)

test("a forked child changes nothing; a program that becomes another counts as two", function()
  local run = traced("kernel a 1000 2000\n", "init fork play fork")
  test.equal({ run.ok, run.trace.ok, #run.trace.processes, run.trace.kernels[1].count }, { true, true, 1, 1 })
  run = traced("kernel a 1000 2000\n", "init exec init play")
  test.equal({ run.ok, run.trace.ok, #run.trace.processes, run.trace.kernels[1].count }, { true, true, 2, 1 })
end)

test("several processes are one summary; one that could not be traced makes it not ok", function()
  reg.fs.write("good", "kernel a 1000 2000\nalloc 1000 10\n")
  reg.fs.write("also", "kernel a 4000 7000\nkernel b 9000 9001\nalloc 1000 30\n")
  reg.fs.write("bad", "subscribe 39\n")
  local function both(second)
    return trace.run({
      shell = "REGENGINE_FAKE_CUPTI=good $P init play; REGENGINE_FAKE_CUPTI=" .. second .. " $P init play",
      env = { P = program, REGENGINE_CUPTI = fakes .. "/cupti.so" } }).trace
  end
  local sum = both "also"
  test.equal({ sum.ok, #sum.processes, #sum.kernels, sum.kernels[1].count, sum.memory_peak_bytes },
    { true, 2, 2, 2, 30 })
  test.near(sum.kernels[1].min_s, 1e-6, 1e-12)
  test.near(sum.span_s, 8001e-9, 1e-12)
  local part = both "bad"
  says(part, false, "another tool traces this process", "1 of 2 processes are missing")
  test.equal({ #part.processes, part.kernels[1].count }, { 2, 1 })
end)

test("threads that push, work and pop at once, and more than a buffer holds", function()
  local run = traced(("call 5\nkernel a 1000 2000 0 5\nstop\n"):rep(4000) .. "many 300000 volume 100000 500 1000\n",
    "init threads 8 play")
  test.equal({ run.ok, run.trace.ok, run.trace.dropped }, { true, true, 0 })
  test.equal(names(run.trace.kernels), { "volume", "a" })
  test.equal({ run.trace.kernels[1].count, run.trace.kernels[2].count }, { 300000, 4000 })
  test.near(run.trace.kernels[1].total_s, 0.15, 1e-9)
  -- More gaps than are kept apart: the sum is still exact, for they came in their order.
  test.near(run.trace.busy_s, 0.15 + 1e-6, 1e-9)
end)

test("more names than there is room for: the rest is summed up as (others)", function()
  local lines = {}
  for i = 1, 9000 do lines[i] = "kernel name_" .. i .. " 1000 2000" end
  local run = traced(table.concat(lines, "\n"), "init play")
  test.equal(#run.trace.kernels, 8192)
  test.equal({ run.trace.kernels[1].name, run.trace.kernels[1].count }, { "(others)", 9000 - 8191 })
end)

test("names that are no UTF-8, or hold quotes, are told as well as may be", function()
  local run = traced('kernel a"b\\\255\7 1000 2000\n', "init play")
  test.equal(#run.trace.kernels, 1)
  local name = run.trace.kernels[1].name
  test.truthy(name:find('a"b\\?', 1, true) and not name:find "\7", name)
end)

test("`folder` keeps the JSON of each process, to be read again; a folder in use is refused", function()
  local run = traced("kernel a 1000 2000\n", "init play", { folder = "kept/trace" })
  test.equal(#reg.fs.list "kept/trace", 1)
  test.equal(reg.json.encode(trace.read "kept/trace"), reg.json.encode(run.trace))
  test.raises("the folder for the trace is not empty", function() traced("", "init", { folder = "kept/trace" }) end,
    "conflict")
end)

test("what is no summary is one clear error naming the file", function()
  traced("kernel a 1000 2000\n", "init play", { folder = "broken" })
  local file = "broken/" .. reg.fs.list("broken")[1]
  local whole = reg.fs.read(file)
  for _, text in ipairs { "", "{", whole:sub(1, -20), "[]", '{"regengine_trace":2}', (whole:gsub('"total_ns":1000', '"total_ns":-1')),
    (whole:gsub('"records":1', '"records":"x"')), (whole:gsub('"status":"ok"', '"status":"fine"')),
    (whole:gsub('"ranges":%[', '"ranges":[{"name":"a","parent":1,"count":1,"kernels":0,"self_ns":0}')) } do
    test.truthy(text ~= whole, "the text was not changed")
    reg.fs.write(file, text)
    local why = test.raises("is not a trace summary", function() trace.read "broken" end, "corrupt")
    test.has(why.message, file)
  end
  test.raises("no such folder: nowhere", function() trace.read "nowhere" end, "not_found")
end)

test("another tool's injection library in the command's environment is left in its place", function()
  local run = trace.run { shell = "echo $CUDA_INJECTION64_PATH", env = { CUDA_INJECTION64_PATH = "/theirs.so" } }
  test.equal(run.stdout, "/theirs.so\n")
  says(run.trace, false, "already sets CUDA_INJECTION64_PATH to /theirs.so")
end)

test("the local container runtime runs on the host, with the host's paths", function()
  reg.fs.mkdir "image"
  reg.fs.write("image/records", "kernel a 1000 2000\n")
  local run = traced("", "init play", { image = "image", runtime = "local" })
  test.equal({ run.ok, run.trace.ok, #run.trace.kernels }, { true, true, 1 })
end)

test("in a sweep: the sums are samples in the store, and the JSON lies beside the output", function()
  reg.fs.write("records", "kernel gemm 1000 3000\nmemcpy 1 10 4000 5000\n")
  reg.sweep({ "a", "b" }, { into = "traced.db", every = true, exact = true, measure = function(_, trial)
    local run = trial:run { cmd = { program, "init", "play" }, trace = true,
      env = { REGENGINE_CUPTI = fakes .. "/cupti.so", REGENGINE_FAKE_CUPTI = reg.fs.absolute "records" } }
    return run.trace.kernels[1].count
  end })
  local store <close> = reg.store.open "traced.db"
  local found = {}
  for _, row in ipairs(store:query "SELECT metric, value FROM results WHERE subject = 'a'") do found[row.metric] = row.value end
  test.near(found["kernel_s:gemm"], 2e-6, 1e-12)
  test.near(found["copy_s:htod"], 1e-6, 1e-12)
  test.near(found.gpu_busy_s, 3e-6, 1e-12)
  test.near(found.value, 1, 0)
  test.truthy(trace.read(store:trials({ subject = "a" })[1].folder .. "/TRACE").ok)
end)

test("the status says in one form what is there and what is not", function()
  local function status(driver)
    return reg.json.decode(reg.process.run { shell = [["$REGENGINE" -e 'print(reg.json.encode(reg.trace.status()))']],
      env = { REGENGINE_LIBCUDA = driver } }.stdout)
  end
  test.equal(status(fakes .. "/cuda.so"), { ok = true, message = "", hint = "" })
  local missing = status "/nowhere/libcuda.so.1"
  test.equal(missing.ok, false)
  test.has(missing.message, "no GPU driver: /nowhere/libcuda.so.1")
  test.truthy(#missing.hint > 0)
end)

return test.finish()
