-- CSV as Python's writer makes it, and the reading of it.

local decimals = require "lib/results/decimals"

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

-- What stands between the separators that are not within quotes, as it stands there.
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

--- The records of a text, each as it stands: a line break within quotes does not end one.
function csv.records(text)
  local records = pieces(text, "\n")
  if records[#records] == "" then records[#records] = nil end  -- behind the last line's end
  return records
end

--- The cells of one record, still in their quotes.
function csv.split(record) return pieces(record, ",") end

return csv
