-- reg.results.append: adds reports to a CSV file. pytorch/xla's analyzer appends rows below any header; here each value
-- goes into the column of its name, and new names become new last columns.

local csv = require "lib/results/csv"

local function line_of(cells) return table.concat(cells, ",") end

-- Reorders lines of CSV from the columns `from` to the columns `to`.
local function reordered(lines, from, to)
  local index, result = {}, {}
  for i, name in ipairs(from) do index[name] = i end
  for k, line in ipairs(lines) do
    local cells, row = csv.split(line), {}
    for i, name in ipairs(to) do row[i] = cells[index[name]] or "" end
    result[k] = line_of(row)
  end
  return result
end

return function(path, report)
  local wanted = {}
  for i, name in ipairs(report.columns) do wanted[i] = csv.cell(name) end
  local old = reg.fs.exists(path) and reg.fs.read(path) or ""
  if old == "" then
    local text = table.concat(report.lines, "\n") .. (#report.lines > 0 and "\n" or "")
    reg.fs.write(path, line_of(wanted) .. "\n" .. text)
    return {}
  end

  local header = csv.split((old:match "^[^\r\n]*"))
  local has, columns, added = {}, table.move(header, 1, #header, 1, {}), {}
  for _, name in ipairs(header) do has[name] = true end
  for _, name in ipairs(wanted) do
    if not has[name] then
      columns[#columns + 1] = name
      added[#added + 1] = name
    end
  end
  local lines = line_of(columns) == line_of(wanted) and report.lines or reordered(report.lines, wanted, columns)
  local text = table.concat(lines, "\n") .. (#lines > 0 and "\n" or "")
  if #added == 0 then
    reg.fs.write(path, old .. (old:sub(-1) == "\n" and "" or "\n") .. text)
    return added
  end
  local records = csv.records(old)
  records[1] = line_of(columns)
  for i = 2, #records do records[i] = records[i] .. (","):rep(#columns - #csv.split(records[i])) end
  reg.fs.write(path, table.concat(records, "\n") .. "\n" .. text)
  return added
end
