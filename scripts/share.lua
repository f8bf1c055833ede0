#!/usr/bin/env regengine
--- Writes an investigation as Markdown to paste into an issue: the findings, a plot, the table, the script with its
--- options, versions, and the command that runs it again. What your commands printed and the variables stay here unless
--- you pass --with-output. Home folders, tokens and host names are redacted; read it before you share it.

local opt = reg.options { "published",
  output = { "file to write; unless given, standard output", type = "output", short = "o" },
}

local store <close> = reg.store.open(opt.store, { read_only = true })
local text, found = reg.share(store, { investigation = opt.investigation, keep_host = opt.keep_host,
  with_output = opt.with_output })
if not reg.preview(found, { output = opt.output, yes = opt.yes }) then return 1 end
if opt.output and opt.output ~= "-" then
  reg.fs.write(opt.output, text)
  local would = opt.dry_run and "would write " or ""
  reg.log.info("%s%s: %d characters; read it before you share it", would, opt.output, utf8.len(text) or #text)
else
  print((text:gsub("\n$", "")))
end
