---@meta

--- One configuration: a field for each axis with its value, and these two.
---@class matrix.Configuration
---@field id string "dynamo=openxla test=eval", values in the order of the axes
---@field skipped? string why it is recorded as skipped and does not run

--- A list of configurations, for # and ipairs. Every method returns a new one.
---@class matrix.Matrix
local Matrix = {}

--- Every combination of the axes' values, the last axis changing fastest. The axes are a list to keep their order. The
--- value reg.json.null stands for null in records. Raises usage for an axis without values and for two axes of the same
--- name.
--- ```lua
--- local matrix = reg.matrix {
---   { dynamo = { "openxla", "inductor" } },
---   { xla = { "PJRT", reg.json.null } },
---   { test = { "eval", "train" } },
--- }:where(function(c) return (c.dynamo == "openxla") == (c.xla == "PJRT") end)
--- for _, configuration in ipairs(matrix) do print(configuration.id) end
--- ```
---@param axes table<string, any[]>[]
---@return matrix.Matrix matrix
function reg.matrix(axes) end

--- The configurations for which f is true: the others are not supported and are not recorded. Raises what f raises.
--- ```lua
--- local matrix = reg.matrix { { level = { 1, 9 } }, { threads = { 1, 4 } } }
--- print(#matrix:where(function(c) return c.threads == 1 or c.level > 1 end))
--- ```
---@param f fun(configuration: matrix.Configuration): boolean
---@return matrix.Matrix matrix
function Matrix:where(f) end

--- All configurations; those for which f is true are marked as skipped: they are recorded with the reason and do not
--- run. One that is already marked keeps its reason. Raises usage without a reason.
--- ```lua
--- local matrix = reg.matrix { { program = { "gzip", "xz" } }, { level = { 1, 9 } } }
--- print(matrix:skip(function(c) return c.program == "xz" and c.level == 9 end, "takes an hour")[4].skipped)
--- ```
---@param f fun(configuration: matrix.Configuration): boolean
---@param why string
---@return matrix.Matrix matrix
function Matrix:skip(f, why) end

--- The configurations whose value of the axis matches one of the regular expressions (PCRE), anywhere and ignoring
--- case. The default axis is the first. Without expressions all match. Raises usage for an invalid expression.
--- ```lua
--- print(#reg.matrix { { model = { "alexnet", "AlexNet_quantized" } } }:filter("^alexnet$"))
--- ```
---@param expressions string|string[]
---@param axis? string
---@return matrix.Matrix matrix
function Matrix:filter(expressions, axis) end

--- The configurations whose value of the axis matches none of the regular expressions. Raises as filter does.
--- ```lua
--- print(#reg.matrix { { model = { "alexnet", "resnet18" } } }:exclude { "resnet", "bert" })
--- ```
---@param expressions string|string[]
---@param axis? string
---@return matrix.Matrix matrix
function Matrix:exclude(expressions, axis) end

--- The configurations whose value of the axis is in the list, such as a tier. The default axis is the first. Raises
--- usage for an unknown axis.
--- ```lua
--- local tier1 = { "resnet18", "BERT_pytorch" }
--- print(#reg.matrix { { model = { "alexnet", "resnet18" } } }:only(tier1))
--- ```
---@param values any[]
---@param axis? string
---@return matrix.Matrix matrix
function Matrix:only(values, axis) end

--- Part i of n: every n-th configuration, so that the parts are alike; the n parts together are all of them. Raises
--- usage unless 1 <= i <= n.
--- ```lua
--- local mine = reg.matrix { { model = { "a", "b", "c", "d" } } }:shard(1, 4)
--- print(mine[1].id)
--- ```
---@param i integer
---@param n integer
---@return matrix.Matrix matrix
function Matrix:shard(i, n) end
