-- reg.history(repo, good, bad): the commits to bisect: the good one, then the first-parent commits up to the bad one,
-- oldest first. A good one on another branch stands for the merge base. Without a good one: a function that returns
-- those from n commits before the bad one on, for a search that goes back to a good one.

-- The last n + 1 commits up to `last`, oldest first, and whether that begins with the first one there is.
local function line_to(repo, last)
  return function(n)
    local found, commits = repo:log { to = last.id, first_parent = true, limit = n + 1 }, {}
    for i = #found, 1, -1 do commits[#commits + 1] = found[i] end
    return commits, #found <= n or #commits[1].parents == 0
  end
end

return function(repo, good, bad)
  if good == nil then return line_to(repo, repo:resolve(bad)) end
  local first, last, named = repo:resolve(good), repo:resolve(bad), { good = good, bad = bad }
  local of_number = core.options and core.options.metric
  if first.id == last.id then
    core.fail("usage", "the good and the bad revision are the same commit: " .. first.short,
      "Pass an older good revision.")
  end
  if not repo:is_ancestor(first.id, last.id) then
    local base = repo:merge_base(first.id, last.id)
    if not base or base.id == last.id then
      core.fail("usage", string.format("the good revision %s is not an ancestor of the bad revision %s", good, bad),
        base and "Swap the two." .. (of_number and "" or " To find a fix, also invert the exit code of the test.")
          or "The two have no common history.")
    end
    reg.log.info("%s is not an ancestor of %s: the search begins at their merge base %s. If that is bad, too, it was "
      .. "fixed on the way to %s", good, bad, base.short, good)
    first, named.good = base, base.short
  end
  local commits = repo:between(first.id, last.id, { first_parent = true })
  table.insert(commits, 1, first)
  commits.named = named
  return commits
end
