-- reg.hlo on dumps of real releases of JAX (tests/data/hlo): planted causes, and pairs that are the same program.

local test = require "harness"

-- `again`: the same program from another line, after another function. `passes` and `unfused`: all passes' dumps, of which
-- those after fusion are the optimized program, and without it the program before.
reg.process.run { shell = [[
  cp -R "$REGENGINE_TEST_DATA/hlo" dumps && chmod -R u+w dumps && cd dumps && mkdir 0.10.2/again 0.4.13/unfused
  for form in before_optimizations cpu_after_optimizations; do
    sed 's/line=15 end_line=15/line=13 end_line=13/' "0.10.2/base/module_0000.jit_f.$form.txt" >"0.10.2/again/module_0002.jit_f.$form.txt"
  done
  cd 0.4.13
  before=$(echo passes/*) optimized=module_0000.jit_f.cpu_after_optimizations.txt place=after_layout_assignment
  last=simplification_$place.after_pipeline-start.before_algsimp.txt
  cp "$before" unfused
  for name in $optimized module_0000.jit_f.0014.$last; do cp "$before" "unfused/$name"; done
  for name in $optimized module_0000.jit_f.0015.$last \
    module_0000.jit_f.0014.HLO_passes_$place.after_fusion.before_simplification_$place.txt; do
    cp base/$optimized "passes/$name"
  done]] }

local OLDER, NEWER = "0.4.13", "0.10.2"

local function dump(version, variant) return string.format("dumps/%s/%s", version, variant) end

-- The sentences of the findings, without the module's name.
local function said(before, after)
  return test.map(reg.hlo.diff(before, after), function(finding) return (finding.what:gsub("^jit_f: ", "")) end)
end

local function says(list, ...) test.has(table.concat(list, "\n"), ...) end

local function older(variant) return dump(OLDER, variant) end
local function newer(variant) return dump(NEWER, variant) end

test("the same program from another process, line and place in it gives no finding", function()
  local again = newer "again" .. "/module_0002.jit_f.cpu_after_optimizations.txt"
  test.equal(said(newer "base" .. "/module_0000.jit_f.cpu_after_optimizations.txt", again), {})
  test.equal(reg.hlo.fingerprint(newer "base"), reg.hlo.fingerprint(again))
  test.equal(said(older "base", older "base"), {})
  -- A folder that also has another function.
  reg.fs.write(newer "again" .. "/module_0000.jit_g.cpu_after_optimizations.txt",
    "HloModule jit_g\n\nENTRY main {\n  ROOT x = f32[] parameter(0)\n}\n")
  local findings = reg.hlo.diff(newer "base", newer "again")
  test.equal({ #findings, findings[1].kind, findings[1].before, findings[1].after }, { 1, "module", 0, 1 })
end)

test("an extra transpose in the model", function()
  local found = said(older "base", older "transpose")
  test.equal(found[1], "XLA was given another program: 2 more transposes (0 -> 2), 1 more reverse (0 -> 1)")
  says(found, "1 more transpose (0 -> 1), in ", "1 more copy (0 -> 1), in ")
  says(said(older "transpose", older "base"), "1 fewer transpose (1 -> 0)")
  test.equal({ reg.hlo.count(older "base", "transpose"), reg.hlo.count(older "transpose", "transpose") }, { 0, 1 })
end)

test("what runs is counted, by kind", function()
  for _, row in ipairs { { older "base", 1, 1, 0 }, { newer "base", 2, 1, 1 } } do
    local read, counts = reg.hlo.read(row[1]), { row[1] }
    for i, what in ipairs { "fusion", "fusion:kLoop", "fusion:kCustom" } do counts[i + 1] = reg.hlo.count(read, what) end
    test.equal(counts, row)
    test.equal({ reg.hlo.count(read, "dot"), reg.hlo.count(read, "nothing") }, { 1, 0 })
  end
end)

test("the first pass after which two compilations of one program differ", function()
  local findings = reg.hlo.diff(older "passes", older "unfused")
  test.equal(findings[1].what, "jit_f: 1 fewer kLoop fusion (1 -> 0) after pass fusion")
  for _, finding in ipairs(findings) do test.equal(finding.pass, "fusion", finding.what) end
  test.equal(said(older "passes", older "base/module_0000.jit_f.cpu_after_optimizations.txt"), {})
end)

test("what is known of a module", function()
  local read = reg.hlo.read(newer "base")
  test.equal({ #read.modules, #read.problems }, { 1, 0 })
  local module = read.modules[1]
  test.equal({ module.name, module.number, module.platform, module.optimized }, { "jit_f", 0, "cpu", true })
  test.equal(module.buffers, { total = 3628, temporary = 1024 })
  test.equal(#reg.hlo.read(older "passes").modules[1].passes, 3)
end)

test("two releases: only what the program does counts", function()
  local found = said(older "base", newer "base")
  says(found, "1 more kCustom fusion (0 -> 1)")
  test.lacks(table.concat(found, "\n"), "parameters and results")
end)

test("arguments that are neither a path nor modules are misuse", function()
  test.raises("no such file or folder: nowhere", function() reg.hlo.read "nowhere" end, "not_found")
  reg.fs.mkdir "empty"
  test.refuses("not_found", reg.hlo.count, { { "no HLO dumps as text: empty", "empty", "fusion" } })
  for _, f in ipairs { reg.hlo.read, reg.hlo.diff, reg.hlo.fingerprint } do
    test.raises("takes the path of a folder", function() f(7) end, "usage")
  end
  test.refuses("usage", reg.hlo.count,
    { { "not an opcode: 'two words'", "two words" }, { "takes an opcode", older "base", 7 } })
end)

-- --- reg.hlo.count as the metric of a search. Stands in for XLA: a script that copies dumps to where XLA_FLAGS say.
reg.fs.write("compile", [[
#!/bin/sh
# compile VARIANT
echo "$XLA_FLAGS $JAX_ENABLE_COMPILATION_CACHE" >flags
target=${XLA_FLAGS##*--xla_dump_to=}
cp "dumps/0.4.13/$1"/* "${target%% *}/"
]])
reg.process.run { shell = "chmod +x compile" }

-- A sweep over the variants by a count.
local function search(metric, variants, o)
  local subjects = {}
  for i, variant in ipairs(variants) do subjects[i] = { id = i .. variant, variant = variant } end
  return reg.sweep(subjects, { into = test.fresh ".db", metric = metric, better = "lower", measure = function(subject, trial)
    return trial:test({ cmd = { "./compile", subject.variant }, env = (o or {}).env }, { metric = metric })
  end })
end

test("the count of fusions is the metric of a sweep, and exact", function()
  local metric = reg.hlo.count "fusion"
  test.equal({ metric, reg.metric.name(metric) }, { "@hlo:fusion", "fusion count" })
  local series = search(metric, { "base", "base", "base", "transpose", "transpose" })
  test.equal({ series.verdict, series.exact, #series.changes }, { "changes", true, 1 })
  local change = series.changes[1]
  test.equal({ change.last_good, change.first_bad, change.before, change.after }, { "3base", "4transpose", 1, 2 })
end)

test("the flags of the command's environment stay, and the cache is off", function()
  search(reg.hlo.count "custom-call:__onednn$softmax", { "base", "transpose" }, { env = { XLA_FLAGS = "--xla_cpu_x=1" } })
  local flags = reg.fs.read "flags"
  test.truthy(flags:find "^%-%-xla_cpu_x=1 %-%-xla_dump_to=%S+ %-%-xla_dump_hlo_as_text false\n$", flags)
end)

test("a test without HLO is a failed trial that says why", function()
  for _, point in ipairs(search(reg.hlo.count "fusion", { "nothing", "nothing" }).points) do
    test.truthy(point.status ~= "ok", point.status)
  end
  reg.fs.mkdir(older "none")
  reg.fs.write(older "none/notes.txt", "no HLO")
  local series = search(reg.hlo.count "fusion", { "none", "none" })
  test.has(series.points[1].message, "the HLO was not counted")
end)

test("it is only measured of a command that trial:test runs, and only with an opcode", function()
  test.refuses("usage", reg.metric.of,
    { { "@hlo:fusion is only measured of a command", { stdout = "" }, { metric = reg.hlo.count "fusion" } } })
  local run = reg.process.run { shell = [["$REGENGINE" ab true true --metric @hlo:]] }
  test.has(run.stderr, "not a measured number: '@hlo:'")
end)

test("on the command line", function()
  local run = reg.process.run {
    shell = [["$REGENGINE" ab './compile base' './compile transpose' --metric @hlo:fusion --budget 6 --better lower]] }
  test.truthy(run.ok, run.stderr)
  test.has(run.stdout, "fusion count 1 -> 2")
end)

return test.finish()
