---@meta

--- Work on an NVIDIA GPU: CUDA C++ compiled and launched, matrices multiplied by cuBLAS, and both timed so that two numbers can
--- be compared. The driver, NVRTC and cuBLAS are found when they are first used. Without a GPU all but compile and status
--- raise unavailable, in the words of status. A kernel that fails raises failed_trial and takes the GPU from this process.
---@class reg.cuda
reg.cuda = {}

---@class cuda.Status
---@field ok boolean
---@field message string one line: why not; "" when ok
---@field hint string what would help; "" when ok

--- Whether work can be done on a GPU here. Raises nothing.
--- ```lua
--- local status = reg.cuda.status()
--- if not status.ok then print(status.message, status.hint) end
--- ```
---@return cuda.Status status
function reg.cuda.status() end

--- The versions of what is here: driver (the newest CUDA it knows), nvrtc and cublas; nil for what is not. Loads all of them.
--- ```lua
--- print(reg.cuda.versions().nvrtc or "no NVRTC")
--- ```
---@return table versions { driver = "13.0", nvrtc = "13.0", cublas = "13.0.2" }
function reg.cuda.versions() end

---@class cuda.Device
---@field index integer from 0
---@field name string
---@field uuid string "GPU-...", the same as nvidia-smi's
---@field pci_id string
---@field arch string "sm_90"
---@field memory_bytes integer
---@field l2_bytes integer
---@field multiprocessors integer
---@field clock_mhz number the SM clock when nothing holds it back

--- The GPUs this process may use. Raises unavailable where there is none.
--- ```lua
--- for _, device in ipairs(reg.cuda.devices()) do print(device.index, device.name, device.arch) end
--- ```
---@return cuda.Device[] devices
function reg.cuda.devices() end

---@class cuda.CompileOptions
---@field arch? string "sm_90" gives machine code for it, "compute_90" PTX; the first GPU's unless given, which needs a driver
---@field name? string the source's name in messages: "kernel.cu"
---@field options? string[] further options of NVRTC: { "--use_fast_math", "-DN=4" }

---@class cuda.Compiled
---@field image string what context:load takes
---@field log string the compiler's warnings
---@field arch string
---@field name string

--- Compiles CUDA C++ with NVRTC. With an arch it needs neither GPU nor driver. Kernels need extern "C" to be found by name.
--- Raises usage with the compiler's lines for a source that does not compile, and unavailable where there is no NVRTC.
--- ```lua
--- local compiled = reg.cuda.compile([[
---   extern "C" __global__ void add(float* x, float y, int n) {
---     int i = blockIdx.x * blockDim.x + threadIdx.x;
---     if (i < n) x[i] += y;
---   }]], { arch = "sm_90" })
--- print(#compiled.image .. " bytes", compiled.log)
--- ```
---@param source string
---@param options? cuda.CompileOptions
---@return cuda.Compiled compiled
function reg.cuda.compile(source, options) end

--- Opens a GPU: its primary context, and a stream that all work goes to unless another one is named; the same ones while they
--- are open. In a dry run nothing is opened, and what comes back does nothing. Raises not_found for an index that is none, and
--- unavailable without a GPU.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- print(gpu.name, gpu.arch)
--- ```
---@param index? integer 0
---@return cuda.Context gpu
function reg.cuda.open(index) end

--- Begins what a profiler captures that was told to wait: nsys --capture-range=cudaProfilerApi.
--- ```lua
--- reg.cuda.profiler_start()
--- ```
function reg.cuda.profiler_start() end

--- Ends what a profiler captures.
--- ```lua
--- reg.cuda.profiler_stop()
--- ```
function reg.cuda.profiler_stop() end

---@class cuda.TimeOptions
---@field mode? string "cold" (the default), "hot" or "graph": see above
---@field stop? string "noise" (the default), "entropy" or "count": when there are enough samples
---@field max_noise? number noise: until the relative standard deviation is below this (0.005), or does not move any more
---@field min_time_s? number|string noise: but not before all samples add up to this (0.5)
---@field max_angle? number entropy: until a line through the entropies of the times is flatter than these degrees (0.048)
---@field min_r2? number entropy: and tells this part of their variation (0.36)
---@field window? integer entropy: over so many of the latest samples (299)
---@field n? integer count: so many samples (100)
---@field min_samples? integer never fewer (10)
---@field timeout_s? number|string stop after this, whatever the criterion says (15)
---@field clock_mhz? number the SM clock to expect: samples below 0.75 of it are discarded; the GPU's own. For clocks locked low
---@field block? boolean hold the GPU until a sample's work is queued: launching is not timed (true); false where the function waits
---@field block_limit_s? number|string hold it at most so long (10)
---@field context? cuda.Context the one opened last unless given

---@class cuda.Timing
---@field median_s number of one call, by events of the GPU
---@field mean_s number
---@field min_s number
---@field max_s number
---@field q1_s number first quartile
---@field q3_s number third quartile
---@field stdev_rel number standard deviation by mean
---@field iqr_rel number distance of the quartiles by median
---@field n integer samples
---@field discarded integer samples at a slow clock, left out
---@field stopped string "noise" (low enough), "settled" (as low as it gets), "entropy", "count" or "timeout"
---@field sm_mhz? number the SM clock while it ran: the middle one of the samples
---@field samples_s number[] each sample, in order
---@field mode string
---@field batch integer calls in a sample
---@field released_early integer samples with so many launches that some were launched while the GPU already ran
---@field wall_s number how long the measuring took
---@field dry? boolean true in a dry run: all numbers are 0

--- Times a function that launches work, or what kernel:bind returned. Each sample lies between two events of the GPU, between
--- which the host waits for nothing: the GPU is held by a kernel until the work is queued. Cold: one call a sample, the L2
--- cache written over before each; hot: calls in a row, a sample is their mean; graph: as cold, the function captured into a
--- graph once. The SM clock is taken on both sides; samples at a throttled clock are discarded, after a pause. The function is
--- called once or more before the first sample. It must not wait for the GPU (synchronize, download, upload): that raises
--- usage, at once or after block_limit_s, unless `block` is false. Raises failed_trial when all samples were discarded. Other
--- tasks run between samples only.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- local a, b, c = gpu:alloc(1024 * 1024, "f32"), gpu:alloc(1024 * 1024, "f32"), gpu:alloc(1024 * 1024, "f32")
--- local time = reg.cuda.time(function() gpu:gemm { n = 1024, a = a, b = b, c = c } end, { mode = "cold" })
--- print(time.median_s * 1e6 .. " us", time.stdev_rel, time.stopped, time.sm_mhz)
--- ```
---@param what function|cuda.Launch
---@param options? cuda.TimeOptions
---@return cuda.Timing timing
function reg.cuda.time(what, options) end

--- A GPU in use. What is made in it keeps it alive, also when it was closed.
---@class cuda.Context
---@field name string the GPU's
---@field arch string "sm_90"
---@field index integer
---@field uuid string
---@field dry boolean true in a dry run
local Context = {}

--- Memory for n numbers, of what it held before. Raises failed_trial when there is too little.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- local x <close> = gpu:alloc(1024, "f32")
--- ```
---@param n integer
---@param dtype? string f64, f32, f16, bf16, i64, i32, i16, i8, u64, u32, u16 or u8 (the default)
---@return cuda.Buffer buffer
function Context:alloc(n, dtype) end

--- Loads kernels: what reg.cuda.compile returned, or the bytes of a CUBIN or PTX. Raises usage for code of another GPU and
--- corrupt for what is no code.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- local module = gpu:load(reg.cuda.compile [[extern "C" __global__ void nothing() {}]])
--- ```
---@param image string|cuda.Compiled
---@return cuda.Module module
function Context:load(image) end

--- A stream besides the context's own: work in it runs beside other work.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- local stream <close> = gpu:stream()
--- ```
---@return cuda.Stream stream
function Context:stream() end

--- An event: a point in a stream, with its time.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- local start <close> = gpu:event()
--- ```
---@return cuda.Event event
function Context:event() end

--- Captures what the function queues into the context's stream; nothing of it runs yet. Raises usage where it waits.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- local x = gpu:alloc(1024)
--- local graph <close> = gpu:graph(function() x:zero() end)
--- graph:launch()
--- ```
---@param queue function called once, now
---@return cuda.Graph graph
function Context:graph(queue) end

---@class cuda.GemmOptions
---@field n integer columns of b and c
---@field m? integer rows of a and c; n unless given
---@field k? integer columns of a and rows of b; n unless given
---@field a cuda.Buffer of f32, f16 or bf16
---@field b cuda.Buffer of the same type
---@field c cuda.Buffer of the same type
---@field dtype? string checked against the buffers, where given
---@field tf32? boolean round f32 products to TF32, as PyTorch does at precision "high" (false)
---@field alpha? number 1
---@field beta? number 0
---@field stream? cuda.Stream

--- Queues c = alpha * a b + beta * c by cuBLAS, the matrices row by row; sums are f32. Raises usage for buffers too small or of
--- different types, unavailable where there is no cuBLAS, and failed_trial with cuBLAS's status.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- local a, b, c = gpu:alloc(4, "f32"), gpu:alloc(4, "f32"), gpu:alloc(4, "f32")
--- a:upload { 1, 2, 3, 4 }
--- b:upload { 1, 0, 0, 1 }
--- gpu:gemm { n = 2, a = a, b = b, c = c }
--- print(table.concat(c:download(), " "))
--- ```
---@param options cuda.GemmOptions
function Context:gemm(options) end

--- The GPU's memory: free_bytes and total_bytes.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- print(gpu:memory().free_bytes)
--- ```
---@return table memory { free_bytes =, total_bytes = }
function Context:memory() end

--- Waits until all work of this GPU is done; other tasks go on. Raises failed_trial where a kernel failed.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- gpu:synchronize()
--- ```
function Context:synchronize() end

--- Gives the GPU back, once nothing made in it is left; so does `<close>`. A second close does nothing.
--- ```lua
--- local gpu = reg.cuda.open()
--- gpu:close()
--- ```
function Context:close() end

--- Memory of a GPU.
---@class cuda.Buffer
---@field n integer how many numbers
---@field dtype string
---@field bytes integer
local Buffer = {}

--- Copies to its beginning: a list of numbers of its type, or a string as it is. Waits. Raises usage for what does not fit.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- gpu:alloc(3, "i32"):upload { 1, 2, 3 }
--- ```
---@param data number[]|string
function Buffer:upload(data) end

--- Copies the data over and over until it is full: uploaded once, repeated on the GPU. Waits.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- gpu:alloc(1000000, "bf16"):fill { 0.5, -0.25, 1 }
--- ```
---@param data number[]|string
function Buffer:fill(data) end

--- Its numbers. Waits for the work before it.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- print(gpu:alloc(3, "i32"):download()[1])
--- ```
---@return number[] numbers
function Buffer:download() end

--- Its bytes. Waits for the work before it.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- print(string.unpack("<i4", gpu:alloc(3, "i32"):download_bytes()))
--- ```
---@return string bytes
function Buffer:download_bytes() end

--- Queues: all zeros.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- gpu:alloc(1024):zero()
--- ```
---@param stream? cuda.Stream
function Buffer:zero(stream) end

--- Frees it; so does `<close>`. A second close does nothing.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- gpu:alloc(1024):close()
--- ```
function Buffer:close() end

--- A queue of work.
---@class cuda.Stream
local Stream = {}

--- Waits until its work is done.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- gpu:stream():synchronize()
--- ```
function Stream:synchronize() end

--- Lets its later work wait for the event; the caller does not.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- local stream, event = gpu:stream(), gpu:event()
--- event:record()
--- stream:wait(event)
--- ```
---@param event cuda.Event
function Stream:wait(event) end

--- Lets it go; so does `<close>`. A second close does nothing.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- gpu:stream():close()
--- ```
function Stream:close() end

--- A point in a stream.
---@class cuda.Event
local Event = {}

--- Puts it behind the work queued so far.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- gpu:event():record()
--- ```
---@param stream? cuda.Stream
function Event:record(stream) end

--- Whether it was reached.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- print(gpu:event():done())
--- ```
---@return boolean done
function Event:done() end

--- Waits until it is reached.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- local event = gpu:event()
--- event:record()
--- event:synchronize()
--- ```
function Event:synchronize() end

--- Seconds on the GPU between two events that were reached. Raises usage where they were not yet.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- local x, start, stop = gpu:alloc(1024), gpu:event(), gpu:event()
--- start:record()
--- x:zero()
--- stop:record()
--- stop:synchronize()
--- print(stop:seconds_since(start))
--- ```
---@param start cuda.Event
---@return number seconds
function Event:seconds_since(start) end

--- Lets it go; so does `<close>`. A second close does nothing.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- gpu:event():close()
--- ```
function Event:close() end

--- Kernels that were loaded.
---@class cuda.Module
local Module = {}

--- The kernel of that name. Raises not_found where there is none: without extern "C" its name is another.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- local nothing = gpu:load(reg.cuda.compile [[extern "C" __global__ void nothing() {}]]):kernel "nothing"
--- ```
---@param name string
---@return cuda.Kernel kernel
function Module:kernel(name) end

--- Lets it go once no kernel of it is left; so does `<close>`. A second close does nothing.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- gpu:load(reg.cuda.compile [[extern "C" __global__ void nothing() {}]]):close()
--- ```
function Module:close() end

---@class cuda.LaunchOptions
---@field grid integer|integer[] blocks: a number, or { x, y, z }
---@field block integer|integer[] threads of a block
---@field shared_bytes? integer dynamic shared memory (0)
---@field args? table list of buffers and of numbers with their type: { x, { f32 = 0.5 }, { i32 = 1024 } }

---@class cuda.StreamedLaunchOptions : cuda.LaunchOptions
---@field stream? cuda.Stream

--- A kernel.
---@class cuda.Kernel
local Kernel = {}

--- Queues it. Raises usage for arguments of other sizes than the kernel's (where the driver can tell: 12.4 and newer), and
--- failed_trial where the launch fails. A kernel's own failure shows at the next call that waits.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- local x = gpu:alloc(1024, "f32")
--- local add = gpu:load(reg.cuda.compile [[extern "C" __global__ void add(float* x, float y) { x[threadIdx.x] += y; }]])
--- add:kernel("add"):launch { grid = 1, block = 1024, args = { x, { f32 = 0.5 } } }
--- ```
---@param options cuda.StreamedLaunchOptions
function Kernel:launch(options) end

--- The same, checked once and launched later, as often as wanted.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- local nothing = gpu:load(reg.cuda.compile [[extern "C" __global__ void nothing() {}]]):kernel "nothing"
--- print(reg.cuda.time(nothing:bind { grid = 1, block = 1 }, { mode = "hot" }).median_s)
--- ```
---@param options cuda.LaunchOptions
---@return cuda.Launch launch
function Kernel:bind(options) end

--- A kernel with its configuration and arguments.
---@class cuda.Launch
local Launch = {}

--- Queues it, so many times, in the context's stream.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- local nothing = gpu:load(reg.cuda.compile [[extern "C" __global__ void nothing() {}]]):kernel "nothing"
--- nothing:bind({ grid = 1, block = 1 }):run(10)
--- ```
---@param times? integer 1
function Launch:run(times) end

--- Work that was captured.
---@class cuda.Graph
local Graph = {}

--- Queues all of it.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- local x = gpu:alloc(1024)
--- gpu:graph(function() x:zero() end):launch()
--- ```
---@param stream? cuda.Stream
function Graph:launch(stream) end

--- Lets it go; so does `<close>`. A second close does nothing.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- local x = gpu:alloc(1024)
--- gpu:graph(function() x:zero() end):close()
--- ```
function Graph:close() end
