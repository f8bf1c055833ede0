-- reg.jit: counts by the hook, with a stand-in for JAX, and the logs of JAX and torch. tests/jax/run has the real JAX.

local test = require "harness"
local jit = reg.jit

local DATA = test.variable "REGENGINE_TEST_DATA" .. "/jit"
reg.process.run { shell = ('cp -R "%s/fake" "%s/logs" . && chmod -R u+w fake logs'):format(DATA, DATA) }

-- The counts of a Python program; `run`: what runs it, "python3 program.py" by default.
local function collect(program, o)
  test.needs "python3"
  reg.fs.write("program.py", program)
  local folder = test.fresh()
  return jit.collect { shell = o and o.shell or "python3 -B program.py", folder = folder,
    env = { PYTHONPATH = reg.fs.absolute "fake" .. (o and o.path or "") } }, folder
end

-- "f 2, g 1"
local function counts(run)
  return table.concat(test.map(run.functions, function(f) return f.name .. " " .. f.traces end), ", ")
end

test("bodies are counted by function and call site, however a function is compiled", function()
  local run, folder = collect [[
import functools
from jax import jit
import jax

@functools.partial(jax.jit, static_argnums=(1,))
def f(x, n):
    return x

@jit
def g(x):
    return f(x, 1)

class Model:
    @jax.jit
    def step(self):
        return 1

    def later(self, x):
        return x

    def __call__(self, x):
        return x

for x in (1, 2, 3.0):
    g(x)
f(1, 1)
model = Model()
model.step()
jax.jit(model.later)(1)
jax.jit(model.later)(1)
jax.jit(model)(1)
jax.pmap(functools.partial(f, n=1) and (lambda x: x))(1)
print("Model.later", model.later.__name__, f.__name__, f.__wrapped__.__name__)
]]
  test.equal({ counts(run), run.processes, run.jax },
    { "f 2, g 2, <lambda> 1, Model 1, Model.later 1, Model.step 1", 1, { "0.0.1" } })
  local sites = run.functions[2].sites
  test.equal({ #sites, sites[1].count, sites[1].at:match "[^/]+$", run.functions[2].at:match "[^/]+$" },
    { 1, 2, "program.py:25", "program.py:9" })
  test.equal({ jit.traces(run, "step"), jit.traces(folder, "Model.step"), jit.compiles(run, "f") }, { 1, 1, 2 })
  test.raises("no function 'h' was compiled; functions: f, g, <lambda>", function() jit.traces(run, "h") end, "not_found")
end)

test("a process that is killed, and one that was forked, lose nothing", function()
  local run = collect([[
import os, signal
import jax
f = jax.jit(lambda x: x)
f(1)
if os.fork() == 0:
    f(1.0)
    os.kill(os.getpid(), signal.SIGKILL)
os.wait()
f("")
os.kill(os.getpid(), signal.SIGKILL)
]], { shell = "python3 -B program.py; true" })
  test.equal({ counts(run), run.processes }, { "<lambda> 3", 2 })
end)

test("a sitecustomize that the hook hides runs, and the program fails as without it", function()
  reg.fs.mkdir "site"
  reg.fs.write("site/sitecustomize.py", "import builtins\nbuiltins.customized = 'yes'\n")
  test.equal(counts(collect("import jax\nassert customized == 'yes'\njax.jit(lambda x: x)(1)\n",
    { path = ":" .. reg.fs.absolute "site" })), "<lambda> 1")
  test.raises("failed with exit code 1", function() collect("import jax\njax.jit(1 / 0)\n") end, "failed_trial")
end)

test("a program without JAX has no counts, and the reason is given; a folder that is not empty is refused", function()
  local run = collect "print(1)"
  test.equal(#run.functions, 0)
  test.has(run.missing.functions, "no process of the command imported jax")
  reg.fs.mkdir "full"
  reg.fs.write("full/x", "")
  test.raises("the folder is not empty", function() jit.collect { cmd = { "true" }, folder = "full" } end, "conflict")
  test.raises("with a 'folder'", function() jit.collect { cmd = { "true" } } end, "usage")
end)

-- Name, count of traces, and count of compilations in a log.
local function logged(file, name)
  local run = jit.read("logs/" .. file)
  local ok, traces = pcall(jit.traces, run, name)
  return { ok and traces or 0, jit.compiles(run, name) }, run
end

test("logs of JAX from release to release", function()
  for _, release in ipairs { "0.2.27", "0.4.3" } do
    local file = "jax-" .. release .. ".log"
    test.equal((logged(file, "inner")), { 2, 0 })
    local both, run = logged(file, "outer")
    test.equal({ both, run.compiled[1].name, run.compiled[1].compile_s, #run.misses }, { { 1, 1 }, "outer", 0.0412, 0 })
    test.has(run.missing.misses, "no explained cache miss")
  end
  for _, release in ipairs { "0.4.30", "0.6.2", "0.10.2" } do
    local both, run = logged("jax-" .. release .. ".log", "step")
    test.equal({ release, both, #run.misses, run.missing.misses }, { release, { 2, 2 }, 2 })
    test.truthy(run.misses[2].at == "hit.py:4:18" and run.misses[2].why:find("x", 1, true), run.misses[2].why)
    test.equal(#run.problems, release == "0.10.2" and 1 or 0)
  end
end)

test("why JAX traces a function once more, in the words of its releases", function()
  test.needs "python3"
  local differ, different = "  all previously seen cache keys differ. For the closest previous key:\n",
    "  all previously seen cache keys are different. Closest previous key:\n"
  local types = differ .. "  different input types:\n  * at x, now f32[%s,800] and before f32[%s,800]\n"
    .. "  * at y, now f32[%s,800] and before f32[%s,800]"
  -- What JAX logs of a function, and the reason: FOR is "for f defined at file:line", and AT its latter part.
  local CASES <const> = {
    -- 0.10.2
    { "FOR\n" .. types:format(799, 800, 799, 800), "FOR\n" .. types:format(798, 799, 798, 799),
      reason = "x is f32[798,800], before f32[799,800]" },  -- the last one counts
    { "FOR\n" .. differ .. "  different input pytree:\n  * at input path [0][1], now"
      .. " <class 'jax._src.tree_util.Static'> with pytree metadata Static(val=1) and before"
      .. " <class 'jax._src.tree_util.Static'> with pytree metadata Static(val=0), so the pytree node metadata does not match",
      reason = "input path [0][1] is Static(val=1), before Static(val=0)" },
    { "FOR\n" .. differ .. "  Tracing context doesn't match, e.g. due to config or context manager.\n"
      .. "  * enable_x64 differs: now True and before False", reason = "enable_x64 is True, before False" },
    { "never seen function:\n    NAME id=139873013677120 AT" },
    { "for NAME defined at elsewhere.py:7\n" .. types:format(799, 800, 799, 800) },  -- another function of the name
    -- 0.6.2
    { "FOR\n" .. different .. "  * key with different input types:\n"
      .. "      types now: d['a']: f32[800,800], d['n']: f32[]\n"
      .. "        * at d['n'], now f32[] and before i32[]", reason = "d['n'] is f32[], before i32[]" },
    { "FOR\n" .. different .. "  * key with different value of static args:\n      now 1 and before 0",
      reason = "a static argument is 1, before 0" },
    -- 0.4.30, whose explanation of a static argument was never written
    { "FOR\n  never seen input type signature:\n    x: f32[799,800],  y: f32[799,800]\n"
      .. "  closest seen input type signature has 2 mismatches, including:\n"
      .. "    * at x, seen f32[800,800], but now given f32[799,800]",
      reason = "x is f32[799,800], before f32[800,800]" },
    { "FOR\nexplanation unavailable! please open an issue" },
    { "never seen function:\n    NAME id=139744972428832 AT\n"
      .. "  but seen another function defined on the same line; maybe the function is\n"
      .. "  being re-defined repeatedly, preventing caching?", reason = "it is defined anew each time" },
    { "FOR\n  tracing context doesn't match, e.g. due to config or context manager\n  closest seen",
      reason = "an option or context manager of JAX differs" },
    { "FOR\n  never seen passing 1 positional args and 1 keyword args with keys:\n    'y'",
      reason = "it is called with 1 positional and 1 keyword arguments for the first time" },
  }
  local program, said = { "import jax, json, logging, sys, time" }, {}
  for i, case in ipairs(CASES) do
    program[i + 1], said[i] = ("def f%d(x): return x"):format(i), { table.unpack(case) }
  end
  program[#program + 1] = [[
log, often = logging.getLogger("jax._src.pjit"), sys.argv[1] == "often"
for i, logged in enumerate(json.load(open("cases.json")), 1):
    fun = globals()["f%d" % i]
    jitted, at = jax.jit(fun), "defined at %s:%d" % (fun.__code__.co_filename, fun.__code__.co_firstlineno)
    for x in (1, 1.0)[:1 + often]: jitted(x)
    for text in logged if often else ():
        text = text.replace("FOR", "for NAME AT").replace("NAME", fun.__name__).replace("AT", at)
        log.warning("TRACING CACHE MISS at hit.py:4:18 (<module>):\n  %s", text)
time.sleep(0.3 * often)]]
  reg.fs.write("explained.py", table.concat(program, "\n"))
  reg.fs.write("cases.json", reg.json.encode(said))
  local python = "PYTHONPATH=fake python3 -B explained.py "
  local found, reasons = reg.why { commands = { python .. "once", python .. "often" }, into = "why.db", budget = 6 }, {}
  for _, level in ipairs(found.levels) do
    for _, finding in ipairs(level.name == "jit" and level.findings or {}) do
      if finding.kind == "traced" then reasons[finding.name] = finding.what:match ": (.*)" or false end
    end
  end
  test.has(found.text, "To see why JAX traces it again, run B with JAX_EXPLAIN_CACHE_MISSES=1")
  for i, case in ipairs(CASES) do test.equal({ i, reasons["f" .. i] }, { i, case.reason or false }) end
end)

test("logs of torch: what was compiled again, and which guard failed", function()
  for _, release in ipairs { "2.1", "2.6" } do
    local run = jit.read("logs/torch-" .. release .. ".log")
    local row = run.recompiled[1]
    test.equal({ #run.recompiled, row.name, row.at, row.count, jit.compiles(run, "fn") },
      { 1, "fn", "/src/model.py:5", release == "2.1" and 1 or 2, release == "2.1" and 1 or 2 })
    test.truthy(row.why[1]:find "size" and not row.why[1]:find "triggered", row.why[1])
  end
end)

test("what torch compiles again in a command that runs with TORCH_LOGS=recompiles", function()
  local run = jit.collect { shell = "cat logs/torch-2.6.log >&2", env = { TORCH_LOGS = "dynamo,recompiles" },
    folder = "torch" }
  test.equal({ run.recompiles_logged, #run.recompiled, run.recompiled[1].count }, { true, 1, 2 })
  test.equal(jit.read("torch").recompiled[1].why, run.recompiled[1].why)
  run = jit.collect { shell = "cat logs/torch-2.6.log >&2", folder = "unasked" }
  test.equal({ run.recompiles_logged, #run.recompiled }, { false, 0 })
end)

test("a hit in a persistent cache is not a compilation", function()
  reg.fs.write("cached.log", "Persistent compilation cache hit for 'jit_f'\n"
    .. "Finished XLA compilation of jit(f) in 0.01 sec\nFinished XLA compilation of jit(f) in 0.5 sec\n")
  local run = jit.read "cached.log"
  test.equal({ jit.compiles(run, "f"), run.compiled[1].cached }, { 1, 1 })
end)

-- A run in which f was traced n times and compiled once, in `s` seconds.
local function made(n, s)
  return { functions = { { name = "f", traces = n, sites = {} }, { name = "g", traces = 1, sites = {} } },
    recompiled = {}, compiled = { { name = "f", count = 1, cached = 0, trace_s = 0, lower_s = 0, compile_s = s } } }
end

local function texts(findings) return test.map(findings, "what") end

test("findings", function()
  test.equal(texts(jit.diff({ made(1, 1), made(1, 1.1) }, { made(10, 3), made(10, 3.1) })),
    { "f is traced 10 times, once before", "compiling takes 2 s more" })
  local again = made(10, 1)
  again.functions[1].sites = { { at = "/a/eval.py:3", count = 4 }, { at = "/a/train.py:12", count = 6 } }
  test.equal(texts(jit.diff(made(1, 1), again)), { "f is traced 10 times, once before, called at train.py:12" })
  test.equal(texts(jit.diff(again, made(1, 1))), { "f is traced once, 10 times before" })
  test.equal(texts(jit.diff(made(2, 1), made(0, 1))), { "f is not traced, 2 times before" })
  test.equal(texts(jit.diff({ made(1, 1), made(10, 1) }, { made(10, 1), made(10, 1.05) })), {})
  test.equal(texts(jit.diff(jit.read "logs/torch-2.1.log", jit.read "logs/torch-2.6.log")),
    { "fn is recompiled 2 times, once before: tensor 'x' size mismatch at index 0. expected 3, actual 4" })
  test.equal(texts(jit.diff(made(1, 1), made(1, 1))), {})
end)

test("the count is the metric of a sweep, and exact", function()
  test.equal({ jit.traces "f", jit.compiles "Model.step", reg.metric.name(jit.traces "f") },
    { "@jit.traces:f", "@jit.compiles:Model.step", "f traces" })
  test.raises("not the name of a function", function() jit.traces "a b" end, "usage")
  test.needs "python3"
  reg.fs.write("many.py", "import jax, sys\nf = jax.jit(lambda x: x)\nf.__name__\n@jax.jit\ndef inner(x): return x\n"
    .. "for x in (1, 1.0, '', None)[:int(sys.argv[1])]: inner(x)\n")
  reg.fs.mkdir "elsewhere"
  local series = reg.sweep({ { id = "a", n = 1 }, { id = "b", n = 1 }, { id = "c", n = 4 }, { id = "d", n = 4 } }, {
    into = "jit.db", metric = jit.traces "inner", measure = function(subject, trial)
      return trial:test({ cmd = { "python3", "-B", "../many.py", tostring(subject.n) }, cwd = "elsewhere",
        env = { PYTHONPATH = reg.fs.absolute "fake" } }, { metric = jit.traces "inner" })
    end })
  local change = series.changes[1]
  test.equal({ series.exact, series.verdict, change.last_good, change.first_bad, change.before, change.after },
    { true, "changes", "b", "c", 1, 4 })
  local run = reg.process.run {
    shell = [["$REGENGINE" ab 'python3 -B many.py 1' 'python3 -B many.py 3' --metric @jit.compiles:inner --budget 6]],
    env = { PYTHONPATH = reg.fs.absolute "fake" } }
  test.truthy(run.stdout:find("inner compiles 1 -> 3", 1, true), run.stdout .. run.stderr)
end)

return test.finish()
