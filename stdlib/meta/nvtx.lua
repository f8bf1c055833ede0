---@meta

--- Marks and ranges on the timeline of a profiler (NVTX): `nsys profile --trace=nvtx,cuda regengine script.lua` shows
--- them beside the GPU work. Without a profiler, or in a build without NVTX, all of it does nothing and costs almost
--- nothing; status() tells which. The engine marks its own phases in the domain "regengine": investigation, subject,
--- trial, build and run, and below them checkout, pull, container and process.
--- ```lua
--- local night <close> = reg.nvtx.range("2024-03-11", { category = "night", colour = "blue" })
--- reg.nvtx.push "warm-up"
--- reg.nvtx.pop()
--- reg.nvtx.mark("the loss is lowest", { colour = "green", payload = 0.125 })
--- print(reg.nvtx.status().message, reg.nvtx.domain "training")
--- ```
---@class reg.nvtx
reg.nvtx = {}

---@class reg.NvtxStatus
---@field ok boolean a profiler is attached
---@field message string why not; "" if ok
---@field hint string what to do; "" if ok

---@class reg.NvtxOptions
---@field category? string a name to group and filter by, within the domain
---@field colour? integer|string 0xAARRGGBB, or red, orange, yellow, green, cyan, blue, purple, pink or grey
---@field payload? number a number shown with it, integer or float

--- Whether a profiler is attached. Checked once, when NVTX is first used: the library in NVTX_INJECTION64_PATH, which
--- nsys sets.
---@return reg.NvtxStatus
function reg.nvtx.status() end

--- Marks a moment. Texts of this module end at their first NUL byte.
---@param text string
---@param options? reg.NvtxOptions
function reg.nvtx.mark(text, options) end

--- A range that lasts until it is closed: declare it `<close>`. Ranges can overlap and close in any order, so use them
--- around code that waits while other tasks run.
---@param text string
---@param options? reg.NvtxOptions
---@return reg.nvtx.Range
function reg.nvtx.range(text, options) end

--- A range on the thread's stack, ended by pop(), for code that does not wait. Profilers attribute GPU work started
--- inside to it. Open ranges end with the script.
---@param text string
---@param options? reg.NvtxOptions
function reg.nvtx.push(text, options) end

--- Ends the range of the last push(). Raises usage if none is open, or if another task pushed it.
function reg.nvtx.pop() end

--- A domain: marks and ranges that profilers show under their own name. The functions above use the default domain. The
--- same name gives the same domain.
---@param name string
---@return reg.nvtx.Domain
function reg.nvtx.domain(name) end

--- An open range; `reg.nvtx.range` and `domain:range` make one.
---@class reg.nvtx.Range
local Range = {}

--- Ends the range. Closing twice does nothing.
--- ```lua
--- local range = reg.nvtx.range "loading"
--- range:close()
--- ```
function Range:close() end

--- A domain; `reg.nvtx.domain` makes one.
--- ```lua
--- local training = reg.nvtx.domain "training"
--- local epoch <close> = training:range("epoch", { payload = 1 })
--- training:mark("checkpoint", { category = "io" })
--- training:push "step"
--- training:pop()
--- ```
---@class reg.nvtx.Domain
local Domain = {}

--- As reg.nvtx.mark, in this domain.
---@param text string
---@param options? reg.NvtxOptions
function Domain:mark(text, options) end

--- As reg.nvtx.range, in this domain.
---@param text string
---@param options? reg.NvtxOptions
---@return reg.nvtx.Range
function Domain:range(text, options) end

--- As reg.nvtx.push, in this domain, which has a stack of its own.
---@param text string
---@param options? reg.NvtxOptions
function Domain:push(text, options) end

--- As reg.nvtx.pop, in this domain.
function Domain:pop() end
