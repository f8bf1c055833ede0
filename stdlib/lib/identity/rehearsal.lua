-- What `measure` does, for the key of its trials. Its code: the bytecode of it and of every Lua function of the script
-- that it reaches, with constants and plain values from outside, but not comments, line numbers and names of variables.
-- Its data from outside: tables such as settings, and global variables; not what it changes, objects, large tables and
-- the subjects. And what it would run and which options it reads: for this it is rehearsed, with its effects held back.
-- Commands return an empty result: code 0, one second, no output.

local trials = require "lib/sweep/trial"
local usage = require "lib/options/usage"
local values_of = require "lib/values"

local flat, map, merged, set = values_of.flat, values_of.map, values_of.merged, values_of.set

local MOST = 256  -- entries of a table that counts as data, with those of the tables in it
local PLAIN = { string = true, number = true, boolean = true }

-- The variables that a function has from outside, each as its number and its value.
local function upvalues(f)
  return function(_, i)
    local there, value = core.upvalue(f, i + 1)
    if there then return i + 1, value end
  end, nil, 0
end

-- What `measure` does: `parts` of the key; the `tables` that it and its functions use; and the `names` in them, a set.
local Code = {}
Code.__index = Code

-- A function, or those in a table that code looks up by one of these names; they may be in tables in it, as in modules.
function Code:look_into(value, names, seen)
  if type(value) == "function" then self:add(value) end
  if type(value) ~= "table" or seen[value] then return end
  seen[value] = true
  for _, name in ipairs(names) do
    local inner = rawget(value, name)
    if inner ~= reg then self:look_into(inner, names, seen) end
  end
  local meta = getmetatable(value)
  self:look_into(type(meta) == "table" and rawget(meta, "__index"), names, seen)
end

-- A function, with what it has from outside; one of C has nothing. The engine's own functions count only for what they
-- call of the script's.
function Code:add(f)
  if self.seen[f] then return end
  self.seen[f] = true
  local hash, names, assigned = require "lib/bytecode"(f)
  if hash then self.parts[#self.parts + 1] = hash end
  for _, name in ipairs(names or {}) do self.names[name] = true end
  for i, value in upvalues(f) do
    if type(value) == "function" then
      self:add(value)
    elseif names and type(value) == "table" then
      self.tables[#self.tables + 1] = value
      self:look_into(value, names, {})
    elseif names and PLAIN[type(value)] and not assigned[i] then
      self.parts[#self.parts + 1] = { i, math.type(value) or type(value), tostring(value) }
    end
  end
end

-- A copy with every value as text and its type; nil for what does not count.
local function plain(value, skipped, room)
  if skipped[value] or getmetatable(value) ~= nil then return nil end
  local copy = {}
  for key, inner in next, value do
    room.left = room.left - 1
    if room.left < 0 then return nil end  -- also where it contains itself
    local text
    if type(inner) == "table" then text = plain(inner, skipped, room) end
    if PLAIN[type(inner)] then text = (math.type(inner) or type(inner)) .. " " .. tostring(inner) end
    if text == nil then return nil end
    copy[type(key) .. " " .. tostring(key)] = text
  end
  return copy
end

local function hash(value, skipped)
  local copy = plain(value, skipped, { left = MOST })
  return copy and reg.store.key(copy) or false
end

-- The hash of each table that `code` uses; false for one that does not count.
local function data_of(code, subjects)
  local skipped, globals = set(flat { { subjects, core.options }, subjects }), {}
  local list = map(code.tables, function(one) return one ~= _G and hash(one, skipped) end)
  for name in pairs(code.names) do globals[name] = PLAIN[type(rawget(_G, name))] and rawget(_G, name) end
  list[#list + 1] = hash(globals, skipped)
  return list
end

-- What scripts cannot change.
local function is_fixed(value) return value == reg or value == string or value == math or value == table end

-- The variables that a function has from outside, or the fields of a table.
local function parts(of)
  if type(of) == "function" then return upvalues(of) end
  return next, of
end

-- Keeps what scripts can change of these values, and of everything they lead to. Returns a function that restores it.
local function snapshot(list)
  local kept = {}  -- a copy of the parts of each function and table
  local function keep(value)
    local is_function, copy = type(value) == "function", {}
    if kept[value] or not is_function and (type(value) ~= "table" or is_fixed(value)) then return end
    kept[value] = copy
    for at, part in parts(value) do
      copy[at] = part
      keep(part)
    end
  end
  for _, value in ipairs(list) do keep(value) end
  return function()
    for of, copy in pairs(kept) do
      local assign = type(of) == "function" and core.set_upvalue or rawset
      for at in parts(of) do
        if copy[at] == nil then assign(of, at, nil) end
      end
      for at, part in pairs(copy) do assign(of, at, part) end
    end
  end
end

-- What the engine's own environment does not reach.
local IN_CONTAINERS = { container = true, note = true, gpu = true }
-- Options that do not change what a program measures, besides those of usage.COMMON. A checkout is an effect itself.
local STEERS = { timeout = true, artifact = true, submodules = true, no_submodules = true }

-- Empties the options, so that reads of them are seen: their names go into `read` of what it returns, which the caller
-- replaces for each rehearsal. Returns a copy beside it, as `measure` may change them.
local function watch(options)
  local watcher, values = { read = {} }, merged(options)
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
  return watcher, values
end

local function options_that_count(names, options)
  return values_of.picked(options, values_of.only(values_of.sorted_names(names), function(name)
    return not usage.COMMON[name] and not STEERS[name]
  end))
end

-- The effects as text. Paths of worktrees and of the workspace differ from machine to machine, and count for nothing.
local function texts_of(effects, workspace)
  local texts, images, on_host = {}, {}, #effects == 0
  local folders = map(effects, function(effect) return effect.folder end)
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

--- What `measure` does: `code` and `data`, parts of each key, and for each subject in `runs` whether it came to its end
--- (`whole`), the `effects` and `images` that it would run, the `options` that it read - or may read by the names in
--- its code -, whether that may be `on_host`, its `timeout_s`, and the GPUs that its trials lease (`leased`).
return function(subjects, measure, gpus_per_trial)
  local code = setmetatable({ parts = {}, tables = {}, names = {}, seen = {} }, Code)
  code:add(measure)
  local options, found = core.options or {}, {}
  local before, restore = data_of(code, subjects), snapshot { measure, options, table.unpack(subjects) }
  local watcher, given = watch(options)
  -- Also if a rehearsal that does not end is stopped.
  local _ <close> = setmetatable({}, { __close = function()
    core.in_rehearsal = false
    setmetatable(options, nil)
    restore()
  end })
  core.in_rehearsal = true
  for i, subject in ipairs(subjects) do
    watcher.read = {}
    local trial = trials.rehearsed(subject, gpus_per_trial)
    local whole, effects = core.rehearse(measure, subject, trial)
    local texts, images, on_host = texts_of(effects, core.settings().workspace)
    found[i] = { whole = whole, effects = texts, images = images, on_host = on_host, leased = trial.leases.gpus,
      timeout_s = trial.info.timeout_s, options = options_that_count(whole and watcher.read or code.names, given) }
  end
  local after = data_of(code, subjects)  -- before what `measure` changed is undone
  local constant = map(before, function(one, i) return one and one == after[i] and one or nil end)
  return { code = code.parts, data = reg.json.array(constant), runs = found }
end
