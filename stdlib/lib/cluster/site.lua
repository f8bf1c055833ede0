-- The scheduler of a site, by four commands of its own. The file has a line for each:
--
--   submit: ...   runs once per round and prints an id for each job, one per line. REGENGINE_ROUND names the round, and
--                 REGENGINE_JOBS has the commands to run, one per line: `sh NODE.SH FOLDER ID`.
--   poll: ...     prints those of REGENGINE_IDS that wait or run, one per line; behind each its node, if that is known
--   cancel: ...   ends those of REGENGINE_IDS
--   fetch: ...    brings the files of the job REGENGINE_ID to this machine: REGENGINE_FOLDER/results/REGENGINE_JOB and
--                 REGENGINE_FOLDER/jobs/REGENGINE_JOB; empty where the folder is shared

local Job = require "lib/cluster/job"
local values = require "lib/values"

local Site = {}
Site.__index = Site

local NAMES <const> = { "submit", "poll", "cancel", "fetch" }
local SLOTS <const> = 8

local function read_commands(path)
  local commands, is_name = {}, values.set(NAMES)
  local function fail(what, hint) core.fail("usage", path .. ": " .. what, hint) end
  local names = "The names are " .. table.concat(NAMES, ", ") .. "."
  for line in reg.fs.read(path):gmatch "[^\n]+" do
    local name, command = line:match "^%s*([%w_]+):%s*(.-)%s*$"
    if is_name[name] then commands[name] = command
    elseif name then fail("unknown name '" .. name .. "'" .. core.did_you_mean(name, NAMES), names)
    elseif not line:match "^%s*#" and line:match "%S" then fail("not 'NAME: COMMAND': " .. line, names) end
  end
  local missing = values.find(NAMES, function(name) return not commands[name] end)
  if missing then
    fail("no line '" .. missing .. ": COMMAND'",
      missing == "fetch" and "Leave the command out where the folder is shared." or nil)
  end
  return commands
end

function Site.new(options)
  local path = options.cluster_commands
  return setmetatable({ name = path, commands = read_commands(path), slots = SLOTS,
    identity = { commands = core.file_hash(path) } }, Site)
end

local function run(self, name, variables)
  variables.REGENGINE_FOLDER = self.folder
  local result = reg.process.run { shell = Job.APART .. self.commands[name], env = variables, timeout_s = "5m" }
  return result.ok and result.stdout or nil, result.stderr:match "[^\n]+" or "exit code " .. result.code
end

function Site:check(folder) self.folder = folder end

function Site:submit(round, folder, group)
  local lines = values.map(group, function(job)
    return core.shell_words { "sh", folder .. "/node.sh", folder, job.id }
  end)
  local printed, why = run(self, "submit", { REGENGINE_ROUND = "regengine-" .. round,
    REGENGINE_JOBS = table.concat(lines, "\n"), REGENGINE_NODE = group.node or "" })
  if not printed then return nil, why end
  local ids = values.matches(printed, "(%S+)[^\n]*")
  if #ids ~= #group then
    self:cancel(ids)
    return nil, string.format("submit: printed %d ids for %d jobs", #ids, #group)
  end
  reg.fs.write(folder .. "/rounds/" .. round .. ".ids", table.concat(ids, "\n") .. "\n")
  return ids
end

-- The states of these jobs; nil where the site's scheduler does not answer.
local function states_of(self, ids)
  local printed = run(self, "poll", { REGENGINE_IDS = table.concat(ids, "\n") })
  if not printed then return nil end
  local states = {}
  for line in printed:gmatch "[^\n]+" do
    local id, node = line:match "^(%S+)%s*(%S*)"
    states[id] = { id = id, name = "RUNNING", node = node ~= "" and node or nil }
  end
  return states
end

function Site:poll(jobs)
  return states_of(self, values.map(values.sorted_names(jobs), function(id) return jobs[id].submitted end))
end

function Site:known(round, folder)
  local path, found = folder .. "/rounds/" .. round .. ".ids", {}
  if not reg.fs.exists(path) then return found end
  local ids = values.matches(reg.fs.read(path), "[^\n]+")
  local states = states_of(self, ids) or {}
  for i, id in ipairs(ids) do found[i] = states[id] end
  return found
end

function Site:fetch(job)
  if self.commands.fetch ~= "" then run(self, "fetch", { REGENGINE_ID = job.submitted, REGENGINE_JOB = job.id }) end
end

function Site.ended() return nil end

function Site:cancel(ids)
  if #ids > 0 then run(self, "cancel", { REGENGINE_IDS = table.concat(ids, "\n") }) end
end

return Site
