---@meta

--- One step from a commit down into a dependency that it bumps: the commits of the dependency, and the repositories
--- that are held. It is a repos.Repos, and what a reg.bisect takes as `repo`; worktrees() gives paths where one
--- repository is inside another. reg.descend passes it to `search` and closes it afterwards.
---@class descend.Level: repos.Repos
---@field name string the dependency
---@field title string the same, for reg.bisect
---@field depth integer 1 for the first level
---@field states repos.State[] for reg.bisect: from the old value of the pin, or its merge base with the new one
---@field pin descend.Pin what was bumped
local Level = {}

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
function reg.descend(options) end
