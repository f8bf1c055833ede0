-- Reads data that may be malformed, as a store of somebody else: a value of another type is nil or an empty list.

local values = require "lib/values"

local read = {}

--- The number if it is finite.
function read.number(x) return type(x) == "number" and x == x and math.abs(x) < math.huge and x or nil end

--- The number without its fraction.
function read.integer(x) return read.number(x) and math.tointeger(x // 1) end

--- A string, or a number as one.
function read.text(x) return (type(x) == "string" or type(x) == "number") and tostring(x) or nil end

--- The table, or an empty one.
function read.list(x) return type(x) == "table" and x or {} end

--- What `convert(element, index)` returns for each element; an element for which it returns nil is left out.
function read.each(list, convert) return reg.json.array(values.map(read.list(list), convert)) end

--- A reader of lists, whose elements `reader` reads.
function read.list_of(reader)
  return function(x) return read.each(x, reader) end
end

--- A reader of tables of any names, whose values `reader` reads.
function read.table_of(reader)
  return function(x)
    if type(x) ~= "table" then return nil end
    local found = {}
    for name, value in pairs(x) do
      if type(name) == "string" then found[name] = reader(value) end
    end
    return found
  end
end

--- A reader that gives `value` where `reader` gives nil.
function read.default(reader, value)
  return function(x)
    local found = reader(x)
    return found == nil and value or found
  end
end

--- A reader of tables with fields that `readers` read: { ["effect p"] = read.number }. nil where one of the names in
--- `needed` is missing.
function read.record(readers, needed)
  local by_name, all = {}, values.matches(needed or "", "%S+")
  for names, reader in pairs(readers) do
    for name in names:gmatch "%S+" do by_name[name] = reader end
  end
  return function(x)
    if type(x) ~= "table" then return nil end
    local record = {}
    for name, reader in pairs(by_name) do record[name] = reader(x[name]) end
    return not values.find(all, function(name) return record[name] == nil end) and record or nil
  end
end

--- JSON text as a table; {} if it is not valid JSON or not a table.
function read.json(text)
  local ok, value = pcall(reg.json.decode, text or "")
  return ok and read.list(value) or {}
end

return read
