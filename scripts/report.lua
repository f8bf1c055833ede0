#!/usr/bin/env regengine
--- Writes an investigation as one self-contained HTML file: the findings, the series with its changes, the culprits,
--- what differs between good and bad, the logs of failures. It loads nothing, so you can send it to anyone.

local opt = reg.options {
  investigation = { "number or name of the investigation in --store; unless given, the newest", type = "string",
                    words = true },
  output        = { "file to write", type = "output", short = "o", default = "report.html" },
  keep_host     = { "keep host names and network addresses", type = "boolean" },
  repo          = { "repository for the files that a commit changed; unless given, those of the investigation",
                    type = "string", list = true },
}

local store <close> = reg.store.open(opt.store, { make = false })
local o = { investigation = opt.investigation, repos = opt.repo, keep_host = opt.keep_host }
local page, title = reg.report.html(store, o)
reg.fs.write(opt.output, page)
print(title .. ".")
print((opt.dry_run and "would write " or "report: ") .. opt.output)
