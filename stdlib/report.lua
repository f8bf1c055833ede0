-- reg.report: tables, CSV and plots of a series or of plain rows and values, and the HTML page of an investigation. C++
-- renders the text; charts are made in lib/report/plot/chart.lua, and images drawn in lib/report/plot/gnuplot.lua.

local chart_of = require "lib/report/plot/chart"
local image_of = require "lib/report/plot/gnuplot"
local check_keys = require "lib/options/check_keys"
local rows_of = require "lib/report/rows"

local native = core.nouns.report
local report = {}

local OPTIONS = { "file", "format", "style", "title", "x_label", "y_label", "reference", "inches", "width", "height" }
local MOST_INCHES = 60
local STYLES = { line = true, scatter = true, bar = true }

local function usage(message, hint) core.fail("usage", "report.plot: " .. message, hint) end

local function is_finite(x) return type(x) == "number" and x == x and math.abs(x) ~= math.huge end
local function is_size(x) return is_finite(x) and x > 0 and x <= MOST_INCHES end

local function check(o)
  check_keys("report.plot", o, OPTIONS)
  if o.style and not STYLES[o.style] then
    usage("not a valid style: '" .. tostring(o.style) .. "'", "Use line, scatter or bar.")
  end
  if o.reference ~= nil and not is_finite(o.reference) then usage "'reference' must be a number" end
  for _, name in ipairs { "title", "x_label", "y_label" } do
    if o[name] ~= nil and type(o[name]) ~= "string" then usage("'" .. name .. "' must be a string") end
  end
  local inches = o.inches
  if inches and (type(inches) ~= "table" or not is_size(inches[1]) or not is_size(inches[2])) then
    usage("'inches' must be { width, height }, at most " .. MOST_INCHES .. " each")
  end
end

local function format_of(o)
  local format = o.format or (type(o.file) == "string" and o.file:lower():match "%.(%w+)$")
  if format == "png" or format == "svg" then return format end
  if o.file == "-" then usage("standard output needs a format", 'Pass format = "png" or "svg".') end
  usage("not a .png or .svg file: '" .. tostring(o.file) .. "'", "Name it so, or pass `format`.")
end

-- Bars get the height they need.
local function size_of(chart, o)
  if o.inches then return o.inches end
  if o.style ~= "bar" then return { 9, 5 } end
  return { 9, math.min(MOST_INCHES, math.max(3, 1.2 + 0.22 * #chart.x * #chart.series + 0.06 * #chart.x)) }
end

local function draw_file(chart, o)
  local format = format_of(o)
  local image = image_of(chart, { format = format, style = o.style or "line", title = o.title, xlabel = o.x_label,
    ylabel = o.y_label or chart.y_label, reference = o.reference, inches = size_of(chart, o) })
  if not image then return end
  if o.file == "-" then native.put(image) else reg.fs.write(o.file, image) end
end

local function columns(text) return utf8.len(text) or #text end

local function draw_text(chart, o)
  local text
  chart.reference, chart.x_label, chart.y_label = o.reference, o.x_label, o.y_label or chart.y_label
  if o.style == "bar" then  -- whose values go along the x axis
    text = (o.x_label and o.x_label .. "\n" or "") .. native.draw_bars(chart, { width = o.width })
  else
    text = native.draw(chart, { width = o.width, height = o.height, joined = o.style ~= "scatter" })
  end
  local widest = 0
  for line in text:gmatch "[^\n]+" do widest = math.max(widest, columns(line)) end
  local title = {}
  for line in (o.title or ""):gmatch "[^\n]+" do
    title[#title + 1] = string.rep(" ", (widest - columns(line)) // 2) .. line .. "\n"
  end
  return table.concat(title) .. text
end

--- A chart as text, and also in a file if `file` is given.
function report.plot(data, options)
  local o = options or {}
  if type(o) ~= "table" then usage("not a table of options: " .. type(o)) end
  check(o)
  local chart = chart_of(data)
  if o.file ~= nil then draw_file(chart, o) end
  return draw_text(chart, o)
end

local function is_series(rows) return type(rows) == "table" and type(rows.points) == "table" end

--- Rows or a series as a text table. Of a series, columns in which nothing stands are left out.
function report.table(rows, options)
  if not is_series(rows) then return native.table(rows, options) end
  local o = {}
  for name, value in pairs(options or {}) do o[name] = value end
  if o.columns then return native.table(rows.points, o) end
  rows, o.columns = rows_of(rows, true)
  return native.table(rows, o)
end

--- Rows or a series as CSV, also written to `file` if given.
function report.csv(rows, file)
  local o = {}
  if is_series(rows) then rows, o.columns = rows_of(rows) end
  local text = native.csv(rows, o)
  if file ~= nil then reg.fs.write(file, text) end
  return text
end

report.wrap = native.wrap

--- The investigations of a store, a row each; see lib/report/listed.lua.
function report.investigations(store)
  return require("lib/report/listed").rows(store)
end

--- An investigation as the terminal showed it; see lib/report/listed.lua.
function report.text(store, options)
  local o = options or {}
  check_keys("report.text", o, { "investigation" })
  return require("lib/report/listed").text(store, o.investigation)
end

--- The page of an investigation; see lib/report/page.lua.
function report.html(store, options)
  local page = require "lib/report/page"
  return page(store, options)
end

return report
