#!/usr/bin/env regengine
--- Compares results of benchmark suites: which workloads became slower or faster
--- from OLD to NEW, and how certain that is. OLD and NEW are results.jsonl files
--- in the format of pytorch/xla's benchmarks, folders of them, or stores. The
--- runs of one model in one configuration are one row. Each run is a process;
--- each side needs five or more.

local opt = reg.options {
  results            = { "OLD and NEW: each a file, a folder or a store", type = "string", list = true, words = true,
                         required = true },
  metric             = { "metric to compare", type = "string", default = "total_time" },
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
local found = reg.results.compare(read(opt.results[1]), read(opt.results[2]),
  { min_effect = opt.min_effect, confidence = opt.confidence, better = opt.better })

local function percent(x) return x and string.format("%+.1f", 100 * x) or "?" end
local printed = {}
for i, row in ipairs(found.rows) do
  printed[i] = { row.verdict, row.model, row.differs, string.format("%.5g", row.old), string.format("%.5g", row.new),
    percent(row.effect) .. " %", percent(row.low) .. " to " .. percent(row.high), row.old_runs .. ", " .. row.new_runs }
end
local COLUMNS = { "verdict", "model", "configuration", "old", "new", "effect", "interval", "runs" }
if #printed > 0 then print(reg.report.table(printed, { columns = COLUMNS })) end
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
