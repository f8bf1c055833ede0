---@meta

--- Marks and ranges on the time line of a profiler (NVTX): `nsys profile --trace=nvtx,cuda regengine script.lua` shows
--- them beside the GPU's work. Where no tool listens, or the engine was built without NVTX, all of it does nothing and
--- costs next to nothing; status() says which. The engine marks its own phases by itself, in the domain "regengine":
--- investigation, subject, trial, build and run, and below them checkout, pull, container and process.
---@class reg.nvtx
reg.nvtx = {}

---@class reg.NvtxStatus
---@field ok boolean whether a tool listens
---@field message string why none does; "" when ok
---@field hint string what would help; "" when ok

---@class reg.NvtxOptions
---@field category? string a name to group and filter by, within the domain
---@field colour? integer|string 0xAARRGGBB, or red, orange, yellow, green, cyan, blue, purple, pink or grey
---@field payload? number shown with it: an integer or a float

--- Whether a tool listens. It is looked for once, when NVTX is used first: the library that the environment's
--- NVTX_INJECTION64_PATH names, which nsys sets.
--- ```lua
--- local status = reg.nvtx.status()
--- print(status.ok and "recorded" or status.message)
--- ```
---@return reg.NvtxStatus
function reg.nvtx.status() end

--- A moment. The text, here and everywhere, ends at its first NUL byte.
--- ```lua
--- reg.nvtx.mark("the loss is lowest", { colour = "green", payload = 0.125 })
--- ```
---@param text string
---@param options? reg.NvtxOptions
function reg.nvtx.mark(text, options) end

--- A range from here to its close: declare it `<close>`. Ranges may overlap and close in any order, so they are the ones to
--- use around what waits while other tasks go on.
--- ```lua
--- local night <close> = reg.nvtx.range("2024-03-11", { category = "night", colour = "blue" })
--- ```
---@param text string
---@param options? reg.NvtxOptions
---@return reg.nvtx.Range
function reg.nvtx.range(text, options) end

--- A range on the thread's stack, ended by pop(): for stretches that wait for nothing. Tools count the GPU work that is
--- started inside to it. What is left open is ended when the script ends.
--- ```lua
--- reg.nvtx.push "warm-up"
--- reg.nvtx.pop()
--- ```
---@param text string
---@param options? reg.NvtxOptions
function reg.nvtx.push(text, options) end

--- Ends what the last push() began. Raises usage where nothing is open, or where another task pushed it.
--- ```lua
--- reg.nvtx.push("step", { payload = 1 })
--- reg.nvtx.pop()
--- ```
function reg.nvtx.pop() end

--- A domain: marks and ranges under a name of their own, which tools show apart. The functions above are those of the
--- default domain. The same name gives the same domain.
--- ```lua
--- local training = reg.nvtx.domain "training"
--- local epoch <close> = training:range "epoch 1"
--- ```
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
---@class reg.nvtx.Domain
local Domain = {}

--- As reg.nvtx.mark, in this domain.
--- ```lua
--- reg.nvtx.domain("training"):mark("checkpoint", { category = "io" })
--- ```
---@param text string
---@param options? reg.NvtxOptions
function Domain:mark(text, options) end

--- As reg.nvtx.range, in this domain.
--- ```lua
--- local epoch <close> = reg.nvtx.domain("training"):range("epoch", { payload = 1 })
--- ```
---@param text string
---@param options? reg.NvtxOptions
---@return reg.nvtx.Range
function Domain:range(text, options) end

--- As reg.nvtx.push, in this domain, which has a stack of its own.
--- ```lua
--- local training = reg.nvtx.domain "training"
--- training:push "step"
--- training:pop()
--- ```
---@param text string
---@param options? reg.NvtxOptions
function Domain:push(text, options) end

--- As reg.nvtx.pop, in this domain.
--- ```lua
--- local training = reg.nvtx.domain "training"
--- training:push "step"
--- training:pop()
--- ```
function Domain:pop() end
