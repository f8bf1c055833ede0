---@meta

--- Work on an NVIDIA GPU: compile and launch CUDA C++, multiply matrices with cuBLAS, and time both reproducibly. The
--- driver, NVRTC and cuBLAS are loaded on first use. Without a GPU all functions but compile and status raise
--- unavailable with the message of status. A failing kernel raises failed_trial and makes the GPU unusable for this
--- process.
--- ```lua
--- print(reg.cuda.status().message, reg.cuda.versions().nvrtc or "no NVRTC", reg.cuda.devices()[1].arch)
--- local gpu <close> = reg.cuda.open()
--- local module <close> = gpu:load(reg.cuda.compile [[
---   extern "C" __global__ void add(float* x, float y) { x[threadIdx.x] += y; }]])
--- local x <close>, start, stop = gpu:alloc(1024, "f32"), gpu:event(), gpu:event()
--- x:upload { 1, 2, 3 }
--- x:zero()
--- x:fill { 4 }
--- local add, args = module:kernel "add", { x, { f32 = 0.5 } }
--- local bound = add:bind { grid = 1, block = 1024, args = args }
--- start:record()
--- add:launch { grid = 1, block = 1024, args = args }
--- bound:run(10)
--- stop:record()
--- stop:synchronize()
--- gpu:synchronize()
--- print(stop:seconds_since(start), x:download()[1], string.unpack("<f", x:download_bytes()))
--- print(reg.cuda.time(bound, { mode = "hot" }).median_s)
--- ```
---@class reg.cuda
reg.cuda = {}

--- Whether a GPU can be used here. Raises nothing.
---@return gpu.Status status
function reg.cuda.status() end

--- The versions of the driver (the newest CUDA it supports), nvrtc and cublas; nil for a missing one. Loads all of
--- them.
---@return table versions { driver = "13.0", nvrtc = "13.0", cublas = "13.0.2" }
function reg.cuda.versions() end

---@class cuda.Device
---@field index integer from 0
---@field name string
---@field uuid string "GPU-...", as in nvidia-smi
---@field pci_id string
---@field arch string "sm_90"
---@field memory_bytes integer
---@field l2_bytes integer
---@field multiprocessors integer
---@field clock_mhz number maximum SM clock, which many GPUs do not reach under a load

--- The GPUs that this process can use. Raises unavailable if there is none.
---@return cuda.Device[] devices
function reg.cuda.devices() end

---@class cuda.CompileOptions
---@field arch? string "sm_90" gives machine code, "compute_90" PTX; default: the first GPU's, which needs a driver
---@field name? string name of the source in messages: "kernel.cu"

---@class cuda.Compiled
---@field image string for context:load
---@field log string the compiler's warnings
---@field arch string
---@field name string

--- Compiles CUDA C++ with NVRTC. With an arch it needs neither GPU nor driver. Declare kernels extern "C", so that they
--- are found by name. Raises usage with the compiler's messages for a source that does not compile, and unavailable
--- without NVRTC, or if the only one is of a newer CUDA (13 and 12) than the driver supports.
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

--- An open GPU. Objects made in it keep it alive, also after close.
---@class cuda.Context: reg.Closable
---@field name string of the GPU
---@field arch string "sm_90"
---@field index integer
---@field uuid string
---@field dry boolean true in a dry run
local Context = {}

--- Allocates memory for n numbers, not initialized. Raises failed_trial if there is too little memory.
---@param n integer
---@param dtype? string f64, f32, f16, bf16, i64, i32, i16, i8, u64, u32, u16 or u8 (default)
---@return cuda.Buffer buffer
function Context:alloc(n, dtype) end

--- Loads kernels: the result of reg.cuda.compile, or the bytes of a CUBIN or PTX. Raises usage for code of another GPU
--- architecture and corrupt for invalid code.
---@param image string|cuda.Compiled
---@return cuda.Module module
function Context:load(image) end

--- An event: a point in the context's stream, with its time.
---@return cuda.Event event
function Context:event() end

---@class cuda.GemmOptions
---@field n integer columns of b and c
---@field m? integer rows of a and c; default n
---@field k? integer columns of a and rows of b; default n
---@field a cuda.Buffer of f32, f16 or bf16
---@field b cuda.Buffer of the same type
---@field c cuda.Buffer of the same type
---@field tf32? boolean round f32 inputs to TF32, like PyTorch's precision "high"; default false

--- Queues c = a b with cuBLAS, for row-major matrices; accumulation is in f32. Raises usage for buffers that are too
--- small or of different types, unavailable without cuBLAS, and failed_trial with the status of cuBLAS.
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

--- Waits until all work of this GPU is done; other tasks run meanwhile. Raises failed_trial if a kernel failed.
function Context:synchronize() end

--- Memory on a GPU.
---@class cuda.Buffer: reg.Closable
---@field n integer number of elements
---@field dtype string
---@field bytes integer
local Buffer = {}

--- Copies data to the beginning of the buffer: a list of numbers, converted to its type, or a string of raw bytes.
--- Waits. Raises usage for data that does not fit.
---@param data number[]|string
function Buffer:upload(data) end

--- Fills the buffer with copies of the data, which is uploaded once and repeated on the GPU. Waits.
---@param data number[]|string
function Buffer:fill(data) end

--- The numbers in the buffer. Waits for earlier work.
---@return number[] numbers
function Buffer:download() end

--- The bytes in the buffer. Waits for earlier work.
---@return string bytes
function Buffer:download_bytes() end

--- Queues setting all bytes to zero.
function Buffer:zero() end

--- A point in the stream of its context.
---@class cuda.Event: reg.Closable
local Event = {}

--- Records the event after the work queued so far.
function Event:record() end

--- Waits until the GPU reaches the event.
function Event:synchronize() end

--- GPU seconds between two events that have been reached. Raises usage if they have not.
---@param start cuda.Event
---@return number seconds
function Event:seconds_since(start) end

--- Loaded kernels.
---@class cuda.Module: reg.Closable
local Module = {}

--- The kernel of that name. Raises not_found if there is none; without extern "C" the name is mangled.
---@param name string
---@return cuda.Kernel kernel
function Module:kernel(name) end

---@class cuda.LaunchOptions
---@field grid integer|integer[] blocks: a number, or { x, y, z }
---@field block integer|integer[] threads per block
---@field shared_bytes? integer dynamic shared memory; default 0
---@field args? table buffers, and numbers with their type: { x, { f32 = 0.5 }, { i32 = 1024 } }

--- A kernel.
---@class cuda.Kernel
local Kernel = {}

--- Queues the kernel. Raises usage for arguments of other sizes than the kernel's (with driver 12.4 or newer), and
--- failed_trial if the launch fails. A failure of the kernel itself is raised by the next call that waits.
---@param options cuda.LaunchOptions
function Kernel:launch(options) end

--- Checks a launch once and returns it, to be queued repeatedly.
---@param options cuda.LaunchOptions
---@return cuda.Launch launch
function Kernel:bind(options) end

--- A kernel with its configuration and arguments.
---@class cuda.Launch
local Launch = {}

--- Queues it `times` times in the context's stream.
---@param times? integer default 1
function Launch:run(times) end
