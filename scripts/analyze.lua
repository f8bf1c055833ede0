#!/usr/bin/env regengine
--- Analyzes results of benchmark suites: minimum, median, maximum, mean and deviation of every metric, one row per run.
--- It reads *.jsonl files of pytorch/xla's benchmarks (or in their format) and writes the reports of its
--- result_analyzer.py: metric_report.csv or .jsonl beside them. With csv it also appends the rows to a database, a CSV
--- file.

local opt = reg.options {
  output_dirname = { "output", "folder of the results, and of the report" },
  results        = { reg.several, "files of results or a store; all *.jsonl of the folder when absent" },
  output_format  = { "csv", "csv, jsonl or both", choices = { "csv", "jsonl", "both" } },
  database       = { reg.optional, "CSV file that the rows are added to; database.csv in the folder when absent" },
  timestamp      = { reg.optional, "seconds since 1970, for runs that have no time; now when absent" },
  hide_errors    = { false, "leave out what failed runs said" },
}
local timestamp = tonumber(opt.timestamp)
if opt.timestamp and not timestamp then
  error { kind = "usage", message = "--timestamp: not a number: '" .. opt.timestamp .. "'",
    hint = "Pass seconds since 1970." }
end

local files = #opt.results > 0 and opt.results or reg.results.files(opt.output_dirname)
local formats = opt.output_format == "both" and { "csv", "jsonl" } or { opt.output_format }
local noted = false
for _, format in ipairs(formats) do
  local report = reg.results.analyze { files = files, format = format, timestamp = timestamp,
    hide_errors = opt.hide_errors }
  for _, note in ipairs(noted and {} or report.notes) do
    reg.log.warn("%s:%d: %s", note.file, note.line, note.message)
  end
  noted = true

  local path = opt.output_dirname .. "/metric_report." .. format
  local head = format == "csv" and table.concat(report.columns, ",") .. "\n" or ""
  reg.fs.write(path, head .. table.concat(report.lines, "\n") .. (#report.lines > 0 and "\n" or ""))
  if not opt.quiet then print(string.format("%s: %d runs, %d failed", path, #report.lines, report.failed)) end
  if format == "csv" then
    local database = opt.database or opt.output_dirname .. "/database.csv"
    local added = reg.results.append(database, report)
    if #added > 0 then reg.log.info("%s: new columns: %s", database, table.concat(added, ", ")) end
  end
end
