-- The median of a list of numbers, which stays as it is.

return function(list)
  local sorted = table.move(list, 1, #list, 1, {})
  table.sort(sorted)
  return (sorted[(#sorted + 1) // 2] + sorted[#sorted // 2 + 1]) / 2
end
