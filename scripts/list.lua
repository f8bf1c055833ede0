#!/usr/bin/env regengine
--- Lists the investigations of a store, each with what it found. The newest comes last.

local opt = reg.options {}

local store <close> = reg.store.open(opt.store, { read_only = true })
local rows = reg.report.investigations(store)
if opt.json then
  print(reg.json.encode(reg.json.array(rows)))
else
  print(#rows > 0 and reg.report.table(rows, { columns = { "id", "started", "title", "runs", "took", "found" } })
    or opt.store .. " has no investigation yet")
end
