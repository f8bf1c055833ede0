---@meta

--- Results of benchmark suites: files with one JSON record per line, in the format of pytorch/xla's benchmarks, and
--- stores that such files were imported into. `files` may also name stores, and `store` can be given in addition. A run
--- of a store is treated like a line of a file. A record that is in several files counts once in a store.
--- ```lua
--- local backends = { { name = "inductor", title = "Inductor", where = { dynamo = "inductor" } } }
--- local found = reg.results.speedups { files = reg.results.files "results.jsonl", backends = backends }
--- local latest = reg.results.report(found, "latest")
--- print(reg.results.csv(latest), reg.results.plot(latest, { title = "A100" }))
--- local imported = reg.results.import { files = { "results.jsonl" }, into = "suites.db" }
--- print(imported.imported, reg.results.export { store = "suites.db", to = "copy.jsonl" } .. " runs")
--- local analysis = reg.results.analyze { files = { "results.jsonl" } }
--- print(table.concat(analysis.lines, "\n"), #reg.results.append("database.csv", analysis))
--- ```
---@class reg.results
reg.results = {}

---@class results.ExportOptions
---@field store string|store.Store
---@field to string file, which is overwritten

--- Writes the runs of a store as JSON lines, in the order of their import, and returns their number. Spacing is
--- Python's, so that output of pytorch/xla's benchmarks comes back byte for byte. Raises corrupt for a file that is not
--- a store.
---@param options results.ExportOptions
---@return integer count
function reg.results.export(options) end

--- The reader of the iterator that reg.results.runs returns.
---@class results.Runs
local Runs = {}

--- The next line that is not empty, or nil after the last one. Raises not_found for a missing file, and io if reading
--- fails.
--- ```lua
--- local _, reader = reg.results.runs { files = { "results.jsonl" } }
--- local first = reader:next()
--- ```
---@return results.Run? run
function Runs:next() end
