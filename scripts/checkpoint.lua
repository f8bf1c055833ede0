#!/usr/bin/env regengine
--- Keeps a baseline of a command, and compares with it later. The first run measures
--- the command and keeps the numbers in the store under --name; each later run
--- measures it again and says whether it became worse or better. --move makes the
--- numbers of this run the new baseline. With --from, the samples come from a results
--- file of another program instead of a run.
---
---   regengine checkpoint --test ./bench --metric 'MLUPS: {number}'
---   regengine checkpoint --from hyperfine.json

local opt = reg.options {
  "take", "drop", "better", "timeout", "fail_on_regression",
  test       = { "command that tests, run in a shell", type = "command", not_with = { "from" },
                 required_unless = { "from" } },
  from       = { "file with the samples: results.jsonl, or that of hyperfine, Google Benchmark, pytest-benchmark, asv "
                 .. "or nvbench", type = "file" },
  benchmark  = { "which benchmark of a file with several", type = "string", needs = { "from" } },
  name       = { "name of the baseline", type = "string", default = "baseline" },
  metric     = { "this number in the output, such as 'MLUPS: {number}'; unless given, the wall time", type = "metric",
                 not_with = { "from" } },
  runs       = { "how often the command runs, after once to warm up", type = "integer", default = 10, min = 5,
                 not_with = { "from" } },
  min_effect = { "smallest change that matters; unless given, what the runs can tell apart", type = "fraction" },
  collect    = { "also keep and compare these levels", type = "string", list = true,
                 choices = { "environment", "host" }, not_with = { "from" } },
  move       = { "make this run the baseline, after it is compared with the old one", type = "boolean" },
}
if opt.metric and opt.metric:find "^@" then
  error({ kind = "usage", message = "--metric: a baseline keeps a number in the output, not " .. opt.metric,
    hint = "Pass a pattern such as 'MLUPS: {number}', or leave --metric out for the wall time." }, 0)
end

local FEWEST = 5  -- samples that have an interval

-- The benchmark of --from: the one that --benchmark names, or the only one.
local function chosen(file)
  local names = {}
  for i, group in ipairs(file.groups) do
    local name = group.key:gsub("\n", " ")
    if opt.benchmark == name or not opt.benchmark and #file.groups == 1 then
      if #group.processes >= FEWEST then return name, group.processes end
      error({ kind = "usage", message = string.format("%s has fewer than %d samples of %s", opt.from, FEWEST, name),
        hint = file.more }, 0)
    end
    names[i] = name
  end
  error({ kind = "usage", message = opt.benchmark and "no such benchmark in " .. opt.from .. ": " .. opt.benchmark
    or opt.from .. " has " .. #names .. " benchmarks", hint = "Choose one with --benchmark: "
    .. table.concat(names, ", ", 1, math.min(#names, 8)) }, 0)
end

local file = opt.from and reg.results.processes { files = { opt.from } }
local source, samples = opt.test, nil
if file then source, samples = chosen(file) end
local metric = file and file.metric or opt.metric and reg.metric.name(opt.metric) or "wall time"
local unit = file and (file.unit and " " .. file.unit or "") or opt.metric and "" or " s"
local better = opt.better or file and file.better
local function compare(before, after)
  return reg.compare(before, after, { metric = metric, better = better, min_effect = opt.min_effect or 1e-9 })
end
compare({ 1 }, { 1 })  -- whether it is known which values are better, before anything runs
if opt.dry_run then
  print(file and string.format("would read %d samples of %s", #samples, source)
    or string.format("would run %d times: %s", opt.runs + 1, opt.test))
  return 0
end

-- The newest baseline of this name in the store, which must be of the same test on the same machine.
local store <close> = reg.store.open(opt.store)
local key, baseline = reg.identity { test = source, metric = opt.metric, take = opt.take, drop = opt.drop }, nil
for _, row in ipairs(store:investigations()) do
  local answer = row.ended and row.name == "checkpoint" and reg.json.decode(row.verdict) or {}
  if answer.name == opt.name and answer.baseline then baseline = answer end
end
local other_metric = baseline and baseline.metric and baseline.metric ~= metric
local function refuse(what, hint)
  error({ kind = "conflict", message = string.format("the baseline '%s' %s", opt.name, what), hint = hint }, 0)
end
if baseline and not opt.move then
  if baseline.key:match "^[^@]*" ~= key:match "^[^@]*" or other_metric then
    local of = (baseline.metric and baseline.metric .. " of " or "") .. baseline.test
    refuse("is of another test or metric: " .. of, "Pass --name for another baseline, or --move.")
  elseif baseline.key ~= key and opt.reuse ~= "any-machine" then
    refuse("was measured on another machine, GPU or driver", "Pass --move, or --reuse any-machine to compare anyway.")
  end
elseif baseline and (baseline.key ~= key or other_metric) then
  baseline = nil
end

local call = { shell = opt.test, timeout_s = opt.timeout }
local run = store:begin { name = "checkpoint", options = opt }
local function measured(number)
  local trial = store:start { investigation = run, subject = opt.name, kind = "checkpoint", key = key }
  local result = reg.process.run(call)
  if not result.ok then
    local message = result.timed_out and "timed out" or "failed with exit code " .. result.code
    store:finish(trial.id, { status = result.timed_out and "timeout" or "test_failed", message = message })
    error({ kind = "failed_trial", message = "the test " .. message, hint = result.stderr:match "([^\r\n]+)%s*$" }, 0)
  end
  local found, value = pcall(function() return opt.metric and reg.metric.of(result, opt) or result.wall_s end)
  if not found then
    store:finish(trial.id, { status = "test_failed", message = tostring(value) })
    error(value, 0)
  end
  store:finish(trial.id, { status = number == 0 and "skipped" or "ok", message = number == 0 and "warm-up" or "",
    samples = { [metric] = value }, wall_s = result.wall_s })
  return value
end

local values, collected = samples or {}, {}
if not file then
  local progress <close> = reg.progress { title = "checkpoint", unit = "run", total = opt.runs }
  measured(0)
  for i = 1, opt.runs do
    values[i] = measured(i)
    progress:update { done = i, note = ("%s %.4g%s"):format(metric, values[i], unit) }
  end
end
for _, level in ipairs(opt.collect) do
  local given = level == "host" and call or {}
  collected[level] = { reg[level].collect(given), level == "host" and reg.host.collect(call) or nil }
end

local answer = { name = opt.name, baseline = opt.move or not baseline, key = key, test = source, metric = metric,
  values = reg.json.array(values), collected = collected, investigation = run, findings = reg.json.array {} }
local function size(x) return string.format(x < 1 and "%+.2g %%" or "%.2gx", x < 1 and 100 * x or 1 + x) end
local TITLES = { slower = { "regression", "REGRESSION  " }, faster = { "improvement", "IMPROVEMENT " } }
local function difference(found)
  local text, title = string.format("%s %.4g -> %.4g%s", metric, found.a, found.b, unit), TITLES[found.verdict]
  local interval = string.format("(99 %% interval %s to %s)", size(found.low):sub(1, found.high < 1 and -3 or -1),
    size(found.high))
  local most = math.max(-found.low, found.high) + 0.0  -- no -0.0
  if title then return title[1], title[2], text .. "   " .. size(found.effect), interval end
  if opt.min_effect and found.verdict == "ambiguous" then return "inconclusive", "Inconclusive:", text, interval end
  local least = found.verdict == "same" and opt.min_effect or most
  return "no_difference", string.format("No difference of %s or more:", (size(least):gsub("^%+", ""))), text, interval
end
local words = { "kept", string.format("Kept the baseline '%s':", opt.name),
  string.format("%s %.4g%s,", metric, compare(values, values).a, unit), #values .. (file and " samples." or " runs.") }
if baseline then
  local found = compare(baseline.values, values)
  words = { difference(found) }
  answer.effect, answer.low, answer.high, answer.a, answer.b = found.effect, found.low, found.high, found.a, found.b
end
answer.verdict = words[1]
answer.text = table.concat(words, " ", 2) .. (baseline and opt.move and "   The baseline moves here." or "")
for _, level in ipairs(opt.collect) do
  local before = baseline and baseline.collected[level]
  if baseline and not before then reg.log.warn("%s: the baseline was kept without it", level) end
  for _, finding in ipairs(before and reg[level].diff(before, collected[level]) or {}) do
    table.insert(answer.findings, { level = level, what = finding.what })
  end
end

store:finish_investigation(run, answer)
print(reg.report.wrap(answer.text))
for _, finding in ipairs(answer.findings) do print(string.format("  %-12s %s", finding.level, finding.what)) end
if opt.json then print(reg.json.encode(answer)) end
if opt.fail_on_regression and answer.verdict == "regression" then return 4 end
return answer.verdict == "inconclusive" and 3 or 0
