-- Slurm by its commands: sbatch, squeue, sacct and scancel. A round is one job array, whose jobs are asked about
-- together, by name.

local Job = require "lib/cluster/job"
local values = require "lib/values"

local find = values.find

local Slurm = {}
Slurm.__index = Slurm

local MOST_SLOTS <const> = 8  -- unless --parallel says otherwise

local ACCOUNTED_S <const> = 30

local WARN_S <const> = 60     -- before a job's time limit it is told, or a tenth of that

-- What sbatch says where the same job may be accepted later.
local LIMITS <const> = { "limit", "[Tt]emporar", "QOS", "[Tt]imed out", "busy" }

-- Options of the command line that sbatch has, too.
local PASSED <const> = { "partition", "gres", "account", "qos", "constraint", "nodes", "ntasks", "ntasks_per_node" }

local ENDED <const> = { BOOT_FAIL = true, CANCELLED = true, COMPLETED = true, DEADLINE = true, FAILED = true,
  NODE_FAIL = true, OUT_OF_MEMORY = true, PREEMPTED = true, REVOKED = true, SPECIAL_EXIT = true, TIMEOUT = true }

-- What a job waits for that does not come about by waiting.
local NEVER <const> = { "^Bad", "^Invalid", "^Partition%a+Limit$", "PerJobLimit$", "PerNodeLimit$", "^JobHeld",
  "^PartitionDown", "^PartitionInactive" }
-- The same for a job that must run on one node.
local NODE_GONE <const> = { "ReqNodeNotAvail", "DOWN", "DRAINED", "Reserved" }

-- What a command printed; nil and why if it failed.
local function run(words)
  local result, missing = values.caught("not_found", reg.process.run, { cmd = words, timeout_s = 60, reads = true })
  if missing then return nil, missing.message end
  return result.ok and result.stdout or nil, result.stderr:match "[^\n]+" or "exit code " .. result.code
end

--- The words of sbatch for the options of a command line.
function Slurm.job_options(options)
  local words = {}
  for _, name in ipairs(PASSED) do
    if options[name] then words[#words + 1] = "--" .. name:gsub("_", "-") .. "=" .. options[name] end
  end
  if options.time then
    words[#words + 1] = string.format("--time=%d", math.ceil(reg.time.seconds(options.time) / 60))
  end
  return words
end

-- The nodes of the partition that are up.
local function nodes_of(partition)
  local words = { "sinfo", "--noheader", "--Node", "--format=%N %t" }
  if partition then words[#words + 1] = "--partition=" .. partition end
  local listed, why = run(words)
  if not listed then core.fail("unavailable", "Slurm does not answer: " .. why, "Try: sinfo") end
  local names, seen = {}, {}
  for name, state in listed:gmatch "(%S+) (%a+)" do
    if not seen[name] and not state:find "^d" and not state:find "^fail" then names[#names + 1] = name end
    seen[name] = true
  end
  return names, seen
end

function Slurm.new(options)
  if not run { "sbatch", "--version" } then
    core.fail("unavailable", "--runtime slurm: this machine has no sbatch", "Run regengine on a login node.")
  end
  local nodes, all = nodes_of(options.partition)
  if #nodes == 0 then
    core.fail("unavailable", "--runtime slurm: no node of the partition is up", next(all) and "Try: sinfo"
      or "Pass one of those that sinfo lists as --partition.")
  end
  local containers = run { "srun", "--help" }
  local images = (containers or ""):find("--container-image", 1, true) and "pyxis"
    or run { "apptainer", "--version" } and "apptainer" or nil
  local identity = { partition = options.partition, constraint = options.constraint, gres = options.gres,
    nodes = options.nodes, ntasks = options.ntasks, ntasks_per_node = options.ntasks_per_node, more = options.slurm }
  return setmetatable({ name = "Slurm", options = options, identity = identity, nodes = nodes, images = images,
    accounts = {}, slots = math.min(#nodes, MOST_SLOTS) }, Slurm)
end

-- Whether sbatch refused a job for good ("never") or for now ("limit"); nil where Slurm does not answer.
local function refusal(why)
  local silent = why:find "contact" or why:find "connect" or not run { "sinfo", "--noheader", "--format=%N" }
  if silent then return nil end
  return find(LIMITS, function(pattern) return why:find(pattern) end) and "limit" or "never"
end

--- Submits a round: an array, one job for each. `group.node` pins it to a node, and `group.avoid` lists others.
function Slurm:submit(round, folder, group)
  local limit_s = self.options.time and reg.time.seconds(self.options.time) or math.huge
  local words = values.flat { { "sbatch", "--parsable", "--job-name=regengine-" .. round, "--array=1-" .. #group,
    "--no-requeue", string.format("--signal=B:TERM@%d", math.min(WARN_S, limit_s // 10)), "--output=/dev/null",
    "--open-mode=append" }, Slurm.job_options(self.options) }
  -- A test that is timed has its node to itself, unless the user says what it needs of one.
  if not self.options.gres and not self.options.slurm then words[#words + 1] = "--exclusive" end
  if group.node then words[#words + 1] = "--nodelist=" .. group.node end
  if group.avoid and not group.node then words[#words + 1] = "--exclude=" .. table.concat(group.avoid, ",") end
  local script = string.format('#!/bin/sh\nexec sh %s %s "$(sed -n "${SLURM_ARRAY_TASK_ID}p" %s)"\n',
    core.shell_words { folder .. "/node.sh" }, core.shell_words { folder },
    core.shell_words { folder .. "/rounds/" .. round })
  local submitted = reg.process.run {
    shell = Job.APART .. "exec " .. core.shell_words(words) .. " " .. (self.options.slurm or ""),
    stdin = script, timeout_s = 120 }
  local id = submitted.ok and submitted.stdout:match "%d+"
  if not id then
    local why = submitted.stderr:match "[^\n]+" or "sbatch failed"
    return nil, (why:gsub("^sbatch: ", ""):gsub("^error: ", "")), refusal(why)
  end
  local ids = {}
  for i = 1, #group do ids[i] = id .. "_" .. i end
  return ids
end

-- { [id] = state } of the jobs of these rounds; nil where Slurm does not answer. It knows a job for some minutes after
-- its end.
local function states_of(rounds)
  local listed = run { "squeue", "--noheader", "--array", "--states=all", "--format=%i|%T|%N|%r",
    "--name=regengine-" .. table.concat(rounds, ",regengine-") }
  if not listed then return nil end
  local states = {}
  for id, name, node, reason in listed:gmatch "([^|\n]+)|([^|\n]*)|([^|\n]*)|([^\n]*)" do
    states[id] = { id = id, name = name, node = node ~= "" and node or nil, ended = ENDED[name] or false,
      reason = name == "PENDING" and reason or nil }
  end
  return states
end

--- The states of all jobs, by one call of squeue.
function Slurm.poll(_, jobs)
  local rounds = {}
  for _, job in pairs(jobs) do rounds[job.round] = true end
  return states_of(values.sorted_names(rounds))
end

function Slurm.known(_, round)
  local found, states = {}, states_of { round }
  for id, state in pairs(states or {}) do found[math.tointeger(id:match "_(%d+)$") or 0] = state end
  return found, not states
end

-- How the jobs of an array ended, as the accounting tells, where there is one: asked once for all of them.
local function accounted(self, array)
  local known = self.accounts[array]
  if not known or core.seconds() - known.asked > ACCOUNTED_S then
    local listed = run { "sacct", "--noheader", "--parsable2", "--allocations", "--format=JobID,State,NodeList",
      "--jobs=" .. array }
    known = { asked = core.seconds() }
    for id, name, node in (listed or ""):gmatch "(%S-)|(%u[%u_]+)[^|\n]*|([^\n]*)" do
      known[id] = ENDED[name] and { id = id, name = name, node = node ~= "" and node or nil, ended = true } or nil
    end
    self.accounts[array] = known
  end
  return known
end

--- How a job ended, as squeue tells for some minutes, and then the accounting.
function Slurm:ended(id, round)
  local state = (states_of { round } or {})[id]
  if state and state.ended then return state end
  return accounted(self, id:match "^%d+")[id]
end

function Slurm.hopeless(state, pinned)
  local function is_so(pattern) return state.reason:find(pattern) end
  return (find(NEVER, is_so) or pinned and find(NODE_GONE, is_so)) and state.reason or nil
end

function Slurm.cancel(_, ids) run { "scancel", table.unpack(ids) } end

-- Of several ranks only the first one prints.
local FIRST <const> = { "sh", "-c", '[ "${SLURM_PROCID:-0}" = 0 ] || exec >/dev/null 2>&1; exec "$@"', "sh" }

--- What goes around the words of a container, which may be none.
function Slurm:prefix(words, in_image)
  if not self.options.ntasks and not self.options.ntasks_per_node then return words end
  return values.flat { in_image and self.images == "pyxis" and {} or { "srun", "--quiet" }, words, FIRST }
end

return Slurm
