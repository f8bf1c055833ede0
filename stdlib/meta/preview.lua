---@meta

---@class preview.Redacted
---@field what string what was redacted: "GitHub token", "home folder"
---@field count integer how often
---@field lines? integer[] in which lines of the text; a page has none

---@class preview.Suspect
---@field text string a word that looks like a secret and was not redacted
---@field line? integer its line in the text; a page has none

---@class preview.Found
---@field redacted preview.Redacted[] the most frequent first
---@field suspects preview.Suspect[]

---@class preview.Options
---@field output? string the file to be written, as messages name it; standard output by default
---@field yes? boolean write without a question
---@field secrets_only? boolean say nothing of names of users and hosts alone, without a secret or what looks like one

--- Shows on standard error what was redacted in text that is to be shared, by kind and line, and warns of words that
--- look like secrets. If there is any of it and a person is at the terminal, asks whether to write the text; in CI,
--- in a pipe and in a dry run it asks nothing. Raises usage for anything but a table.
--- ```lua
--- local store <close> = reg.store.open "regressions.db"
--- local _, text, found = pcall(reg.share, store)
--- print(type(found) ~= "table" or reg.preview(found, { output = "issue.md" }), #text)
--- ```
---@param found preview.Found what reg.share or reg.report.html found
---@param options? preview.Options
---@return boolean write whether to write it
function reg.preview(found, options) end
