-- The series that the script finished and has not answered yet. If it fails, the program answers them.

local due, list = {}, {}

function due.add(series)
  list[#list + 1] = series
  return series
end

function due.drop(series)
  for i = #list, 1, -1 do
    if list[i] == series then table.remove(list, i) end
  end
end

function due.take()
  local all = list
  list = {}
  return all
end

return due
