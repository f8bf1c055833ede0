---@meta

--- Containers: docker, podman, or `local`, which runs the same calls on the host. Each function takes `runtime =
--- "docker" | "podman" | "local"`; the default is docker if its daemon answers, else podman. Containers have a label,
--- and those of a dead engine are removed at the next use.
---
--- For `local` an image is a folder (its path is in $REGENGINE_IMAGE, and commands start in it), or none. Mounts are
--- used only to find `workdir` on the host; numbers in `gpus` set CUDA_VISIBLE_DEVICES; pull has no effect. `init` and
--- the other fields of container.Settings need a container: there they raise usage.
---
--- A script from elsewhere cannot set devices, cap_add or ipc = "host", and no declaration and no answer permits them:
--- only --allow does, or --device, --cap-add and --ipc on the command line.
--- ```lua
--- reg.container.use { runtime = "podman" }
--- print(reg.container.available().docker.why)
--- local image = "ghcr.io/nvidia/jax:jax-2024-03-01"
--- if reg.container.exists(image) then reg.container.pull(image) end
--- print(reg.container.inspect(image).env.NCCL_VERSION, reg.container.commits(image).xla.commit)
--- local box <close> = reg.container.start { image = image, gpus = "all" }
--- box:exec { shell = "build-jax.sh --bazel-cache /cache", timeout_s = "1h" }
--- if not box:exec({ cmd = { "nvidia-smi", "-L" } }).ok then box:restart() end
--- box:close()
--- print(reg.container.discard(image))
--- ```
---@class reg.container
reg.container = {}

---@class container.RuntimeOptions
---@field runtime? "docker"|"podman"|"local" for this call only

---@class container.StartOptions: container.RuntimeOptions, container.Settings
---@field image? string name with tag or digest; a folder for `local`
---@field env? table<string, string> variables set inside
---@field mounts? table<string, string> host path -> path inside; append ":ro" for read-only
---@field lease? gpu.Lease GPUs that it sees, instead of `gpus`, and CPUs near them that it runs on
---@field init? boolean false: the command is process 1, without an init process above it
---@field pull? "missing"|"never"|"always" when to pull the image, always: once; default "missing"
---@field usage? boolean measure CPU time and memory of the command; of a kept container: allow it in Container:exec

---@class container.RunOptions: container.StartOptions, process.Call
---@field installed? boolean also tell which Python packages the command installed

---@class container.ExecOptions: process.Call
---@field env? table<string, string> variables set for this command
---@field workdir? string working directory inside
---@field loaded_below? string[] as of reg.process.run; folders that are mounted at their own paths
---@field usage? boolean measure its CPU time and memory; the container must have been started with `usage`, too

---@class container.Result: process.Ended
---@field user_s? number|false with `usage`, or `local`: as of reg.process.run; false if it could not be measured
---@field sys_s? number|false
---@field peak_bytes? integer|false
---@field minor_faults? integer|false
---@field major_faults? integer|false
---@field voluntary_switches? integer|false
---@field involuntary_switches? integer|false
---@field image_digest? string digest of the image that ran
---@field installed? table<string, string> with `installed`: Python packages added to the image's folders, and versions
---@field loaded? table<string, string> of exec, as of reg.process.run: if this user may read the container's /proc

--- Chooses the default runtime for later calls, and returns it: without `runtime` docker if its daemon answers, else
--- podman. Raises usage for an unknown runtime, and unavailable if neither answers.
---@param options container.RuntimeOptions
---@return string runtime
function reg.container.use(options) end

---@class container.Availability
---@field ok boolean
---@field why string version of the runtime, or why it does not work

--- Checks which runtimes work here.
---@return table<string, container.Availability> by_name with docker, podman and local
function reg.container.available() end

--- Runs one command in a new container, which is removed afterwards. Exit code, signal and time-out (in seconds) are
--- part of the result. Raises usage for invalid options, not_found for a missing image or mount, permission for a mount
--- that gives access to the host itself, and unavailable if the container engine refuses or goes away, which says
--- nothing about the test. Raises failed_trial if this image's container cannot start: it needs a newer driver, or its
--- program or user does not exist.
---
--- With `usage` the command runs through a small program that measures it and is mounted at /opt/regengine/usage: the
--- image's entrypoint, user and signals stay as they are, and the command's parent is that program. Raises unavailable
--- if regengine was installed without it. It writes no result if it is killed together with the command.
--- ```lua
--- local run = reg.container.run { image = "ghcr.io/nvidia/jax:jax-2024-03-01", gpus = "all", shm_size = "1g",
---   shell = "python bench.py", mounts = { ["."] = "/dir" }, workdir = "/dir", timeout_s = "20m" }
--- if run.oom then print "out of memory" end
--- ```
---@param options container.RunOptions
---@return container.Result result
function reg.container.run(options) end

--- A container that stays up.
---@class container.Container
---@field id string
---@field name string
local Container = {}

--- Starts a container that stays up, for commands that share its files, such as an incremental build and its test. It
--- is removed by close() or `<close>`, and when the engine ends. Raises as reg.container.run does.
---@param options container.StartOptions
---@return container.Container container
function reg.container.start(options) end

--- Runs a command in the container. What it leaves in the background keeps running. A time-out (in seconds) or a
--- cancel restarts the container, which ends all processes inside. Raises unavailable if the container is gone, or was
--- restarted meanwhile.
---@param options container.ExecOptions
---@return container.Result result
function Container:exec(options) end

--- Stops and starts the container: its processes end, its files stay. A container that lost its GPUs, as by `systemctl
--- daemon-reload`, has them again; a sweep does it by itself. Raises unavailable if it does not start again.
function Container:restart() end

--- Removes the container with everything running in it, and waits for that. A second close does nothing.
function Container:close() end

---@class container.PullOptions: container.RuntimeOptions
---@field pull? "always"|"missing"|"never" "missing": only if this machine does not have it; default "always"

--- Pulls an image; does nothing if it is up to date. A pull that makes no progress for 10 minutes is stopped and tried
--- again. With "always", if the registry cannot be reached, the image on this machine is used, with a warning. Raises
--- failed_trial if the registry does not have the whole image, or with "never" if this machine does not have it,
--- unavailable if the registry refuses, and network if it fails or cannot be reached, after retries for --retry-for.
---@param image string
---@param options? container.PullOptions
function reg.container.pull(image, options) end

--- Removes an image that regengine pulled for this folder, and says whether it did. An image that was there before the
--- pull, or that was pulled for another folder, stays. Raises unavailable if a container uses it.
---@param image string
---@param options? container.RuntimeOptions
---@return boolean removed
function reg.container.discard(image, options) end

---@class container.Image
---@field digest string in its registry; the id of an image that was never in one
---@field digests string[] all by which registries know it: of its index and of its manifest
---@field id string on this machine
---@field env table<string, string>
---@field labels table<string, string>
---@field created string when it was created
---@field layers string[] digests, base layer first: images with the same first layers have the same base

--- The properties of an image on this machine. Raises not_found if it is not there.
---@param image string
---@param options? container.RuntimeOptions
---@return container.Image facts
function reg.container.inspect(image, options) end
