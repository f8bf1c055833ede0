#!/usr/bin/env regengine
--- Writes an investigation as one self-contained HTML file: the findings, the series with its changes, the culprits,
--- what differs between good and bad, the logs of failures. It loads nothing, so you can send it to anyone.

local opt = reg.options {
  investigation = { reg.optional, "number or name of the investigation in --store; default: the newest", words = true },
  output        = { "report.html", "file to write", short = "o" },
  keep_host     = { false, "keep host names and network addresses" },
  repo          = { reg.several, "repository that has the commits; default: those of the investigation" },
}

local store <close> = reg.store.open(opt.store, { make = false })
local o = { investigation = opt.investigation, repos = opt.repo, keep_host = opt.keep_host }
local page, title = reg.report.html(store, o)
reg.fs.write(opt.output, page)
print(title .. ".")
print((opt.dry_run and "would write " or "report: ") .. opt.output)
