#!/usr/bin/env regengine
--- Writes an investigation as Markdown, ready to be pasted into an issue: the verdict, a plot, the table, the script with its
--- options, the environment, and the line that runs it again. Home folders, tokens and host names are masked; read it all the same.

local opt = reg.options {
  investigation = { reg.optional, "number or name of the investigation in --store; the newest unless said", words = true },
  output        = { reg.optional, "file to write; standard output unless said", short = "o" },
  keep_host     = { false, "leave host names and network addresses as they are" },
}

local store <close> = reg.store.open(opt.store, { make = false })
local text = reg.share(store, { investigation = opt.investigation, keep_host = opt.keep_host })
if opt.output then
  reg.fs.write(opt.output, text)
  local would = opt.dry_run and "would write " or ""
  reg.log.info("%s%s: %d characters; read it before you paste it", would, opt.output, utf8.len(text) or #text)
else
  print((text:gsub("\n$", "")))
end
