#!/usr/bin/env regengine
--- Writes what an investigation found as one HTML file that stands for itself: the verdict, the series with its changes, the
--- guilty commits, what differs between good and bad, the logs of failures. It loads nothing and can be sent anywhere.

local opt = reg.options {
  investigation = { "number or name of the investigation in --store; unless given, the newest", type = "string",
                    words = true },
  output        = { "file to write", type = "output", short = "o", default = "report.html" },
  keep_host     = { "keep host names and network addresses", type = "boolean" },
  repo          = { "repository for the files that a commit changed; unless given, those of the investigation",
                    type = "string", list = true },
}

local store <close> = reg.store.open(opt.store, { make = false })
local page, verdict = reg.report.html(store, { investigation = opt.investigation, repos = opt.repo, keep_host = opt.keep_host })
reg.fs.write(opt.output, page)
print(verdict .. ".")
print((opt.dry_run and "would write " or "report: ") .. opt.output)
