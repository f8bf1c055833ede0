-- Where the repositories of dependencies are: as --repo NAME=PATH or NAME=URL says, now or in an earlier run in this
-- folder, which .regengine/repositories.json remembers. That of a URL is cloned below .regengine/repos.

local found = require "lib/pins/found"
local lists = require "lib/values"
local values = require "lib/options/values"

local find, map, plain_name = lists.find, lists.map, lists.plain_name

local FILE <const> = ".regengine/repositories.json"

local Repositories = {}
Repositories.__index = Repositories

local function remembered()
  if not reg.fs.exists(FILE) then return {} end
  local ok, all = pcall(function() return reg.json.decode(reg.fs.read(FILE)) end)
  if ok and type(all) == "table" then return all end
  reg.log.warn("%s is damaged and not used; pass --repo NAME=PATH", FILE)
  return {}
end

--- Those of the words "NAME=PATH", "NAME=URL", and those of earlier runs.
function Repositories.new(words)
  local self = setmetatable({ given = {}, earlier = {} }, Repositories)
  for _, word in ipairs(words) do
    local name, path = values.repository(word)
    self.given[plain_name(name)] = { name = name, place = values.is_url(path) and path or reg.fs.absolute(path) }
  end
  for name, path in pairs(remembered()) do
    if type(name) == "string" and type(path) == "string" then
      self.earlier[plain_name(name)] = { name = name, place = path }
    end
  end
  return self
end

-- The names that a pin may have.
local function names_of(pin) return map({ pin.name, table.unpack(pin.aliases or {}) }, plain_name) end

--- The name that the user gave it, and its path or URL; nil if nobody said where it is.
function Repositories:find(pin)
  for _, all in ipairs { self.given, self.earlier } do
    for _, name in ipairs(names_of(pin)) do
      if all[name] then return all[name].name, all[name].place end
    end
  end
end

--- Keeps where the repository of that name is for the next run.
function Repositories:remember(name)
  local key = plain_name(name)
  local given, earlier = self.given[key], self.earlier[key]
  if core.settings().dry_run or not given or earlier and earlier.place == given.place then return end
  self.earlier[key] = given
  local all = {}
  for _, one in pairs(self.earlier) do all[one.name] = one.place end
  reg.fs.mkdir ".regengine"
  reg.fs.write(FILE, reg.json.encode(all) .. "\n")
end

-- The clone of a URL, made once.
local function clone_of(name, url)
  local path = string.format(".regengine/repos/%s-%s", name, core.sha256(url):sub(1, 8))
  if reg.fs.exists(path) then return reg.git.open(path) end
  if core.settings().dry_run then
    core.fail("usage", string.format("a dry run cannot look into %s, which is not cloned yet: %s", name, url),
      "Clone it and pass --repo " .. name .. "=PATH.")
  end
  reg.log.info("cloning %s from %s", name, url)
  return reg.git.clone(url, path)
end

--- Opens the repository of a pin that `find` finds; also what the user calls it. Raises not_found if it is gone.
function Repositories:open(pin)
  local name, place = self:find(pin)
  local given = self.given[plain_name(name)] ~= nil
  if not given then reg.log.info("%s: %s, as in an earlier run (--repo %s=PATH for another)", pin.name, place, name) end
  local repo
  if values.is_url(place) then
    repo = clone_of(name, place)
    if find({ pin.old, pin.new }, function(value) return found.is_id(value) and not repo:find(value) end) then
      repo:fetch()
    end
  else
    local ok, why = pcall(reg.git.open, place)
    if not ok and not given then
      core.fail("not_found", string.format("%s: %s (from an earlier run)", pin.name, why.message),
        "Pass --repo " .. name .. "=PATH.")
    end
    repo = ok and why or error(why, 0)
  end
  return repo, name
end

local function all_shown(pins) return table.concat(map(pins, found.shown), ", ") end

local function by_name(pins, wanted, who)
  return find(pins, function(pin)
    return find({ plain_name(pin.path), table.unpack(names_of(pin)) }, function(name)
      return name == plain_name(wanted)
    end)
  end) or core.fail("usage", string.format("%s bumps no pin '%s'; it bumps %s", who, wanted, all_shown(pins)),
    "Pass --pin with one of these names.")
end

--- What to pass for the repository of a pin: "xla=https://github.com/openxla/xla", or with PATH where no URL is known.
function Repositories.word(pin) return plain_name(pin.name) .. "=" .. (pin.url or "PATH") end

--- Which of the pins that a commit bumps to go on in: the one called `wanted`, or else the only one whose repository is
--- known. `who`: the commit in words. Raises usage if it is not clear which.
function Repositories:choose(pins, wanted, who)
  if #pins == 0 then
    core.fail("usage", who .. " bumps no submodule and no pinned commit or version",
      "Pass the commit that does: --commit REVISION.")
  end
  if wanted then pins = { by_name(pins, wanted, who) } end
  local known = map(pins, function(pin) return self:find(pin) and pin or nil end)
  if #known == 1 then return known[1] end
  if #known > 1 then
    core.fail("usage", string.format("%s bumps %d pins: %s", who, #known, all_shown(known)),
      "Choose one: --pin " .. known[1].name)
  end
  local words = map(pins, function(pin) return "--repo " .. Repositories.word(pin) end)
  core.fail("usage", string.format("%s bumps %s, but %s not known", who, all_shown(pins),
    #pins == 1 and "its repository is" or "the repositories are"),
    "Pass " .. table.concat(words, " or ") .. ".")
end

return Repositories
