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
---@field values? (number|false)[] one for each point; false where there is none
---@field errors? (number|false)[] half the length of each point's error bar, in images
---@field failed? integer[] numbers of the points that failed
---@field series? report.Line[] several series, in place of the three above
---@field labels? string[] one for each point; where all are dates ("2024-03-08", "2024-03-08 13:00") x is the time
---@field x? number[] where the points stand, in place of labels
---@field changes? integer[] numbers of the points that come first after a change

--- One of several series in a plot.
---@class report.Line
---@field values (number|false)[] one for each point; false where there is none
---@field name? string what it is called below the plot
---@field group? string those of one group have one colour, in images
---@field errors? (number|false)[] half the length of each point's error bar, in images
---@field names? string[] what is written beside each point, in images
---@field failed? integer[] numbers of the points that failed

---@class report.PlotOptions
---@field file? string PNG or SVG that the plot is also drawn in by gnuplot; "-" for standard output
---@field format? "png"|"svg" when the file's name does not say
---@field style? "line"|"scatter"|"bar" line when absent; bars lie, a row each, with their numbers
---@field title? string
---@field x_label? string in images
---@field y_label? string in images; a series' metric when absent
---@field reference? number where a level line stands, such as 1 for speedups
---@field inches? number[] width and height of the image, { 9, 5 } when absent and for bars as high as they need; a PNG has 200 dots an inch
---@field width? integer columns of text; the terminal's width, at most 100, when absent
---@field height? integer lines of the drawing, 12 when absent; the axis and the names take more

--- The series drawn in text: values over subjects in order or in time, a vertical line at each change, a cross on the axis where a
--- subject failed; of several series each has a letter. Braille where the locale is UTF-8, plain ASCII elsewhere. With a file it is
--- also drawn there, by gnuplot: with the levels of a sweep and their intervals, errors and names. A series without values gives a
--- line that says so. Raises usage where the table holds neither points nor values nor series, unavailable where an image is asked
--- for and gnuplot is not installed, permission for a file that the script may not write.
--- ```lua
--- print(reg.report.plot({ values = { 10, 10, 12, 12 }, labels = { "mon", "tue", "wed", "thu" }, changes = { 3 } }))
--- local speedups = { labels = { "2024-03-01", "2024-03-02" }, series = { { name = "before", values = { 1.0, 1.1 } },
---   { name = "after", values = { 1.2, 1.4 }, errors = { 0.1, 0.1 } } } }
--- print(reg.report.plot(speedups, { title = "speedup over v1", reference = 1 }))
--- -- reg.report.plot(speedups, { file = "speedups.svg" }) draws it in a file as well
--- ```
---@param series report.Series|report.Values
---@param options? report.PlotOptions
---@return string text its lines, the last one ended
function reg.report.plot(series, options) end

--- The rows as CSV (RFC 4180: commas, CRLF, quotes where needed), every digit kept. With a path it is also written there.
--- Raises permission and io as reg.fs.write does.
--- ```lua
--- reg.report.csv({ { night = "2023-08-24", mlups = 587.9 } }, "nights.csv")
--- ```
---@param rows table[]|report.Series
---@param path? string
---@return string text
function reg.report.csv(rows, path) end

---@class report.HtmlOptions
---@field investigation? integer|string its number or its name; the one touched last when absent
---@field keep_host? boolean leave host names and network addresses in it
---@field repos? string[] paths of repositories (or NAME=PATH), to ask for the files of a commit; the option `repo` of the investigation

--- What an investigation found, as one HTML document that stands for itself, for phone, screen and paper: the verdict, the series
--- with every trial, its failures and changes, the commits, what differs between good and bad, the logs' ends, the machine. Other
--- stages of the same run come with it; one without an answer is shown by its trials. It loads nothing, and foreign text in it is
--- text. Home folders, tokens, passwords and host names are masked, as reg.masked does it. Times are UTC. Raises not_found where
--- there is no such investigation or repository, and unavailable in a regengine that was built without Chart.js.
--- ```lua
--- local store <close> = reg.store.open "regressions.db"
--- reg.fs.write("report.html", (reg.report.html(store, { investigation = "nights" })))
--- ```
---@param store store.Store
---@param options? report.HtmlOptions
---@return string html
---@return string verdict in a sentence
function reg.report.html(store, options) end
