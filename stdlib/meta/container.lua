---@meta

--- Containers: docker, podman, or `local`, which does the same calls on the host without any. Each function takes
--- `runtime = "docker" | "podman" | "local"`; without it docker is used if its daemon answers, else podman. Containers
--- carry a label, and those whose engine died are removed at the next use.
---
--- For `local` an image is a folder (its path is in $REGENGINE_IMAGE, and commands start in it), or none. Mounts serve
--- only to find `workdir` on the host; `gpus` with numbers sets CUDA_VISIBLE_DEVICES; network, shm_size, memory, user and
--- pull have no effect.
---@class reg.container
reg.container = {}

---@class container.Place
---@field runtime? "docker"|"podman"|"local" which one, for this call alone

---@class container.Limits
---@field timeout_s? number|string seconds or "10m"; then TERM, two seconds later the end, inside the container too
---@field out? string file that stdout is also written to
---@field err? string file that stderr is also written to; may be the same
---@field keep_bytes? integer of each stream kept in the result: its first quarter and its end (1 MiB)

---@class container.Settings: container.Place
---@field image? string name with tag or digest; a folder for `local`
---@field env? table<string, string> variables set inside
---@field mounts? table<string, string> host path -> path inside, ":ro" at its end for read-only
---@field workdir? string directory inside that the command starts in
---@field gpus? string "all", or numbers: "0,1"
---@field network? string "none", "host" or a network's name; the runtime's default when absent
---@field shm_size? string size of /dev/shm, "1g"
---@field memory? string the most it may use, "24g"
---@field user? string name or number that the command runs as
---@field pull? "missing"|"never" whether an image that this machine lacks is fetched ("missing")

---@class container.RunOptions: container.Settings, container.Limits
---@field cmd? string[] command and arguments, run as they are
---@field shell? string a line for /bin/sh, instead of cmd

---@class container.ExecOptions: container.Limits
---@field cmd? string[] command and arguments
---@field shell? string a line for /bin/sh, instead of cmd
---@field env? table<string, string> variables set for this command
---@field workdir? string directory inside

---@class container.Result
---@field code integer exit code inside; 128 + signal when a signal ended it
---@field ok boolean code 0 and not timed out
---@field signal integer which signal the code speaks of, 0 for none
---@field timed_out boolean
---@field oom boolean the kernel killed a process of it for want of memory
---@field stdout string shortened in its middle beyond keep_bytes
---@field stderr string
---@field stdout_bytes integer what was really written
---@field stderr_bytes integer
---@field wall_s number seconds, with the container's start
---@field user_s? number processor seconds, `local` alone
---@field sys_s? number
---@field peak_bytes? integer largest resident size, `local` alone
---@field image_digest? string what was run
---@field dry? boolean true in a dry run: nothing happened

--- Chooses the runtime for all later calls that name none, and says which it is: without `runtime` docker if its daemon
--- answers, else podman. Raises usage for a name that is none of the three, unavailable where neither answers.
--- ```lua
--- local runtime = reg.container.use { runtime = "podman" }
--- ```
---@param options container.Place
---@return string runtime
function reg.container.use(options) end

---@class container.Availability
---@field ok boolean
---@field why string version of the runtime, or what is wrong with it

--- Asks each runtime whether it works here.
--- ```lua
--- local docker = reg.container.available().docker
--- if not docker.ok then print(docker.why) end
--- ```
---@return table<string, container.Availability> by_name with docker, podman and local
function reg.container.available() end

--- Runs one command in a new container, which is removed afterwards; output comes back and, where wanted, into files. An
--- exit code, a signal or a time-out (in seconds) is a value. Raises usage for options that make no sense, not_found for an
--- image or mount that is not there, permission for a mount of the host itself, and unavailable when the container engine
--- refuses or goes away: that is no verdict on the test.
--- ```lua
--- local run = reg.container.run { image = "ghcr.io/nvidia/jax:jax-2024-03-01", gpus = "all", shm_size = "1g",
---   shell = "python bench.py", mounts = { ["."] = "/dir" }, workdir = "/dir", timeout_s = "20m" }
--- if run.oom then print "out of memory" end
--- ```
---@param options container.RunOptions
---@return container.Result result
function reg.container.run(options) end

---@class container.Container
---@field id string
---@field name string
local Container = {}

--- Starts a container that waits, for commands that share its files: an incremental build and the test of it. It is removed
--- by close() or `<close>`, and when the engine ends. Raises as reg.container.run does.
--- ```lua
--- local box <close> = reg.container.start { image = "ghcr.io/nvidia/jax:jax-2024-03-01", gpus = "all", shm_size = "1g" }
--- box:exec { shell = "build-jax.sh --bazel-cache /cache", timeout_s = "1h" }
--- ```
---@param options container.Settings
---@return container.Container container
function reg.container.start(options) end

--- Runs a command in the container. A time-out (in seconds) or Ctrl-C ends its processes inside too; what it leaves in the
--- background by itself stays. Raises unavailable when the container is gone.
--- ```lua
--- local test = box:exec { cmd = { "python", "test.py" }, workdir = "/opt/jax", timeout_s = 600 }
--- ```
---@param options container.ExecOptions
---@return container.Result result
function Container:exec(options) end

--- Removes the container with all that runs in it, and waits for that. A second close does nothing.
--- ```lua
--- box:close()
--- ```
function Container:close() end

--- Fetches an image, or does nothing when it is up to date. Raises not_found when its registry has no such image, and
--- unavailable when the registry cannot be reached or refuses.
--- ```lua
--- reg.container.pull "ghcr.io/nvidia/jax:jax-2024-03-01"
--- ```
---@param image string
---@param options? container.Place
function reg.container.pull(image, options) end

--- Whether the image is on this machine or in its registry, for this machine's processor; by its manifest, without
--- fetching it. Raises unavailable when the registry cannot be asked.
--- ```lua
--- if reg.container.exists "ghcr.io/nvidia/jax:jax-2024-03-01" then print "that night is there" end
--- ```
---@param image string
---@param options? container.Place
---@return boolean there
function reg.container.exists(image, options) end

---@class container.NightsOptions: container.Place
---@field from string|integer first night, a UTC date
---@field to string|integer last night, included

---@class container.Night
---@field id string the date: "2023-08-24"
---@field date string
---@field time integer its midnight, UTC, in Unix seconds
---@field image string the image that exists

--- The nights between two dates whose image exists, in order; `image` has {date} in it. For a name such as
--- `ghcr.io/nvidia/jax:FLAVOR-{date}` the form used until February 2024, `ghcr.io/nvidia/FLAVOR:nightly-{date}`, is tried
--- too. By manifests, several at a time, without fetching any. A missing night is left out. Raises usage when from is
--- after to or {date} is missing, not_found when there is not one night, unavailable when the registry cannot be asked.
--- ```lua
--- for _, night in ipairs(reg.container.nights("ghcr.io/nvidia/jax:jax-{date}", { from = "2024-02-01", to = "2024-02-14" })) do
---   print(night.date, night.image)
--- end
--- ```
---@param image string
---@param options container.NightsOptions
---@return container.Night[] nights
function reg.container.nights(image, options) end

---@class container.Image
---@field digest string in its registry; its id when it never was in one
---@field id string on this machine
---@field env table<string, string>
---@field labels table<string, string>
---@field created string when it was made
---@field layers string[] digests, the base first: two images with the same first layers have the same base

--- What is known of an image on this machine. Raises not_found when it is not there.
--- ```lua
--- print(reg.container.inspect("ghcr.io/nvidia/jax:jax-2024-03-01").env.NCCL_VERSION)
--- ```
---@param image string
---@param options? container.Place
---@return container.Image facts
function reg.container.inspect(image, options) end

---@class container.CommitsOptions: container.Place
---@field paths? string[] where to look for checkouts; everything in /opt when absent

---@class container.Checkout
---@field commit string
---@field url? string where it was cloned from
---@field path? string where it lies in the image

--- The commits of the repositories in an image, by name ("jax", "xla"): what /opt/manifest.d/git-clone.yaml says, else what
--- its git checkouts are at. Starts a container for a moment. Raises as reg.container.run does.
--- ```lua
--- print(reg.container.commits("ghcr.io/nvidia/jax:jax-2024-03-01").xla.commit)
--- ```
---@param image string
---@param options? container.CommitsOptions
---@return table<string, container.Checkout> by_name
function reg.container.commits(image, options) end
