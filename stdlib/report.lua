-- reg.report: tables, CSV and plots of a series or of plain rows and values, and the HTML page of an investigation. A
-- plot is a chart (lib/report/plot/chart.lua) that lib/report/plot/text.lua and lib/report/plot/gnuplot.lua draw.

local check_count = require("lib/values").check_count
local finite = require("lib/report/read").number

local native = core.nouns.report
--- Tables, plots and CSV of a list of records or of a series, as `reg.sweep` returns it.
--- ```lua
--- local store <close> = reg.store.open("regressions.db", { read_only = true })
--- print(reg.report.table(reg.report.investigations(store)))
--- reg.report.csv(reg.report.investigations(store), "investigations.csv")
--- print(reg.report.text(store, { investigation = "nights" }))
--- reg.fs.write("report.html", (reg.report.html(store, { investigation = "nights" })))
--- ```
---@class reg.report
local report = {}

local OPTIONS = { "file", "format", "inches", "points", "title", "x_label", "y_label", "reference", "width", "height" }

local function usage(message, hint) core.fail("usage", "report.plot: " .. message, hint) end

--- One of several series in a plot.
---@class report.Line
---@field values (number|false)[] one for each point; false for none
---@field name? string its name in the legend
---@field errors? (number|false)[] half the length of each point's error bar, in images
---@field failed? integer[] numbers of the points that failed

--- Plain numbers to plot: those of one series, without a name, or several.
---@class report.Values: report.Line
---@field series? report.Line[] several series, instead of one
---@field labels? string[] one for each point
---@field x? number[] the x of each point, instead of labels
---@field changes? integer[] numbers of the points that come first after a change

---@class report.PlotOptions
---@field file? string PNG or SVG file to draw as well, with gnuplot
---@field format? "png"|"svg" if the file's name does not say
---@field inches? number[] width and height of the image; { 9, 5 } by default
---@field points? boolean no lines between points, in images
---@field title? string
---@field x_label? string
---@field y_label? string by default the metric of a series, with its unit
---@field reference? number where to draw a horizontal line, such as 1 for speedups
---@field width? integer columns; by default the terminal's width, at most 100
---@field height? integer lines of the drawing, 12 by default; the axis and the names are extra

--- Plots a series as text: values over subjects in order, a vertical line at each change, a cross on the
--- axis where a subject failed; several series have a letter each. Uses braille in a UTF-8 locale, ASCII elsewhere.
--- With a file, gnuplot draws it there too. Raises usage if the table has neither points nor values nor series,
--- unavailable if gnuplot is not installed, permission for a file that the script may not write.
--- ```lua
--- print(reg.report.plot({ values = { 10, 10, 12, 12 }, labels = { "mon", "tue", "wed", "thu" }, changes = { 3 } }))
--- local speedups = { labels = { "2024-03-01", "2024-03-02" }, series = { { name = "before", values = { 1.0, 1.1 } },
---   { name = "after", values = { 1.2, 1.4 } } } }
--- print(reg.report.plot(speedups, { title = "speedup over v1", reference = 1 }))
--- ```
---@param series report.Series|report.Values
---@param options? report.PlotOptions
---@return string text with a line break at its end
function report.plot(data, o)
  o = core.check_keys("report.plot", o or {}, OPTIONS)
  if o.reference ~= nil and not finite(o.reference) then usage "'reference' must be a number" end
  for _, name in ipairs { "title", "x_label", "y_label" } do
    if o[name] ~= nil and type(o[name]) ~= "string" then usage("'" .. name .. "' must be a string") end
  end
  for _, name in ipairs { "width", "height" } do check_count("report.plot", o, name, 0) end
  local chart = require "lib/report/plot/chart"(data)
  chart.reference, chart.x_label, chart.y_label = o.reference, o.x_label, o.y_label or chart.y_label
  if o.file then require "lib/report/plot/gnuplot"(chart, o) end
  return require "lib/report/plot/text"(chart, o)
end

--- A series: what was measured for each subject, in order, and where it changed. `reg.sweep` returns one.
---@class report.Series
---@field points report.Point[] one for each subject, in order
---@field changes? report.Change[] where the level changed
---@field metric? string name of the number; the header of the column of values

---@class report.Point
---@field id string commit, date or tag
---@field label? string shown instead of the id
---@field value? number nil if the subject failed
---@field status? string "ok", or why it failed: "build_failed", "timeout", "skipped" ...
---@field message? string why

---@class report.Change
---@field kind "step"|"dip"
---@field last_good string id of the last point before it
---@field first_bad string id of the first point after it
---@field recovered_at? string of a temporary change: id of the first point that is as before
---@field before? number typical value before
---@field after? number typical value after

---@class report.TableOptions
---@field columns? string[] the fields to show, in this order; by default all, sorted
---@field width? integer columns available, 0 = as many as needed; by default the terminal's width
---@field least? string the last of the fields that are always shown; in a narrow terminal those after it are omitted

--- The rows as a table for a terminal: numbers right-aligned, the widest string cut if the terminal is too narrow. Rows
--- are records (`{night=..., mlups=...}`) or lists; a series gives its subjects with value, status and changes. Raises
--- usage if a row is not a table.
---@param rows table[]|report.Series
---@param options? report.TableOptions
---@return string text with a line break at its end
function report.table(rows, o)
  o = core.check_keys("report.table", o or {}, { "columns", "width", "least" })
  check_count("report.table", o, "width", 0)
  return require("lib/report/table").text("report.table", rows, o.columns, o.width or native.room(), o.least)
end

--- The rows as CSV (RFC 4180: commas, CRLF, quotes where needed) with all digits. With a path it is also written there.
--- Raises permission and io as reg.fs.write does.
---@param rows table[]|report.Series
---@param path? string
---@return string text
function report.csv(rows, file)
  local text = require("lib/report/table").csv("report.csv", rows)
  if file ~= nil then reg.fs.write(file, text) end
  return text
end

--- Text for the terminal: lines that are too wide are broken at blanks, and go on below their last column. Elsewhere
--- the text stays as it is.
--- ```lua
--- print(reg.report.wrap(reg.ab("./old", "./new").text))
--- ```
---@param text string
---@return string text
report.wrap = native.wrap

---@class report.Investigation
---@field id integer
---@field started string when it began, UTC
---@field title string
---@field runs integer trials that were run for it, without reused ones; the last of several stages has those of all
---@field took string how long that took
---@field found string what it found, in a sentence; of one without an answer, whether it runs or why it stopped

--- The investigations of a store, oldest first, each with what it found: for reg.report.table. Raises nothing.
---@param store store.Store
---@return report.Investigation[] rows
function report.investigations(store) return require("lib/report/stored").rows(store) end

---@class report.TextOptions
---@field investigation? integer|string its number or its name; by default the one used last

--- An investigation as the terminal showed it: its findings and the plot, of each stage of its run. One without an
--- answer is shown by its trials. Raises not_found for an unknown investigation.
---@param store store.Store
---@param options? report.TextOptions
---@return string text
---@return table answer as --json prints it
function report.text(store, o)
  o = core.check_keys("report.text", o or {}, { "investigation" })
  return require("lib/report/stored").text(store, o.investigation)
end

---@class report.HtmlOptions: share.Options
---@field refresh_s? integer how often a browser loads the file again, for a page that is written again and again

--- An investigation as one self-contained HTML document for phone, screen and paper: the findings, the series with
--- every trial, the failures, the commits, what differs between good and bad, the machine. What commands printed and
--- the values of variables are omitted. It includes the other stages of the same run; an investigation without an
--- answer is shown by its trials. It loads nothing, and foreign text in it stays text. Home folders, tokens, passwords
--- and host names are redacted, as reg.masked does it. Times are UTC. Raises not_found for an unknown investigation.
---@param store store.Store
---@param options? report.HtmlOptions
---@return string html
---@return string title the findings in a sentence
---@return preview.Found found what was redacted, and what may still be secret; for reg.preview
function report.html(store, options) return require "lib/report/page"(store, options) end

return report
