-- reg.history(repo, good, bad): the line of commits a bisect walks: the good one first, then first-parent commits up to the
-- bad one, oldest first.

return function(repo, good, bad)
  local first, last = repo:resolve(good), repo:resolve(bad)
  if first.id == last.id then core.fail("usage", "the good and the bad revision are the same commit, " .. first.short) end
  if not repo:is_ancestor(first.id, last.id) then
    local base = repo:merge_base(first.id, last.id)
    local swapped = repo:is_ancestor(last.id, first.id)
    core.fail("usage", string.format("the good revision %s is no ancestor of the bad one %s", good, bad), swapped
      and "the two seem to be swapped; to find a fix, swap them and turn the test's exit code round"
      or base and "take their merge base for the good end: " .. base.short or "the two have no history in common")
  end
  local commits = repo:between(first.id, last.id, { first_parent = true })
  table.insert(commits, 1, first)
  return commits
end
