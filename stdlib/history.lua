-- reg.history: the commits to bisect.

-- The last n + 1 commits up to `last`, oldest first, and whether that begins with the first one there is.
local function line_to(repo, last)
  return function(n)
    local found, commits = repo:log { to = last.id, first_parent = true, limit = n + 1 }, {}
    for i = #found, 1, -1 do commits[#commits + 1] = found[i] end
    return commits, #found <= n or #commits[1].parents == 0
  end
end

--- The commits for a bisect: the good one, then the first-parent line up to the bad one, oldest first. If the good one
--- is nil: a function of n that returns the last n + 1 commits of the line, with which reg.bisect goes back to a good
--- one. A good one that is not an ancestor of the bad one stands for their merge base, and a line in the log says so.
--- To find a "fix", the bad one is the older. Raises usage if the newer one is an ancestor of the older one, if the two
--- are the same or have no common history, not_found for a revision that does not exist.
--- ```lua
--- local commits = reg.history(reg.git.open ".", "v1.0", "main")
--- ```
---@param repo git.Repo
---@param good? string|git.Commit
---@param bad string|git.Commit
---@param find? "regression"|"fix"
---@return git.Commit[]|fun(n: integer): git.Commit[], boolean commits
return function(repo, good, bad, find)
  if good == nil then return line_to(repo, repo:resolve(bad)) end
  local older, newer = "good", "bad"
  if find == "fix" then older, newer, good, bad = newer, older, bad, good end
  local first, last, named = repo:resolve(good), repo:resolve(bad), { good = good, bad = bad }
  local of_number = core.options and core.options.metric
  if first.id == last.id then
    core.fail("usage", "the good and the bad revision are the same commit: " .. first.short,
      "Pass an older " .. older .. " revision.")
  end
  if not repo:is_ancestor(first.id, last.id) then
    local base = repo:merge_base(first.id, last.id)
    if not base or base.id == last.id then
      core.fail("usage", string.format("the %s revision %s is not an ancestor of the %s revision %s", older, good,
        newer, bad), not base and "The two have no common history."
          or find == "fix" and "A fix is searched from the bad revision to a later good one. Swap the two."
          or "Swap the two." .. (of_number and "" or " To find a fix, pass --find fix."))
    end
    reg.log.info("%s is not an ancestor of %s: the search begins at their merge base %s%s", good, bad, base.short,
      find ~= "fix" and ". If that is bad, too, it was fixed on the way to " .. good or "")
    first, named.good = base, base.short
  end
  local commits = repo:between(first.id, last.id, { first_parent = true })
  table.insert(commits, 1, first)
  commits.named = named
  return commits
end
