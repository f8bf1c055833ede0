-- reg.largest(series): the largest change of a series, a lasting one before a temporary one; nil if there is none.

return function(series)
  local best
  local function size(change) return math.abs(math.log(math.max(math.abs(change.ratio or 1), 1e-300))) end
  for _, change in ipairs(series.changes) do
    local better = not best or (change.kind == "step" and best.kind == "dip")
      or (change.kind == best.kind and size(change) > size(best))
    if better then best = change end
  end
  return best
end
