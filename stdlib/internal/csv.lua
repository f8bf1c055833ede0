-- CSV as Python's writer makes it, and the reading of it.

local decimals = require "internal/decimals"

local csv = {}

--- What is missing, null or not a number is an empty cell; a text that would break the line is put into quotes.
function csv.cell(value)
  local kind = math.type(value)
  if kind == "integer" then return tostring(value) end
  if kind == "float" then return value ~= value and "" or decimals.repr(value) end
  if value == nil or value == reg.json.null then return "" end
  if type(value) == "boolean" then return value and "True" or "False" end
  local text = tostring(value)
  return text:find '[,"\r\n]' and '"' .. text:gsub('"', '""') .. '"' or text
end

--- The records of a text, each as it stands: a line break within quotes does not end one.
function csv.records(text)
  local records, from, open = {}, 1, false
  for at, char in text:gmatch '()(["\n])' do
    if char == '"' then
      open = not open
    elseif not open then
      records[#records + 1] = text:sub(from, at - 1)
      from = at + 1
    end
  end
  if from <= #text then records[#records + 1] = text:sub(from) end
  return records
end

--- The cells of one record, still in their quotes.
function csv.split(record)
  local cells, from, open = {}, 1, false
  for at, char in record:gmatch '()([",])' do
    if char == '"' then
      open = not open
    elseif not open then
      cells[#cells + 1] = record:sub(from, at - 1)
      from = at + 1
    end
  end
  cells[#cells + 1] = record:sub(from)
  return cells
end

return csv
