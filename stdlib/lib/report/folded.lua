-- A long list with its middle left out: its last element is always shown, as the first tested bad one is of candidates.

--- Calls one(element) for each element that is shown, and rest(n) where n of them are left out. `most`: lines.
return function(list, most, one, rest)
  local shown = #list <= most and #list or most - 2
  for i = 1, shown do one(list[i]) end
  if shown == #list then return end
  rest(#list - shown - 1)
  one(list[#list])
end
