#!/usr/bin/env regengine
--- Writes what an investigation found as one HTML file that stands for itself: the verdict, the series with its changes, the
--- guilty commits, what differs between good and bad, the logs of failures. It loads nothing and can be sent anywhere.

local opt = reg.options {
  investigation = { reg.optional, "number or name of the investigation in --store; the newest unless said", words = true },
  output        = { "report.html", "file to write", short = "o" },
  keep_host     = { false, "leave host names and network addresses in it" },
  repo          = { reg.several, "repository, for the files that a commit changed; those of the investigation unless said" },
}

local store <close> = reg.store.open(opt.store, { make = false })
local page, verdict = reg.report.html(store, { investigation = opt.investigation, repos = opt.repo, keep_host = opt.keep_host })
reg.fs.write(opt.output, page)
print(verdict .. ".")
print((opt.dry_run and "would write " or "report: ") .. opt.output)
