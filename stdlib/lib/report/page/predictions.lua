-- What was predicted before the runs, in the page: a table with what became of each.

local h = require "lib/report/page/markup"

--- nil for a stage without predictions.
return function(stage)
  local rows = {}
  for i, one in ipairs(stage.predictions) do
    rows[i] = h.tr { h.td { one.line }, h.td { h.b { one.verdict } }, h.td { one.measured } }
  end
  return #rows > 0 and h.all { h.h2 { "What was predicted" }, h.table { class = "stack",
    h.thead { h.tr { h.th { "prediction" }, h.th { "verdict" }, h.th { "measured" } } }, h.tbody { rows } } } or nil
end
