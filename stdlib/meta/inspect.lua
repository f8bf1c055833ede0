---@meta

--- Values as readable text, as the prompt shows them: tables in Lua syntax with sorted keys, four levels deep; a list
--- of records as a table, commits with short ids; a string of several lines unquoted. Long values are cut and marked.
--- Several values start on a new line each. Raises nothing.
--- ```lua
--- print(reg.inspect { b = { 1, 2 }, a = "x" })   -- { a = "x", b = { 1, 2 } }
--- ```
---@param ... any
---@return string text
function reg.inspect(...) end
