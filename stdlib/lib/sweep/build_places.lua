-- Where the subjects of a sweep are built: in the first place of reg.runner, its worktrees, and in the second one. What
-- is built in a place stays there until another subject is built in it, and one more run of it costs its test alone.
--
-- The second place takes as much disk as the first, and a build from scratch. So it is opened once builds of subjects
-- that had been built before have taken half the time of the longest build, and more than a test. A build counts once
-- it has ended: one that failed, or was stopped, is made again, as is one whose test did not end by itself. Nothing
-- undoes what a test changes in the place before the next run of the same subject.

local BuildPlaces = {}
BuildPlaces.__index = BuildPlaces

--- The second place of reg.runner: by worktree its second worktree, and by the options of a command { opened =, open =,
--- firsts =, mounts =, container = }: open() makes it and sets `opened`, or returns why it could not; `firsts` are the
--- worktrees of the first place, `mounts` what a command on the host sees in each of the two, and `container` the one
--- that it runs in, if it does.
BuildPlaces.second = setmetatable({}, { __mode = "k" })

-- After these a process may have been stopped while it wrote.
local STOPPED = { timeout = true, oom = true, crashed = true, interrupted = true }

--- Has `used`, the place of the latest trial (1 or 2).
function BuildPlaces.new()
  return setmetatable({ used = 1, has = {}, made = {}, trees = { {}, {} }, again_s = 0, longest_s = 0, test_s = 0 },
    BuildPlaces)
end

--- A trial will check out in this worktree: what its commands change there is kept with its output.
function BuildPlaces:checks_out(trial, tree)
  self.trees[trial.in_second and 2 or 1][tree] = true
  core.keep_changes_in(tree, trial.folder)
end

--- A command of a trial: `second` is the second place of its runner, or nil.
function BuildPlaces:note(second)
  self.second, self.foreign = second or self.second, self.foreign or not second
end

-- Opens the second place if that is worth it, and every command and checkout can be in it.
local function open_second(self)
  local second = self.second
  if not second or second.opened ~= nil or self.foreign then return end
  if self.again_s <= math.max(self.longest_s / 2, self.test_s) then return end
  for _, tree in ipairs(second.firsts) do
    if not self.trees[1][tree] then return end
  end
  local why = second.open()
  if why then reg.log.info("commits that are measured in turn are built again each time: %s", why) end
end

-- The place for a build: the one used least recently.
local function free_place(self, id)
  if self.made[id] then open_second(self) end
  return self.second and self.second.opened and not self.foreign and 3 - self.used or 1
end

--- Builds for a trial, unless its subject is built somewhere.
function BuildPlaces:make(trial, build)
  local id = trial.subject_id
  local made, at = self.made[id], self.has[1] == id and 1 or self.has[2] == id and 2
  if at then
    trial.in_second, self.used = at == 2, at
    for tree in pairs(self.trees[at]) do core.keep_changes_in(tree, trial.folder, true) end
    trial.info.artifact = made.artifact
    table.move(made.command, 1, #made.command, 1, trial.command)
    return
  end
  at = free_place(self, id)
  trial.in_second, self.used, self.has[at] = at == 2, at, nil
  local ok, why = pcall(build, trial.subject, trial)
  local took_s = trial.info.build_s or 0
  self.longest_s, self.again_s = math.max(self.longest_s, took_s), self.again_s + (made and took_s or 0)
  if ok or type(why) == "table" and why.kind == "same_artifact" then
    self.has[at] = id
    self.made[id] = { artifact = trial.info.artifact, command = table.move(trial.command, 1, #trial.command, 1, {}) }
  end
  if not ok then error(why, 0) end
end

--- A trial has ended.
function BuildPlaces:finish(result)
  self.test_s = result.wall_s or 0
  if STOPPED[result.status] then self.has[self.used] = nil end
end

return BuildPlaces
