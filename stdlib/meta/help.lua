---@meta

--- Prints the documentation of a function, a noun, a class or an object: its options, what it returns and an example;
--- for a shipped script ("nightly") its description and options; without a topic, a list of everything in `reg`. At the
--- prompt it is also the global `help`. Raises not_found for an unknown name.
--- ```lua
--- reg.help "report.table"
--- ```
---@param topic? string|function|table|userdata as in "container.run", reg.container.run or reg.container
function reg.help(topic) end

--- The text that reg.help prints.
--- ```lua
--- local text = reg.help.text "report.table"
--- ```
---@param topic? string|function|table|userdata
---@return string text
function reg.help.text(topic) end
