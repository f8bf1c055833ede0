#!/usr/bin/env regengine
--- What a store holds: the median of every metric of every subject, by SQL, and every trial out as JSONL.

local opt = reg.options { out = { "trials.jsonl", "file the trials go to" } }
local store <close> = reg.store.open(opt.store)

print(reg.report.table(store:query [[
  SELECT subject, metric, count(*) AS samples, median(value) AS median, min(value) AS min, max(value) AS max
  FROM results WHERE status = 'ok' GROUP BY subject, metric ORDER BY subject]]))
print(store:export(opt.out) .. " trials in " .. opt.out)
