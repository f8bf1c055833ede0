---@meta

--- Tables, plots and CSV of what a script holds: a list of records, or a series as `reg.sweep` returns it.
---@class reg.report
reg.report = {}

--- A series: what was measured of each subject, in order, and where it changed. `reg.sweep` returns one.
---@class report.Series
---@field points report.Point[] one for each subject, in order
---@field changes? report.Change[] where it became slower or faster
---@field metric? string name of what was measured; it heads the column of values

---@class report.Point
---@field id string commit, date or tag
---@field label? string shown in place of the id
---@field value? number nothing where the subject failed
---@field status? string "ok", or what went wrong: "build_failed", "timeout", "skipped" ...
---@field message? string why

---@class report.Change
---@field kind "step"|"dip"
---@field last_good string id of the last point before it
---@field first_bad string id of the first point after it
---@field recovered_at? string for a dip: id of the first point that is as before
---@field before? number typical value before
---@field after? number typical value after

---@class report.TableOptions
---@field columns? string[] which fields, in this order; all of them, sorted, when absent
---@field width? integer columns it may take, 0 = as many as it needs; the terminal's width when absent

--- The rows as a text table: numbers right-aligned, the widest text cut where the terminal is too narrow. Rows are records
--- (`{night=..., mlups=...}`) or lists; a series gives its subjects with value, status and changes. Raises usage where a row
--- is no table.
--- ```lua
--- print(reg.report.table({ { night = "2023-08-24", mlups = 587.9 } }, { columns = { "night", "mlups" } }))
--- ```
---@param rows table[]|report.Series
---@param options? report.TableOptions
---@return string text its lines, the last one ended
function reg.report.table(rows, options) end

--- Plain numbers to plot.
---@class report.Values
---@field values (number|false)[] one for each point; false where there is none
---@field labels? string[] one for each point
---@field changes? integer[] numbers of the points that come first after a change
---@field failed? integer[] numbers of the points that failed

---@class report.PlotOptions
---@field width? integer columns of text; the terminal's width, at most 100, when absent
---@field height? integer lines of the drawing, 12 when absent; the axis takes two more

--- The series drawn in text: values over subjects in order, a vertical line at each change, a cross on the axis where a
--- subject failed. Braille where the locale is UTF-8, plain ASCII elsewhere. A series without values gives a line that says
--- so. Raises usage where the table holds neither points nor values.
--- ```lua
--- print(reg.report.plot({ values = { 10, 10, 12, 12 }, labels = { "mon", "tue", "wed", "thu" }, changes = { 3 } }))
--- ```
---@param series report.Series|report.Values
---@param options? report.PlotOptions
---@return string text its lines, the last one ended
function reg.report.plot(series, options) end

--- The rows as CSV (RFC 4180: commas, CRLF, quotes where needed), every digit kept. With a path it is also written there,
--- within the workspace. Raises permission for a path outside it, io where writing fails.
--- ```lua
--- reg.report.csv({ { night = "2023-08-24", mlups = 587.9 } }, "nights.csv")
--- ```
---@param rows table[]|report.Series
---@param path? string
---@return string text
function reg.report.csv(rows, path) end
