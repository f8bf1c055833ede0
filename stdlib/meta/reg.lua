---@meta

--- All that a script has beside Lua's own: nouns (`reg.git`, `reg.container`), which hold functions, and functions.
---@class reg
reg = {}
