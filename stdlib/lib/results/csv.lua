-- Writes CSV as Python's csv module does, reads it, and adds rows to a file of it.

local decimals = require "lib/results/decimals"

local csv = {}

--- One cell: empty for nil, null and NaN, quoted where the format needs it.
function csv.cell(value)
  local kind = math.type(value)
  if kind == "integer" then return tostring(value) end
  if kind == "float" then return value ~= value and "" or decimals.repr(value) end
  if value == nil or value == reg.json.null then return "" end
  if type(value) == "boolean" then return value and "True" or "False" end
  local text = tostring(value):gsub("^[=@]", "'%0")  -- a spreadsheet would run it as a formula
  return text:find '[,"\r\n]' and '"' .. text:gsub('"', '""') .. '"' or text
end

-- Splits at separators outside quotes, and keeps the quotes.
local function pieces(text, separator)
  local list, from, open = {}, 1, false
  for at, char in text:gmatch('()(["' .. separator .. '])') do
    if char == '"' then
      open = not open
    elseif not open then
      list[#list + 1] = text:sub(from, at - 1)
      from = at + 1
    end
  end
  list[#list + 1] = text:sub(from)
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

--- reg.results.append: adds a report to a CSV file. pytorch/xla's analyzer appends rows below any header; here each
--- value goes into the column of its name, and new names become new last columns. Returns the new names.
function csv.append(path, report)
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

return csv
