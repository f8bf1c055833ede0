---@meta

--- Values as text for people, as the prompt shows them: tables as Lua writes them, keys sorted, four levels deep; a list of
--- records as a table of rows and columns; a text of several lines as it is. What is long is cut, and says so. Several values
--- give a line or more each. Raises nothing.
--- ```lua
--- print(reg.inspect { b = { 1, 2 }, a = "x" })   -- { a = "x", b = { 1, 2 } }
--- ```
---@param ... any
---@return string text
function reg.inspect(...) end
