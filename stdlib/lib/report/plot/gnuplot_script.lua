-- A gnuplot script under construction: strings and numbers in gnuplot's form, the page, the ticks, the legend. gnuplot
-- gets nothing to interpret: data are numbers, and in strings all characters but letters and blanks are octal codes.

local Script = {}
Script.__index = Script

Script.COLOURS = { "#2563a8", "#d9730d", "#2e8b57", "#8250c4", "#11808a", "#8c564b", "#b5378a", "#6b7280" }
Script.RED, Script.TEXT, Script.PALE, Script.GRID = "#c62828", "#333333", "#9aa0a6", "#e6e6e6"
Script.DOTS_AN_INCH = 100

local TITLE_FONT = { png = 'font ",12.5"', svg = 'font ",16"' }
local LONGEST = 160  -- characters of a text
local MOST_COLUMNS = 7

function Script.new() return setmetatable({}, Script) end

local function length(text) return utf8.len(text) or #text end

--- The beginning of a string.
local function cut(text, longest)
  local ok, at = pcall(utf8.offset, text, longest)
  return ok and at and at <= #text and text:sub(1, at - 1) .. "…" or text
end

--- A string for gnuplot: nothing in it is a command, a format, a quote or an escape. Digits are octal codes too,
--- because a digit after an octal code would belong to it.
local function quoted(text)
  text = tostring(text)
  if not utf8.len(text) then text = text:gsub("[\x80-\xff]", "?") end
  text = cut(text, LONGEST):gsub("[%z\1-\9\11-\31\127]", " ")
  return '"' .. text:gsub("[^%a \x80-\xff]", function(c) return string.format("\\%03o", c:byte()) end) .. '"'
end

local function number(x) return string.format("%.17g", x) end

Script.length, Script.cut, Script.quoted, Script.number = length, cut, quoted, number

function Script:add(form, ...) self[#self + 1] = select("#", ...) > 0 and string.format(form, ...) or form end

--- Rows of numbers under a name; if there are none, one that is not drawn, because gnuplot needs one.
function Script:data(name, rows)
  self:add("$%s << EOD", name)
  for _, row in ipairs(rows) do
    local words = {}
    for i, x in ipairs(row) do words[i] = number(x) end
    self[#self + 1] = table.concat(words, " ")
  end
  if #rows == 0 then self[#self + 1] = string.rep("NaN ", MOST_COLUMNS) end
  self[#self + 1] = "EOD"
end

--- Bars from { x, y } by { dx, dy }, with a cap at both ends.
function Script:error_bars(name, rows, colour)
  self:data(name, rows)
  return string.format('$%s using 1:2:3:4 with vectors heads size graph 0.004, 90 linewidth 0.8 '
    .. 'linecolor rgb "%s" notitle', name, colour)
end

--- Draws the parts, or the empty axes.
function Script:plot(parts) self:add("plot %s", #parts > 0 and table.concat(parts, ", \\\n  ") or "NaN notitle") end

--- Size and fonts, general settings, the title and the names of the axes.
function Script:page(o)
  local width, height = o.inches[1] * Script.DOTS_AN_INCH, o.inches[2] * Script.DOTS_AN_INCH
  if o.format == "png" then  -- twice the dots, sharp when shown at half its size
    self:add('set terminal pngcairo noenhanced size %d,%d font "sans,10" fontscale 1.9 linewidth 2 pointscale 1.6 '
      .. 'background rgb "white"', math.ceil(2 * width), math.ceil(2 * height))
  else
    self:add('set terminal svg noenhanced size %d,%d font "sans-serif,13" linewidth 1.2 background rgb "white"',
      math.ceil(width), math.ceil(height))
  end
  self:add "set encoding utf8"
  self:add('set border 3 linecolor rgb "%s"', Script.PALE)
  self:add('set tics nomirror out scale 0.5 textcolor rgb "%s"', Script.TEXT)
  for _, what in ipairs { "title", "xlabel", "ylabel" } do
    if o[what] then
      local font = what == "title" and TITLE_FONT[o.format] or ""
      self:add('set %s %s noenhanced textcolor rgb "%s" %s', what, quoted(o[what]), Script.TEXT, font)
    end
  end
end

--- The range and ticks of the axis "x" or "y". `more`: gnuplot's options for the labels.
function Script:axis(which, range, ticks, more)
  local words = {}
  for i, tick in ipairs(ticks) do
    words[i] = quoted((tick.text:gsub("%%", "%%%%"))) .. " "
      .. number(tick.at)  -- gnuplot takes a tick's label for a format
  end
  self:add("set %stics %s (%s)", which, more or "", table.concat(words, ", "))
  self:add("set %srange [%s:%s]", which, number(range.low), number(range.high))
end

--- The legend, below the drawing. `ticks`: height of the labels of the x axis in lines; `room`: the width in
--- characters.
function Script:names_below(o, names, room, ticks)
  local height, wide = ticks + (o.xlabel and 1.6 or 0.4), 0
  if #names < 2 then
    self:add "unset key"
  else
    for _, name in ipairs(names) do wide = math.max(wide, length(name) + 9) end
    height = height + 1.2 * math.ceil(#names / math.max(1, room // wide)) + 0.4
    self:add('set key bmargin center horizontal Left reverse width 2 noenhanced samplen 2.5 textcolor rgb "%s"',
      Script.TEXT)
  end
  self:add("set bmargin %.1f", height)
end

--- { low =, high =, size = } of all numbers that `each` passes to its argument; a flat line is centered.
function Script.range_of(each)
  local low, high = math.huge, -math.huge
  each(function(x)
    if x and x == x and math.abs(x) < 1e300 then low, high = math.min(low, x), math.max(high, x) end
  end)
  if low > high then low, high = 0, 1 end
  if low == high then
    local half = low == 0 and 1 or math.abs(low) * 0.05
    low, high = low - half, high + half
  end
  return { low = low, high = high, size = high - low }
end

--- Passes to `take` all that the y axis must cover: the reference, and each value with its error.
function Script.take_values(chart, reference, take)
  take(reference)
  for _, series in ipairs(chart.series) do
    for i, value in ipairs(series.y) do
      local error = series.errors and series.errors[i] or 0
      take(value and value - error)
      take(value and value + error)
    end
  end
end

--- The range, wider on both sides by a part of its size.
function Script.widened(range, part)
  return { low = range.low - range.size * part, high = range.high + range.size * part,
    size = range.size * (1 + 2 * part) }
end

return Script
