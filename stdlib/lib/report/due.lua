-- The series that the script finished and has not answered yet. If it fails, the program answers them.

local only = require("lib/values").only

local due, list = {}, {}

function due.add(series)
  list[#list + 1] = series
  return series
end

function due.drop(series) list = only(list, function(one) return one ~= series end) end

function due.take()
  local all = list
  list = {}
  return all
end

return due
