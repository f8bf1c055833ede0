-- Writes CSV as Python's csv module does, reads it, and adds rows to a file of it.

local values = require "lib/values"

local csv = {}

--- One cell: empty for nil, null and NaN, quoted where the format needs it.
function csv.cell(value)
  local kind = math.type(value)
  if kind == "integer" then return tostring(value) end
  if kind == "float" then
    if value ~= value then return "" end
    return math.abs(value) == math.huge and tostring(value) or core.python_number(value)
  end
  if value == nil or value == reg.json.null then return "" end
  if type(value) == "boolean" then return value and "True" or "False" end
  local text, formulas = tostring(value):gsub("^[=@]", "'%0")  -- a spreadsheet would run it as a formula
  return (formulas > 0 or text:find '[,"\r\n]') and '"' .. text:gsub('"', '""') .. '"' or text
end

-- Splits at separators outside quotes, and keeps the quotes.
local function pieces(text, separator)
  local list, plain = {}, text:gsub('"[^"]*"?', function(quoted) return ("x"):rep(#quoted) end) .. separator
  for from, stop in plain:gmatch("()[^" .. separator .. "]*()" .. separator) do
    list[#list + 1] = text:sub(from, stop - 1)
  end
  return list
end

--- The records of a text, unparsed: a line break within quotes does not end one.
function csv.records(text)
  local records = pieces(text, "\n")
  if records[#records] == "" then records[#records] = nil end  -- after the final newline
  return records
end

--- The cells of one record, with their quotes.
function csv.split(record) return pieces(record, ",") end

-- A line with the cells of the columns `from` in the columns `to`, empty where it has none.
local function moved(line, from, to)
  local cells, row = {}, {}
  for i, cell in ipairs(csv.split(line)) do cells[from[i] or i] = cell end
  for i, name in ipairs(to) do row[i] = cells[name] or "" end
  return table.concat(row, ",")
end

--- reg.results.append: adds a report to a CSV file. pytorch/xla's analyzer appends rows below any header; here each
--- value goes into the column of its name, and new names become new last columns. Returns the new names.
function csv.append(path, report)
  local old = reg.fs.exists(path) and reg.fs.read(path) or ""
  local wanted = values.map(report.columns, csv.cell)
  local header = old == "" and wanted or csv.split((old:match "^[^\r\n]*"))
  local has = values.set(header)
  local added = values.map(wanted, function(name) return not has[name] and name or nil end)
  local columns = table.move(added, 1, #added, #header + 1, table.move(header, 1, #header, 1, {}))
  local lines = old == "" and { "" } or csv.records(old)
  lines[1] = table.concat(columns, ",")
  for i = 2, #lines do lines[i] = lines[i] .. (","):rep(#added) end
  local same = lines[1] == table.concat(wanted, ",")
  for _, line in ipairs(report.lines) do lines[#lines + 1] = same and line or moved(line, wanted, columns) end
  reg.fs.write(path, table.concat(lines, "\n") .. "\n")
  return added
end

return csv
