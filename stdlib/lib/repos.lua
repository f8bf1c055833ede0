-- Several repositories, each with its own worktree, which stays at one path, so that incremental builds stay
-- incremental: the class of reg.repos. They are side by side, or one is inside another, at the path of a submodule.

local values = require "lib/values"

local map, merged, sorted_names = values.map, values.merged, values.sorted_names

--- Several repositories side by side, each with a worktree that stays at one path, so that incremental builds stay
--- incremental.
--- ```lua
--- local repos <close> = reg.repos { "jax=/src/jax", "xla=/src/xla" }
--- repos:check_image "app:2024-03-01"
--- local good, bad = repos:of_image "app:2024-03-01", repos:of_image "app:2024-03-02"
--- local states, hours = repos:between(good, bad), repos:hours(good, bad)
--- repos:checkout(states[1].commits)
--- print(repos:id(states[1].commits), #hours, table.concat(repos:folders(), " "))
--- local runner <close> = reg.runner { folders = repos:folders(), env = repos:env() }
--- repos:close()
--- ```
---@class repos.Repos
---@field names string[] in the order given
---@field repos table<string, git.Repo> by name
---@field trees table<string, git.Worktree> by name
local Repos = {}
Repos.__index = Repos

-- The options of Worktree:checkout for one of the repositories, by those of the script; reg.descend has others.
function Repos.how()
  local chosen = (core.options or {}).submodules
  return { submodules = chosen == nil or chosen }
end

--- Checks out a commit and its submodules in each worktree. A repository without an entry stays as it is. `trial`: the
--- one that it is for (Trial:worktree). Raises as Worktree:checkout does.
---@param commits table<string, string|git.Commit> by name
---@param trial? sweep.Trial
function Repos:checkout(commits, trial)
  for _, name in ipairs(self.names) do
    local commit, tree = commits[name], self.trees[name]
    if trial then tree = trial:worktree(tree) end
    if commit then tree:checkout(type(commit) == "table" and commit.id or commit, self:how(name, commits)) end
  end
end

-- The variable that has the path of a worktree: REPO_<NAME>.
function Repos.variable(name) return "REPO_" .. name:upper():gsub("[^%w]", "_") end

--- The environment of builds and tests: REPO_<NAME>, in capitals, is the path of each worktree. It raises nothing.
---@return table<string, string> env
function Repos:env()
  local env = {}
  for _, name in ipairs(self.names) do env[Repos.variable(name)] = self.trees[name].path end
  return env
end

--- The paths of the worktrees, in the order of the names. It raises nothing.
---@return string[] folders
function Repos:folders() return map(self.names, function(name) return self.trees[name].path end) end

--- One id for a set of commits: the commit of a single repository, else "name@commit" of each, separated by spaces.
---@param commits table<string, git.Commit> one for every name
---@return string id
function Repos:id(commits)
  if #self.names == 1 then return commits[self.names[1]].id end
  return table.concat(map(self.names, function(name) return name .. "@" .. commits[name].id:sub(1, 12) end), " ")
end

-- { name = { commit = } } of all repositories in an image, these among them.
local function inside(self, image)
  local found = reg.container.commits(image)
  for _, name in ipairs(self.names) do
    if not found[name] then
      local names = sorted_names(found)
      core.fail("not_found", string.format("no repository '%s' in the image %s", name, image), #names == 0
        and "The image names no repositories."
        or "Pass --repo NAME=PATH with a name from the image: " .. table.concat(names, ", "))
    end
  end
  return found
end

--- Checks that an image has repositories of these names, before time is spent on it; a dry run does not look. Raises as
--- Repos:of_image does.
---@param image string
function Repos:check_image(image)
  if not core.settings().dry_run then inside(self, image) end
end

--- The commits of these repositories in an image (see reg.container.commits). Raises not_found if the image lacks one,
--- and as reg.container.commits does.
---@param image string
---@return table<string, git.Commit> commits by name
function Repos:of_image(image)
  local found, commits = inside(self, image), {}
  for _, name in ipairs(self.names) do commits[name] = self.repos[name]:resolve(found[name].commit) end
  return commits
end

--- Of the states of Repos:between, the last of each hour (UTC), labeled with the end of the hour. `good` and `bad` are
--- the first and the last. Raises as Repo:between does.
---@param good table<string, git.Commit>
---@param bad table<string, git.Commit>
---@return repos.State[] states
function Repos:hours(good, bad)
  local states = self:between(good, bad)
  local hours, last_hour = { states[1] }, nil
  for i = 2, #states do
    local hour = states[i].time // 3600
    if hour == last_hour then hours[#hours] = states[i] else hours[#hours + 1] = states[i] end
    last_hour = hour
  end
  for i = 2, #hours do hours[i].label = reg.time.format((hours[i].time // 3600 + 1) * 3600) end
  return hours
end

-- The commits of all repositories in one line, by time. Those of one repository keep their order even if their dates go
-- back.
local function in_one_line(self, good, bad)
  local line = {}
  for _, name in ipairs(self.names) do
    local from, to, newest = good[name].id, bad[name].id, -math.huge
    for _, commit in ipairs(from ~= to and self.repos[name]:between(from, to, { first_parent = true }) or {}) do
      newest = math.max(newest, commit.time)
      line[#line + 1] = { name = name, commit = commit, time = newest }
    end
  end
  return values.sort_by(line, function(step) return step.time end)
end

-- The state with these commits, but another one of one repository; it is shown as the commit that it adds.
local function state_of(self, commits, name, commit)
  local now = merged(commits, { [name] = commit })
  return merged(commit, { commits = now, repo = name, label = commit.short, id = self:id(now) })
end

--- Every state from one set of commits to another, each with one commit more, by time: subjects for a bisect. The first
--- is `good` itself. Raises as Repo:between does.
---@param good table<string, git.Commit>
---@param bad table<string, git.Commit>
---@return repos.State[] states
function Repos:between(good, bad)
  local moving = map(self.names, function(name) return good[name].id ~= bad[name].id and name or nil end)
  local start = { id = self:id(good), commits = good, label = self:id(good):sub(1, 40) }
  if #moving == 1 then  -- the commits of one repository, beside others that stay
    start = state_of(self, good, moving[1], good[moving[1]])
    start.repo = #self.names > 1 and moving[1] or nil
  end
  local states = { start }
  for i, step in ipairs(in_one_line(self, good, bad)) do
    states[i + 1] = state_of(self, states[i].commits, step.name, step.commit)
  end
  return states
end

-- The same state with another commit of the repository that it is about; nil if the clone does not have that.
function Repos:with(state, id)
  local commit = self.repos[state.repo]:find(id)
  return commit and state_of(self, state.commits, state.repo, commit)
end

-- The states of the commits that a merge brought in, along all parents, oldest first and the merge last. The other
-- repositories stay as they are in the state of the merge.
function Repos:branch(merge)
  local name = merge.repo
  return map(self.repos[name]:between(merge.parents[1], merge.commits[name].id), function(commit)
    return state_of(self, merge.commits, name, commit)
  end)
end

-- The files that the commit which a state adds changed, as Repo:files gives them.
function Repos:files(state) return self.repos[state.repo]:files(state.commits[state.repo].id) end

--- Closes the worktrees; their folders stay. A second close does nothing.
function Repos:close()
  for _, name in ipairs(self.names) do self.trees[name]:close() end
end
Repos.__close = Repos.close

-- Other repositories, or the same ones by other names or in other places, have other worktrees.
local function folder_of(members)
  local ids = map(members, function(one)
    return one.name .. "=" .. one.repo.id .. (one.inside and " in " .. one.inside.name .. "/" .. one.inside.path or "")
  end)
  return ".regengine/worktrees/" .. core.sha256(table.concat(values.sorted(ids), " ")):sub(1, 8)
end

-- The repositories { name =, repo =, inside = }, each with a worktree FOLDER/NAME. `inside`, { name =, path = }, is a
-- submodule of an earlier one: the worktree is there, and before(name) is called with that one's name.
function Repos.new(members, folder) return Repos.fill(setmetatable({}, Repos), members, folder) end

function Repos:fill(members, folder, before)
  self.names, self.repos, self.trees = {}, {}, {}
  folder = folder or folder_of(members)
  for i, one in ipairs(members) do
    local path = folder .. "/" .. one.name
    self.names[i], self.repos[one.name] = one.name, one.repo
    if one.inside then
      before(one.inside.name)
      path = self.trees[one.inside.name].path .. "/" .. one.inside.path
    end
    self.trees[one.name] = one.repo:worktree(path)
  end
  return self
end

return Repos
