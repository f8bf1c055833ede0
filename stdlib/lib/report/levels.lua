-- Where the changes of a series lie among its points, and the levels between them. Points are numbered from 1.

local number = require("lib/report/read").number

local levels = {}

--- { from = last point before, to = first point after, change =, recovery = whether a temporary change ends here }, in
--- order. A change that came with a merge lies at the merge, unless the points are those of the merged branch.
function levels.edges(points, changes, on_branch)
  local place_of, edges = {}, {}
  for i, point in ipairs(points) do place_of[tostring(point.id)] = place_of[tostring(point.id)] or i end
  local function add(change, last, first, recovery)
    local to = place_of[tostring(first)]
    local from = to and (place_of[tostring(last)] or to - 1)
    if from and from > 0 and from < to then
      edges[#edges + 1] = { from = from, to = to, change = change, recovery = recovery }
    end
  end
  for _, change in ipairs(changes) do
    local merge = not on_branch and change.merge or nil
    local count = #edges
    add(change, not merge and change.last_good or nil, merge or change.first_bad, false)
    if #edges > count then add(change, change.still_bad, change.recovered_at, true) end
  end
  table.sort(edges, function(a, b) return a.to < b.to end)
  return edges
end

--- { first = point, last = point, value =, low =, high = } of each level, in order; none where nothing changed.
function levels.of(points, changes)
  local edges, found = levels.edges(points, changes), {}
  local function add(change, side, first, last)
    if last < first or not number(change[side]) then return end
    found[#found + 1] = { first = first, last = last, value = change[side], low = number(change[side .. "_low"]),
      high = number(change[side .. "_high"]) }
  end
  for i, edge in ipairs(edges) do
    local previous, before, after = edges[i - 1], "before", "after"
    if edge.recovery then before, after = after, before end
    -- After a temporary change the level is only about what it was before; the next change has an estimate of its own.
    if previous and not previous.recovery then
      add(previous.change, "after", previous.to, edge.from)
    else
      add(edge.change, before, previous and previous.to or 1, edge.from)
    end
    if i == #edges then add(edge.change, after, edge.to, #points) end
  end
  return found
end

return levels
