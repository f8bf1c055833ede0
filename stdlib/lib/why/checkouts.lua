-- The two ends of a search over commits, hours, or the commits of a dependency: each is built again in worktrees of its
-- own, with the command, the image and the patch of the search.

local Repos = require "lib/repos"
local Repositories = require "lib/descend/repositories"
local next_level = require "lib/descend/next_level"
local names = require "lib/report/names"
local placed = require "lib/why/placed"
local read = require "lib/report/read"
local repository = require "lib/options/repository"

local SIDES <const> = { "a", "b" }

-- The pins that led to a stage of descend.lua, the first one first.
local function pins_of(stage, stages)
  local pins, pin = {}, stage.answer.pin
  while type(pin) == "table" and #pins < #stages do
    table.insert(pins, 1, pin)
    local above
    for _, other in ipairs(stages) do
      local own = other.answer.pin
      if type(own) == "table" and own.name == pin.of then above = own end
    end
    pin = above
  end
  return pins
end

-- The repositories of --repo among these commits, which no pin led to, as lib/repos takes them.
local function roots_of(words, commits, pins)
  local pinned, roots = {}, {}
  for _, pin in ipairs(pins) do pinned[pin.name] = true end
  for _, word in ipairs(words) do
    local name, path = repository(word)
    if commits[name] and not pinned[name] then
      roots[#roots + 1] = { name = name, repo = reg.git.open(path), commit = commits[name] }
    end
  end
  return roots
end

-- The worktrees of a dependency and of what holds it, below `folder`.
local function level_of(roots, pins, commits, words, folder)
  local held, repositories, level = roots, Repositories.new(words), nil
  for i, pin in ipairs(pins) do
    for _, one in ipairs(held) do
      if one.name == pin.of then held.last = one end
    end
    if not held.last then return nil end
    level = next_level(held, repositories, pin.name, folder)
    held = level:held_at { commits = commits }
    if i < #pins then level:close() end
  end
  return level
end

-- The worktrees of an end, with its commits checked out.
local function checked_out(stage, stages, commits, side, made)
  local options, pins = stage.options, pins_of(stage, stages)
  local words, folder = read.each(options.repo, read.text), ".regengine/worktrees/why-" .. SIDES[side]
  local roots = roots_of(words, commits, pins)
  if #roots == 0 then return nil end
  roots[1].patch = read.text(options.commit) and read.text(options.patch) or nil
  local repos = #pins > 0 and level_of(roots, pins, commits, words, folder) or #pins == 0 and Repos.new(roots, folder)
  if not repos then return nil end
  made[#made + 1] = repos
  repos:checkout(commits)
  return repos
end

-- A commit of a repository alone.
local function of_commit(stage, commit, side, made)
  local repo = reg.git.open(stage.options.repo)
  local tree = repo:worktree(string.format(".regengine/worktrees/why-%s-%s", repo.id, SIDES[side]))
  made[#made + 1] = tree
  tree:checkout(commit.id, { patch = read.text(stage.options.patch), submodules = Repos.how().submodules })
  return { tree.path }, {}
end

-- What messages and the store call an end.
local function name_of(subject)
  local repo = names.is_commit(subject) and subject.repo
  return (repo and repo .. " " or "") .. names.short(subject)
end

--- Both ends of a stage, as options of a command; nil if it has none. `stages`: those of the same run; `made` gets the
--- worktrees. `allow()` raises unless its commands may run.
return function(stage, stages, made, allow)
  local change, options, both = stage.change, stage.options, {}
  if core.options then core.options.submodules = options.submodules end
  for side, end_name in ipairs { "lo", "hi" } do
    local subject = change and change[end_name]
    if type(subject) ~= "table" or not read.text(options.test) then return nil end
    local folders, places
    if type(subject.commits) == "table" and type(options.repo) == "table" then
      allow()
      local repos = checked_out(stage, stages, subject.commits, side, made)
      if not repos then return nil end
      folders, places = repos:folders(), repos:env()
    elseif names.is_commit(subject) and read.text(options.repo) then
      allow()
      folders, places = of_commit(stage, subject, side, made)
    else
      return nil
    end
    both[side] = placed.built(folders, name_of(subject), placed.settings(stage, stages), places)
  end
  return both
end
