-- What changed, and the levels between.

local chart = require "lib/report/page/chart"
local guilty = require "lib/report/page/guilty"
local h = require "lib/report/page/markup"
local words = require "lib/report/page/words"

local changes = {}

--- The levels between the changes.
function changes.levels(stage)
  local series = stage.series
  local levels = not series.exact and chart.levels(series) or {}
  if #levels < 3 then return nil end  -- of a single change its card has both
  local rows = {}
  for i, level in ipairs(levels) do
    local change, name = level.change, level.name
    local value, interval = words.level_and_interval(level.value, change[name .. "_low"], change[name .. "_high"], series)
    local named = level.first.label == level.last.label and level.first.label or level.first.label .. " to " .. level.last.label
    rows[i] = h.tr { h.td { named }, h.td { class = "n", ["data-name"] = "subjects", level.count },
      h.td { class = "n", ["data-name"] = "level", h.b { value } },
      h.td { class = "n", ["data-name"] = "95 % interval", interval } }
  end
  return h.all { h.h2 { "Levels" }, h.table { class = "stack", h.thead { h.tr { h.th { "subjects" }, h.th { class = "n", "measured" },
    h.th { class = "n", series.metric }, h.th { class = "n", "95 % interval" } } }, h.tbody { rows } } }
end

--- What changed, each with who did it.
function changes.cards(stage)
  if #stage.series.changes == 0 then return nil end
  local cards, images_missing = {}, false
  for i, change in ipairs(stage.series.changes) do
    local missing
    cards[i], missing = guilty(change, stage)
    images_missing = images_missing or missing
  end
  local note = images_missing and h.p { class = "quiet",
    "Images are compared by their layers and variables where both are still on this machine; some are not." } or nil
  local doubts = {}
  for i, doubt in ipairs(stage.series.doubts) do
    local sure = doubt.p and string.format(", p %.2f", doubt.p)
    doubts[i] = h.p { class = "quiet", "Perhaps in ", doubt.label, " as well", sure, "." }
  end
  return h.all { h.h2 { "What changed" }, cards, note, doubts }
end

return changes
