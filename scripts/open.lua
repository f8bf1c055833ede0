#!/usr/bin/env regengine
--- Writes the report of an investigation, as report does, and opens it in the browser.

local opt = reg.options { "investigation",
  output = { "file to write", type = "output", short = "o", default = "report.html" },
}

local store <close> = reg.store.open(opt.store, { read_only = true })
local page, title = reg.report.html(store, { investigation = opt.investigation })
reg.fs.write(opt.output, page)
print(title .. ".")
local ok, run = pcall(reg.process.run, { cmd = { "xdg-open", reg.fs.absolute(opt.output) }, timeout_s = 20 })
if opt.dry_run then
  print("would open " .. opt.output)
else
  print((ok and run.code == 0 and "opened " or "report, which no browser could be found for: ") .. opt.output)
end
