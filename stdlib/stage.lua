-- reg.stage(series): prints what a stage of an investigation found as soon as it is known. reg.answer does not print it
-- again.

local findings = require "lib/report/findings"
local terminal = require("lib/report/terminal").print

return function(series)
  if type(series) ~= "table" or not series.verdict then
    core.fail("usage", "stage: not a series", "Pass what reg.sweep or reg.bisect returned.")
  end
  if series.dry then return series end
  local found = findings(series, { only = core.options and core.options.only })
  found.staged = true
  terminal(series, found)
  series.printed = true
  return series
end
