-- reg.environment: what surrounds a program, on the host or in an image, and what of it differs between two ends. One
-- short script tells what only the inside knows; images and GPUs are asked through their nouns.

local findings = require "lib/environment/findings"
local instrumented = require "lib/instrumented"
local script = require "lib/environment/script"
local tracing = require "lib/tracing"
local values = require "lib/values"

local attempt = instrumented.attempt  -- where something cannot be collected, the rest still can
local MOST_BYTES <const> = 64 << 20  -- of what the script prints

-- Options of a command that the script must not have: its output is its own.
local OF_COMMAND <const> = { "shell", "stdin", "out", "err", "loaded_below", "instructions" }

-- Runs the script where the program would run.
local function run_inside(options, entrypoint)
  local call = values.merged(options)
  for _, name in ipairs(OF_COMMAND) do call[name] = nil end
  call.entrypoint = call.entrypoint or entrypoint
  call.cmd, call.keep_bytes = { table.unpack(script.CMD) }, MOST_BYTES
  local run, why = attempt(options.image and reg.container.run or reg.process.run, call)
  return run, why and why:gsub(" %(sh %-c .*", "")  -- the script is long
end

-- Adds what the script says, where it may run.
local function add_inside(into, options)
  local run, why = run_inside(options)
  local any = script.add(into, run and run.stdout or "", run and run.dry and "dry run" or why)
  if any or not run or run.dry then return end
  if options.image and tracing.in_container(options.runtime) then
    run, why = run_inside(options, "")  -- the image's entrypoint runs something else
  end
  script.add(into, run and run.stdout or "",
    run and (run.stderr:match "[^\n]+" or "sh exited with code " .. run.code) or why)
end

-- What the runtime knows of the image, and the commits of the checkouts in it.
local function add_image(into, options)
  if not options.image then return end
  local runtime = { runtime = options.runtime }
  local image, why = attempt(reg.container.inspect, options.image, runtime)
  into.missing.image = why
  if not image then return end
  into.image = { name = options.image, digest = image.digest, labels = script.redacted(image.labels),
    layers = image.layers }
  local commits
  commits, into.missing.checkouts = attempt(reg.container.commits, options.image, runtime)
  for name, checkout in pairs(commits or {}) do
    into.checkouts = into.checkouts or {}
    into.checkouts[name] = checkout.commit
  end
end

local function add_machine(into)
  local settings = core.nouns.machine.facts()
  into.settings = next(settings) and settings or nil
  if not into.settings then into.missing.settings = "the kernel shows no clock settings of the CPUs" end
  local status = reg.gpu.status()
  into.missing.gpus = not status.ok and status.message or nil
  local gpus = values.map(status.ok and reg.gpu.list() or {}, function(gpu)
    return values.picked(gpu, { "name", "driver", "cuda", "power_limit_w", "persistence", "ecc", "mig" })
  end)
  into.gpus = #gpus > 0 and gpus or nil
end

--- What surrounds a program, on the host or in an image: system, processor, GPUs, libraries, variables and packages;
--- and what of it differs between a good end and a bad one.
---@class reg.environment
local environment = {}

---@class environment.CollectOptions: process.RunOptions, container.RunOptions

---@class environment.Cpu
---@field model? string
---@field flags? string[] sorted, as in /proc/cpuinfo
---@field count? integer CPUs of the machine
---@field allowed? string those that the command may use: "0-3,8"
---@field quota? number limit of its control group, in CPUs; absent without one

---@class environment.Image
---@field name string
---@field digest string
---@field labels table<string, string>
---@field layers string[] digests, base layer first

---@class environment.Gpu
---@field name string
---@field driver? string
---@field cuda? string newest CUDA that the driver supports
---@field power_limit_w? number
---@field persistence? boolean
---@field ecc? boolean
---@field mig? boolean

---@class environment.Packages
---@field pip? table<string, string> versions by name, of what python3 imports: from the metadata in its folders
---@field conda? table<string, string> version and build
---@field dpkg? table<string, string>

---@class environment.Environment
---@field os? string from /etc/os-release
---@field kernel? string
---@field architecture? string
---@field cpu environment.Cpu
---@field settings? table<string, string> of the CPU clock: governor, turbo, smt, min_freq_khz
---@field gpus? environment.Gpu[] from NVML
---@field cuda? string version of the CUDA Toolkit in /usr/local/cuda
---@field libraries? table<string, string> versions of CUDA, cuDNN, NCCL and the like in the linker's cache
---@field python? string version of python3
---@field packages environment.Packages
---@field variables? table<string, string> values of secrets are <redacted>
---@field image? environment.Image
---@field checkouts? table<string, string> commits of the repositories in the image
---@field missing table<string, string> why a part could not be collected, by its name

---@class environment.Finding
---@field level string "environment", "jit" or "host"
---@field what string in words
---@field package? string name of the Python package that changed
---@field before? string|number nil if it was absent
---@field after? string|number nil if it is gone
---@field unit? string of before and after: "s"
---@field share? number part of the slowdown that it explains, 0 to 1, where the level can time it

--- Collects the environment that a command with these options has; the command itself is not run. It reads the image's
--- configuration, asks NVML, and lets `sh` run a short script there. What cannot be collected is absent, and `missing`
--- says why: a tool does not exist, or the script is not permitted. Takes about 0.3 s, and in an image as long as a
--- container takes to start, twice. Raises usage for invalid options, and cancelled.
--- ```lua
--- local here = reg.environment.collect()
--- print(here.kernel, here.cpu.model, here.packages.pip and here.packages.pip.jaxlib)
--- local night = reg.environment.collect { image = "ghcr.io/nvidia/jax:jax-2024-03-01" }
--- print(night.variables.NCCL_VERSION, night.image.digest)
--- ```
---@param options? environment.CollectOptions
---@return environment.Environment environment
function environment.collect(options)
  options = options or {}
  if type(options) ~= "table" then core.fail("usage", "environment.collect: takes a table of options") end
  local into = { cpu = {}, packages = {}, missing = {} }
  add_inside(into, options)
  add_image(into, options)  -- which the run has pulled
  add_machine(into)
  return into
end

--- What differs between two ends, the likeliest cause of a slowdown first: checkouts, packages that compute, libraries,
--- GPUs, variables that frameworks read, processor, kernel, then the rest. Flags are compared word by word. More than
--- five other packages of one manager are one finding. Variables that say where a program was started do not count, and
--- neither does what was not collected at both ends. Each end is a collected table or a list of them: what differs
--- within an end does not count. Raises usage.
--- ```lua
--- local a = reg.environment.collect { image = "jax-2024-03-01" }
--- local b = reg.environment.collect { image = "jax-2024-03-02" }
--- for _, finding in ipairs(reg.environment.diff(a, b)) do print(finding.what) end
--- -- jaxlib 0.4.30 -> 0.4.31
--- -- XLA_FLAGS lost --xla_gpu_autotune_level=0
--- ```
---@param before environment.Environment|environment.Environment[]
---@param after environment.Environment|environment.Environment[]
---@return environment.Finding[] findings
environment.diff = findings.diff

return environment
