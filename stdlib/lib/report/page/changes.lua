-- The changes as cards, and the levels between them as a table.

local culprit = require "lib/report/page/culprit"
local h = require "lib/report/page/markup"
local numbers = require "lib/report/numbers"

local changes = {}

--- The levels; a single change's card shows both of its own.
function changes.levels(stage)
  local found = stage.found
  if #found.levels < 3 then return nil end
  local rows = {}
  for i, level in ipairs(found.levels) do
    local value, interval = numbers.level(level, found.flaky)
    local first, last = found.points[level.first].label, found.points[level.last].label
    rows[i] = h.tr { h.td { first == last and first or first .. " to " .. last },
      h.td { class = "n", ["data-name"] = "measured", level.last - level.first + 1 },
      h.td { class = "n", ["data-name"] = "level", h.b { value } },
      h.td { class = "n", ["data-name"] = "95 % interval", interval } }
  end
  return h.all { h.h2 { "Levels" }, h.table { class = "stack", h.thead { h.tr { h.th { found.thing .. "s" },
    h.th { class = "n", "measured" }, h.th { class = "n", found.metric }, h.th { class = "n", "95 % interval" } } },
    h.tbody { rows } } }
end

--- A card for each change.
function changes.cards(stage)
  if #stage.found.changes == 0 then return nil end
  local cards, images_missing = {}, false
  for i, change in ipairs(stage.found.changes) do
    local missing
    cards[i], missing = culprit(change, stage)
    images_missing = images_missing or missing
  end
  local note = images_missing and h.p { class = "quiet",
    "Layers and variables of images are compared only where both images are still on this machine; some are not." }
    or nil
  return h.all { h.h2 { "What changed" }, cards, note }
end

return changes
