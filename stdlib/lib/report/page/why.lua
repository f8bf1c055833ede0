-- Why it got slower, in the page: a bar of what the lost time went to, and the findings level by level.

local h = require "lib/report/page/markup"
local why = require "lib/report/why"

local WIDTH <const>, HEIGHT <const> = 600, 26
local FILLS <const> = { "var(--point)", "var(--change)", "var(--added)", "var(--failed)", "var(--removed)" }
local REST <const> = "var(--aside)"

local function fill_of(part, i) return part.what == "unexplained" and REST or FILLS[(i - 1) % #FILLS + 1] end

local function swatch(fill)
  return h.svg { viewBox = "0 0 18 12", ["aria-hidden"] = "true", h.rect { x = 0, y = 0, width = 18, height = 12,
    fill = fill } }
end

local function bar_of(found)
  local parts, rects, items, at = why.parts(found), {}, {}, 0
  if #parts == 0 then return nil end
  for i, part in ipairs(parts) do
    local width = math.floor(part.share * WIDTH + 0.5)
    rects[i] = h.rect { x = at, y = 0, width = width, height = HEIGHT, fill = fill_of(part, i) }
    items[i] = h.li { swatch(fill_of(part, i)), why.percent(part.share), " ", part.what }
    at = at + width
  end
  return h.figure { h.h2 { why.title(found) }, h.ul { class = "legend", items },
    h.svg { viewBox = string.format("0 0 %d %d", WIDTH, HEIGHT), role = "img", ["aria-label"] = found.sentence,
      rects } }
end

local function rows_of(rows, name, findings, said)
  for i, finding in ipairs(findings) do
    rows[#rows + 1] = h.tr { h.td { i == 1 and h.b { name } or "" }, h.td { finding.what },
      h.td { class = "n", ["data-name"] = "share", finding.share and why.percent(finding.share) or "" } }
  end
  if #findings == 0 and said then rows[#rows + 1] = h.tr { h.td { h.b { name } }, h.td { said }, h.td { } } end
end

--- The bar, the table of findings and what was not compared; nil for a stage that is not of reg.why.
return function(stage)
  local found = stage.why
  if not found then return nil end
  local rows, notes = {}, {}
  rows_of(rows, "swap", found.swaps)
  for _, level in ipairs(found.levels) do rows_of(rows, level.name, level.findings, level.said) end
  for i, note in ipairs(why.notes(found)) do notes[i] = h.p { class = "quiet", note } end
  return h.all { bar_of(found), #rows > 0 and h.h2 { "What differs" } or nil,
    #rows > 0 and h.table { class = "stack", h.thead { h.tr { h.th { "level" }, h.th { "finding" },
      h.th { class = "n", "share" } } }, h.tbody { rows } } or nil,
    h.p { h.b { "A" }, " ", h.code { found.commands[1] } }, h.p { h.b { "B" }, " ", h.code { found.commands[2] } },
    notes }
end
