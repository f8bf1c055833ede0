---@meta

---@class machine.TuneOptions
---@field governor? string CPU frequency governor: "performance"
---@field min_freq? "max" set the lowest CPU frequency to the highest
---@field turbo? boolean false: turbo off, so that the clock does not depend on heat and other cores
---@field smt? boolean false: one thread per core
---@field c_states? boolean false: no deep idle states, which take time to leave
---@field cpus? string processors for commands: "0-3,8"; "gpu": those of the NUMA node of the first NVIDIA GPU
---@field shield? string processors reserved for the commands: "2-7" (root; cgroup v2)
---@field nice? integer priority of commands on the host: -20 (highest) to 19
---@field aslr? boolean false: the same address layout for all commands on the host
---@field env? table<string, string> default variables of commands: { CUDA_AUTO_BOOST = "0" }
---@field gpu? string|number|gpu.LockOptions clocks to lock: "80%", 1590, or the options of reg.gpu.lock
---@field warm_up? boolean|number|string run the GPUs until their temperature is steady; true, or a time limit: "3m"
---@field required? boolean raise if a measure cannot be applied; default: continue, and record which

---@class machine.Measure
---@field measure string "governor", "turbo", "env", "gpu", ...
---@field wanted string
---@field state "done"|"refused"|"not supported"
---@field was? string value before
---@field now? string current value, read back
---@field why? string why it is not applied
---@field command? string if refused: the command that a privileged user can run

--- Tunes the machine for measuring. Each measure is applied, refused (permission is missing: a warning gives the
--- command to run) or not supported here. The record and the info of each trial say which; the script goes on.
--- Everything is restored at close, at the end of the script, on an error, on Ctrl-C and after kill -9. If the guardian
--- process that restores it was killed too, the next engine that changes a setting or `regengine recover` does. `env`,
--- `cpus`, `shield`, `nice` and `aslr` apply to commands that run meanwhile (in containers: `env`, and `cpus` for those
--- started meanwhile). Frequencies are in kHz. Raises usage for invalid options, and with `required` permission or
--- unavailable.
--- ```lua
--- local tuning <close> = reg.machine.tune { governor = "performance", turbo = false, env = { CUDA_AUTO_BOOST = "0" } }
--- print(reg.report.table(tuning:record(), { columns = { "measure", "wanted", "state", "was", "now", "why" } }))
--- ```
---@param options machine.TuneOptions
---@return machine.Tuning tuning
function reg.machine.tune(options) end

---@class machine.Tuning
local Tuning = {}

--- The state of each measure, also after close. Raises nothing; values include units.
--- ```lua
--- local tuning <close> = reg.machine.tune { turbo = false }
--- for _, measure in ipairs(tuning:record()) do print(measure.measure, measure.state, measure.command or "") end
--- ```
---@return machine.Measure[] record
function Tuning:record() end

--- Restores everything; so do `<close>` and the end of the script. A second close does nothing. What cannot be restored
--- is a warning, and is tried again when the engine ends.
--- ```lua
--- local tuning = reg.machine.tune { min_freq = "max" }
--- tuning:close()
--- ```
function Tuning:close() end
