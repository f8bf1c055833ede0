-- A series, or its findings, as the rows of a table: its subjects with value, status and changes.

local direction = require "lib/direction"
local numbers = require "lib/report/numbers"
local read = require "lib/report/read"

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

--- The rows as lists, and the names of their columns. `lean`: without the columns that are empty in each row.
return function(series, lean)
  local metric = series.metric or "value"
  local names, rows = { "subject", lean and direction.labeled(metric, series.unit) or metric, "status", "change",
    "message" }, {}
  for i, point in ipairs(series.points) do
    if type(point) ~= "table" then core.fail("usage", "report: the points of a series must be tables") end
    local id = tostring(point.id)
    rows[i] = { tostring(point.label or id), point.value, point.status or "ok", beside(series, id),
      point.message or "" }
  end
  local columns, places = {}, {}
  for at, name in ipairs(names) do
    local full = not lean or #rows == 0
    for _, row in ipairs(rows) do full = full or (row[at] ~= nil and row[at] ~= "") end
    if full then columns[#columns + 1], places[#places + 1] = name, at end
  end
  for i, row in ipairs(rows) do
    local picked = {}
    for to, from in ipairs(places) do picked[to] = row[from] end
    rows[i] = picked
  end
  return rows, columns
end
