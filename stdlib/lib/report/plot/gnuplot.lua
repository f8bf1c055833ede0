-- Draws charts (plot/chart.lua) as PNG and SVG with gnuplot, if it is installed. gnuplot reads one script from standard
-- input, without the user's settings, and writes the image to standard output: it gets no file name and nothing to
-- interpret. Data are numbers, and in strings all characters but letters and blanks are octal codes.

local HINT = "Run apt-get install gnuplot-nox, or omit the file to plot in the terminal."

local COLORS = { "#2563a8", "#d9730d", "#2e8b57", "#8250c4", "#11808a", "#8c564b", "#b5378a", "#6b7280" }
local MARKS = { 7, 5, 9, 13, 11, 15 }  -- circle, square, triangles, diamond, pentagon: all of them filled
local RED, TEXT, PALE, GRID, LEVEL = "#c62828", "#333333", "#9aa0a6", "#e6e6e6", COLORS[2]
local DOTS_PER_INCH = 100
local LONGEST, LONGEST_LABEL = 160, 30  -- characters of a text
local ROOM = 110  -- characters of labels below a drawing

local COMPLETE = {
  png = function(image) return image:sub(1, 8) == "\137PNG\r\n\26\n" and image:sub(-8, -5) == "IEND" end,
  svg = function(image) return image:find("<svg", 1, true) and image:find "</svg>%s*$" end,
}

-- The beginning of a string; of a label its end, where images and branches differ.
local function cut(text, longest, from_end)
  local long = utf8.len(text)
  if not long or long <= longest then return text end
  if from_end then return "…" .. text:sub(utf8.offset(text, -longest)) end
  return text:sub(1, utf8.offset(text, longest) - 1) .. "…"
end

-- A string for gnuplot: nothing in it is a command, a format, a quote or an escape. Digits are octal codes too, because
-- a digit after an octal code would belong to it.
local function quoted(text)
  text = tostring(text)
  if not utf8.len(text) then text = text:gsub("[\x80-\xff]", "?") end
  text = cut(text, LONGEST):gsub("[%z\1-\9\11-\31\127]", " ")
  return '"' .. text:gsub("[^%a \x80-\xff]", function(c) return string.format("\\%03o", c:byte()) end) .. '"'
end

local function finite(x) return x and x == x and math.abs(x) < 1e300 end
local function number(x) return finite(x) and string.format("%.17g", x) or "?" end

local Script = {}
Script.__index = Script

function Script:add(form, ...) self[#self + 1] = select("#", ...) > 0 and string.format(form, ...) or form end

-- A part of the plot command.
function Script:draw(form, ...) self.parts[#self.parts + 1] = string.format(form, ...) end

-- Rows of numbers under a name, a blank line where a row is empty; nil without rows.
function Script:data(name, rows)
  if #rows == 0 then return nil end
  self:add("$%s << EOD", name)
  for _, row in ipairs(rows) do
    local words = {}
    for i, x in ipairs(row) do words[i] = number(x) end
    self[#self + 1] = table.concat(words, " ")
  end
  self[#self + 1] = "EOD"
  return name
end

-- Strings at places of an axis.
function Script:labels(axis, places, texts, more)
  local words = {}
  for i, at in ipairs(places) do  -- gnuplot takes a label for a format
    words[i] = quoted((cut(texts[i] or tostring(i), LONGEST_LABEL, true):gsub("%%", "%%%%"))) .. " " .. number(at)
  end
  self:add("set %stics %s (%s)", axis, more or "", table.concat(words, ", "))
end

local function page(s, chart, o)
  local width, height = o.inches[1] * DOTS_PER_INCH, o.inches[2] * DOTS_PER_INCH
  if o.format == "png" then  -- twice the dots, sharp when shown at half its size
    s:add('set terminal pngcairo noenhanced size %d,%d font "sans,10" fontscale 1.9 linewidth 2 pointscale 1.6 '
      .. 'background rgb "white"', math.ceil(2 * width), math.ceil(2 * height))
  else
    s:add('set terminal svg noenhanced size %d,%d font "sans-serif,13" linewidth 1.2 background rgb "white"',
      math.ceil(width), math.ceil(height))
  end
  s:add 'set encoding utf8\nset datafile missing "?"\nset autoscale noextend'
  s:add('set border 3 linecolor rgb "%s"', PALE)
  s:add('set tics nomirror out scale 0.5 textcolor rgb "%s"', TEXT)
  s:add('set grid %stics back linetype 1 linewidth 0.6 linecolor rgb "%s"', o.style == "bar" and "x" or "y", GRID)
  for _, what in ipairs { "title", "xlabel", "ylabel" } do
    local font = what == "title" and string.format('font ",%g"', o.format == "png" and 12.5 or 16) or ""
    if o[what] then s:add('set %s %s noenhanced textcolor rgb "%s" %s', what, quoted(o[what]), TEXT, font) end
  end
  s.titled = #chart.series > 1 or o.style ~= "bar" and #chart.levels > 0 or s.failed
  s:add(s.titled and 'set key above center horizontal Left reverse width 2 noenhanced samplen 2.5 textcolor rgb "%s"'
    or "unset key", TEXT)
  if o.reference then
    local at = number(o.reference)
    local from, to = "graph 0, first " .. at, "graph 1, first " .. at
    if o.style == "bar" then from, to = "first " .. at .. ", graph 0", "first " .. at .. ", graph 1" end
    s:add('set arrow from %s to %s nohead back dashtype 2 linecolor rgb "%s"', from, to, PALE)
  end
end

local function key_title(s, series) return s.titled and "title " .. quoted(series.name) or "notitle" end

-- Bars from left to right, the first group on top, with their numbers and errors.
local function draw_bars(s, chart)
  local count, groups, places = #chart.series, #chart.x, {}
  local thick = 0.8 / math.max(1, count)
  for group = 1, groups do places[group] = -group end
  s:labels("y", places, chart.labels)
  s:add("set yrange [%g:%g]\nset offsets graph 0, graph 0.09, 0, 0", -groups - 0.6, -0.4)
  s:add "set style fill solid 0.85 noborder"
  for i, series in ipairs(chart.series) do
    local rows, color = {}, COLORS[(i - 1) % #COLORS + 1]
    for group = 1, groups do
      local value, error = series.y[group], series.errors and series.errors[group] or false
      if finite(value) then
        rows[#rows + 1] = { -group + 0.4 - thick * (i - 0.5), value, error, math.max(0, value + (error or 0)) }
      end
    end
    if s:data("s" .. i, rows) then
      s:draw('$s%d using 2:1:(0):2:($1-%g):($1+%g) with boxxyerror linecolor rgb "%s" %s', i, thick * 0.46,
        thick * 0.46, color, key_title(s, series))
      s:draw('$s%d using 2:1:3 with xerrorbars pointtype 0 linewidth 0.8 linecolor rgb "%s" notitle', i, TEXT)
      s:draw('$s%d using 4:1:(sprintf("%%.4g", $2)) with labels left offset character 0.5, 0 '
        .. 'font ",8" textcolor rgb "%s" notitle', i, TEXT)
    elseif s.titled then
      s:draw('keyentry with boxes linecolor rgb "%s" %s', color, key_title(s, series))
    end
  end
end

-- The x axis: numbers and dates as gnuplot marks them, or the labels that fit, slanting if they are long.
local function x_axis(s, chart)
  if chart.time then
    local span = chart.x[#chart.x] - chart.x[1]
    s:add 'set xdata time\nset timefmt "%s"\nset xtics rotate by 35 right'
    s[#s + 1] = 'set format x "' .. (span < 4 * 86400 and "%Y-%m-%d %H:%M" or "%Y-%m-%d") .. '"'
  elseif #chart.labels > 0 then
    local longest, places, texts, count = 1, {}, {}, #chart.x
    for _, label in ipairs(chart.labels) do longest = math.max(longest, utf8.len(label) or #label) end
    local slant = longest > 12 and count * longest > ROOM
    for i = 1, count, math.max(1, math.ceil(count * (slant and 4 or longest + 2) / ROOM)) do
      places[#places + 1], texts[#texts + 1] = chart.x[i], chart.labels[i] or ""
    end
    s:labels("x", places, texts, slant and "rotate by 35 right" or nil)
  end
end

local function draw_changes(s, chart)
  for i, at in ipairs(chart.changes) do
    s:add('set arrow from first %s, graph 0 to first %s, graph 1 nohead back dashtype 2 linewidth 1.2 '
      .. 'linecolor rgb "%s"', number(at), number(at), RED)
    local note = chart.notes and chart.notes[i]
    if note then
      s:add('set label %s at first %s, graph 0.99 right rotate by 90 offset character 1, 0 front noenhanced '
        .. 'textcolor rgb "%s"', quoted(note), number(at), RED)
    end
  end
end

local function draw_levels(s, chart)
  local rows = {}
  for _, level in ipairs(chart.levels) do
    for _, x in ipairs { level.from, level.to } do rows[#rows + 1] = { x, level.y, level.low, level.high } end
    rows[#rows + 1] = {}
  end
  if not s:data("levels", rows) then return end
  s:draw('$levels using 1:3:4 with filledcurves fillcolor rgb "%s" fillstyle solid 0.15 noborder notitle', LEVEL)
  s:draw('$levels using 1:2 with lines linewidth 2 linecolor rgb "%s" title "level"', LEVEL)
end

-- Series over x: lines and points with their errors and names. Series of one group share the color.
local function draw_lines(s, chart, o)
  local groups, count = {}, 0
  x_axis(s, chart)
  draw_changes(s, chart)
  draw_levels(s, chart)
  local named = false
  for i, series in ipairs(chart.series) do
    local key = series.group or i
    if not groups[key] then
      count = count + 1
      groups[key] = { place = count, members = 0 }
    end
    local group, rows = groups[key], {}
    local color, size = COLORS[(group.place - 1) % #COLORS + 1], #series.y > 60 and 0.4 or 0.7
    group.members = group.members + 1
    for at, y in ipairs(series.y) do
      if finite(y) then rows[#rows + 1] = { series.x[at], y, series.errors and series.errors[at] or false } end
      local name = finite(y) and series.names and series.names[at] or ""
      if name ~= "" then
        named = true
        s:add('set label %s at first %s, first %s left rotate by 45 offset character 0.4, 0.4 front noenhanced '
          .. 'font ",8" textcolor rgb "%s"', quoted(name), number(series.x[at]), number(y), color)
      end
    end
    if s:data("s" .. i, rows) then
      s:draw('$s%d using 1:2:3 with yerrorbars pointtype 0 linewidth 0.8 linecolor rgb "%s" notitle', i, color)
      s:draw('$s%d using 1:2 with %s pointtype %d pointsize %g linecolor rgb "%s" %s', i, o.style == "scatter"
        and "points" or "linespoints linewidth 1.4 dashtype " .. (group.members - 1) % 4 + 1,
        MARKS[(group.place - 1) % #MARKS + 1], size, color, key_title(s, series))
    end
    for _, at in ipairs(series.failed or {}) do
      s:add('set label "" at first %s, graph 0.02 point pointtype 2 pointsize 0.9 linewidth 1.6 linecolor rgb "%s"',
        number(series.x[at]), RED)
    end
  end
  s:add(named and "set offsets graph 0.07, graph 0.07, graph 0.16, graph 0.1"
    or "set offsets graph 0.02, graph 0.02, graph 0.05, graph 0.05")
  if s.failed then
    s:draw('keyentry with points pointtype 2 pointsize 0.9 linewidth 1.6 linecolor rgb "%s" title "failed"', RED)
  end
end

local function script(chart, o)
  local s = setmetatable({ parts = {} }, Script)
  for _, series in ipairs(chart.series) do s.failed = s.failed or o.style ~= "bar" and #(series.failed or {}) > 0 end
  page(s, chart, o)
  local draw = o.style == "bar" and draw_bars or draw_lines
  draw(s, chart, o)
  if not table.concat(s.parts):find("$", 1, true) then
    s:add "set xrange [0:1]\nset yrange [0:1]"
    s:draw "NaN notitle"
  end
  s:add("plot %s", table.concat(s.parts, ", \\\n  "))
  return table.concat(s, "\n") .. "\n"
end

--- The chart as the bytes of an image; nil in a dry run. Raises unavailable without gnuplot.
return function(chart, o)
  local ok, run = pcall(reg.process.run, { cmd = { "gnuplot", "-d", "-" }, stdin = script(chart, o),
    keep_bytes = 256 << 20 })
  if not ok then
    if type(run) == "table" and run.kind == "not_found" then
      core.fail("unavailable", "report.plot: gnuplot, which draws PNG and SVG, is not installed", HINT)
    end
    error(run, 0)
  end
  if run.dry then return nil end
  if not run.ok or not COMPLETE[o.format](run.stdout) then
    core.fail("unavailable", "report.plot: gnuplot failed to draw a " .. o.format:upper() .. ": "
      .. (run.stderr:match "[^\n]*%S[^\n]*" or "exit code " .. run.code), HINT)
  end
  return run.stdout
end
