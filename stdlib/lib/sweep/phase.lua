-- Marks the phases of an investigation for a profiler: investigation > subject > trial > build or run, as NVTX ranges
-- in the engine's own domain, beside its checkouts, pulls and commands (engine/nvtx/phase.h). Hold the result in a
-- `<close>` variable.

local COLOURS = { investigation = "blue", subject = "green", trial = "yellow", build = "orange", run = "red" }
local nothing = setmetatable({}, { __close = function() end })
local domain

return function(category, text, payload)
  if domain == nil then domain = reg.nvtx.status().ok and reg.nvtx.domain "regengine" end
  if not domain or core.in_rehearsal then return nothing end  -- without a profiler no call per trial
  return domain:range(text, { category = category, colour = COLOURS[category], payload = payload })
end
