-- reg.descend{ repos =, commit =, search = f }: goes from a commit that bumps a dependency to the commit of the
-- dependency, level by level: f(level) searches the commits that the pin went over, with the rest held.

local Repositories = require "lib/descend/repositories"
local check_keys = require "lib/options/check_keys"
local next_level = require "lib/descend/next_level"
local repository = require "lib/options/repository"

-- What the lookup of a pin or a repository raises where the user gave the wrong one, or none.
local EXPECTED = { usage = true, not_found = true, conflict = true, io = true, network = true }

-- The same, where an answer is there already: what is in the way is said, and ends the descent.
local function try_level(...)
  local ok, level = pcall(next_level, ...)
  if ok then return level end
  if type(level) ~= "table" or not EXPECTED[level.kind] then error(level, 0) end
  reg.log.warn("%s%s", level.message, level.hint and ". " .. level.hint or "")
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
  local name, path = repository(o.repos[1])
  local repo = reg.git.open(path)
  held[1] = { name = name, repo = repo, commit = repo:resolve(o.commit), patch = o.patch }
  held.last = held[1]
  return held
end

return function(o)
  if type(o) ~= "table" or type(o.search) ~= "function" or not o.repos or not (o.commit or o.after and o.of) then
    core.fail("usage", "descend: takes { repos =, commit =, search = function(level) ... end }")
  end
  check_keys("descend", o, { "repos", "commit", "pin", "patch", "search", "after", "of" })
  local held, levels = start_of(o), {}
  local repositories = held and Repositories.new(table.move(o.repos, o.after and 1 or 2, #o.repos, 1, {}))
  while held do
    local has_answer = o.after ~= nil or #levels > 0
    local level <close> = (has_answer and try_level or next_level)(held, repositories, #levels == 0 and o.pin or nil)
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
