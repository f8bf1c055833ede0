-- overlap = true with `build`: while one subject is tested, builds the one that is likely next in the place that the
-- test does not use. There are two places (reg.runner), and one build is kept.

local likely = require "lib/sweep/likely"
local shortage = require "lib/sweep/shortage"
local trials = require "lib/sweep/trial"

local Builds = {}
Builds.__index = Builds

--- `session`: see lib/sweep/session.
function Builds.new(session, build) return setmetatable({ session = session, build = build }, Builds) end

-- Failures of the commit itself. After any other one, such as a time-out beside the test, it is built in its turn.
local function is_of_commit(why, made)
  local lacked = made.failed_run and shortage.of(made.failed_run)
  return type(why) == "table" and why.kind == "failed_trial" and not why.of_machine and not lacked
end

local function start(self, queue, place, measured_cpus)
  local session, places = self.session, self.session.run.places
  local subject, label, at = session.subjects[place], session.labels[place], 3 - places.used
  local made = trials.ahead(subject, self.folder, places, at, measured_cpus)
  self.queue, self.id = queue, session.ids[place]
  places:begin_ahead(at)
  self.task = reg.spawn(function()
    local ok, why = pcall(function()
      core.new_output(made.folder)
      self.build(subject, made)
    end)
    if ok or is_of_commit(why, made) then
      made.built = { failure = why }
      self.made = made
    else
      reg.log.warn("%s is not built ahead: %s", label, type(why) == "table" and why.message or why)
    end
  end)
end

--- Stops what is under way, waits until it has stopped, and forgets what was built.
function Builds:stop()
  if not self.queue then return end
  self.task:cancel()
  pcall(self.task.wait, self.task)
  self.queue, self.made = nil, nil
  self.session.run.places:end_ahead()
  core.drop_output(self.folder)
end

--- `request` is measured now: stops a build that has become unlikely.
function Builds:expect(request)
  local session = self.session
  self.places = likely(session, { request })
  local wanted = { [session:queue_of(request.place)] = true }
  for _, place in ipairs(self.places) do wanted[session:queue_of(place)] = true end
  if not wanted[self.queue or false] then self:stop() end
end

--- The test of `trial` begins: starts to build what may follow, unless such a build is there or under way.
function Builds:begin(trial)
  local session, places = self.session, self.places or {}
  self.places = nil
  for _, place in ipairs(places) do
    local queue = session:queue_of(place)
    if self.queue then return end
    if queue:empty() then
      self.folder = trial.folder:gsub("[^/]+/$", "ahead-" .. session.run.investigation .. "/")
      start(self, queue, place, trial:cpus())
    end
  end
end

--- The trial for which this build was made ahead, at its end; nil if it must be built.
function Builds:claim(queue)
  if self.queue ~= queue then return nil end
  pcall(self.task.wait, self.task)
  local made = self.made
  if not made then
    self:stop()
    return nil
  end
  self.queue, self.made = nil, nil
  self.session.run.places:end_ahead(not made.built.failure and self.id or nil)
  return made
end

--- Stops what is under way.
function Builds:close()
  if self.task then self.task:cancel() end
end
Builds.__close = Builds.close

return Builds
