-- reg.repos { "NAME=PATH", ... }: the repositories of a script's --repo options, side by side: a build finds the others
-- at ../NAME.

local Repos = require "lib/repos"
local repository = require "lib/options/repository"

return function(words, folder)
  if #words == 0 then core.fail("usage", "repos: no repository given", "Pass at least one NAME=PATH.") end
  local members, seen = {}, {}
  for i, word in ipairs(words) do
    local name, path = repository(word)
    if seen[name] then
      core.fail("usage", "repos: two repositories have the name '" .. name .. "'", "Pass each as NAME=PATH.")
    end
    seen[name], members[i] = true, { name = name, repo = reg.git.open(path) }
  end
  return Repos.new(members, folder)
end
