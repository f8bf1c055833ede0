#!/usr/bin/env regengine
--- Analyzes results of benchmark suites: minimum, median, maximum, mean and
--- deviation of every metric, one row per run. It reads *.jsonl files in the
--- format of pytorch/xla's benchmarks and writes what its result_analyzer.py
--- writes: metric_report.csv or .jsonl next to them, and with csv it also adds
--- the rows to a database, which is a CSV file.

local opt = reg.options {
  output_dirname = { "folder of the results and the report", type = "string", default = "output" },
  results        = { "files of results, or stores; unless given, all *.jsonl in the folder", type = "string",
                     list = true },
  output_format  = { "format of the report", type = "string", choices = { "csv", "jsonl", "both" }, default = "csv" },
  database       = { "CSV file to add the rows to; unless given, database.csv in the folder", type = "output" },
  timestamp      = { "seconds since 1970 for runs without a time; unless given, now", type = "number" },
  hide_errors    = { "leave out the messages of failed runs", type = "boolean" },
}

local files = #opt.results > 0 and opt.results or reg.results.files(opt.output_dirname)
local formats = opt.output_format == "both" and { "csv", "jsonl" } or { opt.output_format }
for i, format in ipairs(formats) do
  local report = reg.results.analyze {
    files = files, format = format, timestamp = opt.timestamp, hide_errors = opt.hide_errors,
  }
  for _, note in ipairs(i == 1 and report.notes or {}) do  -- those of the second format are the same
    reg.log.warn("%s:%d: %s", note.file, note.line, note.message)
  end

  local path = opt.output_dirname .. "/metric_report." .. format
  local head = format == "csv" and table.concat(report.columns, ",") .. "\n" or ""
  reg.fs.write(path, head .. table.concat(report.lines, "\n") .. (#report.lines > 0 and "\n" or ""))
  if not opt.quiet then print(string.format("%s: %d runs, %d failed", path, #report.lines, report.failed)) end
  if format == "csv" then
    local database = opt.database or opt.output_dirname .. "/database.csv"
    local added = reg.results.append(database, report)
    if #added > 0 then reg.log.info("%s has new columns: %s", database, table.concat(added, ", ")) end
  end
end
