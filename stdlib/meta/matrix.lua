---@meta

--- One configuration: a field for each axis with its value, and these two.
---@class matrix.Configuration
---@field id string "dynamo=openxla test=eval", its values in the order of the axes
---@field skipped? string why it is recorded as skipped, and not run

--- Configurations in their order: a list, for # and ipairs. Every method gives a new one and leaves the old as it was.
---@class matrix.Matrix
local Matrix = {}

--- Every combination of the axes' values, the last axis changing fastest. The axes are a list, since it keeps their order; the
--- value reg.json.null stands for null in what is recorded. Raises usage for an axis without values, or one named twice.
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

--- Those of which f says true: the others are not supported, and leave no trace. Raises what f raises.
--- ```lua
--- local matrix = reg.matrix { { level = { 1, 9 } }, { threads = { 1, 4 } } }
--- print(#matrix:where(function(c) return c.threads == 1 or c.level > 1 end))
--- ```
---@param f fun(configuration: matrix.Configuration): boolean
---@return matrix.Matrix matrix
function Matrix:where(f) end

--- All of them, those of which f says true marked as skipped: they are recorded with the reason, and not run. One that is marked
--- already keeps its reason. Raises usage without a reason.
--- ```lua
--- local matrix = reg.matrix { { program = { "gzip", "xz" } }, { level = { 1, 9 } } }
--- print(matrix:skip(function(c) return c.program == "xz" and c.level == 9 end, "takes an hour")[4].skipped)
--- ```
---@param f fun(configuration: matrix.Configuration): boolean
---@param why string
---@return matrix.Matrix matrix
function Matrix:skip(f, why) end

--- Those whose value of the axis holds one of the regular expressions (PCRE), anywhere and in any case; without an axis the
--- first one is meant, and without expressions all of them pass. Raises usage for what is no expression.
--- ```lua
--- print(#reg.matrix { { model = { "alexnet", "AlexNet_quantized" } } }:filter("^alexnet$"))
--- ```
---@param expressions string|string[]
---@param axis? string
---@return matrix.Matrix matrix
function Matrix:filter(expressions, axis) end

--- Those whose value of the axis holds none of the regular expressions. Raises as filter does.
--- ```lua
--- print(#reg.matrix { { model = { "alexnet", "resnet18" } } }:exclude { "resnet", "bert" })
--- ```
---@param expressions string|string[]
---@param axis? string
---@return matrix.Matrix matrix
function Matrix:exclude(expressions, axis) end

--- Those whose value of the axis is in the list, a tier; without an axis the first one is meant. Raises usage for an axis that is
--- none.
--- ```lua
--- local tier1 = { "resnet18", "BERT_pytorch" }
--- print(#reg.matrix { { model = { "alexnet", "resnet18" } } }:only(tier1))
--- ```
---@param values any[]
---@param axis? string
---@return matrix.Matrix matrix
function Matrix:only(values, axis) end

--- Part i of n: every n-th configuration, so that the parts are alike; the n parts together are the whole. Raises usage unless
--- 1 <= i <= n.
--- ```lua
--- local mine = reg.matrix { { model = { "a", "b", "c", "d" } } }:shard(1, 4)
--- print(mine[1].id)
--- ```
---@param i integer
---@param n integer
---@return matrix.Matrix matrix
function Matrix:shard(i, n) end
