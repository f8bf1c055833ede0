-- The cluster that a command line asks for.

-- A backend has its `name`; `slots`, how many commands it runs at the same time; `images`, "pyxis", "apptainer",
-- "docker" or "podman", which runs images, or nil; and these methods, of which those with a ? may be absent:
--
--   new(options)                 for the values of reg.options { "cluster" }
--   check?(folder)               `folder` has the jobs; raises unavailable where this backend cannot use it
--   submit(round, folder, jobs)  an id of each job; or nil, why not, and "never" or "limit" where the scheduler refuses
--                                them for good, or until others have ended
--   poll(jobs, folder)           the states of all jobs by their ids; nil where it does not answer
--   known(round, folder)         the same of a round, by number in it; and true where it does not answer
--   ended(id, round)             how a job ended, a state, if that is known
--   cancel(ids)
--   prefix?(words, in_image)     these words in front of a command, and what goes around them
--   take?(job)                   whether there is room for the job, which then has it; or why there never will be
--   freed?(id), fetch?(job)      a job has its result; brings its result here
--   hopeless?(state, pinned)     why a job that waits will never start
--
-- A state is { id =, ended =, name = (as the scheduler writes it), node =, reason = (why it waits) }.

local Cluster = require "lib/cluster/cluster"

-- What is measured on this machine alone.
local HERE <const> = { trace = true, instructions = true, gpu_memory = true, gpu_clock = true, hlo = true, jit = true }

local function fail(message, hint) core.fail("usage", message, hint) end

local function check(specs, options)
  if not specs.hosts then
    fail("--runtime slurm: this script runs on this machine only",
      "nightly, hourly, bisect, releases, investigate and suite run on Slurm.")
  end
  local given = { options.runtime == "slurm" and "--runtime slurm" or nil }
  table.insert(given, options.hosts and "--hosts" or nil)
  table.insert(given, options.cluster_commands and "--cluster-commands" or nil)
  if #given > 1 then fail(table.concat(given, " and ") .. " exclude each other", "Pass one of them.") end
  for name in pairs((require("lib/measured")[options.metric] or {}).ask or {}) do
    if HERE[name] then fail(given[1] .. ": " .. options.metric .. " is measured on this machine only", nil) end
  end
  if options.gpus then fail(given[1] .. ": --gpus are those of this machine", "Pass --gres gpu:1.") end
  if options.keep_images then fail(given[1] .. ": --keep-images is about images of this machine", "Leave it out.") end
  if options.lock_clocks then fail(given[1] .. ": --lock-clocks locks the GPUs of this machine", "Leave it out.") end
end

--- Makes core.cluster for `options`, the values of a script whose options are `specs`; its jobs are in `folder`. Raises
--- usage for options that contradict each other, and unavailable where the cluster does not answer.
return function(specs, options, folder)
  check(specs, options)
  local slurm = options.runtime == "slurm"
  if slurm then options.runtime = nil end  -- images are looked up as without it
  if options.dry_run or core.settings().dry_run then return end
  local backend = slurm and require "lib/cluster/slurm" or options.hosts and require "lib/cluster/ssh"
    or require "lib/cluster/site"
  core.cluster = Cluster.new(backend.new(options), folder, reg.time.seconds(options.orphan_after))
  if options.parallel then core.cluster.backend.slots = options.parallel end
end
