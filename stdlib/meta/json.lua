---@meta

--- Encodes and decodes JSON. `reg.json.null` stands for null, since a table cannot hold nil.
--- ```lua
--- print(reg.json.encode({ verdict = "changes", runs = 16 }, { pretty = true }))
--- print(reg.json.decode('{"runs":16}').runs)
--- print(reg.json.encode { changes = reg.json.array {} })  --> {"changes":[]}
--- ```
---@class reg.json
---@field null userdata
reg.json = {}

---@class json.EncodeOptions
---@field pretty? boolean with line breaks and an indent of two spaces

--- The value as JSON: tables with keys 1..n are arrays, others are objects with sorted keys; an empty table is {}.
--- Raises usage, with the path of the value, for what JSON cannot represent (a function, NaN, a cycle).
---@param value any
---@param options? json.EncodeOptions
---@return string text
function reg.json.encode(value, options) end

--- The value of a JSON text; null becomes reg.json.null. Raises corrupt with the byte offset of the error.
---@param text string
---@return any value
function reg.json.decode(text) end

--- Marks a table as an array, so that it is encoded as [] even if it is empty; returns the same table. Decoded empty
--- arrays are marked.
---@param list table
---@return table list
function reg.json.array(list) end
