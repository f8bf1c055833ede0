-- reg.git: C++ reads repositories and switches worktrees; this finds the states of several at the same instants.

local values = require "lib/values"

local git = values.merged(core.nouns.git)

local function usage(message) core.fail("usage", "git.timeline: " .. message) end

local function line_of(name, repo, branch, instants)
  local ok, ids = pcall(core.first_parent_at, repo, branch or repo:default_branch(), instants)
  if ok then return ids end
  if type(ids) ~= "table" then error(ids, 0) end
  core.fail(ids.kind, name .. ": " .. ids.message, ids.hint)
end

---@class git.TimelineOptions
---@field repos table<string, git.Repo> by names of your choice
---@field branch? string a ref; default repo:default_branch()
---@field from string|integer first instant: UTC string such as "2023-08-24T13:00", or Unix seconds
---@field to string|integer last instant, inclusive
---@field every? string|number step, default "1h"; a number is seconds

---@class git.Point
---@field time integer the instant, Unix seconds
---@field at string the same, as "2023-08-24T13:00:00Z"
---@field commits table<string, git.Commit> each repository's commit at that time
---@field moved string[] names of those that differ from the previous point; empty for the first

--- The state of several repositories at the same instants: for each the last first-parent commit of its branch at or
--- before then, as `git rev-list -1 --first-parent --before=TIME BRANCH` prints it. Instants at which nothing changed
--- are omitted. Raises usage if `from` is after `to`, and not_found for a missing branch or if a repository has no
--- commit at `from`.
--- ```lua
--- local repos = { xla = xla, jax = jax }
--- local hours = reg.git.timeline { repos = repos, branch = "main", from = "2023-08-24", to = "2023-08-26" }
--- ```
---@param options git.TimelineOptions
---@return git.Point[] points
function git.timeline(options)
  core.check_keys("git.timeline", options, { "repos", "branch", "from", "to", "every" })
  local repos, branch = options.repos, options.branch
  if type(repos) ~= "table" or next(repos) == nil then usage "needs 'repos', a table { name = repo, ... }" end
  if not (options.from and options.to) then usage "needs 'from' and 'to'" end
  local instants = reg.time.range { from = options.from, to = options.to, every = options.every or "1h" }
  local names, lines, points = values.sorted_names(repos), {}, {}
  for _, name in ipairs(names) do lines[name] = line_of(name, repos[name], branch, instants) end
  for i, time in ipairs(instants) do
    local commits = {}
    local moved = values.only(i > 1 and names or {}, function(name) return lines[name][i] ~= lines[name][i - 1] end)
    if i == 1 or #moved > 0 then
      for _, name in ipairs(names) do commits[name] = repos[name]:resolve(lines[name][i]) end
      points[#points + 1] = { time = time, at = reg.time.format(time), commits = commits, moved = moved }
    end
  end
  return points
end

return git
