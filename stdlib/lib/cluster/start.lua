-- The cluster that a command line asks for.

---@class cluster.Backend
---@field name string
---@field slots integer commands that it can run at the same time
---@field submit fun(self, round: string, folder: string, jobs: cluster.Group): string[]?, string?, string? an id of
--- each; or why not, and "never" or "limit" where the scheduler refuses them for good, or until others have ended
---@field poll fun(self, jobs: table<string, cluster.Job>, folder: string): table<string, cluster.State>? by its ids;
--- nil where it does not answer
---@field known fun(self, round: string, folder: string): table<integer, cluster.State>, boolean? by number in the
--- round; true beside it where the scheduler does not answer
---@field ended fun(self, id: string, round: string): cluster.State? how it ended, if that is known
---@field cancel fun(self, ids: string[])
---@field take? fun(self, job: cluster.Job): boolean, string? whether there is room for the job, which then has it; or
--- why there never will be
---@field freed? fun(self, id: string) a job has its result
---@field fetch? fun(self, job: cluster.Job) brings its result here
---@field hopeless? fun(state: cluster.State, pinned: string?): string? why a job that waits will never start
---@field images? "pyxis"|"apptainer"|"docker"|"podman" what runs images; nil: nothing does
---@field prefix fun(self, words: string[], in_image: boolean): string[] these words, and what goes around them

---@class cluster.State
---@field id string
---@field ended boolean
---@field name string as the scheduler writes it
---@field node? string
---@field reason? string why it waits

local Cluster = require "lib/cluster/cluster"

local WAYS <const> = { "hosts", "cluster_commands" }

-- What is measured on this machine alone.
local HERE <const> = { trace = true, instructions = true, gpu_memory = true, gpu_clock = true, hlo = true, jit = true }

local function fail(message, hint) core.fail("usage", message, hint) end

local function check(specs, options)
  if not specs.hosts then
    fail("--runtime slurm: this script runs on this machine only",
      "nightly, hourly, bisect, releases, investigate and suite run on Slurm.")
  end
  local given = options.runtime == "slurm" and { "--runtime slurm" } or {}
  for _, name in ipairs(WAYS) do
    if options[name] then given[#given + 1] = "--" .. name:gsub("_", "-") end
  end
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
