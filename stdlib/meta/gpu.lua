---@meta

--- NVIDIA GPUs, through the driver's own NVML: what they are and do, their clocks locked and given back, and what they did beside
--- a run. Without a driver or a GPU every function but `status` and `lock` raises unavailable with the words of status().
---@class reg.gpu
reg.gpu = {}

---@class gpu.Status
---@field ok boolean there is a driver and at least one GPU
---@field message string one line: why not; "" when ok
---@field hint string what would help; "" when ok

--- Whether this machine has a GPU that can be asked.
--- ```lua
--- local status = reg.gpu.status()
--- if not status.ok then print(status.message) end
--- ```
---@return gpu.Status status
function reg.gpu.status() end

---@class gpu.Process
---@field pid integer
---@field name? string absent where it cannot be seen
---@field bytes? integer of GPU memory

---@alias gpu.Reason "idle"|"application_clocks"|"sw_power_cap"|"hw_slowdown"|"sync_boost"|"sw_thermal"|"hw_thermal"
---|"hw_power_brake"|"display_clock"

---@class gpu.Device
---@field index integer from 0, as in nvidia-smi
---@field uuid string "GPU-..."
---@field pci string "00000000:01:00.0"
---@field name string
---@field driver? string "580.65.06"
---@field cuda? string newest CUDA of this driver, "13.0"
---@field sm_mhz? integer clocks of this moment
---@field graphics_mhz? integer
---@field mem_mhz? integer
---@field video_mhz? integer
---@field sm_max_mhz? integer highest clocks
---@field graphics_max_mhz? integer
---@field mem_max_mhz? integer
---@field video_max_mhz? integer
---@field sm_base_mhz? integer base clock, where the driver still tells it
---@field mem_supported_mhz? integer[] highest first
---@field sm_supported_mhz? integer[] at the highest memory clock, highest first
---@field temperature_c? integer
---@field power_w? number
---@field power_limit_w? number
---@field utilization_percent? integer
---@field memory_utilization_percent? integer
---@field memory_bytes? integer
---@field memory_used_bytes? integer
---@field memory_free_bytes? integer
---@field processes gpu.Process[] that compute on it
---@field persistence? boolean the driver keeps it initialised without a client
---@field ecc? boolean
---@field mig? boolean it is split into instances
---@field performance_state? integer 0 is the fastest
---@field reasons? gpu.Reason[] why its clock is what it is

--- Every GPU, as it is now. What one does not support is absent, never 0. Raises unavailable without a driver, and for a GPU that
--- fell off the bus.
--- ```lua
--- for _, gpu in ipairs(reg.gpu.list()) do print(gpu.index, gpu.name, gpu.sm_mhz, gpu.temperature_c) end
--- ```
---@return gpu.Device[] gpus
function reg.gpu.list() end

--- One GPU. Raises not_found where there is none of that name, and what list raises.
--- ```lua
--- local gpu = reg.gpu.get(0)
--- print(gpu.uuid, reg.gpu.get(gpu.uuid).name, reg.gpu.get(gpu.pci).power_w)
--- ```
---@param which integer|string index from 0, "GPU-..." or a PCI address
---@return gpu.Device gpu
function reg.gpu.get(which) end

---@class gpu.MonitorOptions
---@field device? integer|string which GPU; all of them when absent or "all"
---@field period_s? number|string between samples; 0.1 when absent

--- Samples the GPUs in a thread of its own, beside whatever runs, until it is stopped.
--- ```lua
--- local monitor <close> = reg.gpu.monitor { device = 0 }
--- reg.process.run { cmd = { "./bench" } }
--- local seen = monitor:stop()
--- print(seen.sm_mhz.median, seen.power_w.max, seen.throttled)
--- ```
---@param options? gpu.MonitorOptions
---@return gpu.Monitor monitor
function reg.gpu.monitor(options) end

---@class gpu.Spread
---@field min number
---@field median number
---@field max number

---@class gpu.Summary
---@field seconds number from the start to the last sample
---@field samples integer
---@field sm_mhz? gpu.Spread
---@field busy_sm_mhz? gpu.Spread the same of the samples at which it did not idle
---@field temperature_c? gpu.Spread
---@field power_w? gpu.Spread
---@field memory_peak_bytes? integer most that was in use at a sample
---@field throttle_s table<string, number> seconds in which a reason held the clock down, by reason; several GPUs: their sum
---@field throttle_from "counters"|"samples" whether the driver counted them, or the reasons at each sample did
---@field throttled boolean one of the reasons held for more than a hundredth of the time
---@field foreign gpu.Process[] compute processes that neither this engine nor its containers started, as far as they are seen
---@field lost? string why it ended early: the GPU fell off the bus
---@field gpus? gpu.Summary[] each GPU alone, with index, uuid and name
---@field index? integer
---@field uuid? string
---@field name? string

--- GPUs being sampled.
---@class gpu.Monitor
local Monitor = {}

--- Ends it and says what was seen, over all its GPUs and of each. A GPU that was lost is no error here: what was seen before
--- is the summary, and `lost` says so. A second call gives the same.
--- ```lua
--- local monitor <close> = reg.gpu.monitor { period_s = "50ms" }
--- reg.sleep(1)
--- for reason, seconds in pairs(monitor:stop().throttle_s) do print(reason, seconds) end
--- ```
---@return gpu.Summary summary
function Monitor:stop() end

--- Ends it; so does `<close>`. A second close does nothing.
--- ```lua
--- local monitor = reg.gpu.monitor()
--- monitor:close()
--- ```
function Monitor:close() end

---@class gpu.LockOptions
---@field sm? string|number "80%" of the highest SM clock, 1590 (MHz) or "base"
---@field mem? string|number "100%" of the highest memory clock, or MHz; Ampere and newer
---@field device? integer|string which GPU; all of them when absent or "all"
---@field required? boolean raise where it cannot be had; else a warning, and the run goes on unlocked

--- Locks the clocks of one or all GPUs at the supported clocks nearest to those asked for, and says which. They are given back
--- when it is closed, on an error, on Ctrl-C, when the engine is killed (a guardian process of its own does it) and, where that
--- was killed too, at the next lock or by `regengine recover`. A lock that somebody made with nvidia-smi is overwritten and not
--- brought back: the driver does not tell it. All GPUs are locked, or none. Without a driver, a permission (only root may) or a
--- GPU that can: one warning with the nvidia-smi command that root would type, and an object whose `locked` is false; with
--- `required` that raises unavailable or permission. Raises conflict where another engine has locked a GPU, usage for a clock
--- that it cannot have, and not_found for a GPU that is not there.
--- ```lua
--- local clocks <close> = reg.gpu.lock { sm = "80%" }
--- print(clocks.locked, clocks.sm_mhz, clocks.why)
--- ```
---@param options gpu.LockOptions
---@return gpu.Lock lock
function reg.gpu.lock(options) end

---@class gpu.LockedGpu
---@field index integer
---@field uuid string
---@field name string
---@field sm_mhz? integer
---@field mem_mhz? integer

--- Clocks that are locked, or why they are not.
---@class gpu.Lock
---@field locked boolean
---@field asked string what was asked for: "sm 80%, mem 2619"
---@field why? string why it is not locked
---@field sm_mhz? integer what the SMs are locked at, of the first GPU; absent for a base clock that the driver does not tell
---@field mem_mhz? integer the same of the memory
---@field gpus gpu.LockedGpu[] each GPU that is locked
local Lock = {}

---@class gpu.Verified
---@field held? boolean the SM clock is within 2 % of the lock and nothing throttles it; absent while the GPU idles
---@field sm_mhz? integer the clock now
---@field asked_mhz? integer the clock it is locked at
---@field reasons gpu.Reason[]
---@field why? string why nothing is locked
---@field gpus? gpu.Verified[] each GPU, with index, uuid and name; the fields beside this one are those of the worst

--- Whether the clock holds now. The driver accepts a lock and may still not keep it, for heat or power, and a clock shows itself
--- under load alone: ask while the GPU works. Raises unavailable for a GPU that fell off the bus.
--- ```lua
--- local clocks <close> = reg.gpu.lock { sm = 1590 }
--- local seen = clocks:verify()
--- if seen.held == false then print(seen.sm_mhz, table.concat(seen.reasons, ", ")) end
--- ```
---@return gpu.Verified verified
function Lock:verify() end

--- Gives the clocks back; so does `<close>`. A second close does nothing. Where the driver refuses that is a warning, and it is
--- tried again when the engine ends.
--- ```lua
--- local clocks = reg.gpu.lock { sm = "base" }
--- clocks:close()
--- ```
function Lock:close() end
