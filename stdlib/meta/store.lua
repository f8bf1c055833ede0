---@meta

--- Results in one SQLite file, and each trial's output in plain files below `PATH.out/`. A subject (a night, a commit) has
--- trials, a trial has samples (numbers of a metric), and an investigation owns its trials and records the script that made
--- them. reg.sweep does all this by itself; these calls are for scripts that measure in another way, and for asking.
---@class reg.store
reg.store = {}

---@class store.OpenOptions
---@field wait_s? number|string how long to wait for another engine that has it open (10)
---@field make? boolean whether a file that is not there is made (true)

--- Opens the file, or makes it. One engine at a time has a store; opening it twice in one script gives the same store.
--- Raises conflict when another engine keeps it beyond wait_s or a newer regengine made it, and corrupt for a file that is
--- no store, which is not touched, and not_found with make = false where there is no file.
--- ```lua
--- local store <close> = reg.store.open "regressions.db"
--- ```
---@param path string
---@param options? store.OpenOptions
---@return store.Store store
function reg.store.open(path, options) end

--- The key of a trial: a hash of the table, the same for equal tables whatever the order of their keys. Two trials of one
--- key measure the same thing. Raises usage for what has no JSON form.
--- ```lua
--- local key = reg.store.key { subject = "2023-08-24", config = { gpus = "all" } }
--- ```
---@param what table
---@return string key 64 hexadecimal digits
function reg.store.key(what) end

--- An open store.
---@class store.Store
---@field path string the file, as it was opened; where that is a link, the file it leads to
local Store = {}

---@class store.Investigation
---@field name? string
---@field script? string the script's file name; that of the running one when absent
---@field text? string the script's text; that of the running one when absent
---@field options? table what it was started with
---@field facts? table what else is worth knowing of the environment

--- Starts an investigation, or goes on with the unfinished one of the same name, text and options. Records the engine's
--- version, host, kernel and processor.
--- ```lua
--- local store <close> = reg.store.open "regressions.db"
--- local id = store:begin { name = "nights", options = { from = "2023-07-06" } }
--- ```
---@param investigation store.Investigation
---@return integer id
function Store:begin(investigation) end

--- Marks an investigation as ended, with what it found. Raises not_found for an id that is none.
--- ```lua
--- local store <close> = reg.store.open "regressions.db"
--- store:finish_investigation(store:begin { name = "nights" }, { verdict = "no_change" })
--- ```
---@param id integer
---@param verdict table
function Store:finish_investigation(id, verdict) end

--- Every investigation, oldest first: id, name, script, script_sha256, options, engine, host, kernel, cpu, started, ended and
--- verdict; options and verdict as JSON text, times in Unix seconds.
--- ```lua
--- local store <close> = reg.store.open "regressions.db"
--- print(reg.report.table(store:investigations()))
--- ```
---@return table[] investigations
function Store:investigations() end

---@class store.NewTrial
---@field investigation integer from store:begin
---@field subject string
---@field kind? string "night", "commit", ...
---@field key string from reg.store.key
---@field config? table

---@class store.Trial
---@field id integer
---@field investigation integer
---@field subject string
---@field kind string
---@field key string
---@field status string running, ok, build_failed, test_failed, crashed, timeout, oom, skipped, interrupted or set_aside
---@field message string why, where it is not ok
---@field folder string where its output lies; "" for an imported one
---@field started number Unix seconds
---@field ended? number
---@field wall_s? number
---@field user_s? number
---@field sys_s? number
---@field peak_bytes? integer
---@field config table
---@field command table
---@field env table
---@field info table
---@field samples table<string, number[]> by metric

--- Starts a trial and makes its folder. One that is never finished - kill -9 - is "interrupted" at the next opening. Raises
--- not_found for an investigation that is none.
--- ```lua
--- local store <close> = reg.store.open "regressions.db"
--- local id = store:begin { name = "nights" }
--- local trial = store:start { investigation = id, subject = "2023-08-24", key = reg.store.key { subject = "2023-08-24" } }
--- ```
---@param trial store.NewTrial
---@return store.Trial trial
function Store:start(trial) end

---@class store.Result
---@field status string ok, build_failed, test_failed, crashed, timeout, oom, skipped, interrupted or set_aside
---@field message? string
---@field samples? table<string, number|number[]> by metric; finite numbers
---@field command? table what was run
---@field env? table with which variables
---@field info? table what else: image_digest, quiet (reg.machine.tune's record), gpu (what the GPUs did, whether locked), suspect
---@field wall_s? number
---@field user_s? number
---@field sys_s? number
---@field peak_bytes? integer

--- Ends a trial: the result and all samples at once, on disk when it returns. Raises usage for a sample that is not finite or
--- a status that is none, not_found for an id that is none, conflict for a trial that has ended, io when the disk is full.
--- ```lua
--- local store <close> = reg.store.open "regressions.db"
--- local trial = store:start { investigation = store:begin {}, subject = "v1", key = "k" }
--- store:finish(trial.id, { status = "ok", samples = { mlups = { 587.9, 587.8 } }, wall_s = 55 })
--- ```
---@param id integer
---@param result store.Result
function Store:finish(id, result) end

--- Says of an ended trial that its numbers are not to be believed: it keeps them, its status becomes set_aside with `why` as the
--- message, and reg.sweep measures its subject again. Raises not_found for an id that is none or of a trial under way.
--- ```lua
--- local store <close> = reg.store.open "regressions.db"
--- for _, trial in ipairs(store:trials { subject = "2023-08-24" }) do store:set_aside(trial.id, "the fan was broken") end
--- ```
---@param id integer
---@param why string
function Store:set_aside(id, why) end

--- More samples for a trial, after those it has.
--- ```lua
--- local store <close> = reg.store.open "regressions.db"
--- local trial = store:start { investigation = store:begin {}, subject = "v1", key = "k" }
--- store:add_samples(trial.id, "mlups", { 587.9, 587.8 })
--- ```
---@param id integer
---@param metric string
---@param values number|number[]
function Store:add_samples(id, metric, values) end

---@class store.Filter
---@field investigation? integer
---@field key? string
---@field subject? string
---@field status? string
---@field limit? integer at most so many, the oldest

--- The trials that fit, oldest first, with their samples.
--- ```lua
--- local store <close> = reg.store.open "regressions.db"
--- for _, trial in ipairs(store:trials { status = "crashed" }) do print(trial.subject, trial.message) end
--- ```
---@param filter? store.Filter
---@return store.Trial[] trials
function Store:trials(filter) end

---@class store.OutputOptions
---@field keep_bytes? integer of each file's end (16384)

---@class store.Output
---@field name string "BUILD", "OUT", "OUT-2", ...
---@field text string its end, from the start of a line, as the command wrote it
---@field bytes integer what the file has

--- The ends of the files that a trial's commands wrote, the last written last; an empty list where they are gone. It reads no
--- file outside the store's folder, whatever the store says. Raises not_found for an id that is none.
--- ```lua
--- local store <close> = reg.store.open "regressions.db"
--- for _, trial in ipairs(store:trials { status = "crashed" }) do
---   for _, file in ipairs(store:output(trial.id)) do print(trial.subject, file.name, file.text) end
--- end
--- ```
---@param id integer
---@param options? store.OutputOptions
---@return store.Output[] files
function Store:output(id, options) end

--- Asks by SQL, read-only. The tables are investigations, subjects, trials and samples, and the view `results` joins them. What
--- reg.results.import brought is in two more, which this program alone can show, not every SQLite shell: `runs` (run, timestamp,
--- model, experiment and record, the last three as JSON) and `measurements`, each number of each metric (run, timestamp, model,
--- experiment, suite_name, model_name, accelerator, accelerator_model, xla, dynamo, test, batch_size, metric, n from 0, value).
--- median() is there besides SQLite's own functions. Raises usage with SQLite's words, or for more than one statement, and
--- permission for what would change anything. The work counts as instructions of the script.
--- ```lua
--- local store <close> = reg.store.open "regressions.db"
--- local rows = store:query("SELECT subject, median(value) AS m FROM results WHERE metric = ? GROUP BY subject", "mlups")
--- ```
---@param sql string
---@param ... string|number|nil values for its question marks
---@return table[] rows by column name; NULL is nil
function Store:query(sql, ...) end

---@class store.ExportOptions
---@field investigation? integer this one alone

--- Writes every finished trial as one line of JSON that stands for itself.
--- ```lua
--- local store <close> = reg.store.open "regressions.db"
--- print(store:export "trials.jsonl" .. " trials")
--- ```
---@param path string
---@param options? store.ExportOptions
---@return integer count
function Store:export(path, options) end

--- Takes trials from such a file. A line that is none is told with its number, and all others come in; a trial that is here
--- already is counted as a duplicate.
--- ```lua
--- local store <close> = reg.store.open "regressions.db"
--- local result = store:import "trials.jsonl"
--- print(result.imported, result.duplicates, #result.bad)
--- ```
---@param path string
---@return table result { imported =, duplicates =, bad = { { line =, message = }, ... } }
function Store:import(path) end

--- Closes it; so does `<close>`. A second close does nothing.
--- ```lua
--- local store = reg.store.open "regressions.db"
--- store:close()
--- ```
function Store:close() end
