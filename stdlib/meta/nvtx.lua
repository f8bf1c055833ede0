---@meta

--- Ranges on the timeline of a profiler (NVTX): `nsys profile --trace=nvtx,cuda regengine script.lua` shows them beside
--- the GPU work, in the domain "regengine". Without a profiler, or in a build without NVTX, all of it does nothing and
--- costs almost nothing; status() tells which. The engine marks its own phases: investigation, subject, trial, build
--- and run, and below them checkout, pull, container and process.
--- ```lua
--- local night <close> = reg.nvtx.range("2024-03-11", { category = "night" })
--- print(reg.nvtx.status().message)
--- ```
---@class reg.nvtx
reg.nvtx = {}

---@class reg.NvtxOptions
---@field category? string a name to group and filter by

--- Whether a profiler is attached. Checked once, when NVTX is first used: the library in NVTX_INJECTION64_PATH, which
--- nsys sets.
---@return gpu.Status status
function reg.nvtx.status() end

--- A range that lasts until it is closed: declare it `<close>`. Ranges can overlap and close in any order, so use them
--- around code that waits while other tasks run. The text is cut after 200 bytes, and ends at its first NUL byte.
---@param text string
---@param options? reg.NvtxOptions
---@return reg.nvtx.Range
function reg.nvtx.range(text, options) end

--- An open range; `reg.nvtx.range` makes one.
---@class reg.nvtx.Range: reg.Closable
local Range = {}
