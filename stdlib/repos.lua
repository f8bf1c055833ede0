-- reg.repos{ "NAME=PATH", ... }: the repositories of a script's --repo options, each with a worktree of its own that stays at
-- one path, so that incremental builds stay incremental. They lie side by side, so a build finds its neighbours as ../NAME.

local Repos = {}
Repos.__index = Repos

local function split(word)
  local name, path = word:match("^([%w_.-]+)=(.+)$")
  if name then return name, path end
  return word:gsub("/+$", ""):match("([^/]+)$") or "repo", word
end

--- Checks out { name = commit } in every worktree; a repository without an entry stays where it is.
function Repos:checkout(commits)
  for _, name in ipairs(self.names) do
    local commit = commits[name]
    if commit then self.trees[name]:checkout(type(commit) == "table" and commit.id or commit, { submodules = true }) end
  end
end

--- The environment a build or test sees: REPO_<NAME> is the path of each worktree.
function Repos:env()
  local env = {}
  for _, name in ipairs(self.names) do env["REPO_" .. name:upper():gsub("[^%w]", "_")] = self.trees[name].path end
  return env
end

--- The worktrees' paths, the first repository's first.
function Repos:folders()
  local folders = {}
  for i, name in ipairs(self.names) do folders[i] = self.trees[name].path end
  return folders
end

--- One id for a set of commits: a lone repository's commit, else name@commit of each.
function Repos:id(commits)
  if #self.names == 1 then return commits[self.names[1]].id end
  local parts = {}
  for _, name in ipairs(self.names) do parts[#parts + 1] = name .. "@" .. commits[name].id:sub(1, 12) end
  return table.concat(parts, " ")
end

--- The commits of these repositories that an image holds.
function Repos:of_image(image)
  local inside, commits = reg.container.commits(image), {}
  for _, name in ipairs(self.names) do
    local found = inside[name]
    if not found then
      local names = {}
      for other in pairs(inside) do names[#names + 1] = other end
      table.sort(names)
      core.fail("not_found", string.format("%s holds no repository '%s'", image, name), #names > 0
        and "it holds " .. table.concat(names, ", ") .. ": name yours so with --repo NAME=PATH" or "it names none at all")
    end
    commits[name] = self.repos[name]:resolve(found.commit)
  end
  return commits
end

--- The states at each hour between two sets of commits, both sets themselves at the ends: subjects for a sweep.
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

-- The commits of every repository that moved, one line of them: by time, each repository's own order kept even where its
-- dates go back.
local function in_one_line(self, good, bad)
  local lines, line = {}, {}
  for _, name in ipairs(self.names) do
    local moved = good[name].id ~= bad[name].id
    lines[name] = moved and self.repos[name]:between(good[name].id, bad[name].id, { first_parent = true }) or {}
  end
  local at = {}
  while true do
    local earliest
    for _, name in ipairs(self.names) do
      local commit = lines[name][(at[name] or 0) + 1]
      if commit and (not earliest or commit.time < earliest.commit.time) then earliest = { name = name, commit = commit } end
    end
    if not earliest then return line end
    at[earliest.name] = (at[earliest.name] or 0) + 1
    line[#line + 1] = earliest
  end
end

-- A state is shown as the commit that was added last.
local function speak_as(state, commit)
  for field, value in pairs(commit) do state[field] = value end
  state.label = commit.short
  return state
end

--- Every state between two sets of commits, one commit further each, in the order of their times: subjects for a bisect.
--- Each is { id =, commits =, parents =, ... } and speaks as the commit that was added.
function Repos:between(good, bad)
  local now = {}
  for name, commit in pairs(good) do now[name] = commit end
  local start = { id = self:id(now), commits = good, label = self:id(now):sub(1, 40) }
  if #self.names == 1 then speak_as(start, good[self.names[1]]) end
  local states = { start }
  for _, step in ipairs(in_one_line(self, good, bad)) do
    local commits = {}
    for name, commit in pairs(now) do commits[name] = commit end
    commits[step.name] = step.commit
    now = commits
    local state = speak_as({ commits = commits, repo = step.name }, step.commit)
    state.id = self:id(commits)
    states[#states + 1] = state
  end
  return states
end

function Repos:close()
  for _, name in ipairs(self.names) do self.trees[name]:close() end
end
Repos.__close = Repos.close

return function(words, folder)
  if #words == 0 then core.fail("usage", "repos: needs at least one NAME=PATH") end
  local self = setmetatable({ names = {}, repos = {}, trees = {} }, Repos)
  for _, word in ipairs(words) do
    local name, path = split(word)
    if self.repos[name] then core.fail("usage", "repos: two repositories are called '" .. name .. "'", "give each a NAME=PATH") end
    self.names[#self.names + 1] = name
    self.repos[name] = reg.git.open(path)
    self.trees[name] = self.repos[name]:worktree((folder or ".regengine/worktrees") .. "/" .. name)
  end
  return self
end
