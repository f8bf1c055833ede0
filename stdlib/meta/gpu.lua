---@meta

--- NVIDIA GPUs, through NVML of the driver: their properties and state, locked clocks, and what they did during a run.
--- AMD GPUs, through libamd_smi of ROCm 7 or 10, have fewer numbers, and no locks.
--- Without a driver or a GPU every function but `status` and `lock` raises unavailable with the message of status().
--- ```lua
--- local status = reg.gpu.status()
--- if not status.ok then print(status.message) end
--- for _, gpu in ipairs(reg.gpu.list()) do print(gpu.index, gpu.name, gpu.sm_mhz, gpu.temperature_c) end
--- print(#reg.gpu.list "0,1", reg.gpu.get(0).uuid)
--- local lease <close> = reg.gpu.lease { gpus = "0,1,2,3", count = 2 }
--- local clocks <close> = reg.gpu.lock { sm = "80%" }
--- local monitor <close> = reg.gpu.monitor { device = lease.gpus[1].uuid }
--- reg.process.run { cmd = { "./bench" }, lease = lease }
--- local seen = monitor:stop()
--- print(clocks.locked or clocks.why, seen.sm_mhz.median, seen.power_w.max, seen.throttled)
--- ```
---@class reg.gpu
reg.gpu = {}

---@class gpu.Status
---@field ok boolean whether what the function asks for can be used here
---@field message string why not, one line; "" if ok
---@field hint string what to do; "" if ok

--- Whether this machine has a GPU with a working driver.
---@return gpu.Status status
function reg.gpu.status() end

---@class gpu.Process
---@field pid integer
---@field name? string absent if it is not visible
---@field bytes? integer GPU memory

---@alias gpu.Reason "idle"|"application_clocks"|"sw_power_cap"|"hw_slowdown"|"sync_boost"|"sw_thermal"|"hw_thermal"
---|"hw_power_brake"|"display_clock"

---@class gpu.Device
---@field index integer from 0, as in nvidia-smi
---@field uuid string "GPU-..."
---@field pci string "00000000:01:00.0"
---@field name string
---@field driver? string "580.65.06"
---@field cuda? string newest CUDA that the driver supports, "13.0"
---@field sm_mhz? integer current clocks
---@field mem_mhz? integer
---@field sm_max_mhz? integer highest clocks
---@field mem_max_mhz? integer
---@field mem_supported_mhz? integer[] highest first
---@field sm_supported_mhz? integer[] at the highest memory clock, highest first
---@field temperature_c? integer
---@field power_w? number of the moment, or on older drivers the average of a second
---@field power_limit_w? number
---@field utilization_percent? integer
---@field memory_bytes? integer
---@field memory_used_bytes? integer
---@field memory_free_bytes? integer
---@field processes gpu.Process[] that compute on it
---@field persistence? boolean persistence mode
---@field ecc? boolean
---@field mig? boolean MIG mode
---@field reasons? gpu.Reason[] why its clock is what it is

--- All GPUs, or those named, with their current state. Visible are those of CUDA_VISIBLE_DEVICES, which programs see,
--- or all without it. Values that a GPU does not support are absent, never 0. Raises
--- unavailable without a driver and for a GPU that fell off the bus, and not_found for an unknown GPU.
---@param which? integer|string "all" (default), "visible", or names as reg.gpu.get takes them, separated by commas
---@return gpu.Device[] gpus
function reg.gpu.list(which) end

--- One GPU, of a MIG instance the one that it is a part of. Raises not_found for an unknown one, and what list raises.
---@param which integer|string index from 0, "GPU-...", or of a MIG instance its UUID or "0:1"
---@return gpu.Device gpu
function reg.gpu.get(which) end

---@class gpu.MonitorOptions
---@field device? integer|string as reg.gpu.list takes it; default: those that programs see
---@field period_s? number|string between samples; default 0.1

--- Samples GPUs in a thread of its own until it is stopped. Raises unavailable if CUDA_VISIBLE_DEVICES hides all.
---@param options? gpu.MonitorOptions
---@return gpu.Monitor monitor
function reg.gpu.monitor(options) end

---@class gpu.Spread
---@field min number
---@field median number
---@field max number
---@field mean number

---@class gpu.Summary
---@field seconds number from the start to the last sample
---@field samples integer
---@field sm_mhz? gpu.Spread
---@field busy_sm_mhz? gpu.Spread the same of the samples at which something ran
---@field temperature_c? gpu.Spread
---@field power_w? gpu.Spread
---@field power_limit_w? number at the start, of each of `gpus`
---@field memory_peak_bytes? integer highest use at a sample
---@field own_peak_bytes? integer the same of the processes that this engine started; absent if none was seen
---@field throttle_s table<string, number> seconds in which a reason reduced the clock, by reason; summed over GPUs
---@field throttle_from "counters"|"samples"|"both"|"none" by counters of the driver, by reasons at each sample, or both
---@field used? boolean whether anything used it: utilization above 0, or a new process; nil if the driver cannot tell
---@field throttled boolean a reason was active for more than 1 % of the time
---@field foreign gpu.Process[] visible compute processes that neither this engine nor its containers started
---@field faults? string[] memory or NVLink errors, an Xid, a new power limit, a request to reset it, a slower PCIe link
---@field lost? string why it ended early: the GPU fell off the bus
---@field gpus? gpu.Summary[] each GPU separately, with index, uuid and name
---@field index? integer
---@field uuid? string
---@field name? string

--- A running monitor of GPUs.
---@class gpu.Monitor: reg.Closable
local Monitor = {}

--- Stops it and returns a summary, over all its GPUs and for each. A lost GPU is not an error here: the summary covers
--- the time before, and `lost` says why. A second call returns the same.
---@return gpu.Summary summary
function Monitor:stop() end

---@class gpu.LockOptions
---@field sm? string|number "80%" of the highest SM clock, or 1590 (MHz)
---@field mem? string|number "100%" of the highest memory clock, or MHz; Ampere and newer
---@field device? integer|string as reg.gpu.list takes it; default: those that programs see
---@field required? boolean raise if clocks cannot be locked; default: warn and continue

--- Locks the clocks of the GPUs that programs see, or of those named, at the supported clocks nearest to the requested
--- ones. They are restored when the lock is closed, on an error, on Ctrl-C, and when the engine is killed (by a
--- guardian process); if that is killed too, at the next lock or by `regengine recover`. A lock made with nvidia-smi is
--- overwritten and not restored, since the driver does not report it. Either all GPUs are locked or none. Without a
--- driver, permission (root) or a GPU that supports it: one warning with the nvidia-smi command to run as root, and an
--- object whose `locked` is false; with `required` that raises unavailable or permission. Raises conflict if another
--- engine has locked a GPU, usage for an unsupported clock, and not_found for an unknown GPU.
---@param options gpu.LockOptions
---@return gpu.Lock lock
function reg.gpu.lock(options) end

---@class gpu.LockedGpu
---@field index integer
---@field uuid string
---@field name string
---@field sm_mhz? integer
---@field mem_mhz? integer

--- Locked clocks, or why they are not locked. If the driver refuses to restore them, that is a warning, and it is tried
--- again when the engine ends.
---@class gpu.Lock: reg.Closable
---@field locked boolean
---@field asked string the request: "sm 80%, mem 2619"
---@field why? string why they are not locked
---@field sm_mhz? integer locked SM clock of the first GPU
---@field mem_mhz? integer locked memory clock
---@field gpus gpu.LockedGpu[] the locked GPUs
local Lock = {}

---@class gpu.LeaseOptions
---@field gpus? integer|string GPUs to choose from, as reg.gpu.list takes them; default: those that programs see
---@field count? integer how many of them; default: each of them
---@field timeout_s? number|string how long to wait for free ones; default: without limit

---@class gpu.LeasedGpu
---@field index integer
---@field instance? integer of the instance (MIG) in its GPU; absent for a whole GPU
---@field uuid string of the instance, or of the GPU
---@field name string
---@field cpus? string the CPUs near it that this process may use, "0-27"; absent if the kernel does not tell

--- GPUs that no other lease has at the same time, on this machine.
---@class gpu.Lease: reg.Closable
---@field gpus gpu.LeasedGpu[]
---@field cpus? string the CPUs near any of them
---@field waited_s number how long others had them; 0 if it did not wait
local Lease = {}

--- Leases GPUs: until the lease is closed, no other lease has them - of this script, of another regengine or of another
--- user of this machine. It waits until enough of them are free at the same time, and says once who has them. It is a
--- lock file for each UUID, which the kernel unlocks when a regengine ends or is killed. Programs that do not lease
--- are not held back. A GPU whose MIG is on is leased by its instances. Pass the lease as the option `lease` to
--- reg.process.run, reg.container.run or reg.container.start: the command sees only these GPUs and runs on CPUs near
--- them, unless reg.machine.tune chose CPUs. Trials of reg.sweep lease their GPUs themselves. Raises usage for more
--- GPUs than there are, and for GPUs of different models unless it takes all of them; conflict after `timeout_s`,
--- permission without access to a lock file, and what reg.gpu.list raises.
---@param options? gpu.LeaseOptions
---@return gpu.Lease lease
function reg.gpu.lease(options) end
