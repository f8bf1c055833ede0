-- One step down: the range of a dependency's commits that a pin went over, and the repositories that hold the rest.
-- Each has a worktree of its own. That of a submodule is where the submodule is, in the worktree above it; any other is
-- beside it, and the file with the pin is rewritten to the commit that is tested, unless that would not pass a check.

local Repos = require "lib/repos"
local found = require "lib/pins/found"
local values = require "lib/values"

--- One step from a commit down into a dependency that it bumps: the commits of the dependency, and the repositories
--- that are held. It is a repos.Repos, and what a reg.bisect takes as `repo`. reg.descend passes it to `search` and
--- closes it afterwards.
---@class descend.Level: repos.Repos
---@field name string the dependency
---@field title string the same, for reg.bisect
---@field depth integer 1 for the first level
---@field states repos.State[] for reg.bisect: from the old value of the pin, or its merge base with the new one
---@field pin descend.Pin what was bumped
local Level = setmetatable({}, { __index = Repos })
Level.__index = Level
Level.__close = Repos.__close

local function by_tag(repo, pin, version)
  local there, tried = values.set(repo:tags()), found.tags(version, { pin.name, table.unpack(pin.aliases or {}) })
  local found_tag = values.find(tried, function(tag) return there[tag] end)
  if found_tag then return repo:resolve("refs/tags/" .. found_tag) end
  core.fail("not_found", string.format("no tag of %s fits the version %s: tried %s ... (%s)", pin.name, version,
    table.concat(tried, ", ", 1, 3), repo.path), string.format("Fetch its tags, or make one: git -C %s tag v%s COMMIT",
    core.shell_words { repo.path }, version))
end

-- The commit that the value of a pin means: an id, or a version, of which a tag tells. Raises not_found.
local function commit_of(repo, pin, value)
  if not found.is_id(value) then return by_tag(repo, pin, value) end
  return repo:find(value) or core.fail("not_found",
    string.format("no commit %s in %s, which is given for %s", value:sub(1, 12), repo.path, pin.name),
    string.format("Fetch it: git -C %s fetch; or pass another --repo %s=PATH.", core.shell_words { repo.path },
      pin.name))
end

-- What is good at the start of the range: the old commit, or the merge base where history forked between the two.
local function first_of(repo, pin, name, old, new)
  if old.id == new.id then
    core.fail("usage", string.format("%s %s and %s are the same commit: %s", name, pin.old, pin.new, new.short))
  end
  if repo:is_ancestor(old.id, new.id) then return old end
  local base, went = repo:merge_base(old.id, new.id), found.short(pin.old) .. " to " .. found.short(pin.new)
  if not base then core.fail("usage", name .. " went from " .. went .. ", which has no common history") end
  if base.id == new.id then
    core.fail("usage", string.format("%s went back from %s: it brought no new commit", name, went),
      string.format("See what it lost: git -C %s log --oneline %s..%s", core.shell_words { repo.path }, new.short,
      old.short))
  end
  return base
end

-- The text of a file with the pin at another commit; an id is cut as the pinned one is.
local function rewrite(text, pin, id)
  if found.is_id(pin.new) then return (text:gsub("%f[%w]" .. pin.new .. "%f[^%w]", id:sub(1, #pin.new))) end
  local lines = found.lines(text)
  local from, to = lines[pin.line]:find("@" .. pin.new, 1, true)
  lines[pin.line] = lines[pin.line]:sub(1, from) .. id .. lines[pin.line]:sub(to + 1)
  return table.concat(lines, "\n")
end

-- Whether another commit in the file is one that the build would fetch.
local function can_rewrite(pin)
  return not pin.submodule and not pin.checksum and (found.is_id(pin.new) or pin.by_revision == true)
end

-- Whether a command of the script names the worktree of a dependency.
local function is_named(member)
  return values.find({ "build", "test" }, function(name)
    local command = core.options and core.options[name]
    return type(command) == "string" and (command:find(Repos.variable(member.name), 1, true)
      or command:find("../" .. member.name, 1, true))
  end)
end

-- What the user has to do so that the build uses the worktrees; nil if nothing, as where a command names them.
local function advice(members)
  local parts = values.map(members, function(member, i)
    local pin, below = member.pin, members[i + 1] ~= nil
    if not pin or pin.submodule or not below and can_rewrite(pin) or is_named(member) then return nil end
    local why = pin.checksum and pin.path .. " has a checksum of " .. member.name
      or below and "a commit of " .. members[i + 1].name .. " is tested inside " .. member.name
      or pin.path .. " pins " .. member.name .. " by version"
    local form = pin.bazel and '%s, so --build must use %s="$%s"' or '%s, so --build must use the checkout%s at "$%s"'
    return form:format(why, pin.bazel or "", Repos.variable(member.name))
  end)
  return #parts > 0 and table.concat(parts, "; ") .. "." or nil
end

-- The options of Worktree:checkout: what is pinned in it is at the commits to test.
function Level:how(name, commits)
  local how = values.merged(Repos.how(), { without = {}, files = {} })
  for _, member in ipairs(self.members) do
    local pin = member.pin
    if member.name == name then how.patch = member.patch end
    if pin and member.above == name then
      if pin.submodule then
        table.insert(how.without, pin.path)
      elseif can_rewrite(pin) then
        how.files[pin.path] = rewrite(how.files[pin.path] or member.text, pin, commits[member.name].id)
      end
    end
  end
  return how
end

-- What the next level holds: all of this one, with the dependency at a commit that was found.
function Level:held_at(subject)
  local held = table.move(self.members, 1, #self.members, 1, {})
  held.last = held[#held]
  held.last.commit = subject.commits[self.name]
  return held
end

-- `held`: the repositories that stay, { name =, repo =, commit =, pin =, patch = }, of which held.last bumps `pin`.
-- `repo` is the dependency's, which the user calls `name`. `folder`: of the worktrees, unless those of the search.
function Level.new(held, pin, repo, name, folder)
  local old, new = commit_of(repo, pin, pin.old), commit_of(repo, pin, pin.new)
  local above = held.last
  local from = first_of(repo, pin, name, old, new)
  local members = values.flat { held, { { name = name, repo = repo, pin = pin, above = above.name,
    inside = pin.submodule and { name = above.name, path = pin.path } or nil,
    text = not pin.submodule and above.repo:read(above.commit, pin.path) or nil } } }
  local stay = {}
  for _, one in ipairs(held) do stay[one.name] = one.commit end
  local good, bad = values.merged(stay, { [name] = from }), values.merged(stay, { [name] = new })

  local self = setmetatable({ members = members, name = name, title = name, shown = found.shown(pin) }, Level)
  Repos.fill(self, members, folder, function(of) self.trees[of]:checkout(bad[of].id, self:how(of, bad)) end)
  self.states = self:between(good, bad)
  self.pin = { of = above.name, commit = above.commit.id, name = name, old = pin.old, new = pin.new, path = pin.path,
    line = pin.line, base = from.id ~= old.id and from.short or nil, advice = advice(members) }
  return self
end

-- Says which commits are searched, and what the user has to do.
function Level:announce()
  local pin, above = self.pin, self.members[#self.members - 1]
  reg.log.info("%s %s bumped %s: %d commits", pin.of, above.commit.short, self.shown, #self.states - 1)
  if pin.base then
    reg.log.info("%s is not an ancestor of %s; the search begins at their merge base %s", found.short(pin.old),
      found.short(pin.new), pin.base)
  end
  if pin.advice then reg.log.warn("%s", pin.advice) end
end

-- The next level down from what is held; nil if its last commit bumps nothing that is not held. `wanted`: the name of
-- the pin, where it is given. `folder`: of the worktrees, unless those of the search.
function Level.next(held, repositories, wanted, folder)
  local last = held.last
  local pins = values.only(found.of_commit(last.repo, last.commit), function(pin)
    return not values.find(held, function(one) return values.plain_name(one.name) == values.plain_name(pin.name) end)
  end)
  if #pins == 0 and last.pin then return nil end
  local pin = repositories:choose(pins, wanted, last.name .. " " .. last.commit.short)
  local repo, name = repositories:open(pin)
  local level = Level.new(held, pin, repo, name, folder)
  repositories:remember(name)
  return level
end

return Level
