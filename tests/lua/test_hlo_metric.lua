-- reg.hlo.count as the metric of a search. Stands in for XLA: a script that copies dumps to where XLA_FLAGS say.

local test = require "harness"

reg.process.run { shell = 'cp -R "$REGENGINE_TEST_DATA/hlo/0.4.13" dumps && chmod -R u+w dumps' }
reg.fs.write("compile", [[
#!/bin/sh
# compile VARIANT
echo "$XLA_FLAGS $JAX_ENABLE_COMPILATION_CACHE" >flags
target=${XLA_FLAGS##*--xla_dump_to=}
cp "dumps/$1"/* "${target%% *}/"
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
  reg.fs.mkdir "dumps/none"
  reg.fs.write("dumps/none/notes.txt", "no HLO")
  local series = search(reg.hlo.count "fusion", { "none", "none" })
  test.truthy(series.points[1].message:find("the HLO was not counted", 1, true), series.points[1].message)
end)

test("it is only measured of a command that trial:test runs, and only with an opcode", function()
  test.raises("@hlo:fusion is only measured of a command", function()
    reg.metric.of({ stdout = "" }, { metric = reg.hlo.count "fusion" })
  end, "usage")
  local run = reg.process.run { shell = [["$REGENGINE" ab true true --metric @hlo:]] }
  test.truthy(run.stderr:find("not a measured number: '@hlo:'", 1, true), run.stderr)
end)

test("on the command line", function()
  local run = reg.process.run {
    shell = [["$REGENGINE" ab './compile base' './compile transpose' --metric @hlo:fusion --budget 6 --better lower]] }
  test.truthy(run.ok, run.stderr)
  test.truthy(run.stdout:find("fusion count 1 -> 2", 1, true), run.stdout)
end)

return test.finish()
