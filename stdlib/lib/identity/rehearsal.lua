-- Rehearses `measure`: calls it with its effects held back, to learn what it would run, and which options it reads.
-- Commands return an empty result: code 0, one second, no output.

local trials = require "lib/sweep/trial"
local usage = require "lib/options/usage"

-- The state that a function of a script can change: variables outside of it, and tables. It is restored after a
-- rehearsal, which must leave no trace.
local Snapshot = {}
Snapshot.__index = Snapshot

-- What scripts cannot change.
local function is_fixed(value) return value == reg or value == string or value == math or value == table end

function Snapshot:keep_table(value)
  local copy = {}
  self.tables[value] = copy
  for key, inner in next, value do
    copy[key] = inner
    self:keep(inner)
  end
end

function Snapshot:keep_function(f)
  local values = {}
  self.functions[f] = values
  for i = 1, math.huge do
    local there, value = core.upvalue(f, i)
    if not there then return end
    values[i] = { value }
    self:keep(value)
  end
end

--- Keeps the state of a function or a table, and of everything it leads to.
function Snapshot:keep(value)
  if self.tables[value] or self.functions[value] then return end
  if type(value) == "function" then self:keep_function(value) end
  if type(value) == "table" and not is_fixed(value) then self:keep_table(value) end
end

function Snapshot:restore()
  for f, values in pairs(self.functions) do
    for i, kept in ipairs(values) do
      local _, now = core.upvalue(f, i)
      if now ~= kept[1] then core.set_upvalue(f, i, kept[1]) end
    end
  end
  for changed, copy in pairs(self.tables) do
    for key in next, changed do
      if copy[key] == nil then rawset(changed, key, nil) end
    end
    for key, value in next, copy do
      if rawget(changed, key) ~= value then rawset(changed, key, value) end
    end
  end
end

-- What the engine's own environment does not reach.
local IN_CONTAINERS = { container = true, note = true, gpu = true }
-- Options that do not change what a program measures: its time limit, and which runs to save. usage.COMMON has more.
-- What is checked out is an effect of its own.
local STEERS = { timeout = true, artifact = true, submodules = true, no_submodules = true }

-- Makes reads of the options visible: the names go into watch.read, which the caller replaces for each rehearsal.
local function watch(options)
  local watcher, values = { read = {} }, {}
  for name, value in pairs(options) do values[name] = value end
  for name in pairs(values) do options[name] = nil end
  setmetatable(options, {
    __index = function(_, name)
      watcher.read[name] = true
      return values[name]
    end,
    __pairs = function()
      for name in pairs(values) do watcher.read[name] = true end
      return next, values
    end,
  })
  function watcher.stop()
    setmetatable(options, nil)
    for name, value in pairs(values) do options[name] = value end
  end
  return watcher
end

local function values_of(names, options)
  local values = {}
  for name in pairs(names) do
    if not usage.COMMON[name] and not STEERS[name] then values[name] = options[name] end
  end
  return values
end

-- The effects as text. Paths of worktrees and of the workspace differ from machine to machine, and count for nothing.
local function texts_of(effects, workspace)
  local texts, images, on_host, folders = {}, {}, #effects == 0, {}
  for _, effect in ipairs(effects) do
    if effect.folder then folders[#folders + 1] = effect.folder end
  end
  folders[#folders + 1] = workspace
  for i, effect in ipairs(effects) do
    local text = effect.text
    for at, folder in ipairs(folders) do
      text = text:gsub(folder:gsub("%p", "%%%0"), at < #folders and "WORKTREE" or ".")
    end
    texts[i] = effect.kind .. " " .. text
    if effect.image then images[#images + 1] = effect end
    on_host = on_host or not IN_CONTAINERS[effect.kind]
  end
  return texts, images, on_host
end

--- For each subject { whole =, effects =, images =, options =, on_host =, timeout_s =, leased = }: whether `measure`
--- came to its end, what it would do, the images it would run, the options it read with their values - if it did not
--- come to its end, those that it may read by its `names` -, whether it may run something outside of containers, and
--- GPUs as its trials lease them (`gpus_per_trial`: see leases.per_trial). Calls look() before it undoes what `measure`
--- changed.
return function(subjects, measure, names, gpus_per_trial, look)
  local state, workspace, found = setmetatable({ tables = {}, functions = {} }, Snapshot), core.settings().workspace, {}
  state:keep(measure)
  for _, subject in ipairs(subjects) do state:keep(subject) end
  local options = core.options or {}
  do
    local watcher = watch(options)
    -- Also if a rehearsal that does not end is stopped.
    local _ <close> = setmetatable({}, { __close = function()
      core.in_rehearsal = false
      watcher.stop()
      state:restore()
    end })
    core.in_rehearsal = true
    for i, subject in ipairs(subjects) do
      watcher.read = {}
      local trial = trials.rehearsed(subject, gpus_per_trial)
      local whole, effects = core.rehearse(measure, subject, trial)
      local texts, images, on_host = texts_of(effects, workspace)
      found[i] = { whole = whole, effects = texts, images = images, on_host = on_host, read = watcher.read,
        timeout_s = trial.timeout_s, leased = trial.leases.gpus }
    end
    look()
  end
  for _, one in ipairs(found) do
    one.options, one.read = values_of(one.whole and one.read or names, options), nil
  end
  return found
end
