-- The repositories of an investigation, as far as they still exist: for what the store does not keep of a commit.

local Repositories = {}
Repositories.__index = Repositories

local function is_id(text) return type(text) == "string" and #text == 40 and text:match "^%x+$" ~= nil end

local function add(self, word)
  if type(word) ~= "string" then return false end
  local name, path = word:match "^([%w_.-]+)=(.+)$"
  local ok, repo = pcall(reg.git.open, path or word)
  if ok then self.list[#self.list + 1] = { name = name, repo = repo } end
  return ok, repo
end

local function words(option) return type(option) == "table" and option or { option } end

--- Those of the investigation's option `repo`, and `more`, each of which must exist.
function Repositories.new(options, more)
  local self = setmetatable({ list = {} }, Repositories)
  for _, word in ipairs(more or {}) do
    local ok, why = add(self, word)
    if not ok then error(why, 0) end
  end
  for _, word in ipairs(words(options.repo)) do add(self, word) end
  return self
end

local function find(self, id)
  if not is_id(id) then return nil end
  for _, entry in ipairs(self.list) do
    local ok, commit = pcall(entry.repo.find, entry.repo, id)
    if ok and commit and commit.id == id then return commit, entry.repo end
  end
end

--- The commit of that id; nil if no repository has it.
function Repositories:commit(id) return (find(self, id)) end

--- The files that it changed; nil if they cannot be read.
function Repositories:files(id)
  local commit, repo = find(self, id)
  local ok, files = pcall(function() return commit and repo:files(id) end)
  return ok and files or nil
end

--- The commits after `good` up to `bad`, oldest first; nil if no repository has them.
function Repositories:between(good, bad)
  local _, repo = find(self, bad)
  local ok, commits = pcall(function() return repo and is_id(good)
    and repo:between(good, bad, { first_parent = true }) end)
  return ok and commits or nil
end

return Repositories
