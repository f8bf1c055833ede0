-- Writes what a comparison measured into files of the forms that hyperfine's have.

local csv = require "lib/results/csv"
local markdown = require "lib/provenance/markdown"
local numbers = require "lib/report/numbers"
local sorted_names = require "lib/sorted_names"

local COLUMNS = { "command", "mean", "stddev", "median", "user", "system", "min", "max" }

-- The names of the parameters of all commands.
local function parameters_of(results)
  local seen = {}
  for _, row in ipairs(results) do
    for name in pairs(row.parameters or {}) do seen[name] = true end
  end
  return sorted_names(seen)
end

local forms = {}

-- Numbers of another metric than seconds of wall time say so.
function forms.export_json(found)
  local is_wall = found.metric == "wall time"
  return reg.json.encode({ results = found.results, metric = not is_wall and found.metric or nil,
    unit = not is_wall and found.unit or nil }) .. "\n"
end

function forms.export_csv(found)
  local names = parameters_of(found.results)
  local head, lines = table.move(COLUMNS, 1, #COLUMNS, 1, {}), {}
  for _, name in ipairs(names) do head[#head + 1] = "parameter_" .. name end
  lines[1] = table.concat(head, ",")
  for _, row in ipairs(found.results) do
    local cells = {}
    for i, name in ipairs(COLUMNS) do cells[i] = csv.cell(row[name]) end
    for _, name in ipairs(names) do cells[#cells + 1] = csv.cell((row.parameters or {})[name]) end
    lines[#lines + 1] = table.concat(cells, ",")
  end
  return table.concat(lines, "\n") .. "\n"
end

function forms.export_markdown(found)
  local lines = { "| Command | Mean | SD | Median | Min | Max | Relative |", "|:---|---:|---:|---:|---:|---:|---:|" }
  for i, row in ipairs(found.results) do
    local cells = { markdown.cell(row.command) }
    for _, name in ipairs { "mean", "stddev", "median", "min", "max" } do
      cells[#cells + 1] = numbers.plain(row[name], found)
    end
    cells[#cells + 1] = i == 1 and "1" or numbers.digits(row.mean / found.results[1].mean, 3)
    lines[#lines + 1] = "| " .. table.concat(cells, " | ") .. " |"
  end
  return table.concat(lines, "\n") .. "\n"
end

local export = { names = sorted_names(forms), parameters_of = parameters_of }

--- Writes the files that the options export_json, export_csv and export_markdown name.
function export.write(found, o)
  for name, form in pairs(forms) do
    if o[name] then reg.fs.write(o[name], form(found)) end
  end
end

return export
