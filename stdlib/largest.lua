-- reg.largest(series): the largest change of a series, a lasting one before a temporary one; nil if there is none.

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
