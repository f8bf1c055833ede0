-- The drawing of a series in the page: SVG whose places are parts of its size, so that it fits every screen and paper
-- without a script. The title of a point, which a browser shows at the pointer, says what is known of its subject; the
-- point is a link to its last trial in the table.

local axis = require "lib/report/plot/axis"
local changes = require "lib/report/changes"
local direction = require "lib/direction"
local each = require("lib/report/read").each
local h = require "lib/report/page/markup"
local names = require "lib/report/names"
local terminal = require "lib/report/terminal"
local values = require "lib/values"
local words = require "lib/report/words"

local map = values.map

local chart = {}

local LEFT <const>, RIGHT <const>, TOP <const>, BOTTOM <const> = 7, 99, 13, 86  -- of the points, in percent
local MESSAGE <const> = 400  -- bytes of a message in a title
local MOST_LABELS <const>, MOST_LETTERS <const> = 4, 24

local function clocks_of(trial)
  local gpu = trial and type(trial.info) == "table" and trial.info.gpu
  if type(gpu) ~= "table" then return nil end
  local list = each(gpu.gpus, function(one)
    local clock, parts = one.busy_sm_mhz or one.sm_mhz, {}
    parts[1] = clock and ("SM %.0f MHz (%.0f to %.0f)"):format(clock.median, clock.min, clock.max)
    parts[#parts + 1] = one.temperature_c and ("%.0f \u{b0}C"):format(one.temperature_c.max)
    parts[#parts + 1] = one.power_w and ("%.0f W"):format(one.power_w.median)
    parts[#parts + 1] = one.throttled and "throttled" or nil
    return (#gpu.gpus > 1 and "GPU " .. one.index .. ": " or "") .. table.concat(parts, ", ")
  end)
  list[#list + 1] = gpu.locked and "locked" or "not locked"
  return table.concat(list, "; ")
end

--- The GPUs' clocks, temperatures and power during a trial; nil if it used none.
function chart.clocks(trial)
  local ok, text = pcall(clocks_of, trial)  -- the store may be malformed
  return ok and text or nil
end

-- What is known of a point, a line for each fact.
local function title_of(point, stage)
  local subject = type(point.subject) == "table" and point.subject or {}
  local value = terminal.value_of(point.values, point.status, stage.found)
  if stage.found.kind == "test" and point.value then value = point.value == 0 and "passes" or "fails" end
  local lines = { names.is_commit(subject) and names.quoted(subject, point.id) or nil }
  lines[#lines + 1] = names.author(subject)
  for _, name in ipairs(not names.is_commit(subject) and values.sorted_names(subject.commits or {}) or {}) do
    local commit = subject.commits[name]
    lines[#lines + 1] = name .. " " .. commit.short .. (commit.subject and "  " .. commit.subject or "")
  end
  lines[#lines + 1] = subject.image
  lines[#lines + 1] = chart.clocks(stage.by_id[point.trials[#point.trials] or 0])
  lines[#lines + 1] = point.message and stage.mask:text(h.plain(point.message)):sub(1, MESSAGE) or nil
  -- In parts, each of which is redacted once.
  return h.title { point.label, ": ", value, map(lines, function(line) return { "\n", line } end) }
end

-- The ticks of the y axis, their labels, and the range.
local function scale_of(found)
  if found.kind == "test" then return { 0, 1 }, { "passes", "fails" }, { low = 0, high = 1 } end
  if found.kind == "flaky" then return { 0, 0.5, 1 }, { "0 %", "50 %", "100 %" }, { low = 0, high = 1 } end
  local numbers = values.flat { values.flat(found.points, function(point)
    return #point.values > 0 and point.values or { point.value }
  end), values.flat(found.levels, function(level)
    return { level.value, level.low or level.value, level.high or level.value }
  end) }
  local range = #numbers > 0 and axis.range({ { y = numbers } }, "y") or { low = 0, high = 1 }
  local ticks = axis.ticks(range, 5)
  return ticks, axis.labels(ticks, range), range
end

-- What each mark stands for, below the drawing; of those that are there.
local function legend(found, several)
  local failed = map(values.grouped(found.points, function(point)
    return point.status ~= "ok" and words.status(point.status) or nil
  end), function(same) return words.status(same[1].status) end)
  local parts = { h.b { direction.labeled(words.measured(found), found.unit) } }
  local function add(is_there, class, mark, text)
    if is_there then parts[#parts + 1] = { "   ", h.span { class = class, mark }, " ", text } end
  end
  add(true, "point", "\u{25cf}", found.thing .. (several and ", median" or ""))
  add(several, "run", "\u{25cf}", "one run")
  add(#failed > 0, "failed", "\u{d7}", table.concat(failed, ", "))
  add(#found.levels > 0, "level", "\u{2501}", "level, 95 %")
  add(#found.edges > 0, "change", "\u{2506}", "change")
  return h.figcaption { parts }
end

-- A label that was redacted whole: what is cut first, no rule knows.
local function short(label)
  label = values.utf8(label)
  return h.redacted(label:sub(1, (utf8.offset(label, MOST_LETTERS + 1) or 0) - 1))
end

local function svg_of(stage, label, several)
  local found, points, parts = stage.found, stage.found.points, {}
  local ticks, tick_labels, range = scale_of(found)
  local function x(i) return LEFT + (RIGHT - LEFT) * (i - 0.5) / #points end
  local function y(value) return BOTTOM - (BOTTOM - TOP) * (value - range.low) / (range.high - range.low) end
  local function percent(part) return ("%.2f%%"):format(part) end
  local function add(element) parts[#parts + 1] = element end
  local function line(class, x1, y1, x2, y2)
    add(h.line { class = class, x1 = percent(x1), y1 = percent(y1), x2 = percent(x2), y2 = percent(y2) })
  end
  local function area(class, from, to, top, bottom)
    add(h.rect { class = class, x = percent(x(from)), y = percent(top), width = percent(x(to) - x(from)),
      height = percent(bottom - top) })
  end
  local function text(class, at, down, what) add(h.text { class = class, x = percent(at), y = percent(down), what }) end
  for i, tick in ipairs(ticks) do
    line("grid", 0, y(tick), 100, y(tick))
    text("tick", 0, y(tick) - 1, tick_labels[i])
  end
  local doubts = each(found.doubts, function(doubt) return { last_good = doubt.after, first_bad = doubt.upto } end)
  for _, edge in ipairs(values.flat { found.edges, changes.edges(points, doubts) }) do
    if edge.to - edge.from > 1 or not edge.change.after then area("unsure", edge.from, edge.to, TOP, BOTTOM) end
  end
  for _, level in ipairs(found.levels) do
    local from, to = level.first - 0.5, level.last + 0.5
    if level.low and level.high then area("band", from, to, y(level.high), y(level.low)) end
    line("level", x(from), y(level.value), x(to), y(level.value))
  end
  for i, edge in ipairs(found.edges) do
    local at = (x(edge.from) + x(edge.to)) / 2
    line("change", at, TOP - 4, at, BOTTOM)
    text("change size", at, #found.edges > 2 and i % 2 == 1 and 8 or 4,
      edge.recovery and "recovered" or changes.effect(edge.change, found))
  end
  for i, point in ipairs(points) do
    for _, value in ipairs(several and point.values or {}) do
      add(h.circle { class = "run", cx = percent(x(i)), cy = percent(y(value)), r = 2.5 })
    end
    local last, title = point.trials[#point.trials], title_of(point, stage)
    add(h.a { href = last and "#trial-" .. stage.id .. "-" .. last,
      point.value and h.circle { class = "point", cx = percent(x(i)), cy = percent(y(point.value)), r = 4, title }
      or h.text { class = "failed", x = percent(x(i)), y = percent(BOTTOM + 5), "\u{d7}", title } })
  end
  local shown = math.min(#points, MOST_LABELS)
  for k = 1, shown do  -- each in the middle of its part of the axis
    local i = math.ceil((k - 0.5) * #points / shown)
    text("tick below", x(i), 98, short(stage.mask:text(points[i].label)))
  end
  return h.svg { role = "group", ["aria-label"] = label, parts }
end

--- The drawing of a stage.
function chart.drawing(stage, title)
  local found = stage.found
  if #found.points == 0 then return nil end
  local several = found.kind == "metric"
    and values.find(found.points, function(point) return #point.values > 1 end) ~= nil
  local label = string.format("%s of %s: %s", words.measured(found), words.count(#found.points, found.thing), title)
  return h.figure { h.div { class = "chart", svg_of(stage, label, several) }, legend(found, several) }
end

return chart
