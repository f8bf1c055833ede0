---@meta

--- A value as text for people, as the prompt shows it: tables as Lua writes them, keys sorted, four levels deep; a list of
--- records as a table of rows and columns; a text of several lines as it is.
--- ```lua
--- print(reg.inspect { b = { 1, 2 }, a = "x" })   -- { a = "x", b = { 1, 2 } }
--- ```
---@param value any
---@return string text
function reg.inspect(value) end
