-- The commits among which a change lies, along all parents: those from its earlier side, without it, up to its later
-- one. Of states of reg.repos these are states too, each with the other repositories as they are in the merge.

local Branches = {}
Branches.__index = Branches

local function commit_of(subject) return subject.repo and subject.commits[subject.repo].id or subject.id end

-- What a commit of the line brought in, itself last.
local function brought_by(repo, subject)
  if #subject.parents < 2 then return { subject } end
  if subject.repo then return repo:branch(subject) end
  return repo:between(subject.parents[1], subject.id)
end

--- `stretch`: the subjects of a line after the earlier side, up to the later one. `within`: of an earlier one of these;
--- only what is left in it counts.
function Branches.new(repo, stretch, within)
  local self = setmetatable({ repo = repo, list = {}, node = {}, tried = {}, cleared = {} }, Branches)
  for _, subject in ipairs(stretch) do
    for _, one in ipairs(brought_by(repo, subject)) do
      local id = commit_of(one)
      if not self.node[id] and (not within or within.node[id] and not within.cleared[id]) then
        self.list[#self.list + 1] = id
        self.node[id] = { subject = one, at = #self.list, by = id ~= commit_of(subject) and subject.id or nil }
      end
    end
    self.tried[commit_of(subject)] = true
  end
  return self
end

--- The node of a subject: { subject =, by = the id of the merge on the line that brought it in }; nil for any other.
function Branches:find(subject) return self.node[commit_of(subject)] end

--- The newest commits that were not returned yet, along first parents, oldest first, and the one before them, which may
--- be nil, as at the edge of a shallow clone; nil when all were.
function Branches:next()
  local chain, at = {}, #self.list
  while at > 0 and self.tried[self.list[at]] do at = at - 1 end
  local id, oldest = self.list[at], nil
  if not id then return nil end
  while self.node[id] and not self.tried[id] do
    self.tried[id], oldest = true, self.node[id].subject
    chain[#chain + 1], id = oldest, oldest.parents[1]
  end
  for i = 1, #chain // 2 do chain[i], chain[#chain + 1 - i] = chain[#chain + 1 - i], chain[i] end
  local before = self.node[id] and self.node[id].subject
  return chain, before or id and (oldest.repo and self.repo:with(oldest, id) or self.repo:find(id))
end

--- The change is in none of the commits up to `last` that are not in the history of `first`, which may be nil.
function Branches:clear(last, first)
  local function each(subject, seen)
    local rest = { commit_of(subject) }
    while #rest > 0 do
      local node = self.node[rest[#rest]]
      local id = table.remove(rest)
      if node and not seen[id] then
        seen[id] = true
        table.move(node.subject.parents, 1, #node.subject.parents, #rest + 1, rest)
      end
    end
    return seen
  end
  local kept = first and each(first, {}) or {}
  for id in pairs(each(last, {})) do
    if not kept[id] then self.cleared[id], self.tried[id] = true, true end
  end
end

--- Each commit, oldest first, that contains some of these and not the last of them, with a table of these by commit.
--- Those after one for which the caller sets `failed` in it are left out.
function Branches:beside(subjects)
  local held, own, last, at = {}, {}, commit_of(subjects[#subjects]), 0
  for _, subject in ipairs(subjects) do own[commit_of(subject)] = true end
  return function()
    while at < #self.list do
      at = at + 1
      local id, all = self.list[at], {}
      for _, parent in ipairs(self.node[id].subject.parents) do
        for key in pairs(held[parent] or {}) do all[key] = true end
      end
      if own[id] then all[id] = true end
      held[id] = all
      if next(all) and not (all[last] or all.failed or own[id]) then return self.node[id].subject, all end
    end
  end
end

--- Those that may hold the change, the newest last.
function Branches:left()
  local left = {}
  for _, id in ipairs(self.list) do
    if not self.cleared[id] then left[#left + 1] = self.node[id].subject end
  end
  return left
end

Branches.commit_of = commit_of

return Branches
