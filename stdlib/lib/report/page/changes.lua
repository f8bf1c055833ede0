-- The changes as cards, and the levels between them and the subjects of a short series as tables.

local culprit = require "lib/report/page/culprit"
local direction = require "lib/direction"
local h = require "lib/report/page/markup"
local measured = require "lib/report/measured"
local numbers = require "lib/report/numbers"

local changes = {}

--- The levels; a single change's card shows both of its own.
function changes.levels(stage)
  local found = stage.found
  if #found.levels < 3 then return nil end
  local rows = {}
  local texts, unit = numbers.levels(found.levels, found)
  for i, level in ipairs(found.levels) do
    local value, interval = table.unpack(texts[i], 1, 2)
    local first, last = found.points[level.first].label, found.points[level.last].label
    rows[i] = h.tr { h.td { first == last and first or first .. " to " .. last },
      h.td { class = "n", ["data-name"] = "measured", level.last - level.first + 1 },
      h.td { class = "n", ["data-name"] = "level", h.b { value } },
      h.td { class = "n", ["data-name"] = "95 % interval", interval } }
  end
  return h.all { h.h2 { "Levels" }, h.table { class = "stack", h.thead { h.tr { h.th { found.thing .. "s" },
    h.th { class = "n", "measured" }, h.th { class = "n", direction.labeled(found.metric, unit) },
    h.th { class = "n", "95 % interval" } } },
    h.tbody { rows } } }
end

--- The table of a few subjects that were all measured.
function changes.measured(stage)
  local columns, rows = measured.table(stage.found)
  if not columns then return nil end
  local head, body = {}, {}
  for i, name in ipairs(columns) do head[i] = h.th { name } end
  for i, row in ipairs(rows) do
    local cells = {}
    for at, cell in ipairs(row) do
      local text = type(cell) == "string" and stage.mask:text(core.nouns.report.plain(cell)) or cell
      cells[at] = h.td { ["data-name"] = at > 1 and #row > 2 and columns[at] or nil,
        colspan = #row == 2 and at == 2 and #columns - 1 or nil, at == 1 and h.b { text } or text }
    end
    body[i] = h.tr(cells)
  end
  return h.div { class = "scroll", h.table { class = "stack", h.thead { h.tr(head) }, h.tbody { body } } }
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
