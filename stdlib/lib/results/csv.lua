-- Writes CSV as Python's csv module does, and reads it.

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

return csv
