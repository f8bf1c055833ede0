-- Runs commands on other machines: those of a Slurm partition, or of --hosts. Commands of trials that run at the same
-- time are submitted together. Whichever of them waits looks after all: it submits, looks for results, and asks the
-- scheduler about those that have none. lib/cluster/start says what a backend is.

local Job = require "lib/cluster/job"
local surroundings = require "lib/identity/surroundings"
local values = require "lib/values"

local map, merged, sorted_names = values.map, values.merged, values.sorted_names

-- Results are looked for each 2 % of the time since the last round, so that short jobs are not kept waiting.
local LOOK <const>, LOOK_S <const>, LOOK_MOST_S <const> = 0.02, 0.01, 0.25
local TOGETHER_S <const> = 0.02    -- commands that come within it are one round
local ASK_S <const>, ASK_MOST_S <const> = 2, 30
local LATE_S <const> = 5           -- in which the result of an ended job may come, over a slow file system
local SILENT_S <const> = 600       -- after which a scheduler that does not answer is an error
local TRIES <const> = 5
local BACK_OFF_S <const>, BACK_OFF_MOST_S <const> = 5, 60  -- after the first failure; then twice as long each time
local CANCEL_S <const> = 60        -- in which cancelled jobs end

-- How the scheduler ended a job, where that says something about the job itself.
local LIMITS <const> = { TIMEOUT = "its time limit", DEADLINE = "its deadline", OUT_OF_MEMORY = "its memory limit" }
-- Where it says something about the node.
local OF_NODE <const> = { NODE_FAIL = true, BOOT_FAIL = true, FAILED = true, COMPLETED = true }

local Cluster = {}
Cluster.__index = Cluster

--- `backend`: of lib/cluster/slurm and its like; `folder`: of the jobs of this store; `orphan_s`: how long a job goes
--- on without an engine.
function Cluster.new(backend, folder, orphan_s)
  local self = setmetatable({ backend = backend, folder = reg.fs.absolute(folder), orphan_s = orphan_s, live = {},
    queue = {}, claimed = {}, trees = {}, digests = {}, importing = {}, ask_every = ASK_S, asked = 0, rounds = 0,
    stirred = 0 }, Cluster)
  Job.prepare(self.folder)
  if backend.check then backend:check(self.folder) end
  self:attend()
  return self
end

--- Imports an image for all nodes, unless that was done: by a job, once for each digest and platform. Raises usage
--- where the cluster runs no images, and a failed trial where it cannot be had.
function Cluster:import(name, digest) return require("lib/cluster/image").import(self, name, digest) end

-- The words in front of a command: of its container, and of its ranks.
local function prefix_of(self, call)
  local words = call.image and require("lib/cluster/image").words(self, call) or {}
  return self.backend.prefix and self.backend:prefix(words, call.image ~= nil) or words
end

--- Where subjects are built and tested at the same time. What an earlier engine left running there is ended first.
function Cluster:slots(most)
  if next(self:left()) then self:cancel() end
  return require("lib/cluster/slots").new(most, self.trees)
end

-- Tells the jobs that an engine waits for them.
function Cluster:attend()
  if self.attended and core.seconds() - self.attended < self.orphan_s / 10 then return end
  self.attended = core.seconds()
  reg.fs.write(self.folder .. "/alive", tostring(self.attended) .. "\n")
end

-- The job of a command: of equal ones, the first that no command of this engine has. That of an earlier engine is taken
-- over.
local function claim(self, call, o)
  local n = 1
  while self.claimed[Job.id_of(call, o.key, n)] do n = n + 1 end
  local job = Job.at(self.folder, Job.id_of(call, o.key, n))
  if job.trial and o.is_counted(job) then
    job:remove()
    job = Job.at(self.folder, job.id)
  end
  self.claimed[job.id] = job
  return job
end

local function enqueue(self, job)
  job.submitted, job.lost, job.due = nil, nil, nil
  self.queue[#self.queue + 1] = job
  self.queued_at = core.seconds()
end

-- Something has not worked since then (core.seconds()): an error where that is long.
local function check_silence(self, since, what)
  if core.seconds() - since < SILENT_S then return end
  core.fail("unavailable", string.format("%s %s for 10 minutes", self.backend.name, what),
    "The jobs go on; run the same command again to continue.")
end

-- Takes over a job of an earlier engine, or of a round that may have been submitted: it waits or runs, or has ended.
-- Whether it does.
local function adopt(self, job)
  local began = core.seconds()
  for _, round in ipairs(job:rounds()) do
    local states, silent = self.backend:known(round.name, self.folder)
    while silent do
      check_silence(self, began, "has not answered")
      reg.sleep(ASK_S)
      states, silent = self.backend:known(round.name, self.folder)
    end
    local state = states[round.number]
    if state and not state.ended then
      job.submitted, job.round, self.live[job.id] = state.id, round.name, job
      return true
    end
  end
  job.done = reg.fs.exists(self.folder .. "/results/" .. job.id)
  return job.done
end

local function back_off_s(times)
  return math.min(BACK_OFF_S << math.min(math.max(times - 1, 0), 4), BACK_OFF_MOST_S)
end

-- The scheduler did not take a round. Unless it refuses that for good, or does not answer for long, the round is
-- submitted again later, if it was not taken after all.
local function refused(self, group, why, refusal)
  if refusal == "never" then
    core.fail("unavailable", self.backend.name .. " does not accept the jobs: " .. why,
      "Change the options that it names.")
  end
  if not self.refused then reg.log.warn("%s accepts no jobs now: %s; trying again", self.backend.name, why) end
  self.refused = self.refused or { since = core.seconds(), times = 0 }
  if refusal ~= "limit" then check_silence(self, self.refused.since, "has accepted no jobs") end
  self.refused.times = self.refused.times + 1
  for _, job in ipairs(group) do
    job.refused, job.due = true, core.seconds() + back_off_s(self.refused.times)
  end
end

-- Takes the jobs that the machines have room for out of the queue.
local function take(self)
  local queue = self.queue
  self.queue = {}
  if not self.backend.take then return queue end
  return values.only(queue, function(job)
    local took, never = self.backend:take(job)
    if never then job.given_up, job.why = true, "cannot start: " .. never
    elseif not took then self.queue[#self.queue + 1] = job end
    return took
  end)
end

-- Where a job may run.
local function place_of(job) return (job.pinned or "") .. " " .. table.concat(job.avoid or {}, ",") end

-- Submits what waits, as far as the machines have room.
local function submit(self)
  for _, group in ipairs((values.grouped(take(self), place_of))) do
    group.node, group.avoid = group[1].pinned, group[1].avoid
    self.rounds = self.rounds + 1
    local name = string.format("%s-%d", core.engine_id(), self.rounds)
    local list = map(group, function(job) return job.id end)
    reg.fs.write(self.folder .. "/rounds/" .. name, table.concat(list, "\n") .. "\n")
    local ids, why, refusal = self.backend:submit(name, self.folder, group)
    if not ids then refused(self, group, why, refusal) else self.refused, self.stirred = nil, core.seconds() end
    for i, job in ipairs(ids and group or {}) do
      job.round, job.submitted = name, ids[i]
      if job.submitted then
        job.tries = job.tries + 1
        self.live[job.id] = job
      else
        self.queue[#self.queue + 1] = job  -- its host went away: another one may take it
      end
    end
  end
end

-- A job has no result, and will have none.
function Cluster:failed(job, state)
  self.live[job.id] = nil
  job.why = (LIMITS[state.name] and "ran past " .. LIMITS[state.name] or state.reason
    or "ended without a result (" .. state.name .. ")") .. (state.node and " on " .. state.node or "")
  if state.name == "PREEMPTED" then job.preempted = (job.preempted or 0) + 1 end
  if state.name == "TIMEOUT" or state.name == "DEADLINE" or job.tries - (job.preempted or 0) >= TRIES then
    job.given_up = true
    return
  end
  if state.node and OF_NODE[state.name] and self.backend.slots > 1 then
    job.avoid = #(job.avoid or {}) + 1 < #(self.backend.nodes or {}) and job.avoid or {}
    table.insert(job.avoid, state.node)
  end
  local wait_s = back_off_s(job.tries)
  reg.log.warn("%s: a job %s; submitting it again in %d s", self.backend.name, job.why, wait_s)
  job.due = core.seconds() + wait_s
end

local function snapshot(jobs) return map(sorted_names(jobs), function(id) return jobs[id] end) end

-- A job waits for something that does not come about.
local function give_up(self, job, why)
  self.backend:cancel { job.submitted }
  if not job.pinned then
    core.fail("unavailable", self.backend.name .. " will not start the jobs: " .. why,
      "Change the options of the job, or try: squeue")
  end
  self.live[job.id], job.given_up, job.why = nil, true, "cannot start: " .. why
end

-- Asks the scheduler about all jobs at once.
local function ask(self)
  local now, asked = core.seconds(), snapshot(self.live)
  local states = self.backend:poll(self.live, self.folder)
  self.asked = core.seconds()
  self.ask_every = math.min(self.ask_every * 1.5, ASK_MOST_S)
  if not states then
    self.silent = self.silent or now
    return check_silence(self, self.silent, "has not answered")
  end
  if self.silent then self.silent, self.ask_every = nil, ASK_S end
  for _, job in ipairs(asked) do
    local state = states[job.submitted]
    local gone = not state or state.ended
    if gone and self.backend.fetch and not job.lost then self.backend:fetch(job) end
    job.lost = gone and (job.lost or { at = now, state = state or { name = "unknown to it" } }) or nil
    local hopeless = not gone and state.reason and self.backend.hopeless(state, job.pinned)
    if hopeless then give_up(self, job, hopeless) end
  end
end

-- Looks for results, and for jobs that will have none.
local function look(self)
  local done = values.set(reg.fs.list(self.folder .. "/results"))
  for _, job in ipairs(snapshot(self.live)) do
    if done[job.id] then
      self.live[job.id], job.done = nil, true
      self.ask_every = ASK_S
      if self.backend.freed then self.backend:freed(job.submitted) end
    elseif job.lost and core.seconds() - job.lost.at > LATE_S then
      self:failed(job, self.backend:ended(job.submitted, job.round) or job.lost.state)
    end
  end
end

-- How long to wait for something to happen.
local function pause_s(self)
  if #self.queue > 0 then return TOGETHER_S end
  return math.max(LOOK_S, math.min(LOOK * (core.seconds() - self.stirred), LOOK_MOST_S))
end

function Cluster:turn()
  self:attend()
  if #self.queue > 0 and core.seconds() - self.queued_at >= TOGETHER_S then submit(self) end
  if next(self.live) then look(self) end
  local waits = next(self.live) or #self.queue > 0
  if waits and core.seconds() - self.asked >= self.ask_every then ask(self) end
end

-- Waits until the job has a result or is given up.
local function wait(self, job)
  while not job.done and not job.given_up do
    if job.due and core.seconds() >= job.due then
      if not (job.refused and adopt(self, job)) then enqueue(self, job) end
      job.due, job.refused = nil, nil
    end
    if not self.turning then
      self.turning = true
      local _ <close> = setmetatable({}, { __close = function() self.turning = false end })
      self:turn()
    end
    if not job.done then reg.sleep(pause_s(self)) end
  end
end

--- Runs a command, with the options of reg.process.run, and returns what that returns, with `node`. `o`: trial (its
--- id), key (of the trial and the command in it), node (to run on that one; or nil), and is_counted(job): whether a
--- finished trial has its result. A job that its scheduler ended is submitted again, on another node where that was at
--- fault; it raises a failed trial, which is to be measured again, if that does not help.
function Cluster:run(call, o)
  call.env = merged(call.env)  -- of a script that uses one table for all trials, others are set while this one waits
  local job, prefix = claim(self, call, o), prefix_of(self, call)
  job.pinned = o.node
  if not (job.trial and adopt(self, job)) then
    job:remove()
    job:write(call, { trial = o.trial, variables = surroundings.variables(), prefix = prefix,
      orphan_s = self.orphan_s })
    enqueue(self, job)
  end
  while true do
    wait(self, job)
    if job.given_up then break end
    local run, why, node = job:result(call, #prefix == 0)
    if run then return run, job end
    job.done = nil
    reg.fs.remove(self.folder .. "/results/" .. job.id)
    local ended = job.submitted and self.backend:ended(job.submitted, job.round)  -- nil: it ended without an engine
    if not ended or ended.name == "COMPLETED" then
      ended = { name = why == Job.TIME_LIMIT and "TIMEOUT" or "ENDED", reason = why, node = node.name }
    end
    self:failed(job, ended)
  end
  error({ kind = "failed_trial", status = "skipped", message = string.format("no result from %s after %d %s: %s",
    self.backend.name, job.tries, job.tries == 1 and "try" or "tries", job.why), info = { unprepared = true } }, 0)
end

--- Removes the files of jobs that a stored trial has the results of.
function Cluster:forget(jobs)
  for _, job in ipairs(jobs) do
    job:remove()
    self.claimed[job.id] = nil
  end
end

--- The ids of the jobs that wait or run: of this engine, and what an earlier one left.
function Cluster:left()
  local ids = {}
  for _, name in ipairs(reg.fs.list(self.folder .. "/rounds")) do
    for _, state in pairs(self.backend:known(name, self.folder)) do
      if not state.ended then ids[#ids + 1] = state.id end
    end
  end
  return ids
end

--- Cancels them, and waits until they have ended. Results that an earlier engine left and this one did not ask for are
--- dropped.
function Cluster:cancel()
  local ids, results = self:left(), #reg.fs.list(self.folder .. "/results")
  if #ids > 0 then self.backend:cancel(ids) end
  if #ids + results > 0 then
    reg.log.info("%s: jobs cancelled: %d, results dropped: %d; nothing asked for them", self.backend.name, #ids,
      results)
  end
  local upto = core.seconds() + CANCEL_S
  while #ids > 0 and next(self:left()) and core.seconds() < upto do reg.sleep(0.5) end
  for _, name in ipairs { "jobs", "results", "rounds" } do
    reg.fs.remove(self.folder .. "/" .. name)
    reg.fs.mkdir(self.folder .. "/" .. name)
  end
  self.live, self.queue, self.claimed = {}, {}, {}
  return #ids
end

--- How many jobs of this engine wait or run.
function Cluster:size() return #self.queue + #snapshot(self.live) end

return Cluster
