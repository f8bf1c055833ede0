-- reg.why, and what it consists of: command lines in parts, halves that are exchanged, and the finding that is named
-- first. tests/scripts/test_why.sh plants causes.

local test = require "harness"
local collect = reg.private "lib/why/collect"
local instrumented = reg.private "lib/instrumented"
local command = reg.private "lib/why/command"
local verdict = reg.private "lib/why/verdict"
local words = reg.private "lib/report/why"

local function one_of(name, line) return { name = name, call = { shell = line }, parts = command.parse(line) } end

-- What the levels say of two ends, with `value` of each run.
local function collected_of(both, value, differs)
  local _ <close> = instrumented.folder "dumps"
  return collect.both(both, "dumps", { update = function() end }, value, differs)
end

-- A program whose step takes what the words in its variables say, and that notes with which it ran.
reg.fs.write("step.sh", [[
step=100
for word in $A $B $C $D $F; do case $word in *slow*) step=$((step + 50)) ;; esac; done
echo "A=$A|B=$B|C=$C|D=$D|F=$F" >>seen
[ "$A$B" != 2fast ] || exit 1
echo "step: $step"]])

-- What is exchanged between two such lines, "A 100 %" each with its share, and what not and why; the lines that ran.
local function swapped(a, b)
  if reg.fs.exists "seen" then reg.fs.remove "seen" end
  local found = reg.why { commands = { a, b }, into = test.fresh ".db", budget = 5, metric = "step: {number}",
    better = "lower" }
  local list, seen = {}, {}
  for i, one in ipairs(found.swaps) do list[i] = ("%s %.0f %%"):format(one.what, 100 * one.share) end
  table.sort(list)
  for _, line in ipairs(test.lines(reg.fs.read "seen")) do seen[line] = true end
  return list, found.not_swapped, seen
end

test("variables of a line are exchanged, however they are quoted", function()
  local list, _, seen = swapped([[env A=1 B='two words' C="x y" D= sh step.sh]],
    [[A=2 B='two slow words' C="x slow" D=1 sh step.sh]])
  test.equal(list, { "A 1 -> 2 0 %", "B two words -> two slow words 50 %", "C x y -> x slow 50 %", "D  -> 1 0 %" })
  test.truthy(seen["A=1|B=two slow words|C=x y|D=|F="] and seen["A=2|B=two words|C=x slow|D=1|F="])
end)

test("a variable before one of several commands, or that the shell computes, stays where it is", function()
  for _, line in ipairs { "A=%s sh step.sh && true", "A=%s sh step.sh | cat", "A=$(echo %s) sh step.sh",
    "A=`echo %s` sh step.sh" } do
    test.equal({ line, (swapped(line:format "fast", line:format "slow")) }, { line, {} })
  end
end)

test("flags of one variable are exchanged one at a time, and keep their place", function()
  local list, _, seen = swapped("F='--a=1 --same --b=1' sh step.sh", "F='--a=slow --same --c' sh step.sh")
  test.equal(list, { "F --a=1 -> --a=slow 100 %", "F gained --c 0 %", "F lost --b=1 0 %" })
  for _, flags in ipairs { "--a=slow --same --b=1", "--a=1 --same --c", "--a=1 --same", "--a=slow --same --b=1 --c",
    "--a=1 --same --b=1 --c", "--a=slow --same" } do test.truthy(seen["A=|B=|C=|D=|F=" .. flags], flags) end
  list = swapped("A=fast F='--a --b' sh step.sh 2>&1 >&1", "A=slow F='--b --a' sh step.sh 2>&1 >&1")
  test.equal(list, { "A fast -> slow 100 %", "F has the same parts in another order or number 0 %" })
end)

test("a half that cannot be exchanged is passed over", function()
  local list, not_swapped = swapped("A=1 B=fast sh step.sh", "A=2 B=slow sh step.sh")
  test.equal({ list, not_swapped }, { {}, { "A cannot be exchanged: A with A of B failed: exit code 1",
    "B cannot be exchanged: B with B of A failed: exit code 1" } })
end)

-- Collected levels with these findings.
local function collected(findings)
  local list = { values = { plain = { { 1, 1 }, { 2, 2 } } } }
  for i, name in ipairs { "environment", "artifact", "program", "kernels", "host", "jit" } do
    list[i] = { name = name, pass = i > 1 and "plain" or nil, findings = findings[name] or {} }
    for _, finding in ipairs(list[i].findings) do finding.level = name end
  end
  return list
end

local function swapped_as(kind, share, name)
  return { level = "swap", kind = kind, name = name or kind, what = (name and name .. " " or "") .. "a -> b", share = share,
    low = share > 0.5 and share or -0.1 }
end
local function again(share) return { what = "f is traced again", again = true, share = share } end

test("what is named first, and how much of the slowdown it leaves unexplained", function()
  local fusion, numpy = { program = { { what = "a fusion" } } }, { what = "numpy 1 -> 2" }
  local program, host = { what = "the program differs", is_program = true }, { { what = "page faults", share = 0.2 } }
  local image = { level = "swap", kind = "image", name = "the image", what = "image a -> b", share = 1, only = true }
  for _, row in ipairs {
    -- seconds before what only differs, but for those of the host, which has no cause
    { "gemm", 0.1, { environment = { numpy }, program = fusion.program, kernels = { { what = "gemm", share = 0.9 } }, host = host } },
    { "a fusion", nil, { program = fusion.program, host = { { what = "0.3 s more CPU time", share = 0.9 } } } },
    -- a function that is traced again by its seconds, or where nothing else was measured
    { "f is traced again", 0.2, { jit = { { what = "add is compiled", share = 0.5 }, again(0.3) }, program = fusion.program } },
    { "f is traced again", nil, { jit = { again() }, program = { { what = "9 more modules" } } } },
    { "a fusion", nil, { jit = { again(0.1) }, program = fusion.program } },
    -- that the program differs explains nothing
    { "page faults", nil, { artifact = { program }, host = host } },
    { "libx.so differs", nil, { artifact = { program, { what = "libx.so differs" } }, host = host } },
    -- what moves in a swap before all, unless it is the command itself; what is behind it by what differs there
    { "numpy 1 -> 2", 0.06, { environment = { numpy }, program = fusion.program },
      { swapped_as("python", 0.94), swapped_as("command", 0.03) } },
    { "a fusion", nil, { environment = { numpy }, program = fusion.program },
      { swapped_as("command", 0.95), swapped_as("python", 0.02) } },
    { "busy 1 -> 2", nil, { environment = { { what = "PYTHONPATH a -> b" }, { what = "X a -> b" }, { what = "busy 1 -> 2" } } },
      { swapped_as("variable", 1, "PYTHONPATH"), swapped_as("variable", 0, "X") } },
    { "waits", nil, { host = { { what = "waits" } } }, { image } },
    { "numpy 1 -> 2", nil, { environment = { numpy }, host = { { what = "waits" } } }, { image } },
  } do
    local of, swaps = collected(row[3]), row[4] or {}
    local top = verdict.top(of, swaps)
    test.equal(top.what, row[1])
    if row[2] then test.near(verdict.unexplained(top, of, swaps), row[2], 1e-9, row[1]) end
  end
  local top, differs = verdict.top(collected { artifact = { program } }, {})
  test.equal({ top == nil, differs }, { true, true })
end)

test("where the first finding is what the slowdown consists of, the environment that differs is named beside it", function()
  local of = collected { environment = { { what = "LD_PRELOAD set to x.so" }, { what = "WAIT 1 -> 2" },
    { what = "numpy 1 -> 2", package = "numpy" } }, host = { { what = "waits 1 s longer", share = 0.9 } } }
  local function said(swaps)
    local top = verdict.top(of, swaps)
    return words.sentence { verdict = "found", slowdown = { sentence = "B is slower" }, top = top, identical = false,
      unexplained = verdict.unexplained(top, of, swaps), beside = verdict.beside(top, of, swaps) }
  end
  test.equal(said {}, "B is slower: waits 1 s longer (90 % of it; unexplained: 10 %)."
    .. " The environment differs: LD_PRELOAD set to x.so and 2 more")
  local exchanged = { { kind = "variable", name = "WAIT", share = 0 }, { kind = "python", name = "the Python", share = 0 } }
  test.equal(said(exchanged), "B is slower: waits 1 s longer (90 % of it; unexplained: 10 %)."
    .. " The environment differs: LD_PRELOAD set to x.so")
  test.equal(verdict.beside({ level = "kernels" }, of, {}), {})
end)

test("variables are those that the programs were seen with, if they were in each run, and those that they set", function()
  local level = reg.private("lib/why/levels/surroundings").environment
  local function looked() return { variables = { A = "1" }, packages = {} } end
  local function ran(variables, set, other, folders)
    local one = looked()
    variables.REGENGINE_JIT, variables.PYTHONPROFILEIMPORTTIME = "/r/jit", "1"
    local programs = { { name = "python3.11", cpu_s = 1, variables = variables } }
    if other then table.insert(programs, 1, { name = other, cpu_s = 2, variables = { B = other } }) end
    level.read({ programs = programs, jit = set and { variables = set } }, { folders = folders }, one)
    return one
  end
  local function twice(...) return { ran(...), ran(...) } end
  local function found(before, after) return test.map(level.compare(before, after), "what") end
  local function plain(more) return twice(test.merged({ A = "1", PYTHONPATH = "/r/jit/hook:/own" }, more)) end
  local preloaded = plain { LD_PRELOAD = "x.so" }
  test.equal(found(plain(), preloaded), { "LD_PRELOAD set to x.so" })
  test.equal(found(plain(), { preloaded[1], looked() }), {})
  test.equal(found(plain(), twice { PYTHONPATH = "/r/jit/hook" }),
    { "PYTHONPATH lost /own", "A was 1, and is not set" })
  local function beside(other) return twice({ A = "1" }, nil, other) end  -- a program that computes more, at one end
  test.equal({ found(beside "dash", beside()), found(beside "dash", beside "bash") }, { {}, {} })
  local function inside(tree) return twice({ REPO_X = tree, PYTHONPATH = tree .. "/src:/own" }, nil, nil, { tree }) end
  test.equal(found(inside "/t/why-a", inside "/t/why-b"), {})
  local function set(flag) return twice({ A = "1" }, { XLA_FLAGS = flag }) end
  test.equal(found(set "--a=1", set "--a=2"), { "XLA_FLAGS --a=1 -> --a=2" })
end)

-- Collected runs of a jitted function whose body ran n times, in a run of `wall_s`.
local function traced(n, seconds, wall_s, compiled)
  local function one()
    return { functions = { { name = "Model.f", traces = n, sites = {} } }, recompiled = {}, wall_s = wall_s,
      compiled = { { name = "f", count = compiled or n, cached = 0, trace_s = 0, lower_s = 0, compile_s = seconds } } }
  end
  return { one(), one() }
end

test("the share of a function is what it takes to trace and compile", function()
  local level = reg.private("lib/why/levels/jit").jit
  local found = level.compare(traced(1, 0.1, 1), traced(10, 1, 2))
  test.equal({ found[1].what, found[1].again, found[2].share }, { "Model.f is traced 10 times, once before", true, nil })
  test.near(found[1].share, 0.9, 1e-9)
  test.equal(level.compare(traced(1, 0.1, 2), traced(10, 1, 1))[1].share, nil)
  test.equal(#level.compare(traced(1, 0.1, 1), traced(1, 0.1, 2)), 0)
  found = level.compare(traced(1, 0.1, 1), traced(100, 0, 2, 0))  -- jax_disable_jit
  test.equal({ found[1].what, found[1].again }, { "Model.f is traced 100 times, once before", true })
  test.equal(level.compare(traced(1, 0.1, 1), traced(100, 0.1, 2, 1))[1].again, nil)
end)

test("no shares where collecting removes more than half of the slowdown, of another metric, or of an unclear one", function()
  local plain = { { 3, 3 }, { 3.4, 3.4 } }
  for _, row in ipairs { { { a = 1, b = 2 }, true, plain, 1, nil }, { { a = 1, b = 2 }, true, nil, 0, 0.9 },
    { { a = 1, b = 2 }, false, nil, 0, nil }, { { a = 1, b = 1.9, verdict = "inconclusive" }, true, nil, 0, nil } } do
    local of = collected { host = { { what = "waits", share = 0.9, before = 1.0, after = 2.0 } } }
    of.values.plain = row[3] or of.values.plain
    local notes = verdict.check_shares(of, row[1], row[2])
    test.equal({ #notes, of[5].findings[1].share }, { row[4], row[5] })
    if row[3] then test.near(notes[1].removed, 0.6, 1e-9) end
  end
end)

test("the confidence of a number is that of its repeats", function()
  local ends = reg.private "lib/why/two_ends"
  test.near(ends.confidence({ 1, 2 }, { 3.5, 4.5 }), 0.9276, 1e-3)  -- as close as ends.differ lets pass
  test.truthy(ends.confidence({ 1, 1.01 }, { 3, 3.01 }) > 0.999)
  test.equal({ ends.confidence({ 1, 1 }, { 2, 2 }), ends.confidence({ 1 }, { 2 }) }, { 1, nil })
  for freedom, t in pairs { 12.706, 4.303, 3.182, 2.776, 2.571 } do test.near(ends.student(t, freedom), 0.95, 1e-4) end
end)

test("a metric that collecting takes away leaves no shares, and one that runs do not print is not checked", function()
  local one, other = one_of("A", "echo step: 1"), one_of("B", "echo step: 1")
  local function value(run) return tonumber(run.stdout:match "step: (%d+)") end
  local found = collected_of({ one, other }, value)
  test.equal(found.values, { plain = { { 1, 1 }, { 1, 1 } } })
  found[6].findings = { { what = "gemm", share = 1 } }
  test.equal(verdict.check_shares(found, { a = 1, b = 2 }, false)[1].removed, 1.0)
  test.equal(collected_of({ one, other }, function() return nil end).values, {})
end)

test("load that lasts from some run to another is not a difference between the ends", function()
  local ends = reg.private "lib/why/two_ends"
  for first = 1, #collect.TURNS do
    for last = first, #collect.TURNS do
      local of = { {}, {} }
      for turn, side in ipairs(collect.TURNS) do
        table.insert(of[side], turn >= first and turn <= last and 2.0 or 1.0)
      end
      test.truthy(not ends.differ(of[1], of[2], 0.1), first .. " to " .. last)
      test.truthy(not ends.differ(of[2], of[1], 0.1), first .. " to " .. last)
    end
  end
  local one, other = one_of("A", "echo A >>turns"), one_of("B", "echo B >>turns")
  local found = collected_of({ one, other }, function() return 1 end)
  test.equal({ found.runs, (reg.fs.read "turns":gsub("\n", "")) }, { 4, "ABAB" })
end)

test("findings leave out times within the noise of the runs without collection", function()
  local of = collected { host = { { what = "waits", before = 1.0, after = 1.2, unit = "s" },
    { what = "more user time", before = 1.0, after = 1.4, unit = "s" }, { what = "page faults", before = 1, after = 2 } } }
  verdict.drop_noise(of, { a = 1, b = 1.5, noise = 0.06 })
  test.equal({ #of[5].findings, of[5].findings[1].what }, { 2, "more user time" })
  of = collected { host = { { what = "waits", before = 0.2, after = 0.9, unit = "s" } } }
  verdict.drop_noise(of, { a = 0.2, b = 1, noise = 0.25 })  -- a busy machine, whose runs vary as much as they are long
  test.equal(#of[5].findings, 1)
  of = collected { kernels = { { what = "gemm", before = 4e-6, after = 8e-6, unit = "s" } },
    host = { { what = "waits", before = 1.0, after = 1.2, unit = "s" } } }
  verdict.drop_noise(of, { a = 1, b = 1.5, noise = 0.06 }, "host")
  test.equal({ #of[4].findings, #of[5].findings }, { 1, 0 })
end)

test("the sentences where nothing differs, or only the program, and where the slowdown itself is not clear", function()
  for wanted, answer in pairs {
    [": the compiled program is identical: look at the host, the clocks or the data"] = { verdict = "nothing_differs",
      identical = true },
    [": apart from the program itself, nothing that was collected differs"] = { verdict = "nothing_differs",
      program_differs = true },
    [", and apart from the program itself, nothing that was collected differs"] = { verdict = "inconclusive",
      program_differs = true },
    [". What differs first: waits"] = { verdict = "inconclusive", top = { level = "host", what = "waits" } },
  } do
    answer.slowdown = { sentence = "B is 38 % slower than A" }
    test.equal(words.sentence(answer), "B is 38 % slower than A" .. wanted)
  end
end)

test("a damaged answer in a store is shown as far as it goes", function()
  local store <close> = reg.store.open "damaged.db"
  local function shown(answer)
    store:finish_investigation(store:begin { name = "why", text = reg.json.encode(answer) }, answer)
    return reg.report.text(store) .. reg.share(store)
  end
  test.truthy(not shown({ slowdown = 1, sentence = { "x" }, text = {} }):find("x.", 1, true))
  local text = shown { slowdown = {}, sentence = "It is slower", text = "It is slower.\n  host  waits", not_swapped = 7,
    levels = { 1, { name = 5, why = {}, findings = 3 }, { name = "environment", findings = { 1, {} } } }, top = 1 }
  test.has(text, "\nIt is slower.\n  host  waits\n", "```text\nIt is slower.\n  host  waits\n")
end)

test("two equal ends have no findings but times, which the noise of the pairs is for", function()
  local found = collected_of({ one_of("A", "sleep 0.2"), one_of("B", "sleep 0.2") }, function(run) return run.wall_s end)
  test.equal(found.runs, 4)
  for _, level in ipairs(found) do
    for _, finding in ipairs(level.findings) do test.equal({ level.name, finding.unit }, { "host", "s" }) end
  end
  test.truthy(not reg.fs.exists "dumps", "the folder of the dumps is removed")
  test.raises("B failed with exit code 3", function()
    collected_of({ one_of("A", "true"), one_of("B", "exit 3") }, function() end)
  end)
  test.truthy(not reg.fs.exists "dumps", "it is removed after a failure")
end)

test("ends of which two runs say nothing are run twice more, if there is something to find", function()
  -- Runs 2 and 4, which are B's, differ so much that they hide what the others show.
  reg.fs.write("b.sh", 'echo >>runs; case $(wc -l <runs) in 1) sleep 0.3 ;; 2) sleep 2 ;; *) sleep 1 ;; esac')
  local both = { one_of("A", "sleep 0.05"), one_of("B", "sh b.sh") }
  for _, differs in ipairs { false, true } do
    reg.fs.remove "runs"
    local found = collected_of(both, function(run) return run.wall_s end, differs)
    local waits = verdict.level(found, "host").findings[1]
    test.equal({ found.runs, #found.values.plain[2] }, { differs and 8 or 4, 2 })
    test.equal(waits and waits.what:match "^waits %d%.?%d* s longer", differs and waits.what or nil)
  end
end)

test("an option that reg.why has not is refused", function()
  test.raises("unknown option 'command'", function() reg.why { command = "true" } end)
end)

return test.finish()
