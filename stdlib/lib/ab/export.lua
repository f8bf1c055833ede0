-- Writes what a comparison measured into files of the forms that hyperfine's have.

local markdown = require "lib/provenance/markdown"
local numbers = require "lib/report/numbers"
local scan = require "lib/ab/scan"
local map, sorted_names = require("lib/values").map, require("lib/values").sorted_names

local COLUMNS = { "command", "mean", "stddev", "median", "user", "system", "min", "max" }

local forms = {}

-- Numbers of another metric than seconds of wall time say so.
function forms.export_json(found)
  local is_wall = found.metric == "wall time"
  return reg.json.encode({ results = found.results, metric = not is_wall and found.metric or nil,
    unit = not is_wall and found.unit or nil }) .. "\n"
end

function forms.export_csv(found)
  local columns, rows = table.move(COLUMNS, 1, #COLUMNS, 1, {}), {}
  for _, name in ipairs(scan.parameters(found.results)) do columns[#columns + 1] = "parameter_" .. name end
  for i, result in ipairs(found.results) do
    rows[i] = {}
    for _, name in ipairs(COLUMNS) do rows[i][name] = result[name] end
    for name, value in pairs(result.parameters or {}) do rows[i]["parameter_" .. name] = value end
  end
  return require("lib/report/table").csv("ab", rows, columns)
end

function forms.export_markdown(found)
  local lines = { "| Command | Mean | SD | Median | Min | Max | Relative |", "|:---|---:|---:|---:|---:|---:|---:|" }
  for i, row in ipairs(found.results) do
    local fields = { "mean", "stddev", "median", "min", "max" }
    local cells = map(fields, function(name) return numbers.plain(row[name], found) end)
    lines[#lines + 1] = string.format("| %s | %s | %s |", markdown.cell(row.command), table.concat(cells, " | "),
      i == 1 and "1" or numbers.digits(row.mean / found.results[1].mean, 3))
  end
  return table.concat(lines, "\n") .. "\n"
end

local export = { names = sorted_names(forms) }

--- Writes the files that the options export_json, export_csv and export_markdown name.
function export.write(found, o)
  for name, form in pairs(forms) do
    if o[name] then reg.fs.write(o[name], form(found)) end
  end
end

return export
