-- Rows, or a series, as a table for the terminal, and as CSV. A row is a record or a list.

local direction = require "lib/direction"
local numbers = require "lib/report/numbers"
local read = require "lib/report/read"
local values = require "lib/values"

local find, map, sorted_names, sum = values.find, values.map, values.sorted_names, values.sum

local native = core.nouns.report
local fit, width_of = native.fit, native.columns

local GAP = "  "
local NARROWEST = 6  -- a column of text is not made narrower than this
local DIGITS, MOST_DECIMALS = 5, 9

-- A list in a cell is shown by its elements, any other table by tostring.
local function shown(value)
  if value == nil or type(value) == "number" then return value end
  local meta = getmetatable(value)
  local is_told = type(meta) == "table" and rawget(meta, "__tostring")
  if type(value) ~= "table" or rawlen(value) == 0 or is_told then return tostring(value) end
  return table.concat(map(value, tostring), ", ")
end

-- What stands beside the first subject after a change, and where a temporary one ends: "change -7.0 %", "recovered".
local function beside(series, id)
  local list = {}
  for _, change in ipairs(series.changes or {}) do
    if change.first_bad ~= nil and tostring(change.first_bad) == id then
      local effect = numbers.effect(change, series)
      local among = (read.integer(change.untested) or 0) + 1
      list[#list + 1] = (change.kind == "dip" and "temporary change" or "change") .. (effect and " " .. effect or "")
        .. (among > 1 and " at one of these " .. among or "")
    end
    if change.recovered_at ~= nil and tostring(change.recovered_at) == id then list[#list + 1] = "recovered" end
  end
  return table.concat(list, ", ")
end

-- The rows of a series, and the names of their columns. `lean`: without the columns that are empty in each row.
local function rows_of(series, lean)
  local metric = lean and direction.labeled(series.metric or "value", series.unit) or series.metric or "value"
  local columns = { "subject", metric, "status", "change", "message" }
  local rows = map(series.points, function(point)
    if type(point) ~= "table" then core.fail("usage", "report: the points of a series must be tables") end
    local id = tostring(point.id)
    return { subject = tostring(point.label or id), status = point.status or "ok", change = beside(series, id),
      message = point.message or "", [metric] = point.value }
  end)
  if not lean or #rows == 0 then return rows, columns end
  return rows, values.only(columns, function(name)
    return find(rows, function(row) return row[name] ~= nil and row[name] ~= "" end)
  end)
end

-- The columns: `columns`, or every name that any record has, sorted; for rows that are lists, as many numbers as the
-- longest has; of a series its own. And the rows as lists of numbers, strings and nil.
local function cells_of(who, rows, columns, lean)
  local function usage(...) core.fail("usage", who .. ": " .. string.format(...)) end
  if type(rows) ~= "table" then usage("the list of rows or series must be a table, not a %s", type(rows)) end
  if type(rows.points) == "table" then
    if columns then rows = rows.points else rows, columns = rows_of(rows, lean) end
  end
  local fits = columns == nil or type(columns) == "table"
  if not fits or find(columns or {}, function(name) return type(name) ~= "string" end) then
    usage "'columns' must be a list of strings"
  end
  columns = columns and #columns > 0 and columns or nil
  local all, longest, cells = {}, 0, {}
  for i, row in ipairs(rows) do
    if type(row) ~= "table" then usage("row %d must be a table, not a %s", i, type(row)) end
    for name in pairs(columns and {} or row) do all[name] = true end
    longest = math.max(longest, #row)
  end
  local names = columns or sorted_names(all)
  for i = 1, #names == 0 and longest or 0 do names[i] = tostring(i) end
  for i, row in ipairs(rows) do
    cells[i] = {}
    for at, name in ipairs(names) do cells[i][at] = shown(row[#row > 0 and at or name]) end
  end
  return names, cells
end

local function needs_exponent(x)
  local size = math.abs(x)
  return size < math.huge and size ~= 0 and (size >= 1e15 or size < 1e-6)
end

-- The decimals that show a number with up to five significant digits and no zeros at its end.
local function decimals_of(x)
  if x ~= x or x == 0 or math.abs(x) == math.huge or needs_exponent(x) then return 0 end
  local decimals = DIGITS - math.floor(math.log(math.abs(x), 10)) - 1
  local text = string.format("%." .. math.max(0, math.min(MOST_DECIMALS, decimals)) .. "f", x)
  return #(text:match "%.(%d-)0*$" or "")
end

local function text_of(cell, decimals)
  if type(cell) ~= "number" then return cell and fit(cell, 0) or "" end
  if math.type(cell) == "integer" and decimals == 0 then return tostring(cell) end
  return needs_exponent(cell) and string.format("%." .. DIGITS .. "g", cell)
    or string.format("%." .. decimals .. "f", cell)
end

-- How a column looks: numbers are right-aligned, with as many decimals as any of them needs.
local function layout_of(title, cells, at)
  local has_number, has_text, decimals, texts = false, false, 0, {}
  for _, row in ipairs(cells) do
    has_number, has_text = has_number or type(row[at]) == "number", has_text or type(row[at]) == "string"
    if math.type(row[at]) == "float" then decimals = math.max(decimals, decimals_of(row[at])) end
  end
  local width = width_of(title)
  for i, row in ipairs(cells) do
    texts[i] = text_of(row[at], decimals)
    width = math.max(width, width_of(texts[i]))
  end
  return { title = title, texts = texts, width = width, is_right = has_number and not has_text }
end

local function width_of_all(layouts)
  return #GAP * (#layouts - 1) + sum(layouts, function(layout) return layout.width end)
end

-- Narrows the widest column of text, one character at a time, until the table fits or none can be narrowed.
local function squeeze(layouts, available)
  local total = width_of_all(layouts)
  while total > available do
    local widest
    for _, layout in ipairs(layouts) do
      local is_narrowable = not layout.is_right and layout.width > NARROWEST
      if is_narrowable and (not widest or layout.width > widest.width) then widest = layout end
    end
    if not widest then return end
    widest.width, total = widest.width - 1, total - 1
  end
end

local function line_of(layouts, text_in)
  local parts = map(layouts, function(layout)
    local text, is_cell = text_in(layout)
    text = layout.is_right and is_cell and text or fit(text, layout.width)
    local blanks = (" "):rep(layout.width - width_of(text))
    return layout.is_right and blanks .. text or text .. blanks
  end)
  return (table.concat(parts, GAP):match "^.*[^ ]" or "") .. "\n"
end

local tables = {}

--- The rows as lines of text, each cell on one line with control characters escaped. Where they are wider than `width`,
--- 0 for no limit, columns after `least` are left out, and then the widest text is cut, never a number. `who`: in
--- messages.
function tables.text(who, rows, columns, width, least)
  local names, cells = cells_of(who, rows, columns, true)
  local layouts = map(names, function(name, i) return layout_of(fit(name, 0), cells, i) end)
  local _, _, is_utf8 = native.room()
  while least and #layouts > 1 and width > 0 and width_of_all(layouts) > width and layouts[#layouts].title ~= least do
    table.remove(layouts)
  end
  if width > 0 then squeeze(layouts, width) end
  local rule = is_utf8 and "\u{2500}" or "-"
  return line_of(layouts, function(layout) return layout.title end)
    .. line_of(layouts, function(layout) return rule:rep(layout.width) end)
    .. table.concat(map(cells, function(_, i)
      return line_of(layouts, function(layout) return layout.texts[i], true end)
    end))
end

--- The rows as RFC 4180 has them: commas, CRLF, quotes only where needed.
function tables.csv(who, rows, columns)
  local names, cells = cells_of(who, rows, columns)
  local cell = require("lib/results/csv").cell
  return table.concat(map(values.flat { { names }, cells }, function(row)
    return table.concat(map(names, function(_, at)
      local value, text = row[at], cell(row[at])
      return value ~= value and "nan" or math.type(value) == "float" and text:gsub("%.0$", "") or text
    end), ",") .. "\r\n"
  end))
end

return tables
