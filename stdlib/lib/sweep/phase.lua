-- The phases of an investigation for a profiler: investigation > subject > trial > build or run, as ranges in the engine's
-- own domain, where its commands, checkouts and pulls are too (engine/nvtx/phase.h). To be held by a `<close>` variable.

local COLOURS = { investigation = "blue", subject = "green", trial = "yellow", build = "orange", run = "red" }
local domain

return function(category, text, payload)
  domain = domain or reg.nvtx.domain "regengine"
  return domain:range(text, { category = category, colour = COLOURS[category], payload = payload })
end
