-- The cluster that a command line asks for.

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

--- Makes core.cluster for `options`, the values of a script whose options are `specs`. Raises usage for options that
--- contradict each other, and unavailable where the cluster does not answer.
return function(specs, options)
  check(specs, options)
  local slurm = options.runtime == "slurm"
  if slurm then options.runtime = nil end  -- images are looked up as without it
  if options.dry_run or core.settings().dry_run then return end
  local backend = slurm and require "lib/cluster/slurm" or options.hosts and require "lib/cluster/ssh"
    or require "lib/cluster/site"
  local store = options.store or options.output_dirname .. "/suite.db"
  core.cluster = Cluster.new(backend.new(options), store .. ".jobs", reg.time.seconds(options.orphan_after))
  if options.parallel then core.cluster.backend.slots = options.parallel end
end
