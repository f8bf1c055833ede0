#!/usr/bin/env regengine
--- Prints the median of every metric of every subject in a store with SQL, and
--- writes every trial as JSONL. Then it imports results of benchmark suites in
--- pytorch/xla's format and queries them in the same way.

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
  print(string.format("%d runs imported, %d duplicates, %d invalid lines", taken.imported, taken.duplicates,
    #taken.bad))
  print(reg.report.table(store:query [[
    SELECT model_name, dynamo, batch_size, count(*) AS samples, median(value) AS seconds FROM measurements
    WHERE metric = 'total_time' AND n >= 3 GROUP BY model_name, dynamo, batch_size ORDER BY seconds]]))
end
