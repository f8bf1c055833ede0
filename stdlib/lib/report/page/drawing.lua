-- The drawing of a series in the page: its legend, and the canvas that engine/page/page.js draws in.

local chart = require "lib/report/page/chart"
local h = require "lib/report/page/markup"
local words = require "lib/report/words"

-- The legend's small pictures; it has only what the drawing has.
local function swatch(shape) return h.svg { viewBox = "0 0 18 12", ["aria-hidden"] = "true", shape } end
local function circle(r, fill, stroke)
  return h.circle { cx = 9, cy = 6, r = r, fill = fill, stroke = stroke, ["stroke-width"] = stroke and 1.75 }
end
local function path(d, stroke, dash)
  return h.path { d = d, fill = "none", stroke = stroke, ["stroke-width"] = 1.75, ["stroke-dasharray"] = dash }
end

local FAILED = { build_failed = "M4.5 1.5h9v9h-9z", crashed = "M9 1v10M4 6h10M5.5 2.5l7 7M12.5 2.5l-7 7",
  timeout = "M9 1.5l5 9h-10z" }
local CROSS = "M5 2l8 8M13 2l-8 8"

local function legend(data)
  local items, statuses, order = {}, {}, {}
  local function item(picture, text) items[#items + 1] = h.li { swatch(picture), text } end
  local any_value, several, aside = false, false, false
  for _, point in ipairs(data.points) do
    any_value = any_value or point.value ~= nil
    several = several or (data.kind == "metric" and #point.values > 1)
    aside = aside or point.aside ~= nil
    if point.status ~= "ok" and not statuses[point.status] then
      statuses[point.status] = true
      order[#order + 1] = point.status
    end
  end
  if any_value then item(circle(4, "var(--point)"), data.thing .. (several and ", median" or "")) end
  if several then item(circle(2.5, "var(--run)"), "one run") end
  if #data.levels > 0 then
    item(h.all { h.rect { x = 0, y = 2, width = 18, height = 8, fill = "var(--band)" },
      path("M0 6h18", "var(--level)") }, "level, 95 %")
  end
  if #data.changes > 0 then item(path("M9 0v12", "var(--change)", "3 2"), "change") end
  if #data.doubts > 0 then
    item(h.rect { x = 0, y = 0, width = 18, height = 12, fill = "var(--unsure)" }, "a change may lie here")
  end
  table.sort(order)
  for _, status in ipairs(order) do item(path(FAILED[status] or CROSS, "var(--failed)"), words.status(status)) end
  if aside then item(circle(3.5, "none", "var(--aside)"), "discarded") end
  return h.ul { class = "legend", items }
end

--- The drawing of these points of a stage; its data is appended to `into`, which page.js reads.
return function(stage, points, into, title)
  if #points == 0 then return nil end
  local data = chart.data(stage, points)
  into[#into + 1] = data
  local label = string.format("%s of %s: %s. Use the arrow keys to go from one to the next.", data.metric,
    words.count(#points, data.thing), title)
  return h.figure { legend(data),
    h.div { class = data.kind == "exact" and "chart low" or "chart",
      h.canvas { ["data-stage"] = #into - 1, tabindex = 0, role = "img", ["aria-label"] = label } },
    h.div { class = "tip", hidden = true, ["aria-live"] = "polite" },
    h.p { class = "undrawn quiet", "The drawing needs scripts, which are off. All its numbers are in the tables." } }
end
