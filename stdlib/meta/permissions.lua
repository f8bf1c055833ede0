---@meta

---@class reg.needs.Options
---@field container? string|string[] images it pulls, looks up and runs: "busybox", "ghcr.io/nvidia/*"; "network=host"
---@field git? string|string[] URLs and repositories: "https://github.com/jax-ml/*", "/src/xla"; "submodules"
---@field process? string|string[] programs: "make", "./bench", "sh" for `shell =`; variables it sets: "FAST="
---@field files? string|string[] what it writes, reads or mounts: "out/*"; outside the workspace "/data/*:ro"
---@field gpu? string|string[] "lock": change the clocks; "run": compile and run CUDA
---@field machine? string|string[] settings of reg.machine.tune: "governor", "turbo", "min_freq", "c_states", ...

--- Declares what the script reaches. reg.options declares it for the options that have a type such as image, repo or
--- command; this is for the rest. Users of a script from elsewhere see the list in plain words before the first of it
--- and answer once, for the script with its modules, its options and its folder. Anything else raises permission, with
--- the line to add here; so does what is declared after that. `--trust` permits everything, `--allow KIND=PATTERN` one
--- thing, `regengine trust FILE` whatever that file contains. Without a terminal what these do not permit raises
--- permission. In your own script it does nothing. It can be called several times.
---
--- '*' in a pattern matches any characters. Paths are relative to the workspace, or absolute outside it. In a path '*'
--- does not match the dot at the beginning of a name, so ".git" needs a pattern that names it. "out/*" includes the
--- folder out, ":ro" at the end of a path means reading only, and {date} in an image is '*'.
---
--- No permission is needed to read in the workspace, to keep results in a store there (*.db), to look at GPUs and
--- container engines, and in a dry run for what is only recorded.
--- ```lua
--- reg.needs { container = "ghcr.io/nvidia/*", gpu = "lock", process = { "make", "./bench" }, files = "out/*" }
--- ```
---@param needs reg.needs.Options
function reg.needs(needs) end
