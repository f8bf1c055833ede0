-- One command that runs on a node: the files by which it gets there and its result comes back. They are in a folder
-- that every node sees, and outlive the engine: another engine that runs the same command of the same trial takes it
-- over, whether it waits, runs, or has ended.
--
--   node.sh  usage  alive   the program of every job, what measures it, and when the engine last looked
--   jobs/ID/run             a command; its first line has its limits and the trial that it was written for
--   jobs/ID/NODE.PID/       what a run of it on a node prints, and its result before it is complete
--   results/ID              its result, renamed into place
--   rounds/NAME             the jobs that were submitted together, one per line

local values = require "lib/values"

local Job = { TIME_LIMIT = "ran past its time limit" }
Job.__index = Job

--- In front of a shell command that submits a job: an engine ends what has its marks, and its jobs outlive it.
Job.APART = "unset REGENGINE_RUN REGENGINE_CLIENT REGENGINE_GUARDIAN\n"

-- What runs on the node. A command whose engine has been gone for long is ended, and so is one that the scheduler ends:
-- neither has a result of its own.
local NODE = [[
#!/bin/sh
# node.sh FOLDER ID [NAME] [TAG]: runs one command of regengine on the node that got it.
folder=$1 job=$1/jobs/$2 result=$1/results/$2 node=${SLURMD_NODENAME:-${3:-$(uname -n)}}
[ -e "$job/run" ] && [ ! -e "$result" ] || exit 0
read -r _ limit_s orphan_s _ <"$job/run"
own=$job/$node.$$  # of this run of it
mkdir -p "$own" || exit 1
now() { date +%s.%N; }
# Seconds since the engine last looked, both by the clock of the file system.
unattended() { : >"$own/now" && echo $(($(stat -c %Y "$own/now") - $(stat -c %Y "$folder/alive"))); }
[ "$(unattended)" -lt "$orphan_s" ] || exit 0
# Ends what the command left behind, also what left its session.
sweep() {
  for one in $(grep -lszFx "REGENGINE_OWN=$own" /proc/[0-9]*/environ | cut -d / -f 3); do
    kill -9 "$one" 2>/dev/null
  done
}
set -- timeout -k 2 "$limit_s" sh "$job/run"
: >"$own/used"
"$folder/usage" "$own/used" true 2>/dev/null && set -- "$folder/usage" "$own/used" "$@"
began=$(now) why=
REGENGINE_OWN="$own" "$@" >"$own/out" 2>"$own/err" </dev/null &
command=$!
trap 'why=${why:-was ended}; kill -TERM $command 2>/dev/null' TERM INT HUP
trap 'why=orphan; kill -TERM $command 2>/dev/null' USR1
# A command that nobody waits for, or that another run was faster with, is ended, also where this script was killed.
(
  trap 'kill $!; exit' TERM
  while { sleep 10 & wait $!; } && kill -0 $$ && [ ! -e "$result" ] && [ "$(unattended)" -lt "$orphan_s" ]; do :; done
  kill -USR1 $$ || sweep
) >/dev/null 2>&1 &
watch=$!
while wait $command; code=$?; [ -n "$why" ] && kill -0 $command 2>/dev/null; do :; done
ended=$(now)
kill $watch 2>/dev/null
sweep
# The container of pyxis, where its names outlive a job.
[ -z "$SLURM_JOB_ID" ] || enroot remove --force "pyxis_regengine-$SLURM_JOB_ID" >/dev/null 2>&1 </dev/null
[ "$why" = orphan ] && exit 0
# Slurm sends the signal up to two minutes before the limit.
[ "$why" != "was ended" ] || [ -z "$SLURM_JOB_ID" ] || case $(squeue -h -j "$SLURM_JOB_ID" -o %L) in
  [01]:* | 2:0?) why="ran past its time limit" ;;
esac
head -c 65536 /dev/zero >"$own/now" 2>/dev/null || why="${why:-ended: the shared folder is full or read-only}"
{
  echo "code=$code" && echo "why=$why" && echo "began=$began" && echo "ended=$ended" && echo "node=$node" &&
  echo "own=$own" && echo "used=$(cat "$own/used")" &&
  sed -n 's/^model name[^:]*: /cpu=/p' /proc/cpuinfo | head -n 1 &&
  nvidia-smi --query-gpu=uuid,name,driver_version,clocks.sm,power.limit --format=csv,noheader,nounits 2>/dev/null |
    sed 's/^/gpu=/'
  echo "end="
} >"$own/result" && mv -n "$own/result" "$result"
]]

--- Makes the folder of all jobs of a store.
function Job.prepare(folder)
  for _, name in ipairs { "", "/jobs", "/results", "/rounds" } do reg.fs.mkdir(folder .. name) end
  reg.fs.write(folder .. "/node.sh", NODE)
  -- Not written in place: jobs of an earlier engine may be running it.
  reg.process.run { cmd = { "sh", "-c", 'cp "$0" "$1.new" && mv "$1.new" "$1"', core.container_usage_program(),
    folder .. "/usage" } }
end

-- The command as a script of the shell.
local function script(call, variables, prefix)
  local lines = { "cd " .. core.shell_words { call.cwd or reg.fs.absolute "." } .. " || exit 126" }
  local env = values.merged(variables, call.env)
  for _, name in ipairs(values.sorted_names(env)) do
    if name:find "^[%a_][%w_]*$" then lines[#lines + 1] = "export " .. core.shell_words { name .. "=" .. env[name] } end
  end
  for _, name in ipairs(call.unset or {}) do lines[#lines + 1] = "unset " .. name end
  lines[#lines + 1] = "exec " .. core.shell_words(values.flat { prefix, call.cmd or { "sh", "-c", call.shell } })
  return table.concat(lines, "\n") .. "\n"
end

local function read(path)
  local ok, text = pcall(reg.fs.read, path)
  return ok and text or nil
end

--- The id of the n-th of equal commands: what it is, where, and for which key of the store.
function Job.id_of(call, key, n)
  local parts = { key, call.image or "", call.cwd or "", table.unpack(call.cmd or { call.shell }) }
  return core.sha256(table.concat(parts, "\0")):sub(1, 24) .. "-" .. n
end

--- The job in `folder` with this id; `trial` is the one that it was written for, by an earlier engine.
function Job.at(folder, id)
  local self = setmetatable({ id = id, all = folder, folder = folder .. "/jobs/" .. id, tries = 0 }, Job)
  local text = read(self.folder .. "/run")
  self.trial = text and text:match "^# %S+ %S+ (%S+)"
  return self
end

--- Writes what the node runs. `o`: trial, variables, prefix (words in front of the command), orphan_s.
function Job:write(call, o)
  reg.fs.mkdir(self.folder)
  local limit_s = call.timeout_s and reg.time.seconds(call.timeout_s) or 0
  self.trial = o.trial
  reg.fs.write(self.folder .. "/run", string.format("# %.3f %d %s\n", limit_s, o.orphan_s, o.trial)
    .. script(call, o.variables, o.prefix))
end

--- The rounds that have it, also those of earlier engines, newest first: { name =, number =, of the job in it }.
function Job:rounds()
  local found = {}
  for _, name in ipairs(reg.fs.list(self.all .. "/rounds")) do
    local ids = values.matches(read(self.all .. "/rounds/" .. name) or "", "[^\n]+")
    local _, number = values.find(ids, function(id) return id == self.id end)
    if number then table.insert(found, 1, { name = name, number = number }) end
  end
  return found
end

--- What tells it from another one that was made after it was removed.
function Job:name() return self.id .. " " .. self.trial end

local USED = { "user_s", "sys_s", "peak_bytes", "minor_faults", "major_faults", "voluntary_switches",
  "involuntary_switches" }
local UNITS = { user_s = 1e-6, sys_s = 1e-6, peak_bytes = 1024 }

local function add_usage(run, text)
  local numbers = values.map(values.matches(text, "%d+"), math.tointeger)
  if #numbers ~= #USED or numbers[3] == 0 then return end
  for i, name in ipairs(USED) do run[name] = numbers[i] * (UNITS[name] or 1) end
end

local function gpu_of(line)
  local words = values.map(values.matches(line, "[^,]+"), function(word) return word:match "^%s*(.-)%s*$" end)
  return { uuid = words[1], name = words[2], driver = words[3], sm_mhz = tonumber(words[4]),
    limit_w = tonumber(words[5]) }
end

--- Its result, as reg.process.run returns it, with `node`, where it ran: name, cpu and gpus. Its output goes to the
--- files that `call` names. Instead of a result, why it has none: the scheduler ended it, or its folder could not be
--- written. `is_direct`: the node runs the command itself, not a client of something that does.
function Job:result(call, is_direct)
  local text = reg.fs.read(self.all .. "/results/" .. self.id)
  local facts, gpus = {}, {}
  for name, value in text:gmatch "(%l+)=([^\n]*)" do
    if name == "gpu" then gpus[#gpus + 1] = gpu_of(value) else facts[name] = value end
  end
  local node = { name = facts.node, cpu = facts.cpu, gpus = #gpus > 0 and gpus or nil }
  if facts.why ~= "" then return nil, facts.why, node end
  local code = math.tointeger(facts.code)
  local printed = reg.process.run { cmd = { "sh", "-c", 'cat "$0/out"; cat "$0/err" >&2', facts.own },
    out = call.out, err = call.err, keep_bytes = call.keep_bytes, reads = true }
  local run = { node = node, code = code, signal = code > 128 and code - 128 or 0, wall_s = facts.ended - facts.began,
    oom = false, stdout = printed.stdout, stderr = printed.stderr, stdout_bytes = printed.stdout_bytes,
    stderr_bytes = printed.stderr_bytes }
  local limit_s = call.timeout_s and reg.time.seconds(call.timeout_s)
  run.timed_out = limit_s ~= nil and (code == 124 or code == 137) and run.wall_s >= limit_s
  run.ok = code == 0 and not run.timed_out
  if is_direct then add_usage(run, facts.used) end
  return run
end

--- Removes its files: the store has its trial.
function Job:remove()
  for _, path in ipairs { self.all .. "/results/" .. self.id, self.folder } do
    if reg.fs.exists(path) then reg.fs.remove(path) end
  end
end

return Job
