-- reg.submit: a strategy in a Slurm job of its own.

local Job = require "lib/cluster/job"
local job_options = require("lib/cluster/slurm").job_options

local FOLDER <const> = ".regengine/submitted"

-- What Slurm says of this job would be taken for options of the jobs that the strategy submits.
local SCRIPT <const> = [[
#!/bin/sh
# Runs regengine, and submits itself again before the time limit of the job.
cd %s || exit 1
for name in $(env | sed -n 's/^\(SLURM_[A-Z0-9_]*\)=.*/\1/p'); do [ $name = SLURM_CONF ] || unset $name; done
again=
%s &
engine=$!
trap 'again=1; kill -INT $engine' USR1
trap 'kill -TERM $engine' TERM
while wait $engine; code=$?; kill -0 $engine 2>/dev/null; do :; done
[ -z "$again" ] || exec sbatch %s
exit $code
]]

--- Submits a small Slurm job that runs a strategy in this folder. Two minutes before its time limit the strategy is
--- stopped, and the job submits itself again: finished work is kept, and jobs that run are taken over. Returns the id
--- of the job and the file that its output goes to; nil in a dry run. Raises unavailable if Slurm refuses it.
--- ```lua
--- local opt = reg.options { "partition", "time" }
--- if opt.partition then print(reg.submit({ "nightly", "--runtime", "slurm" }, opt)) end
--- ```
---@param command string[] a strategy and its options
---@param options options.Values partition, account, qos, time, constraint and slurm of reg.options { "cluster" }
---@return string? job
---@return string? output
return function(command, options)
  local name = FOLDER .. "/" .. reg.time.format(reg.time.now(), "%Y-%m-%dT%H-%M-%S") .. "-"
    .. core.engine_id():match "[^-]+$"
  local engine = reg.process.run({ shell = "readlink /proc/$PPID/exe", reads = true }).stdout:match "[^\n]+"
  local words = { "--job-name=regengine", "--ntasks=1", "--cpus-per-task=1", "--signal=B:USR1@120", "--no-requeue",
    "--open-mode=append", "--output=" .. reg.fs.absolute(name .. ".log"), table.unpack(job_options(options)) }
  local line = core.shell_words(words) .. " " .. (options.slurm or "") .. " "
    .. core.shell_words { reg.fs.absolute(name .. ".sh") }
  reg.fs.mkdir(FOLDER)
  reg.fs.write(name .. ".sh", SCRIPT:format(core.shell_words { reg.fs.absolute "." },
    core.shell_words { engine, table.unpack(command) }, line))
  local run = reg.process.run { shell = Job.APART .. "exec sbatch --parsable " .. line }
  if run.dry then return nil end
  if not run.ok then core.fail("unavailable", "Slurm refuses the job: " .. run.stderr:match "[^\n]*") end
  return run.stdout:match "%d+", name .. ".log"
end
