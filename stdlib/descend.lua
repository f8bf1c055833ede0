-- reg.descend: from a commit that bumps a dependency to the commit of the dependency.

local Level = require "lib/descend/level"
local Repositories = require "lib/descend/repositories"
local caught = require("lib/values").caught
local values = require "lib/options/values"

-- What the lookup of a pin or a repository raises where the user gave the wrong one, or none.
local EXPECTED = "usage not_found conflict io network"

-- Level.next, where an answer is there already: what is in the way is said, and ends the descent.
local function try_level(...)
  local level, why = caught(EXPECTED, Level.next, ...)
  if why then reg.log.warn("%s%s", why.message, why.hint and ". " .. why.hint or "") end
  return level
end

-- The subject that a series names; nil where it names none.
local function culprit(series)
  local change = not series.dry and series.verdict == "changes" and reg.largest(series)
  if not change or change.open or change.untested > 0 or change.kind ~= "step" then return nil end
  return change.hi
end

-- What is held at first, a list with the one to go down from as `last`: the superproject at the commit, or the
-- repositories as they are at the subject of a series; nil where it names none.
local function start_of(o)
  local subject, held = o.after and culprit(o.after), {}
  if subject then
    for i, name in ipairs(o.of.names) do
      held[i] = { name = name, repo = o.of.repos[name], commit = subject.commits[name] }
      if name == subject.repo then held.last = held[i] end
    end
    return held
  end
  if o.after then return nil end
  local name, path = values.repository(o.repos[1])
  local repo = reg.git.open(path)
  held[1] = { name = name, repo = repo, commit = repo:resolve(o.commit), patch = o.patch }
  held.last = held[1]
  return held
end

---@class descend.Pin
---@field of string name of the repository above
---@field commit string id of its commit that bumps the dependency
---@field name string the dependency
---@field old string the id of a commit, or a version, of which a tag tells the commit
---@field new string
---@field path string the submodule, or the file
---@field line? integer in the file
---@field base? string merge base of the two, where the old one is not an ancestor of the new one
---@field advice? string what the build must do to use the worktree of the dependency, where the pin does not say it

---@class descend.Options
---@field search fun(level: descend.Level): sweep.Series searches the states of a level, as by reg.bisect
---@field repos string[] "NAME=PATH" or "NAME=URL"; with `commit` the first one is the superproject
---@field commit? string revision of the superproject that bumps a dependency
---@field pin? string which dependency, if the commit bumps several
---@field patch? string file with a unified diff to apply to the superproject
---@field after? sweep.Series instead of `commit`: the series of a reg.bisect whose culprit bumps a dependency
---@field of? repos.Repos with `after`: its repositories

--- From a commit that bumps a submodule, a pinned commit or a version to the commit of the dependency: calls `search`
--- for the commits that it went over, and again for what the commit that was found bumps, level by level.
--- level:checkout checks out the rest as it is at the commit; a submodule is a worktree in its place, and in a file
--- the id of the pin is that of the commit to test. Returns the series of the levels, which reg.stage has printed.
--- Repositories given are remembered in .regengine/repositories.json; a URL is cloned below .regengine/repos. Raises
--- usage if the commit bumps nothing, or several dependencies whose repositories are known, or one whose repository is
--- not, and not_found if that lacks a commit or tag. Below the first level, and with `after`, a warning says so and
--- ends the descent. Times and numbers are those of reg.sweep.
--- ```lua
--- local levels = reg.descend { repos = { "jax=/src/jax", "xla=/src/xla" }, commit = "main", search = function(level)
---   return reg.bisect(level.states, { title = level.title, repo = level, passes = function(state, trial)
---     level:checkout(state.commits, trial)
---     return trial:passes { cmd = { "./test" }, cwd = level:folders()[1], env = level:env() }
---   end })
--- end }
--- return reg.answer(table.unpack(levels))
--- ```
---@param options descend.Options
---@return sweep.Series[] levels
return function(o)
  if type(o) ~= "table" or type(o.search) ~= "function" or not o.repos or not (o.commit or o.after and o.of) then
    core.fail("usage", "descend: takes { repos =, commit =, search = function(level) ... end }")
  end
  core.check_keys("descend", o, { "repos", "commit", "pin", "patch", "search", "after", "of" })
  local held, levels = start_of(o), {}
  local repositories = held and Repositories.new(table.move(o.repos, o.after and 1 or 2, #o.repos, 1, {}))
  while held do
    local has_answer = o.after ~= nil or #levels > 0
    local level <close> = (has_answer and try_level or Level.next)(held, repositories, #levels == 0 and o.pin or nil)
    if not level then break end
    level:announce()
    level.depth = #levels + 1
    local series = o.search(level)
    series.pin = level.pin
    levels[#levels + 1] = reg.stage(series)
    local subject = culprit(series)
    held = subject and level:held_at(subject)
  end
  return levels
end
