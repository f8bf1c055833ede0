#!/usr/bin/env regengine
--- Writes an investigation as one self-contained HTML file: the findings, the series with its changes, the culprits,
--- what differs between good and bad, the failures. It loads nothing, so you can send it to anyone. What your commands
--- printed and the variables stay here unless you pass --with-output.

local opt = reg.options { "published",
  output = { "file to write", type = "output", short = "o", default = "report.html" },
  follow = { "while a run writes to the store, write the page every half minute; it reloads itself",
             type = "boolean" },
}

if opt.output == "-" then
  error({ kind = "usage", message = "report.lua: writes a file, not standard output", hint = "Pass -o FILE." }, 0)
end
if opt.follow and opt.with_output and not opt.yes then
  error({ kind = "usage", message = "report.lua: --follow writes outputs that nobody has checked",
    hint = "Pass --yes, or leave out --with-output." }, 0)
end
local store <close> = reg.store.open(opt.store, { read_only = true })
local title, asked
repeat
  local running = opt.follow and not opt.dry_run and store:writer()
  local page, found
  page, title, found = reg.report.html(store, { investigation = opt.investigation, keep_host = opt.keep_host,
    with_output = opt.with_output, refresh_s = running and 30 or nil })
  asked = asked or reg.preview(found, { output = opt.output, yes = opt.yes })
  if not asked then return 1 end
  reg.fs.write(opt.output, page)
  for _ = 1, 30 do
    if running and store:writer() then reg.sleep(1) end
  end
until not running
print(title .. ".")
print((opt.dry_run and "would write " or "report: ") .. opt.output)
