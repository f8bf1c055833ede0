-- A new table with the fields of several tables, each of which may be nil. Of fields with the same name the last
-- counts.

return function(...)
  local all = {}
  for i = 1, select("#", ...) do
    for name, value in pairs((select(i, ...)) or {}) do all[name] = value end
  end
  return all
end
