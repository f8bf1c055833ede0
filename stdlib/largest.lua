-- reg.largest: the largest change of a series.

--- The change with the largest ratio; lasting changes come before temporary ones. nil if there is none. Raises nothing.
--- ```lua
--- local series = reg.sweep({ "a", "b" }, { measure = function(name) return #name end })
--- local change = reg.largest(series)
--- ```
---@param series sweep.Series
---@return sweep.Change? change
return function(series)
  local best
  -- From 0, as where a test begins to fail, any change is the largest.
  local function size(change)
    return change.ratio and math.abs(math.log(math.max(math.abs(change.ratio), 1e-300))) or math.huge
  end
  for _, change in ipairs(series.changes) do
    local better = not best or (change.kind == "step" and best.kind == "dip")
      or (change.kind == best.kind and size(change) > size(best))
    if better then best = change end
  end
  return best
end
