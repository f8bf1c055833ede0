---@meta

---@class machine.TuneOptions
---@field governor? string of the CPU's frequency: "performance"
---@field min_freq? "max" the CPU's lowest frequency is raised to its highest
---@field turbo? boolean false: the CPU's clock no longer depends on heat and neighbours
---@field smt? boolean false: one thread a core
---@field c_states? boolean false: the CPU does not fall into idle states that take time to wake up from
---@field cpus? string processors that commands run on: "0-3,8"; or "gpu", those of the node that the first NVIDIA GPU is on
---@field shield? string processors kept free of all but the commands that run meanwhile: "2-7" (root; control groups, version 2)
---@field nice? integer priority of commands on the host: -20, the first, to 19
---@field aslr? boolean false: commands on the host have the same address layout each time
---@field env? table<string, string> variables of commands, unless they set them themselves: { CUDA_AUTO_BOOST = "0" }
---@field gpu? string|number|gpu.LockOptions clocks to lock, as reg.gpu.lock has it: "80%", 1590, or its options
---@field warm_up? boolean|number|string work the GPUs until their temperature holds still; true, or for how long at most: "3m"
---@field required? boolean raise where a measure cannot be done; without it the script goes on, and the record says which

---@class machine.Measure
---@field measure string "governor", "turbo", "env", "gpu", ...
---@field wanted string
---@field state "done"|"refused"|"not supported"
---@field was? string how it was before
---@field now? string how it is, read back
---@field why? string why it is not done
---@field command? string where it was refused: what does it, typed by somebody who may

--- Makes the machine quiet for measuring. Each measure that is asked for is done, refused (a right is missing: a warning says
--- which command would do it) or not supported here, and the script goes on; which of the three is in the record, and in the info
--- of each trial. What was changed goes back to what it was at close, at the script's end, on an error, on Ctrl-C and after
--- kill -9; where the guardian process that does this was killed too, at the next change of an engine or by `regengine recover`.
--- `env`, `cpus`, `shield`, `nice` and `aslr` are for the commands that run meanwhile (in containers: `env`, and `cpus` for those
--- started meanwhile). Frequencies are in kHz. Raises usage for what makes no sense, and with `required` permission or
--- unavailable.
--- ```lua
--- local quiet <close> = reg.machine.tune { governor = "performance", turbo = false, env = { CUDA_AUTO_BOOST = "0" } }
--- print(reg.report.table(quiet:record(), { columns = { "measure", "wanted", "state", "was", "now", "why" } }))
--- ```
---@param options machine.TuneOptions
---@return machine.Tuning quiet
function reg.machine.tune(options) end

---@class machine.Tuning
local Tuning = {}

--- What came of each measure, also after close. It raises nothing; units are in the values.
--- ```lua
--- local quiet <close> = reg.machine.tune { turbo = false }
--- for _, measure in ipairs(quiet:record()) do print(measure.measure, measure.state, measure.command or "") end
--- ```
---@return machine.Measure[] record
function Tuning:record() end

--- Puts everything back to what it was; so do `<close>` and the script's end. A second close does nothing. What cannot be put
--- back is said in a warning, and tried again when the engine ends.
--- ```lua
--- local quiet = reg.machine.tune { min_freq = "max" }
--- quiet:close()
--- ```
function Tuning:close() end
