---@meta

---@class preview.Redacted
---@field what string what was redacted: "token ghp_...", "home folder"
---@field secret boolean whether it was a secret, and not the name of a user or a host
---@field count integer how often
---@field lines? integer[] in which lines of the text; a page has none

---@class preview.Suspect
---@field text string a word that looks like a secret and was not redacted
---@field line? integer its line in the text; a page has none

---@class preview.Found
---@field redacted preview.Redacted[] the most frequent first
---@field suspects preview.Suspect[]
---@field with_output? boolean whether the text has outputs and variables

---@class preview.Options
---@field output? string the file to be written, as messages name it; standard output by default
---@field yes? boolean write without a question

--- Shows on standard error what was redacted in text that is to be shared, by kind and line, and warns of words that
--- look like secrets. Asks whether to write the text if it has outputs, a secret was redacted, or a word looks like
--- one. Where nobody is at a terminal it asks nothing, and raises usage for one with outputs unless `yes` is set.
--- Raises usage for anything but a table.
--- ```lua
--- local store <close> = reg.store.open "regressions.db"
--- local _, text, found = pcall(reg.share, store)
--- print(type(found) ~= "table" or reg.preview(found, { output = "issue.md" }), #text)
--- ```
---@param found preview.Found what reg.share or reg.report.html found
---@param options? preview.Options
---@return boolean write whether to write it
function reg.preview(found, options) end
