-- Machines that the user's own ssh reaches, one command at a time on each. What a host runs is known by its processes:
-- the command line of node.sh ends with the job, the host and a tag of this folder.

local values = require "lib/values"

local Ssh = {}
Ssh.__index = Ssh

local UNREACHABLE <const> = 255  -- exit code of ssh
local AWAY_S <const> = 60        -- after which what runs on a host that cannot be reached is lost
local RETRY_S <const> = 10

-- Why ssh fails however often it is tried.
local REFUSED <const> = { "Permission denied", "Host key verification failed", "Could not resolve hostname" }

-- Runs a script of sh on a host, whatever shell the user has there. A connection that the user holds open is used.
local function on(host, script)
  return reg.process.run { cmd = { "ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o",
    "ServerAliveInterval=5", "-o", "ControlMaster=no", "--", host, "sh" }, stdin = script, timeout_s = 20,
    reads = true }
end

local function unreachable(run) return run.code == UNREACHABLE or run.timed_out end

local function why_of(run)
  return run.timed_out and "no answer" or values.last_line(run.stderr) or "exit code " .. run.code
end

function Ssh.new(options)
  local hosts, seen = {}, {}
  for host in options.hosts:gmatch "[^,%s]+" do
    if seen[host] then core.fail("usage", "--hosts: " .. host .. " is listed twice", "List each host once.") end
    hosts[#hosts + 1], seen[host] = host, true
  end
  if #hosts == 0 then core.fail("usage", "--hosts: no host", "Pass names that ssh knows: --hosts gpu1,gpu2.") end
  return setmetatable({ name = "ssh", hosts = hosts, nodes = hosts, slots = #hosts, busy = {}, away = {}, trying = {},
    identity = { hosts = values.sorted(hosts) } }, Ssh)
end

-- A host cannot be reached.
local function lose(self, host, run)
  if self.away[host] then return end
  self.away[host] = core.seconds()
  reg.log.warn("cannot reach %s: %s", host, why_of(run))
end

-- What a host must have, for the folder of the jobs and a new word in its file `check`.
local CHECK <const> = [[
cd %s 2>/dev/null && [ "$(cat check 2>/dev/null)" = %s ] || exit 3
touch "check.$$" 2>/dev/null && rm "check.$$" || exit 4
for program in setsid timeout ps pkill stat; do
  command -v $program >/dev/null || { echo "program $program"; exit 5; }
done
]]

-- Raises unavailable unless the host can run jobs. Returns how ssh ended if it cannot be reached now.
local function check_host(host, folder)
  local run = on(host, string.format(CHECK, core.shell_words { folder }, core.engine_id()))
  if run.ok then return end
  local function fail(what, hint) core.fail("unavailable", "--hosts: " .. host .. " " .. what, hint) end
  if run.code == 3 then
    fail("does not see " .. folder, "Run regengine in a folder that all hosts have at the same path, by NFS or sshfs.")
  elseif run.code == 4 then
    fail("cannot write to " .. folder, "All hosts must be able to write there.")
  elseif run.code == 5 then
    fail("lacks the " .. run.stdout:match "program %l+", "Install it there.")
  end
  if not unreachable(run) or values.find(REFUSED, function(why) return run.stderr:find(why, 1, true) end) then
    fail("cannot be used: " .. why_of(run), "ssh must connect without a question. Try: ssh -o BatchMode=yes -- "
      .. core.shell_words { host } .. " true")
  end
  return run
end

-- What runs images on a host; nil for nothing.
local function container_program(host)
  return on(host, "command -v docker || command -v podman\n").stdout:match "(%l+)%s*$"
end

--- Raises unavailable unless a host can be reached, and all that can be see the folder of the jobs.
function Ssh:check(folder)
  self.folder, self.tag = folder, "regengine" .. core.sha256(folder):sub(1, 16)
  reg.fs.write(folder .. "/check", core.engine_id())
  local ends = reg.parallel(self.hosts, function(host) return check_host(host, folder) or false end)
  local all_away = true
  for _, run in ipairs(ends) do all_away = all_away and run end
  if all_away then
    core.fail("unavailable", "--hosts: cannot reach any host: " .. self.hosts[#ends] .. ": " .. why_of(all_away))
  end
  for i, host in ipairs(self.hosts) do
    if ends[i] then lose(self, host, ends[i]) else self.images = self.images or container_program(host) end
  end
end

-- Looks which jobs run on a host: a set of ids; nil where it cannot be reached.
local function look(self, host)
  local run = on(host, "ps -eww -o args= | grep " .. self.tag .. " || true\n")
  if unreachable(run) then return lose(self, host, run) end
  local ids = values.set(values.matches(run.stdout, "(%x+%-%d+) %S+ " .. self.tag))
  self.away[host] = nil
  if not ids[self.busy[host]] then self.busy[host] = next(ids) end
  return ids
end

-- Tries a host again beside the others: it may take long to fail.
local function retry(self, host)
  if self.trying[host] and core.seconds() - self.trying[host] < RETRY_S then return end
  self.trying[host] = math.huge
  reg.spawn(function()
    look(self, host)
    self.trying[host] = core.seconds()
  end)
end

--- Gives the job a host that is free, may run it and can be reached. Whether there is one; if not and never will be,
--- also why.
function Ssh:take(job)
  local avoid, pinned = values.set(job.avoid or {}), job.pinned
  for _, host in ipairs(self.hosts) do
    if not self.busy[host] and not self.away[host] and (pinned or host) == host and not avoid[host] then
      self.busy[host], job.host = job.id, host
      return true
    end
  end
  local lost = pinned and self.away[pinned] and core.seconds() - self.away[pinned] > AWAY_S
  return false, lost and pinned .. " cannot be reached" or nil
end

--- Starts each job on its host. Returns an id for each; false for one whose host cannot be reached.
function Ssh:submit(_, folder, group)
  return reg.parallel(group, function(job)
    local host = job.host
    local run = on(host, core.shell_words { "setsid", "sh", folder .. "/node.sh", folder, job.id, host, self.tag }
      .. " >/dev/null 2>&1 </dev/null &\n")
    if not unreachable(run) then return host .. " " .. job.id end
    self.busy[host] = nil
    lose(self, host, run)
    return false
  end)
end

--- The states of all jobs, by one ssh to each host. A host that cannot be reached for long has lost its job.
function Ssh:poll()
  local states, reached = {}, 0
  reg.parallel(self.hosts, function(host)
    local function set(id, name)
      states[host .. " " .. id] = { id = host .. " " .. id, name = name, node = host, ended = name ~= "RUNNING" }
    end
    if self.away[host] then retry(self, host) end
    local mine = self.busy[host]
    local ids = not self.away[host] and look(self, host)
    for id in pairs(ids or {}) do set(id, "RUNNING") end
    if ids then reached = reached + 1 return end
    if not mine then return end
    local lost = core.seconds() - self.away[host] > AWAY_S
    if lost then self.busy[host] = nil end
    set(mine, lost and "NODE_FAIL" or "RUNNING")
  end)
  return reached > 0 and states or nil
end

-- What runs on all hosts, looked at once for all rounds that are asked for at the same time.
local function all_running(self)
  while self.listing do reg.sleep(0.01) end
  if not self.listed or core.seconds() - self.listed.at > 1 then
    self.listing = true
    local _ <close> = setmetatable({}, { __close = function() self.listing = nil end })
    local sets = reg.parallel(self.hosts, function(host) return not self.away[host] and look(self, host) or {} end)
    self.listed = { at = core.seconds(), sets = sets }
  end
  return self.listed.sets
end

function Ssh:known(round, folder)
  local sets, found = all_running(self), {}
  for n, id in ipairs(values.matches(reg.fs.read(folder .. "/rounds/" .. round), "[^\n]+")) do
    for i, host in ipairs(self.hosts) do
      if sets[i][id] then found[n] = { id = host .. " " .. id, name = "RUNNING", node = host } end
    end
  end
  return found
end

--- A job has its result: its host is free.
function Ssh:freed(id)
  local host, job = id:match "^(%S+) (.*)$"
  if self.busy[host] == job then self.busy[host] = nil end
end

function Ssh.ended(_, id)
  local host = id:match "^%S+"
  return { id = id, name = "GONE", reason = "ended without a result", node = host, ended = true }
end

function Ssh:cancel(ids)
  local scripts = {}
  for _, id in ipairs(ids) do
    local host, job = id:match "^(%S+) (.*)$"
    scripts[host] = (scripts[host] or "") .. string.format("pkill -TERM -f '%s .* %s'\n", job, self.tag)
  end
  reg.parallel(values.sorted_names(scripts), function(host) on(host, scripts[host]) end)
end

return Ssh
