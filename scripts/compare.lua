#!/usr/bin/env regengine
--- Compares results of benchmark suites: which workloads became slower or faster
--- from OLD to NEW, and how certain that is. OLD and NEW are results.jsonl files
--- in the format of pytorch/xla's benchmarks, folders of them, or stores, or JSON
--- files of hyperfine, Google Benchmark, pytest-benchmark, asv or nvbench. The
--- runs of one model in one configuration are one row. Each run is a process;
--- each side needs five or more.

local opt = reg.options {
  results            = { "OLD and NEW: each a file, a folder or a store", type = "string", list = true, words = true,
                         required = true },
  metric             = { "metric to compare; unless given, total_time, or the time that the other program's file has",
                         type = "string" },
  better             = { "which values are better; unless given, what the metric's name says", type = "string",
                         choices = { "lower", "higher" } },
  warmup             = { "number of values at the start of each run to leave out", type = "integer", default = 3,
                         min = 0 },
  min_effect         = { "smallest change that matters", type = "fraction", default = "1%" },
  confidence         = { "confidence of the interval of each row; at 99% one row in a hundred may be wrong",
                         type = "fraction", default = "99%" },
  ignore             = { "field in which the runs of one row may differ, such as accelerator_model", type = "string",
                         list = true },
  csv                = { "file for the table with all digits", type = "output" },
  fail_on_regression = { "exit with code 4 if anything is slower", type = "boolean" },
}
if #opt.results ~= 2 then
  error({ kind = "usage", message = "compare.lua: takes two results, OLD and NEW, not " .. #opt.results }, 0)
end

local function read(path)
  local found = reg.results.processes { files = reg.results.files(path), metric = opt.metric, warmup = opt.warmup,
    ignore = opt.ignore }
  for _, note in ipairs(found.notes) do reg.log.warn("%s:%d: %s", note.file, note.line, note.message) end
  return found
end
local old, new = read(opt.results[1]), read(opt.results[2])
for i, found in ipairs { old, new } do
  if #found.groups == 0 and #found.notes == 0 then
    error({ kind = "usage", message = "compare.lua: no results of a suite in " .. opt.results[i],
      hint = "Pass the folder of the suite, or its results.jsonl." }, 0)
  end
end
if old.metric and new.metric and old.metric ~= new.metric then
  error({ kind = "usage", message = string.format("compare.lua: %s has the %s, and %s the %s", opt.results[1],
    old.metric, opt.results[2], new.metric) }, 0)
end
local found = reg.results.compare(old, new,
  { min_effect = opt.min_effect, confidence = opt.confidence, better = opt.better })

-- "1.32x faster", "1.05x slower", by which values are better.
local function times_of(row)
  local times = row.times_faster
  local text = string.format("%.2fx", math.max(times, 1 / times))
  return text == "1.00x" and "1.00x" or text .. (times > 1 and " faster" or " slower")
end

local function percent(x) return x and string.format("%+.1f", 100 * x) or "?" end
local unit = found.unit and " (" .. found.unit .. ")" or ""
local OLD, NEW = "old" .. unit, "new" .. unit
local printed, few, loaded = {}, 0, {}  -- few: rows with few samples; loaded: those measured under different load
for i, row in ipairs(found.rows) do
  if math.min(row.old_runs, row.new_runs) < 5 then few = few + 1 end
  if row.load_differs then table.insert(loaded, row) end
  printed[i] = { verdict = row.verdict, model = row.model, configuration = row.differs,
    [OLD] = string.format("%.4g", row.old), [NEW] = string.format("%.4g", row.new), ["times faster"] = times_of(row),
    effect = percent(row.effect) .. " %", interval = percent(row.low) .. " to " .. percent(row.high),
    runs = row.old_runs .. ", " .. row.new_runs }
end

-- The table with as many columns as the terminal has room for; the file and JSON have all.
local columns = { "verdict", "model", "configuration", OLD, NEW, "times faster", "effect", "interval", "runs" }
if #printed > 0 then print(reg.report.table(printed, { columns = columns, least = "times faster" })) end
if #loaded > 0 then  -- which can be the difference itself
  local first = loaded[1]
  reg.log.warn("%d of %d compared under different load: the load average of %s was %.1f in OLD and %.1f in NEW. "
    .. "Measure both on an idle machine.", #loaded, #found.rows, first.model
    .. (first.differs ~= "" and " " .. first.differs or ""), first.old_load, first.new_load)
end
local more = old.more or new.more
if few > 0 and more then reg.log.warn("%d of %d have fewer than 5 samples on a side. %s", few, #found.rows, more) end
for _, row in ipairs(found.missing) do
  print(string.format("only in %s: %s %s (%s in %s)", row.missing == "new" and "OLD" or "NEW", row.model, row.differs,
    row.why, row.missing:upper()))
end
print(string.format("%d compared: %d slower, %d ambiguous, %d same, %d faster; %d on one side only", #found.rows,
  found.slower, found.ambiguous, found.same, found.faster, #found.missing))
for _, list in ipairs { found.rows, found.missing } do
  for _, row in ipairs(list) do row.differs = nil end  -- the files have the whole configuration
end
if opt.csv then reg.report.csv(found.rows, opt.csv) end
if opt.json then
  print(reg.json.encode { compared = reg.json.array(found.rows), one_sided = reg.json.array(found.missing),
    slower = found.slower, ambiguous = found.ambiguous, same = found.same, faster = found.faster })
end
if opt.fail_on_regression and found.slower > 0 then return 4 end
return #found.rows > 0 and 0 or 1
