---@meta

--- Keeps results in one SQLite file, and each trial's output in plain files below `PATH.out/`. A subject (a night, a
--- commit) has trials, a trial has samples (numbers of a metric), and an investigation owns its trials and records the
--- script that made them. reg.sweep uses it by itself; call it from scripts that measure in another way, and for
--- queries.
--- ```lua
--- local store <close> = reg.store.open "regressions.db"
--- local id = store:begin { name = "nights", options = { from = "2023-07-06" } }
--- local trial = store:start { investigation = id, subject = "v1", key = reg.identity { subject = "v1" } }
--- store:finish(trial.id, { status = "ok", samples = { mlups = { 587.9, 587.8 } }, wall_s = 55 })
--- store:add_samples(trial.id, "mlups", 588.1)
--- store:finish_investigation(id, { verdict = "no_change" })
--- for _, found in ipairs(store:trials { status = "crashed" }) do
---   for _, file in ipairs(store:output(found.id)) do print(found.subject, file.name, file.text) end
---   store:set_aside(found.id, "broken fan")
--- end
--- print(reg.report.table(store:query("SELECT * FROM results WHERE metric = ?", "mlups")), #reg.store.key { gpus = 8 })
--- print(reg.report.table(store:investigations()), store:writer())
--- print(store:export "trials.jsonl" .. " trials", #store:import("trials.jsonl").bad)
--- store:close()
--- ```
---@class reg.store
reg.store = {}

---@class store.OpenOptions
---@field wait_s? number|string how long to wait while another engine has it open (10)
---@field read_only? boolean whether to read it only: also while an engine writes to it, and without write access

--- Opens the file, or creates it. One engine at a time writes to a store; opening it twice in one script gives the same
--- store. Raises conflict if another engine holds it longer than wait_s or a newer regengine made it, corrupt for a
--- file that is not a store (it stays as it is), and not_found with read_only if the file does not exist.
---
--- A store that is deleted, moved or replaced while it is open raises conflict at the next write. While another program
--- has it locked, a write waits; after 30 minutes it raises conflict, except for `finish`, which waits on.
---@param path string
---@param options? store.OpenOptions
---@return store.Store store
function reg.store.open(path, options) end

--- A hash of the table, independent of the order of its fields. reg.identity makes the key of a trial, which also names
--- the machine. Raises usage for values without a JSON form.
---@param what table
---@return string key 64 hexadecimal digits
function reg.store.key(what) end

--- An open store.
---@class store.Store: reg.Closable
---@field path string the file as it was opened; for a symbolic link, its target
local Store = {}

---@class store.Investigation
---@field name? string
---@field script? string the script's file name; that of the running script by default
---@field text? string the script's text; that of the running script by default
---@field options? table what it was started with
---@field facts? table anything else worth keeping about the environment

--- Starts an investigation, or continues the unfinished one with the same name, text and options. Records the engine's
--- version, host, kernel and processor.
---@param investigation store.Investigation
---@return integer id
function Store:begin(investigation) end

--- Ends an investigation and stores what it found. Raises not_found for an unknown id.
---@param id integer
---@param verdict table
function Store:finish_investigation(id, verdict) end

---@class store.NewTrial
---@field investigation integer from store:begin
---@field subject string
---@field kind? string "night", "commit", ...
---@field key string from reg.identity
---@field config? table

---@class store.Trial: store.Result
---@field id integer
---@field uid string the same in another store that imported it
---@field investigation integer
---@field subject string
---@field kind string
---@field key string
---@field status string running, interrupted, set_aside, or one that a trial ends with: see store.Result
---@field message string why it is not ok
---@field folder string folder of its output; "" if it was imported
---@field started number Unix seconds
---@field ended? number
---@field config table
---@field command table
---@field env table
---@field info table
---@field samples table<string, number[]> by metric

--- Starts a trial and creates its folder. A trial that is never finished, as after kill -9, is "interrupted" at the
--- next opening. Raises not_found for an unknown investigation.
---@param trial store.NewTrial
---@return store.Trial trial
function Store:start(trial) end

---@class store.Result
---@field status string ok, build_failed, test_failed, crashed, timeout, oom, not_finite, skipped or interrupted
---@field message? string
---@field samples? table<string, number|number[]> by metric; finite numbers
---@field command? table the commands that were run
---@field env? table their environment variables
---@field info? table anything else: image_digest, machine, quiet (the record of reg.machine.tune), gpu, suspect
---@field wall_s? number
---@field user_s? number
---@field sys_s? number
---@field peak_bytes? integer

--- Ends a trial: result and samples are on disk when it returns, all or none of them. Raises usage for a sample that is
--- not finite or an invalid status, not_found for an unknown id, conflict for a trial that has ended, io if the disk is
--- full.
---@param id integer
---@param result store.Result
function Store:finish(id, result) end

--- Discards an ended trial: its numbers stay in the store, its status becomes set_aside with `why` as the message, and
--- reg.sweep measures its subject again. Raises not_found for an unknown id or a trial that is still running.
---@param id integer
---@param why string
function Store:set_aside(id, why) end

--- Adds samples to a trial, after those it has.
---@param id integer
---@param metric string
---@param values number|number[]
function Store:add_samples(id, metric, values) end

---@class store.Filter
---@field investigation? integer
---@field ids? integer[] only these trials
---@field key? string
---@field any_machine? boolean with a key of reg.identity: also the trials of other machines, GPUs and drivers
---@field subject? string
---@field status? string
---@field limit? integer at most this many, the oldest ones

--- The trials that match, oldest first, with their samples. A damaged one is skipped, and a line on stderr says so.
---@param filter? store.Filter
---@return store.Trial[] trials
function Store:trials(filter) end

---@class store.OutputOptions
---@field keep_bytes? integer bytes at the end of each file (16384)

---@class store.Output
---@field name string "BUILD", "OUT", "OUT-2", ...
---@field text string its end, from the start of a line
---@field bytes integer size of the file

--- The ends of the files that a trial's commands wrote, the latest last; an empty list if they are gone. Reads no file
--- outside the store's folder, whatever the store says. Raises not_found for an unknown id.
---@param id integer
---@param options? store.OutputOptions
---@return store.Output[] files
function Store:output(id, options) end

--- Runs one read-only SQL statement. The tables are investigations, subjects, trials and samples; the view `results`
--- joins them. What reg.results.import brought is in the table suite_runs, each `line` as it was, and in two views:
--- `runs` (run, timestamp, model, experiment and record, the last three as JSON) and `measurements`, every number of
--- every metric (run, timestamp, model, experiment, suite_name, model_name, accelerator, accelerator_model, xla,
--- dynamo, test, batch_size, metric, n from 0, value, which is NULL for null and NaN). median() is available beside
--- SQLite's own functions. Raises usage with SQLite's message, or for more than one statement, and permission for a
--- statement that would change anything. Its work counts towards the script's instruction limit.
---@param sql string
---@param ... string|number|nil values for the question marks
---@return table[] rows by column name; NULL is nil
function Store:query(sql, ...) end

--- Which engine writes to the store at the moment, such as "pid 4711 on host"; nil if none does.
---@return string? engine
function Store:writer() end
