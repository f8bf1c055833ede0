-- reg.inspect: a value as readable text.

local lists = require "lib/values"
local strategies = require "lib/strategies"
local wrapped = core.nouns.report.wrap

local WIDTH, DEPTH, MAX_ELEMENTS = 100, 4, 100
local MAX_BYTES, MAX_LINES, MAX_ROWS, MAX_COLUMN_WIDTH = 2000, 100, 50, 24
-- The first columns.
local FIRST = { "id", "name", "date", "subject", "label", "kind", "status", "value" }

local function is_name(key) return type(key) == "string" and key:find "^[%a_][%w_]*$" ~= nil end

local function quoted(text)
  local cut = #text > MAX_BYTES and text:sub(1, MAX_BYTES // 10) or text
  local shown = string.format("%q", cut):gsub("\\\n", "\\n"):gsub("\r", "\\r"):gsub("\0", "\\0")
  return #cut < #text and shown .. "... (" .. #text .. " bytes; use print for all)" or shown
end

local function has_tostring(value)
  local meta = getmetatable(value)
  return type(meta) == "string" or type(meta) == "table" and meta.__tostring ~= nil
end

local render

-- The elements of a table as text: the list part, then the rest sorted by key.
local function elements(t, depth, seen)
  local parts, count = {}, #t
  for i = 1, math.min(count, MAX_ELEMENTS) do parts[i] = render(t[i], depth + 1, seen) end
  if count > MAX_ELEMENTS then parts[#parts + 1] = "... " .. count - MAX_ELEMENTS .. " more" end
  local keys = {}
  for key in next, t do
    if not (math.type(key) == "integer" and key >= 1 and key <= count) then keys[#keys + 1] = key end
  end
  lists.sort_by(keys, function(key) return type(key), type(key) == "number" and key or tostring(key) end)
  for i = 1, math.min(#keys, MAX_ELEMENTS) do
    local key = keys[i]
    local name = is_name(key) and key or "[" .. render(key, DEPTH, seen) .. "]"
    parts[#parts + 1] = name .. " = " .. render(t[key], depth + 1, seen)
  end
  if #keys > MAX_ELEMENTS then parts[#parts + 1] = "... " .. #keys - MAX_ELEMENTS .. " more" end
  return parts
end

-- One line if it fits, else one line for each element.
local function render_table(t, depth, seen)
  if seen[t] then return "{ (cycle) }" end
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

local function render_object(object, depth, seen)
  local class = require "lib/help/stubs".all().classes[getmetatable(object)]
  if not class then return tostring(object) end
  local parts = lists.map(class.fields, function(field)
    local ok, value = pcall(function() return object[field.name] end)
    return ok and value ~= nil and field.name .. " = " .. render(value, depth + 1, seen) or nil
  end)
  return class.name .. (#parts > 0 and " { " .. table.concat(parts, ", ") .. " }" or "")
end

function render(value, depth, seen)
  if value == reg.json.null then return "null" end
  if type(value) == "string" then return quoted(value) end
  if type(value) == "table" and not has_tostring(value) then return render_table(value, depth, seen) end
  if type(value) == "userdata" then return render_object(value, depth, seen) end
  return tostring(value)
end

-- { [field] = whether it is plain in all rows } of a list of records that share most fields, which a table shows best;
-- nil for any other table.
local function fields_of_records(t)
  local count, plain, rows = {}, {}, #t
  for key, row in next, t do
    if math.type(key) ~= "integer" or type(row) ~= "table" or next(row) == nil or has_tostring(row) then return nil end
    for name, value in next, row do
      if not is_name(name) then return nil end
      count[name] = (count[name] or 0) + 1
      plain[name] = plain[name] ~= false and type(value) ~= "table" and type(value) ~= "function"
    end
  end
  local common, all = 0, 0
  for _, n in pairs(count) do common, all = common + (2 * n >= rows and 1 or 0), all + 1 end
  return rows > 0 and 2 * common >= all and plain or nil
end

-- The first rows as a table, and what is not shown.
local function table_text(records, columns, left_out)
  local rows = table.move(records, 1, math.min(#records, MAX_ROWS), 1, {})
  local text = reg.report.table(rows, { columns = columns }):gsub("\n$", "")
  if #records > MAX_ROWS then text = text .. "\n... " .. #records - MAX_ROWS .. " more" end
  table.sort(left_out)
  if #left_out > 0 then text = text .. "\nColumns not shown: " .. table.concat(left_out, ", ") end
  return text
end

-- Adds a column for each metric of trials. Returns the rows and the metrics.
local function with_samples(records)
  local metrics = {}
  if lists.find(records, function(record) return type(record.samples) ~= "table" end) then return records, metrics end
  return lists.map(records, function(record)
    local row = lists.merged(record)
    for metric, values in pairs(record.samples) do
      local first = table.concat(values, ", ", 1, math.min(#values, 4))
      metrics[metric], row[metric] = true, #values == 1 and values[1] or #values > 4 and first .. ", ..." or first
    end
    return row
  end), metrics
end

-- Commits, as `git log --oneline` shows them: with short ids.
local function shown_as_commits(commits)
  local rows = lists.map(commits, function(one)
    return one.short and one.date and one.author and one.subject and one.parents and { id = one.short,
      date = one.date:sub(1, 10) .. " " .. one.date:sub(12, 16), author = one.author, subject = one.subject } or nil
  end)
  return #rows == #commits and table_text(rows, { "id", "date", "author", "subject" }, {}) or nil
end

local function shown_as_table(all, plain)
  local records, metrics = with_samples(all)
  for metric in pairs(metrics) do plain[metric], plain.samples = true, nil end
  local columns, left_out = {}, {}
  for name, is in pairs(plain) do
    local said = lists.find(records, function(record) return record[name] ~= nil and record[name] ~= "" end)
    if said then table.insert(is and columns or left_out, name) end
  end
  if #columns == 0 then return nil end
  lists.sort_by(columns, function(name)
    local _, at = lists.find(FIRST, function(first) return first == name end)
    return at or metrics[name] and #FIRST + 1 or name == "message" and #FIRST + 2 or math.huge, name
  end)
  local fit, taken, available = {}, 0, core.nouns.report.room()
  if available <= 0 then available = WIDTH end  -- without a terminal
  for _, name in ipairs(columns) do
    local widest = #name
    for i = 1, math.min(#records, MAX_ROWS) do widest = math.max(widest, #tostring(records[i][name])) end
    taken = taken + math.min(widest, MAX_COLUMN_WIDTH) + 2
    table.insert(taken <= available and fit or left_out, name)
  end
  return table_text(records, fit, left_out)
end

-- A string of several lines, cut if it is long.
local function shown_as_text(text)
  local first = text:match("^" .. ("[^\n]*\n"):rep(MAX_LINES)) or text
  local rest = text:sub(#first + 1)
  if rest == "" then return (text:gsub("\n$", "")) end
  local count = select(2, rest:gsub("\n", "")) + (rest:find "\n$" and 0 or 1)
  return first .. "... " .. count .. " more lines; use print for all"
end

local function is_noun(value)
  for _, member in pairs(type(value) == "table" and reg or {}) do
    if rawequal(member, value) then return true end
  end
end

local function shown(value)
  if type(value) == "string" and value:find "\n." then return shown_as_text(value) end
  if type(value) == "table" and not has_tostring(value) then
    local plain = fields_of_records(value)
    local text = plain and (shown_as_commits(value) or shown_as_table(value, plain))
    if text then return text end
    if type(value.points) == "table" and #value.points > 0 then return (reg.report.table(value):gsub("\n$", "")) end
  end
  if strategies.name_of(value) then return wrapped(tostring(value)) end
  if type(value) ~= "function" and value ~= reg and not is_noun(value) then return render(value, 0, {}) end
  -- By help: a noun with all its functions, a function by its signature.
  local documented, text = pcall(reg.help.text, value)
  if not documented then return tostring(value) end
  return type(value) == "function" and text:match "^[^\n]*" .. "   (see help)" or wrapped(text)
end

--- Values as readable text, as the prompt shows them: tables in Lua syntax with sorted keys, four levels deep; a list
--- of records as a table, commits with short ids; a string of several lines unquoted. Long values are cut and marked.
--- Several values start on a new line each. Raises nothing.
--- ```lua
--- print(reg.inspect { b = { 1, 2 }, a = "x" })   -- { a = "x", b = { 1, 2 } }
--- ```
---@param ... any
---@return string text
return function(...)
  local texts = {}
  for i = 1, select("#", ...) do texts[i] = shown((select(i, ...))) end
  return table.concat(texts, "\n")
end
