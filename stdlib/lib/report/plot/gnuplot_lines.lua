-- Series over x for gnuplot: lines and points with their errors, changes, levels and failures.

local axis = require "lib/report/plot/axis"
local Script = require "lib/report/plot/gnuplot_script"

local quoted, number, length = Script.quoted, Script.number, Script.length

local MARKS = { 7, 5, 9, 13, 11, 15, 7, 5 }  -- circle, square, triangles, diamond, pentagon: all of them filled
local DASHES = { "", "dashtype 2", "dashtype 3", "dashtype 4" }
local LONGEST_SLANTING = 30
local MOST_NOTES = 4  -- rows of them above the drawing
local STRETCHES = 1000
local LEVEL = Script.COLOURS[2]

-- Each series' color, mark and dash: series of one group share the color.
local function looks_of(chart)
  local looks, groups, count = {}, {}, 0
  for i, series in ipairs(chart.series) do
    local key = series.group or i
    if not groups[key] then
      count = count + 1
      groups[key] = { place = count - 1, members = 0 }
    end
    local group = groups[key]
    local dash = group.members + group.place // #Script.COLOURS
    looks[i] = { colour = Script.COLOURS[group.place % #Script.COLOURS + 1], mark = MARKS[group.place % #MARKS + 1],
      dash = DASHES[dash % #DASHES + 1] }
    group.members = group.members + 1
  end
  return looks
end

-- The end of a label: that is where images and branches differ.
local function tail(text)
  local long = utf8.len(text)
  return long and long > LONGEST_SLANTING and "…" .. text:sub(utf8.offset(text, -LONGEST_SLANTING)) or text
end

-- Labels other than dates: as many as fit, slanting if they are long. Also returns their height in lines.
local function label_ticks(chart, room)
  local longest, count = 1, #chart.x
  for _, label in ipairs(chart.labels) do longest = math.max(longest, length(label)) end
  local slant = longest > 12 and count * (longest + 2) > room
  local most = math.max(2, room // (slant and 4 or longest + 3))
  local ticks = {}
  for i = 1, count, math.max(1, math.ceil(count / most)) do
    ticks[#ticks + 1] = { at = chart.x[i], text = tail(chart.labels[i] or "") }
  end
  return ticks, slant and 1 + math.min(longest, LONGEST_SLANTING) * 0.35 or 1.5, slant and "rotate by -35"
end

-- The ticks of the x axis, the height of their labels in lines, and gnuplot's options for them.
local function x_ticks(chart, x, room)
  if #chart.labels == 0 then return axis.numbers(x.low, x.high, 10), 1.5 end
  if not chart.time then return label_ticks(chart, room) end
  local ticks = axis.times(x.low, x.high, math.max(2, room // 13))
  local height = 1.5
  for _, tick in ipairs(ticks) do height = tick.text:find("\n", 1, true) and 2.6 or height end
  return ticks, height
end

-- The rows of the notes above the drawing, so that none overlap: each stands to the right of its change's line, below
-- the notes it would touch. Notes for which there is no row are left out.
local function note_rows(chart, x, room)
  local ends, rows = {}, {}
  for i, at in ipairs(chart.changes) do
    local note = chart.notes and chart.notes[i] or ""
    local width = (length(note) + 2) / room
    local from = math.max(0, math.min(1 - width, (at - x.low) / x.size))
    local row = 1
    for above, last in ipairs(ends) do
      if last > from then row = above + 1 end
    end
    if row <= MOST_NOTES and note ~= "" then ends[row] = from + width else note = nil end
    rows[i] = { row = row, text = note, from = from }
  end
  return rows, #ends
end

-- Makes room for the notes above the values: y grows.
local function draw_changes(s, chart, x, y, room)
  local rows, count = note_rows(chart, x, room)
  y.high = y.high + y.size * 0.055 * count
  for i, at in ipairs(chart.changes) do
    local text, height = rows[i].text, 1 - 0.05 * (rows[i].row - 1) - 0.035
    s:add('set arrow from first %s, graph 0 to first %s, graph %.4f nohead back dashtype 2 linewidth 1.2 '
      .. 'linecolor rgb "%s"',
      number(at), number(at), text and height - 0.02 or 1 - 0.05 * count, Script.RED)
    if text then
      s:add('set label %s at graph %.4f, graph %.4f left front noenhanced textcolor rgb "%s"', quoted(text),
        rows[i].from, height, Script.RED)
    end
  end
end

local function draw_levels(s, chart)
  for i, level in ipairs(chart.levels) do
    local from, to, y = number(level.from), number(level.to), number(level.y)
    if level.high > level.low then
      s:add('set object %d rectangle from first %s, first %s to first %s, first %s back fillcolor rgb "%s" '
        .. "fillstyle solid 0.15 noborder", i, from, number(level.low), to, number(level.high), LEVEL)
    end
    s:add('set arrow from first %s, first %s to first %s, first %s nohead back linewidth 2 linecolor rgb "%s"', from, y,
      to, y, LEVEL)
  end
end

-- The highest series: its names go above it, those of the others below.
local function highest_of(chart)
  local highest, mean = 1, -math.huge
  for i, series in ipairs(chart.series) do
    local sum, count = 0, 0
    for _, y in ipairs(series.y) do
      if y then sum, count = sum + y, count + 1 end
    end
    if count > 0 and sum / count > mean then highest, mean = i, sum / count end
  end
  return highest
end

-- The name of each point beside it.
local function draw_names(s, series, colour, above)
  local side, offset, font = above and "left" or "right", above and 0.4 or -0.4, #series.y > 60 and 6 or 8
  for i, name in ipairs(series.names or {}) do
    if series.y[i] and name and name ~= "" then
      s:add('set label %s at first %s, first %s %s rotate by 45 offset character %g, %g front noenhanced '
        .. 'font ",%d" textcolor rgb "%s"',
        quoted(name), number(series.x[i]), number(series.y[i]), side, offset, offset, font, colour)
    end
  end
end

-- Thins a line of very many points: the first, lowest, highest and last of each stretch give the same picture.
local function thinned(rows, x)
  local kept, stretch = {}, {}
  local function keep(row)
    if row ~= kept[#kept] then kept[#kept + 1] = row end
  end
  local function close()
    if #stretch == 0 then return end
    local low, high = 1, 1
    for i, row in ipairs(stretch) do
      if row[2] < stretch[low][2] then low = i end
      if row[2] > stretch[high][2] then high = i end
    end
    for _, i in ipairs { 1, math.min(low, high), math.max(low, high), #stretch } do keep(stretch[i]) end
    stretch = {}
  end
  local current
  for i, row in ipairs(rows) do
    if i > 1 and row[1] < rows[i - 1][1] then return rows end  -- x goes back: not a line over x
    local here = (row[1] - x.low) // (x.size / STRETCHES)
    if here ~= current then close() end
    current = here
    stretch[#stretch + 1] = row
  end
  close()
  return kept
end

-- The errors, points and line of a series.
local function draw_series(s, i, series, look, x, o, entries, parts)
  local size = #series.y > 200 and 0.25 or #series.y > 60 and 0.45 or 0.7
  local rows, errors = {}, {}
  for at, y in ipairs(series.y) do
    local error = series.errors and series.errors[at]
    if y then rows[#rows + 1] = { series.x[at], y } end
    if y and error then errors[#errors + 1] = { series.x[at], y - error, 0, 2 * error } end
  end
  s:data("s" .. i, o.style == "line" and #rows > 8 * STRETCHES and thinned(rows, x) or rows)
  if #errors > 0 then parts[#parts + 1] = s:error_bars("e" .. i, errors, look.colour) end
  parts[#parts + 1] = string.format('$s%d using 1:2 with %s pointtype %d pointsize %g linecolor rgb "%s" %s', i,
    o.style == "scatter" and "points" or "linespoints linewidth 1.4 " .. look.dash, look.mark, size, look.colour,
    entries > 1 and "title " .. quoted(series.name) or "notitle")
end

local function draw_failures(s, failures, y, parts)
  local rows = {}
  for i, at in ipairs(failures) do rows[i] = { at, y.low + (y.high - y.low) * 0.02 } end
  s:data("failed", rows)
  parts[#parts + 1] = string.format(
    '$failed using 1:2 with points pointtype 2 pointsize 0.9 linewidth 1.6 linecolor rgb "%s" title "failed"',
    Script.RED)
end

local function ranges_of(chart, o)
  local named = false
  local x = Script.range_of(function(take)
    for _, series in ipairs(chart.series) do
      named = named or series.names ~= nil
      for i = 1, #series.y do take(series.x[i]) end
    end
  end)
  local y = Script.range_of(function(take)
    Script.take_values(chart, o.reference, take)
    for _, level in ipairs(chart.levels) do
      take(level.low)
      take(level.high)
    end
  end)
  return Script.widened(x, named and 0.07 or 0.02), Script.widened(y, named and 0.16 or 0.05)
end

return function(s, chart, o)
  local x, y = ranges_of(chart, o)
  local room = o.inches[1] * 11 - 10  -- characters across
  local y_ticks = axis.numbers(y.low, y.high, 8)
  draw_changes(s, chart, x, y, room)
  draw_levels(s, chart)
  local ticks, height, written = x_ticks(chart, x, room)
  s:axis("x", x, ticks, written)
  s:axis("y", y, y_ticks)
  s:add('set grid ytics back linetype 1 linewidth 0.6 linecolor rgb "%s"', Script.GRID)
  if o.reference then
    local at = number(o.reference)
    s:add('set arrow from graph 0, first %s to graph 1, first %s nohead back linewidth 1.2 linecolor rgb "%s"', at, at,
      Script.PALE)
  end

  local names, failures = {}, {}
  for i, series in ipairs(chart.series) do
    names[i] = series.name
    for _, at in ipairs(series.failed or {}) do failures[#failures + 1] = series.x[at] end
  end
  if #chart.levels > 0 then names[#names + 1] = "level" end
  if #failures > 0 then names[#names + 1] = "failed" end
  s:names_below(o, names, room, height)

  local parts, looks, highest = {}, looks_of(chart), highest_of(chart)
  for i, series in ipairs(chart.series) do
    draw_series(s, i, series, looks[i], x, o, #names, parts)
    draw_names(s, series, looks[i].colour, i == highest)
  end
  if #chart.levels > 0 then
    parts[#parts + 1] = string.format('keyentry with lines linewidth 2 linecolor rgb "%s" title "level"', LEVEL)
  end
  if #failures > 0 then draw_failures(s, failures, y, parts) end
  s:plot(parts)
end
