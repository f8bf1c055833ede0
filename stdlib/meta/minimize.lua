---@meta

--- The minimization itself, for strategies of your own: it says which subset to run, and you tell it the number.
--- Subsets are lists of positions in `items`.
--- ```lua
--- local minimize = reg.minimize { items = { "a", "b", "c" } }
--- minimize:tell({}, 587.5)
--- minimize:tell({ 1, 2, 3 }, 512)
--- local subset, reason = minimize:ask()
--- minimize:fail(subset, "broken")
--- print(reason, minimize:answer().verdict)
--- ```
---@class minimize.Minimize
local Minimize = {}

--- The subset to run now, and why; nil when enough is known. The same until it was told. Raises nothing.
---@return integer[]? subset
---@return "none"|"all"|"runnable"|"split"|"alone"|"without"? reason
function Minimize:ask() end

--- Tells the number of one run of a subset. Raises usage for an item outside 1..n.
---@param subset integer[]
---@param value number
function Minimize:tell(subset, value) end

--- Tells that a subset gave no number. Raises usage for an item outside 1..n.
---@param subset integer[]
---@param how "broken"|"crashed" broken: it will never run; crashed: it may run the next time
function Minimize:fail(subset, how) end

--- The answer so far, as reg.minimize has it: items are positions. Raises nothing.
---@return minimize.Answer answer
function Minimize:answer() end
