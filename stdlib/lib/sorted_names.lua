-- The names in a table, sorted; what has a number has no name.

return function(of)
  local names = {}
  for name in pairs(of) do names[#names + 1] = type(name) == "string" and name or nil end
  table.sort(names)
  return names
end
