-- Bars for gnuplot: from left to right, the first group on top, with their numbers and errors.

local axis = require "lib/report/plot/axis"
local Script = require "lib/report/plot/gnuplot_script"

local number = Script.number

local LONGEST_LABEL = 50
local AROUND = 110  -- dots above and below the bars

local function range_of(chart, o)
  local x = Script.range_of(function(take)
    take(0)
    Script.take_values(chart, o.reference, take)
  end)
  if x.low < 0 then x.low = x.low - x.size * 0.02 end
  x.high = x.high + x.size * 0.09  -- for the number of the longest bar
  return x
end

-- The names of the groups, each centered at its bars, in a font that fits.
local function draw_labels(s, chart, o, row)
  local ticks, longest, groups, usual = {}, 1, #chart.x, o.format == "png" and 10 or 13
  for group = 1, groups do
    local label = Script.cut(chart.labels[group] or tostring(group), LONGEST_LABEL)
    ticks[group] = { at = -group, text = label }
    longest = math.max(longest, Script.length(label))
  end
  local font = math.max(3, math.min(usual, row * 0.8))
  s:add("set lmargin %d", math.ceil(longest * font / usual) + (o.ylabel and 6 or 3))
  s:axis("y", { low = -groups - 0.6, high = -0.4 }, ticks, string.format('font ",%.1f"', font))
end

-- The bars of one series, `thick` each, and their errors; `y` is the top of the group's first bar.
local function rows_of(series, groups, thick, y)
  local rows, errors = {}, {}
  for group = 1, groups do
    local value, error = series.y[group], series.errors and series.errors[group]
    local middle = -group + y - thick / 2
    if value then
      rows[#rows + 1] = { value, middle, math.min(0, value), math.max(0, value), middle - thick * 0.42,
        middle + thick * 0.5, math.max(0, value + (error or 0)) }
    end
    if value and error then errors[#errors + 1] = { value - error, middle, 2 * error, 0 } end
  end
  return rows, errors
end

return function(s, chart, o)
  local count, groups = #chart.series, #chart.x
  local x = range_of(chart, o)
  local thick = 0.8 / math.max(1, count)
  local row = (o.inches[2] * Script.DOTS_AN_INCH - AROUND) / math.max(1, groups * count)  -- a bar's height in dots
  local form = x.size >= 0.1 and x.size < 100 and "%.2f" or "%.4g"
  local font = math.max(3, math.min(10, row * 0.75))
  draw_labels(s, chart, o, row * count)
  s:axis("x", x, axis.numbers(x.low, x.high, 8))
  s:add('set grid xtics back linetype 1 linewidth 0.6 linecolor rgb "%s"', Script.GRID)
  s:add "set style fill solid 0.85 noborder"
  s:add "set tics scale 0.3"
  if o.reference then
    local at = number(o.reference)
    s:add('set arrow from first %s, graph 0 to first %s, graph 1 nohead front dashtype 2 linewidth 1 '
      .. 'linecolor rgb "%s"', at, at, Script.TEXT)
  end
  local names, parts = {}, {}
  for i, series in ipairs(chart.series) do names[i] = series.name end
  s:names_below(o, names, o.inches[1] * 8, 1.5)
  for i, series in ipairs(chart.series) do
    local rows, errors = rows_of(series, groups, thick, 0.4 - thick * (i - 1))
    s:data("s" .. i, rows)
    parts[#parts + 1] = string.format('$s%d using 1:2:3:4:5:6 with boxxyerror linecolor rgb "%s" %s', i,
      Script.COLOURS[(i - 1) % #Script.COLOURS + 1], count > 1 and "title " .. Script.quoted(series.name) or "notitle")
    if #errors > 0 then parts[#parts + 1] = s:error_bars("e" .. i, errors, Script.TEXT) end
    if #rows > 0 then  -- gnuplot 5.4 crashes on labels at NaN alone
      parts[#parts + 1] = string.format('$s%d using 7:2:(sprintf("%s", $1)) with labels left offset character 0.5, 0 '
        .. 'font ",%.1f" textcolor rgb "%s" notitle', i, form, font, Script.TEXT)
    end
  end
  s:plot(parts)
end
