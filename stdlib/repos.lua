-- reg.repos: the repositories of a script's --repo options, side by side: a build finds the others at ../NAME.

local Repos = require "lib/repos"
local values = require "lib/options/values"

--- The state of several repositories: a subject for a sweep. Repos:between and Repos:hours return them. It also has the
--- fields of the commit that it adds to the state before it.
---@class repos.State: git.Commit
---@field id string one id for all commits
---@field label string short id of the commit; of Repos:hours the end of the hour
---@field commits table<string, git.Commit> by repository
---@field repo? string the repository of the commit that it adds

--- Opens the repositories of a script's --repo options and makes a worktree for each, FOLDER/NAME. Without a name it is
--- the last part of the path. Close it, or declare it `<close>`. Raises usage for no repository or two with the same
--- name, and as reg.git.open and Repo:worktree do.
--- ```lua
--- local repos <close> = reg.repos { "jax=/src/jax", "xla=/src/xla" }
--- ```
---@param words string[] "NAME=PATH" or "PATH"
---@param folder? string when absent, a folder below .regengine/worktrees for this set of repositories
---@return repos.Repos repos
return function(words, folder)
  if #words == 0 then core.fail("usage", "repos: no repository given", "Pass at least one NAME=PATH.") end
  local members, seen = {}, {}
  for i, word in ipairs(words) do
    local name, path = values.repository(word)
    if seen[name] then
      core.fail("usage", "repos: two repositories have the name '" .. name .. "'", "Pass each as NAME=PATH.")
    end
    seen[name], members[i] = true, { name = name, repo = reg.git.open(path) }
  end
  return Repos.new(members, folder)
end
