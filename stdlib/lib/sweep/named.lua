-- The one commit that a search named, as a question for reg.prove: whether it is what the search takes it for.

local direction = require "lib/direction"

-- The change, if it is the only one and one commit is named; else nil and why not.
local function named(series)
  local change = series.changes[1]
  if not change then return nil, "no commit was named" end
  if #series.changes > 1 then
    return nil, #series.changes .. " changes were found; pass one of them to regengine prove --commit"
  end
  if change.open or change.untested > 0 or change.kind ~= "step" then return nil, "no single commit was named" end
  return change
end

--- { commit =, good =, bad =, fix = } for a series of reg.bisect whose line goes from `first` to `last`; nil and why
--- there is nothing to prove. Where the number became better, the commit is taken for a fix.
return function(series, first, last)
  local change, why = named(series)
  if not change then return nil, why end
  local commit = change.hi
  if commit.commits then commit = commit.commits[commit.repo] end  -- a state of reg.repos
  local better = series.passes and "lower" or series.direction or direction.of(series.metric)
  first = first or series.back and series.back.id
  if better and (change.after > change.before) == (better == "higher") then
    return { commit = commit, good = last, bad = first, fix = true }
  end
  return { commit = commit, good = first, bad = last, fix = false }
end
