-- Which of the packages that differ between two environments makes the difference: sets of them, each resolved, are the
-- items of reg.minimize.

local pins = require "lib/python/pins"
local tags_of = require("lib/pins/found").tags
local tools = require "lib/python/tools"
local values = require "lib/values"

local map, merged, sorted_names = values.map, values.merged, values.sorted_names

--- What differs between two environments.
--- ```lua
--- local changes = reg.python.installer():changes("good.txt", "bad.txt")
--- local opt = { test = "python bench.py", metric = "{number} ms" }
--- print(table.concat(changes.items, "\n"))
--- changes:stages(opt)
--- ```
---@class python.Changes
---@field items string[] "numpy 1.26.4 -> 2.0.0", "tool 1.0 added", "tool 1.0 removed"
---@field moved table<string, string[]> by items that could not be installed alone, joined by " ": what moved with them
local Changes = {}
Changes.__index = Changes

-- A lock of exactly these packages; nil and why.
local function lock_of(installer, list)
  return installer:resolve { packages = map(sorted_names(list), function(name) return list[name].requirement end),
    pre = true }
end

-- An end: a path of a file, or a lock.
local function end_of(installer, given, side)
  local list = type(given) == "string" and pins.read(given) or pins.of_lock(given)
  local lock, why = lock_of(installer, list)
  if not lock then
    core.fail("usage", string.format("python: the %s packages cannot be installed: %s", side, why),
      "Only wheels are installed: they must fit this machine and this Python, or pass --python.")
  end
  return { pins = list, lock = lock }
end

-- What differs between `good` and `bad`, paths of files or locks. Raises usage if nothing does, and if an end cannot
-- be installed.
function Changes.new(installer, good, bad)
  local self = setmetatable({ installer = installer, good = end_of(installer, good, "good"),
    bad = end_of(installer, bad, "bad"), items = {}, names = {}, moved = {}, locks = {} }, Changes)
  for _, name in ipairs(sorted_names(merged(self.good.pins, self.bad.pins))) do
    local before, after = self.good.pins[name], self.bad.pins[name]
    if not before or not after or before.requirement ~= after.requirement then
      local item = name .. " " .. (before and before.version .. (after and " -> " .. after.version or " removed")
        or after.version .. " added")
      table.insert(self.items, item)
      self.names[item] = name
    end
  end
  if #self.items == 0 then core.fail("usage", "python: both ends have the same packages in the same versions") end
  return self
end

-- The packages of the good end with these of the bad one.
local function chosen(self, on)
  local list = merged(self.good.pins)
  for name in pairs(on) do list[name] = self.bad.pins[name] end
  return list
end

-- What can be installed where the set cannot: the packages of the set stay, and the others move as little as they must,
-- to their bad version where that fits.
local function nearest(self, on)
  local loose = map(sorted_names(chosen(self, on)), function(name)
    return on[name] and self.bad.pins[name].requirement or name
  end)
  local lock = self.installer:resolve { packages = loose, pre = true, prefer = self.good.lock }
  if not lock then return nil end
  local with = merged(on)
  for name, pin in pairs(self.good.pins) do
    if not on[name] and lock.versions[name] ~= pin.version and self.bad.pins[name] then with[name] = true end
  end
  return lock_of(self.installer, chosen(self, with)) or lock
end

-- The lock of the good end with these items of the bad one. Raises a failed trial if nothing like it can be installed.
local function lock_with(self, items)
  local id = table.concat(items, " ")
  if self.locks[id] then return self.locks[id] end
  local on = values.set(map(items, function(item) return self.names[item] end))
  local lock, why = lock_of(self.installer, chosen(self, on))
  if not lock then
    lock = nearest(self, on) or error(reg.skip(why, "", "build_failed"), 0)
    local names = values.only(sorted_names(merged(self.good.pins, lock.versions)), function(name)
      return not on[name] and lock.versions[name] ~= (self.good.pins[name] or {}).version
    end)
    self.moved[id] = map(names, function(name) return name .. " " .. (lock.versions[name] or "removed") end)
    self.moved[id].names = values.set(names)
  end
  self.locks[id] = lock
  return lock
end

-- What had to move with an item that was installed alone; nil where nothing had to.
local function moved_with(self, item) return pcall(lock_with, self, { item }) and self.moved[item] or nil end

-- Finds the items that make the difference, as reg.minimize does. `opt`: the options of the script.
local function minimized(self, opt)
  return reg.minimize {
    items = self.items, metric = opt.metric, better = opt.better, exact = opt.exact, budget = opt.budget,
    title = "packages", commands = { opt.test }, folder = opt.workdir,
    ends = { none = "good", all = "bad" }, config = { good = self.good.lock.key, bad = self.bad.lock.key },
    needs = function(item, other)
      local moved = moved_with(self, item)
      return moved ~= nil and moved.names[self.names[other]] == true
    end,
    measure = function(items, trial)
      if core.in_rehearsal or core.settings().dry_run then
        return trial:test({ shell = opt.test, timeout_s = opt.timeout }, opt)
      end
      local lock = lock_with(self, items)
      lock:build(trial)
      return trial:test(lock:command(opt.test, opt.timeout), opt)
    end,
  }
end

-- The package of an item, with its releases between the two versions as subjects of a search, where everything else is
-- as at the bad end; nil where it does not have two versions of an index.
local function releases_of(self, item)
  local name = item and self.names[item]
  local before, after = name and self.good.pins[name], name and self.bad.pins[name]
  if not before or not after or before.requirement:find " @ " or after.requirement:find " @ " then return nil end
  local with = values.only(sorted_names(self.bad.pins), function(other) return other ~= name end)
  return name, self.installer:subjects { packages = { name }, from = before.version, to = after.version,
    with = with, prefer = self.bad.lock, pre = before.version:find "%a" or after.version:find "%a" }
end

-- The address of its repository, as the installed package says it.
local function address_of(lock, name)
  for label, url in ("\n" .. lock:metadata(name)):gmatch "\nProject%-URL: ([^,\r\n]+), (https?://%S+)" do
    label = label:lower()
    if label:find "source" or label:find "repository" or label:find "code" then return url end
  end
end

-- Where the commits between two releases are, a clone or the address that the package says, and whether it has a tag.
local function repository(self, name, repo)
  local path = type(repo) == "string" and repo or nil
  for _, one in ipairs(type(repo) == "table" and repo or {}) do
    local its, place = one:match "^([^=/]+)=(.*)$"
    if its and values.plain_name(its) == name then path = place end
  end
  if path then
    repo = reg.git.open(path)
    return path, function(tag) return (pcall(repo.resolve, repo, "refs/tags/" .. tag)) end, path
  end
  local url = address_of(self.bad.lock, name)
  local run = url and tools.read({ "git", "ls-remote", "--tags", url }, { timeout_s = 20,
    env = { GIT_TERMINAL_PROMPT = "0" } })
  if not run or not run.ok then return nil end
  return url, function(tag) return (run.stdout .. "\n"):find("refs/tags/" .. tag .. "\n", 1, true) ~= nil end
end

-- The command that goes on in the commits between two releases; nil where no repository has tags for them.
local function next_command(self, opt, name, before, after)
  local place, has, clone = repository(self, name, opt.repo)
  local function tag_of(version) return place and values.find(tags_of(version, { name }), has) end
  local good, bad = tag_of(before), tag_of(after)
  if not good or not bad then return nil end
  local get = clone and "" or "git clone " .. core.shell_words { place } .. "\n       "
  clone = clone or place:match "([^/]+)/?$":gsub("%.git$", "")
  local lock, uv = self.bad.lock, self.installer.uv
  local build = (uv and uv .. " pip install --python " .. lock.folder or lock.folder .. "/bin/python -m pip install")
    .. " -q --no-deps --target .installed ."
  local test = string.format('tree=$PWD; cd %s && PYTHONPATH="$tree/.installed" PATH="%s/bin:$PATH" %s',
    core.shell_words { reg.fs.absolute "." }, lock.folder, opt.test)
  local line = { "regengine", "bisect", "--repo", clone, "--good", good, "--bad", bad, "--build", build, "--test",
    test, opt.metric and "--metric", opt.metric }
  return get .. core.shell_words(line)
end

-- Finds the items, and prints what it found and what had to move with them; nil in a dry run. One item that was
-- measured needs no run. The second result: the item that alone makes the difference, if one does.
local function find_items(self, opt, measured)
  if measured and #self.items == 1 then
    print(self.items[1] .. " is the only package that differs.")
    return nil, self.items[1]
  end
  local found = minimized(self, opt)
  if not found then return nil end
  print(reg.report.wrap(found.text))
  for _, culprit in ipairs(found.culprits) do
    for _, item in ipairs((culprit.any or #culprit.items == 1) and culprit.items or {}) do
      local moved = moved_with(self, item)
      if moved then
        print(string.format("%s cannot be installed without %s, which moved with it.", item, table.concat(moved, ", ")))
      end
    end
  end
  local culprit = #found.culprits == 1 and found.culprits[1]
  return found, culprit and #culprit.items == 1 and culprit.items[1] or nil
end

--- Finds the items, prints what it found, and goes on to the release of the package, and to the command that searches
--- its commits. A dry run returns nothing. Raises what reg.minimize and Installer:search raise.
---@param opt options.Values of the script
---@param ratio? number of the two ends, if that was measured before
---@return minimize.Answer|minimize.Minimize? found
---@return sweep.Series? series of the releases, if they were searched
function Changes:stages(opt, ratio)
  local found, item = find_items(self, opt, ratio ~= nil)
  local name, subjects, kind = releases_of(self, item)
  if not name then return found end
  local first, last, series = self.good.pins[name].version, self.bad.pins[name].version, nil
  if #subjects > 2 then
    local effect = math.abs(found and found.effect.value or ratio - 1)
    series = reg.stage(self.installer:search(subjects, opt, { title = name .. " releases", kind = kind,
      min_effect = opt.min_effect or opt.metric and effect / 2 or nil }))
    local change = reg.largest(series)
    if not change then return found, series end
    first, last = change.lo.id, change.hi.id
  end
  local command = next_command(self, opt, name, first, last)
  if command then print("\nNext:  " .. command) end
  return found, series
end

return Changes
