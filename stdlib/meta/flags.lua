---@meta

--- What differs between two sets of variables, flag by flag, as items for reg.minimize. A flag with another value on
--- the other side is one item, and so is a variable without flags. What both sides have is always on.
---@class flags.Flags
---@field items string[] such as "--a=1 -> --a=2", "--b", "without --c", "OMP_NUM_THREADS=4"
local Flags = {}

--- The items that differ between the variables of `good` and of `bad`, each a list such as { "XLA_FLAGS=--a=1 --b" },
--- and the candidates, which are off on the good side. Without `bad` or without `good` only the candidates differ.
--- Quotes stay as they are. Raises usage for a quote that is not closed, and if nothing differs.
--- ```lua
--- local flags = reg.flags({ "XLA_FLAGS=--a=1 --b" }, { "XLA_FLAGS=--a=2 --b" })
--- print(flags.items[1], flags:env(flags.items).XLA_FLAGS)
--- ```
---@param good? string[]
---@param bad? string[]
---@param candidates? string[] flags of the only variable, or NAME=FLAG; empty lines and those that begin with # do not
--- count
---@return flags.Flags flags
function reg.flags(good, bad, candidates) end

--- The variables with these items on, and the others off. Raises usage for a string that is not one of the items.
--- ```lua
--- local flags = reg.flags({ "CFLAGS=-O2" }, { "CFLAGS=-O3" })
--- print(flags:env({}).CFLAGS)
--- ```
---@param subset string[]
---@return table<string, string> env
function Flags:env(subset) end
