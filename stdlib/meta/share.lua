---@meta

---@class share.Options
---@field investigation? integer|string its number or its name; by default the one used last
---@field with_output? boolean add the ends of failures' outputs and the variables of the environment
---@field keep_host? boolean keep host names and network addresses

--- An investigation as Markdown to paste into an issue: the findings, a plot, the table, the script with the modules
--- and files it needs, versions, and the command that runs it again, `regengine issue.md`. What commands printed and
--- the variables are omitted. Private data is redacted as by reg.masked, in the script and its options too, and
--- marked <redacted>. What is too long for GitHub is omitted, with a note. Times are UTC. Raises not_found for an
--- unknown investigation.
--- ```lua
--- local store <close> = reg.store.open "regressions.db"
--- local _, redacted = pcall(reg.share, store, { keep_host = true })
--- print(redacted)
--- ```
---@param store store.Store
---@param options? share.Options
---@return string markdown
---@return preview.Found found what was redacted, and what may still be secret; for reg.preview
function reg.share(store, options) end
