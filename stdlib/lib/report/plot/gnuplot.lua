-- Draws charts (plot/chart.lua) as PNG and SVG with gnuplot. It reads one script from standard input and writes the
-- image to standard output. Data are numbers, and in strings all characters but letters and blanks are octal codes.

local finite = require("lib/report/read").number
local values = require "lib/values"

local HINT = "Run apt-get install gnuplot-nox, or omit the file to plot in the terminal."

local PAGE <const> = {
  png = 'set terminal pngcairo noenhanced size %d,%d font "sans,20" linewidth 2 pointscale 1.5 background rgb "white"',
  svg = 'set terminal svg noenhanced size %d,%d font "sans-serif,13" background rgb "white"',
}
local DOTS <const> = { png = 200, svg = 100 }  -- per inch
local COMPLETE <const> = { png = "^\137PNG\r\n\26\n.*IEND....$", svg = "<svg.*</svg>%s*$" }
local STYLE <const> = [[
set encoding utf8
set datafile missing "?"
set border 3
set tics nomirror out
set grid ytics
set key above center horizontal Left reverse width 3 noenhanced
set xtics rotate by 90 right noenhanced
set offsets graph 0.03, graph 0.03, graph 0.06, graph 0.04]]
local LONGEST <const>, MOST_LABELS <const> = 60, 30  -- characters of a text, of which a label has half; labels

-- A string for gnuplot: nothing in it is a command, a format or a quote. A digit would belong to the code before it.
local function quoted(text, longest)
  text = values.utf8(text)
  if utf8.len(text) > longest then text = "…" .. text:sub(utf8.offset(text, -longest)) end
  text = text:gsub("[%z\1-\9\11-\31\127]", " ")
  return '"' .. text:gsub("[^%a \x80-\xff]", function(c) return string.format("\\%03o", c:byte()) end) .. '"'
end

local function number(x) return x and x == x and math.abs(x) < 1e300 and string.format("%.17g", x) or "?" end

-- The labels that fit, at their places. gnuplot takes a label for a format.
local function labels(chart)
  local words = {}
  for i = 1, #chart.labels, math.ceil(#chart.labels / MOST_LABELS) do
    words[#words + 1] = quoted(chart.labels[i]:gsub("%%", "%%%%"), LONGEST // 2) .. " " .. number(chart.x[i])
  end
  return "set xtics (" .. table.concat(words, ", ") .. ")"
end

local function script(chart, format, inches, o)
  local dots = DOTS[format]
  local all, parts = { PAGE[format]:format(math.ceil(inches[1] * dots), math.ceil(inches[2] * dots)), STYLE }, {}
  local is_empty = true
  local function add(form, ...) all[#all + 1] = string.format(form, ...) end
  for what, text in pairs { title = o.title, xlabel = chart.x_label, ylabel = chart.y_label } do
    add("set %s %s noenhanced", what, quoted(text, 4 * LONGEST))
  end
  if #chart.labels > 0 then all[#all + 1] = labels(chart) end
  for _, x in ipairs(chart.changes) do
    add('set arrow from first %s, graph 0 to first %s, graph 1 nohead dashtype 2 linecolor rgb "red"', number(x),
      number(x))
  end
  for i, series in ipairs(chart.series) do
    add("$s%d << EOD", i)
    for at, y in ipairs(series.y) do add("%s %s %s", number(chart.x[at]), number(y), number(series.errors[at])) end
    add "EOD"
    local data = "keyentry"
    if values.find(series.y, function(y) return number(y) ~= "?" end) then
      data, is_empty = "$s" .. i .. " using 1:2", false
      parts[#parts + 1] = ("%s:3 with yerrorbars pointtype 0 linecolor %d notitle"):format(data, i)
    end
    parts[#parts + 1] = ("%s with %s pointtype 7 pointsize 0.6 linecolor %d title %s"):format(data,
      o.points and "points" or "linespoints", i, quoted(series.name, LONGEST))
  end
  for _, level in ipairs(chart.levels) do
    add("$l%d << EOD\n%s %s\n%s %s\nEOD", #all, number(level.from), number(level.y), number(level.to), number(level.y))
    parts[#parts + 1] = ("$l%d using 1:2 with lines linewidth 2 linecolor rgb \"orange\" notitle"):format(#all - 1)
  end
  if chart.reference then
    parts[#parts + 1] = number(chart.reference) .. ' with lines dashtype 2 linecolor rgb "gray" notitle'
  end
  if is_empty then table.insert(parts, 1, "[0:1] [0:1] NaN notitle") end
  return table.concat(all, "\n") .. "\nplot " .. table.concat(parts, ", \\\n  ") .. "\n"
end

--- Draws the chart into the file `o.file`; in a dry run nothing. `o`: file, format, inches, title and points, as of
--- reg.report.plot. Raises usage, unavailable, and permission for a file that the script may not write.
return function(chart, o)
  local format, inches = o.format or tostring(o.file):lower():match "%.(%w+)$", o.inches or { 9, 5 }
  if not PAGE[format] then
    core.fail("usage", "report.plot: not a .png or .svg file: '" .. tostring(o.file) .. "'",
      "Name it so, or pass `format`.")
  end
  for i = 1, 2 do
    local is_valid = finite(inches[i]) and inches[i] > 0 and inches[i] <= 60
    if not is_valid then core.fail("usage", "report.plot: 'inches' must be { width, height }, at most 60 each") end
  end
  local run = values.caught("not_found", reg.process.run, { cmd = { "gnuplot", "-d", "-" },
    stdin = script(chart, format, inches, o), keep_bytes = 256 << 20 })
    or core.fail("unavailable", "report.plot: gnuplot, which draws PNG and SVG, is not installed", HINT)
  if run.dry then return end
  if not run.ok or not run.stdout:find(COMPLETE[format]) then
    core.fail("unavailable", "report.plot: gnuplot failed to draw a " .. format:upper() .. ": "
      .. (run.stderr:match "[^\n]*%S[^\n]*" or "exit code " .. run.code), HINT)
  end
  reg.fs.write(o.file, run.stdout)
end
