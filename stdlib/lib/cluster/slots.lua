-- Where subjects are built and tested at the same time on a cluster: each slot has worktrees of its own, and one build.
-- The first slot has those that the script opened; those of slot 2 are in .regengine/worktrees/2, and so on. Trials of
-- one subject share a slot, so that it is built once.

local LatestBuild = require("lib/sweep/commands").LatestBuild
local merged = require("lib/values").merged

local ROOT <const> = "/.regengine/worktrees/"

local Slot = setmetatable({}, { __index = LatestBuild })
Slot.__index = Slot

-- Where this slot has what lies at `path` in the first one.
local function path_in(self, path)
  local before, after = path:match("^(.*)" .. ROOT:gsub("%p", "%%%0") .. "(.*)$")
  if not before then return path .. "." .. self.number end
  return before .. ROOT .. self.number .. "/" .. after
end

--- Returns the worktree of this slot that stands for `tree`.
function Slot:checks_out(trial, tree)
  if self.number > 1 and not self.trees[tree] then
    local path = path_in(self, tree.path)
    self.paths[tree.path], self.trees[tree] = path, core.another_worktree(tree, path)
  end
  return LatestBuild.checks_out(self, trial, self.trees[tree] or tree)
end

local function moved(self, text)
  for from, to in pairs(text and self.paths or {}) do
    local at, past = text:find(from, 1, true)
    if at then text = text:sub(1, at - 1) .. to .. text:sub(past + 1) end
  end
  return text
end

--- The options of a command, with the paths of this slot in its folder and its environment.
function Slot:here(options)
  if not next(self.paths) then return options end
  local call, env = merged(options), {}
  for name, value in pairs(options.env or {}) do env[name] = moved(self, value) end
  call.env, call.cwd, call.workdir = env, moved(self, options.cwd), moved(self, options.workdir)
  call.mounts = options.mounts and {}
  for host, inside in pairs(options.mounts or {}) do call.mounts[moved(self, host)] = moved(self, inside) end
  return call
end

function Slot:__close() self.taken = nil end

local Slots = {}
Slots.__index = Slots

--- `trees`: worktrees by number of the slot, which outlive these slots.
function Slots.new(most, trees)
  local self = setmetatable({}, Slots)
  for i = 1, most do
    trees[i] = trees[i] or { trees = {}, paths = {} }
    self[i] = setmetatable({ number = i, trees = trees[i].trees, paths = trees[i].paths, built = {} }, Slot)
  end
  return self
end

-- The slot for a subject: the one that has its build, or one that is free; nil while that is in use.
local function choose(self, subject)
  local free
  for _, slot in ipairs(self) do
    if slot.taken == subject then return nil end
    if slot.of == subject and not slot.taken then return slot end
    if not slot.taken and (not free or free.of and not slot.of) then free = slot end
  end
  return free
end

--- Waits for a slot for the trial of a subject. To be closed with the trial.
function Slots:take(subject)
  local slot = choose(self, subject)
  while not slot do
    reg.sleep(0.02)
    slot = choose(self, subject)
  end
  slot.taken = subject
  return slot
end

return Slots
