---@meta

--- JSON in and out. `reg.json.null` stands for null, which Lua's nil cannot do within a table.
---@class reg.json
---@field null userdata
reg.json = {}

---@class json.EncodeOptions
---@field pretty? boolean with line breaks and two blanks of indent

--- The value as JSON: tables with the keys 1..n are arrays, others objects with their keys sorted; an empty table is {}.
--- Raises usage for what JSON cannot say (a function, NaN, a table that holds itself), naming where it stands.
--- ```lua
--- print(reg.json.encode({ verdict = "changes", runs = 16 }, { pretty = true }))
--- ```
---@param value any
---@param options? json.EncodeOptions
---@return string text
function reg.json.encode(value, options) end

--- The value of a JSON text; null becomes reg.json.null. Raises corrupt, with the byte where it broke.
--- ```lua
--- local answer = reg.json.decode '{"runs":16}'
--- ```
---@param text string
---@return any value
function reg.json.decode(text) end

--- Marks a table as a list, so that it is encoded as [] even while it is empty; returns the same table. An empty list that
--- was decoded has the mark.
--- ```lua
--- print(reg.json.encode { changes = reg.json.array {} })  --> {"changes":[]}
--- ```
---@param list table
---@return table list
function reg.json.array(list) end
