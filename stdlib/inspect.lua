-- reg.inspect(value): a value as text for people, as the prompt shows it.

local WIDTH, DEPTH, MOST = 100, 4, 100

local function order(a, b)
  local ta, tb = type(a), type(b)
  if ta ~= tb then return ta < tb end
  if ta == "number" or ta == "string" then return a < b end
  return tostring(a) < tostring(b)
end

local function is_name(key) return type(key) == "string" and key:find "^[%a_][%w_]*$" ~= nil end

local function quoted(text) return (string.format("%q", text):gsub("\\\n", "\\n"):gsub("\r", "\\r"):gsub("\0", "\\0")) end

local function has_tostring(value)
  local meta = getmetatable(value)
  return type(meta) == "string" or type(meta) == "table" and meta.__tostring ~= nil
end

local render

-- The elements of a table as text: the list part in order, then the rest sorted by key.
local function elements(t, depth, seen)
  local parts, count = {}, #t
  for i = 1, math.min(count, MOST) do parts[i] = render(t[i], depth + 1, seen) end
  if count > MOST then parts[#parts + 1] = "... " .. count - MOST .. " more" end
  local keys = {}
  for key in next, t do
    if not (math.type(key) == "integer" and key >= 1 and key <= count) then keys[#keys + 1] = key end
  end
  table.sort(keys, order)
  for i = 1, math.min(#keys, MOST) do
    local key = keys[i]
    local name = is_name(key) and key or "[" .. render(key, DEPTH, seen) .. "]"
    parts[#parts + 1] = name .. " = " .. render(t[key], depth + 1, seen)
  end
  if #keys > MOST then parts[#parts + 1] = "... " .. #keys - MOST .. " more" end
  return parts
end

-- One line where it fits, else a line for each element.
local function render_table(t, depth, seen)
  if seen[t] then return "{ a table that holds itself }" end
  if next(t) == nil then return "{}" end
  if depth >= DEPTH then return "{ ... }" end
  seen[t] = true
  local parts = elements(t, depth, seen)
  seen[t] = nil
  local line = "{ " .. table.concat(parts, ", ") .. " }"
  if #line + 2 * depth <= WIDTH and not line:find "\n" then return line end
  local indent = string.rep("  ", depth + 1)
  return "{\n" .. indent .. table.concat(parts, ",\n" .. indent) .. ",\n" .. string.rep("  ", depth) .. "}"
end

function render(value, depth, seen)
  if type(value) == "string" then return quoted(value) end
  if type(value) == "table" and not has_tostring(value) then return render_table(value, depth, seen) end
  return tostring(value)
end

-- Whether every element is a record of plain values, so that a table of rows and columns shows it best.
local function is_list_of_records(t)
  local columns = {}
  for key, row in next, t do
    if math.type(key) ~= "integer" or type(row) ~= "table" or next(row) == nil or has_tostring(row) then return false end
    for name, value in next, row do
      if not is_name(name) or type(value) == "table" or type(value) == "function" then return false end
      columns[name] = true
    end
  end
  local count = 0
  for _ in pairs(columns) do count = count + 1 end
  return #t > 0 and count <= 8
end

return function(value)
  if type(value) == "string" and value:find "\n." then return (value:gsub("\n$", "")) end
  if type(value) == "table" and not has_tostring(value) and is_list_of_records(value) then
    return (reg.report.table(value):gsub("\n$", ""))
  end
  return render(value, 0, {})
end
