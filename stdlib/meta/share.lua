---@meta

---@class share.Options
---@field investigation? integer|string its id or its name; the newest when absent
---@field keep_host? boolean leave host names and network addresses

--- An investigation of the store as Markdown that can be pasted into an issue: the verdict, a plot, the table, the script with what it
--- requires and the files it was given, the environment, and the line that runs it again: `regengine issue.md`, with the options it
--- was reported with. It is masked as by reg.masked, in the script and its options too, where <masked> says so; what is too long for
--- GitHub is left out, and that is said. Times are UTC. Raises not_found where there is no such investigation.
--- ```lua
--- local store <close> = reg.store.open "regressions.db"
--- local _, masked = pcall(reg.share, store, { keep_host = true })
--- print(masked)
--- ```
---@param store store.Store
---@param options? share.Options
---@return string markdown
function reg.share(store, options) end
