-- The series that the script finished and has not answered yet. If it fails, the program answers them.

local map = require("lib/values").map

local due, list = {}, {}

function due.add(series)
  list[#list + 1] = series
  return series
end

function due.drop(series)
  list = map(list, function(one) return one ~= series and one or nil end)
end

function due.take()
  local all = list
  list = {}
  return all
end

return due
