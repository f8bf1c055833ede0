---@meta

--- What surrounds a program, on the host or in an image: system, processor, GPUs, libraries, variables and packages;
--- and what of it differs between a good end and a bad one.
---@class reg.environment
reg.environment = {}

---@class environment.CollectOptions: process.RunOptions, container.RunOptions
---@field run? boolean false: only what is known of `image` without running it
---@field container? container.Container look inside this container, also after what a test installed in it

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
---@field level string "environment", "artifact", "jit", "autotune" or "host"
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
--- local night = reg.environment.collect { image = "ghcr.io/nvidia/jax:jax-2024-03-01", run = false }
--- print(night.variables.NCCL_VERSION, night.image.digest)
--- ```
---@param options? environment.CollectOptions
---@return environment.Environment environment
function reg.environment.collect(options) end

--- What differs between two ends, the likeliest cause of a slowdown first: checkouts, packages that compute, libraries,
--- GPUs, variables that frameworks read, processor, kernel, then the rest. Flags are compared word by word. More than
--- five other packages of one manager are one finding. Variables that say where a program was started do not count, and
--- neither does what was not collected at both ends. Each end is a collected table or a list of them: what differs
--- within an end does not count. Raises usage.
--- ```lua
--- local a = reg.environment.collect { image = "jax-2024-03-01", run = false }
--- local b = reg.environment.collect { image = "jax-2024-03-02", run = false }
--- for _, finding in ipairs(reg.environment.diff(a, b)) do print(finding.what) end
--- -- jaxlib 0.4.30 -> 0.4.31
--- -- XLA_FLAGS lost --xla_gpu_autotune_level=0
--- ```
---@param before environment.Environment|environment.Environment[]
---@param after environment.Environment|environment.Environment[]
---@return environment.Finding[] findings
function reg.environment.diff(before, after) end
