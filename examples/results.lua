#!/usr/bin/env regengine
--- What a store holds: the median of every metric of every subject, by SQL, and every trial out as JSONL; and results of benchmark
--- suites in pytorch/xla's format, taken in and asked for the same way.

local opt = reg.options {
  out     = { "file to write the trials to", type = "output", default = "trials.jsonl" },
  results = { "files of benchmark suite results to import", type = "file", list = true },
}
local store <close> = reg.store.open(opt.store)

print(reg.report.table(store:query [[
  SELECT subject, metric, count(*) AS samples, median(value) AS median, min(value) AS min, max(value) AS max
  FROM results WHERE status = 'ok' GROUP BY subject, metric ORDER BY subject]]))
print(store:export(opt.out) .. " trials in " .. opt.out)

if #opt.results > 0 then
  local taken = reg.results.import { files = opt.results, into = store }
  print(string.format("%d runs taken in, %d were here, %d lines are none", taken.imported, taken.duplicates, #taken.bad))
  print(reg.report.table(store:query [[
    SELECT model_name, dynamo, batch_size, count(*) AS samples, median(value) AS seconds FROM measurements
    WHERE metric = 'total_time' AND n >= 3 GROUP BY model_name, dynamo, batch_size ORDER BY seconds]]))
end
