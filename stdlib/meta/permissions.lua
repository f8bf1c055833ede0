---@meta

---@class reg.needs.Options
---@field container? string|string[] images it pulls, asks for and runs: "busybox", "ghcr.io/nvidia/*"; "network=host"
---@field git? string|string[] URLs and repositories it fetches, reads, switches: "https://github.com/jax-ml/*", "/src/xla"; "submodules"
---@field process? string|string[] programs: "make", "./bench" of the workspace, "sh" for `shell =`; "LD_PRELOAD=" and its like
---@field files? string|string[] what it writes, and what it reads or mounts outside the workspace: "out/*", "/data/*:ro"
---@field gpu? string|string[] "lock", the clocks; "run", compiling and running CUDA
---@field machine? string|string[] what reg.machine.tune changes: "governor", "turbo", "min_freq", "c_states", "smt", "shield"

--- Says what the script will reach. Whoever runs a script from elsewhere sees this as a list in plain words before its first
--- effect, and answers once for that text; what is not in the list is asked for when it comes. `--trust` permits everything,
--- `--allow KIND=PATTERN` one thing, `regengine trust FILE` whatever that file will hold. Without a terminal what was not
--- permitted raises permission, and so does what was refused. A script that is its user's own may call it too: then it does
--- nothing. It may be called again, and take its patterns from the script's options.
---
--- '*' in a pattern is any run of characters. Paths are relative to the workspace, or absolute for what lies outside of it; in a
--- path '*' does not stand for the dot that begins a name, so that ".git" is reached only by a pattern that says so. "out/*"
--- is the folder out as well, ":ro" at the end of a path is for reading alone, and {date} in an image is '*'.
---
--- Nothing is needed to read in the workspace, to keep results in a store there (*.db), to look at GPUs and container engines,
--- and in a dry run for what is only recorded.
--- ```lua
--- reg.needs { container = "ghcr.io/nvidia/*", gpu = "lock", process = { "make", "./bench" }, files = "out/*" }
--- ```
---@param needs reg.needs.Options
function reg.needs(needs) end
