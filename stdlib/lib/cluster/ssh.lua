-- Machines that the user's own ssh reaches, one command at a time on each. What a host runs is known by its processes:
-- node.sh has the id of its job on its command line.

local Ssh = {}
Ssh.__index = Ssh

local UNREACHABLE <const> = 255  -- exit code of ssh
local AWAY_S <const> = 120       -- after which what runs on a host that cannot be reached is lost

-- Runs a command line of the shell on a host. One connection serves all of them.
local function on(host, line)
  return reg.process.run { cmd = { "ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ControlMaster=auto",
    "-o", "ControlPath=~/.ssh/regengine-%C", "-o", "ControlPersist=60", host, line },
    timeout_s = 30, reads = true }
end

-- Calls f(host) for all hosts at the same time.
local function each(self, f)
  return reg.parallel(self.hosts, function(host) return f(host) or false end, { at_most = #self.hosts })
end

--- For `options`, the values of reg.options { "cluster" }.
function Ssh.new(options)
  local hosts = {}
  for host in options.hosts:gmatch "[^,%s]+" do hosts[#hosts + 1] = host end
  if #hosts == 0 then core.fail("usage", "--hosts: no host", "Pass names that ssh knows: --hosts gpu1,gpu2.") end
  -- ssh takes the home folder from the list of users.
  reg.process.run { shell = 'eval "mkdir -p -m 700 ~$(id -un)/.ssh"' }
  return setmetatable({ name = "ssh", hosts = hosts, nodes = hosts, slots = #hosts, busy = {}, away = {},
    identity = { hosts = hosts } }, Ssh)
end

--- Raises unavailable unless every host sees the folder of the jobs.
function Ssh:check(folder)
  each(self, function(host)
    local run = on(host, "test -x " .. core.shell_words { folder .. "/usage" })
    if run.ok then return end
    local missing = run.code ~= UNREACHABLE and not run.timed_out
    core.fail("unavailable", missing and string.format("--hosts: %s does not see %s", host, folder)
      or string.format("--hosts: ssh %s: %s", host, run.stderr:match "[^\n]+" or "no connection"),
      missing and "Run regengine in a folder that all hosts have at the same path, as by NFS or sshfs."
      or "ssh must reach it without a question: try ssh -o BatchMode=yes " .. host .. " true")
  end)
end

--- Gives the job a host that is free, may run it and can be reached. Whether there is one.
function Ssh:take(job)
  local avoid = {}
  for _, host in ipairs(job.avoid or {}) do avoid[host] = true end
  for _, host in ipairs(self.hosts) do
    if not self.busy[host] and not self.away[host] and (job.pinned or host) == host and not avoid[host] then
      self.busy[host], job.host = job.id, host
      return true
    end
  end
  return false
end

--- Starts each job on its host. Returns an id for each; false for one whose host cannot be reached.
function Ssh:submit(_, folder, group)
  return reg.parallel(group, function(job)
    local host = job.host
    local line = core.shell_words { "setsid", "sh", folder .. "/node.sh", folder, job.id, host }
    if on(host, line .. " >/dev/null 2>&1 </dev/null &").ok then return host .. ":" .. job.id end
    self.busy[host], self.away[host] = nil, core.seconds()
    return false
  end, { at_most = #self.hosts })
end

-- What runs on a host, a set of job ids; nil where it cannot be reached.
local function running(host, folder)
  local run = on(host, "ps -eo args | grep -F " .. core.shell_words { folder .. "/node.sh" } .. " || true")
  if not run.ok then return nil end
  local ids = {}
  for id in run.stdout:gmatch "node%.sh %S+ (%x+%-%d+)" do ids[id] = true end
  return ids
end

--- The states of all jobs, by one ssh to each host. A host that cannot be reached for long has lost its job.
function Ssh:poll(_, folder)
  local states = {}
  each(self, function(host)
    local ids = running(host, folder)
    if ids then
      self.away[host] = nil
      if not ids[self.busy[host]] then self.busy[host] = nil end
      for id in pairs(ids) do states[host .. ":" .. id] = { id = host .. ":" .. id, name = "RUNNING", node = host } end
      return
    end
    self.away[host] = self.away[host] or core.seconds()
    local id = self.busy[host]
    if not id then return end
    local lost = core.seconds() - self.away[host] > AWAY_S
    if lost then self.busy[host] = nil end
    states[host .. ":" .. id] = { id = host .. ":" .. id, name = lost and "NODE_FAIL" or "RUNNING", node = host,
      ended = lost }
  end)
  return states
end

--- The jobs of a round, by their numbers in it.
function Ssh:known(round, folder)
  local number, found, n = {}, {}, 0
  for id in reg.fs.read(folder .. "/rounds/" .. round):gmatch "[^\n]+" do
    n = n + 1
    number[id] = n
  end
  each(self, function(host)
    for id in pairs(running(host, folder) or {}) do
      if number[id] then
        found[number[id]], self.busy[host] = { id = host .. ":" .. id, name = "RUNNING", node = host }, id
      end
    end
  end)
  return found
end

--- A job has its result: its host is free.
function Ssh:freed(id)
  local host = id:match "^[^:]+"
  self.busy[host] = nil
end

function Ssh.ended() return nil end

function Ssh.cancel(_, ids)
  for _, id in ipairs(ids) do
    local host, job = id:match "^([^:]+):(.*)$"
    on(host, "pkill -TERM -f " .. core.shell_words { "node[.]sh .* " .. job })
  end
end

function Ssh.prefix() return {} end

return Ssh
