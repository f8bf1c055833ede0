-- reg.stage: prints a stage of an investigation as soon as it is known.

local findings = require "lib/report/findings"
local terminal = require("lib/report/terminal").print

--- Prints what a stage of an investigation found, as soon as it is known, and returns the series. Its numbers have the
--- units of reg.sweep. Raises usage for anything but a series.
--- ```lua
--- local nights = reg.stage(reg.sweep({ "a", "b" }, { measure = function(name) return #name end }))
--- local hours = reg.stage(reg.sweep({ "c", "d" }, { measure = function(name) return #name end }))
--- return reg.answer(nights, hours)
--- ```
---@param series sweep.Series
---@return sweep.Series series
return function(series)
  if type(series) ~= "table" or not series.points then
    core.fail("usage", "stage: not a series", "Pass one of reg.sweep or reg.bisect; of another answer, print `text`.")
  end
  if series.dry then return series end
  local found = findings(series, { only = core.options and core.options.only })
  found.staged = true
  terminal(series, found)
  series.printed = true
  return series
end
