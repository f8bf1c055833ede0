#!/usr/bin/env regengine
--- Shows an investigation of a store again: what it found, with the plot.

local opt = reg.options { "investigation" }

local store <close> = reg.store.open(opt.store, { read_only = true })
local text, answer = reg.report.text(store, { investigation = opt.investigation })
print(text)
if opt.json then print(reg.json.encode(answer)) end
