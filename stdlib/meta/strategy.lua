---@meta

--- What a script's `measure` gets beside the subject: one run of it, whose output and costs are kept in the store.
---@class sweep.Trial
---@field subject any
---@field repeat_number integer 1 for the subject's first run
---@field folder? string where this trial's output files go; nil in a dry run
local Trial = {}

---@class sweep.TrialCommand: process.RunOptions, container.RunOptions
---@field container? container.Container one that runs already; the command is executed in it

--- Runs a command in `image`, in `container`, or else on the host, its output also in the trial's folder (OUT, OUT-2, ...).
--- Takes the options of reg.process.run or reg.container.run, and raises as they do; a code other than 0, a signal or a
--- time-out (in seconds) ends the trial with the status that fits: it raises a failed trial.
--- ```lua
--- reg.sweep({ "1", "9" }, { measure = function(level, trial)
---   return trial:run({ shell = "seq 1e6 | gzip -" .. level .. " | wc -c" }).wall_s
--- end })
--- ```
---@param options sweep.TrialCommand
---@return process.Result|container.Result result
function Trial:run(options) end

--- As trial:run, for what is made before the measuring: its output goes to BUILD, its seconds count for no cost, and a failure
--- raises a failed trial with the status build_failed (or timeout).
--- ```lua
--- trial:build { shell = "make -s", cwd = tree.path, timeout_s = "20m" }
--- ```
---@param options sweep.TrialCommand
---@return process.Result|container.Result result
function Trial:build(options) end

--- For a search by pass and fail: true where the command succeeds, false where it fails. With `crash` only a failure whose
--- output holds that text is false. Another failure, a time-out (in seconds), want of memory and exit code 125 raise a failed
--- trial.
--- ```lua
--- return trial:passes({ cmd = { "./test" }, cwd = tree.path, timeout_s = 600 }, "Segmentation fault")
--- ```
---@param options sweep.TrialCommand
---@param crash? string
---@return boolean passed
function Trial:passes(options, crash) end

---@class sweep.Skip
---@field kind "failed_trial"
---@field status string "test_failed", "build_failed", "crashed", "timeout", "oom" ...
---@field message string

--- Says that a trial gave no number; `measure` returns or raises it. From a reason, with the last three lines of `output`; or
--- from a command's result, which tells the status: timeout, oom, crashed or test_failed. It raises nothing itself and has no
--- units.
--- ```lua
--- reg.sweep({ "a", "b" }, { measure = function(name)
---   local run = reg.process.run { cmd = { "./bench", name } }
---   if not run.ok then return reg.skip(run) end
---   return reg.metric.find(run.stdout, "{number} ms")
--- end })
--- ```
---@param why string|process.Result|container.Result
---@param output? string of the test; with a result as `why` this is the status to use
---@param status? string "test_failed" when absent
---@return sweep.Skip skip
function reg.skip(why, output, status) end

---@class sweep.Options
---@field measure? fun(subject: any, trial: sweep.Trial): any one run: a number, a list of samples, a table of metrics, or reg.skip(...)
---@field prepare? fun(subject: any) what a subject needs once before its first run, outside the measured time
---@field metric? string name of the number, and with a table of metrics the one to search by; "value" when absent
---@field title? string heads the progress, the answer and the investigation in the store
---@field kind? string what the subjects are: "night", "commit" ...
---@field into? string|store.Store where trials are kept; a name opens it; the option --store when absent
---@field config? table<string, any> what makes two trials of a subject the same measurement; the script's text and options when absent
---@field files? string[] files whose contents count as configuration too
---@field min_effect? number smallest relative change worth finding: 0.01 = 1 %, which it is when absent
---@field max_repeats? integer most runs of one subject, 9 when absent
---@field grid? integer how many subjects are looked at first, both ends among them: 9 when absent
---@field every? boolean measure every subject
---@field exact? boolean the numbers carry no noise: nothing is repeated
---@field redo? string[] statuses whose earlier trials are measured again; the option --redo when absent
---@field investigation? integer one of the store to go on with; a new one when absent

---@class sweep.Change: report.Change
---@field lo any subject last_good
---@field hi any subject first_bad
---@field untested integer subjects between the two that gave no number
---@field ratio? number after / before
---@field p number how sure it is, 0 to 1
---@field open? boolean the numbers slide here without a step: it is not told where
---@field leave_lo? any for a dip: its last subject
---@field leave_hi? any for a dip: the subject recovered_at
---@field still_bad? string for a dip: id of leave_lo
---@field merge? string with reg.bisect: id of the merge that brought the commit in

---@class sweep.Series: report.Series
---@field verdict "changes"|"no_change"|"unresolved"
---@field why? string what "unresolved" is for
---@field title? string
---@field changes sweep.Change[] in the subjects' order
---@field subjects integer how many there were to choose from
---@field runs integer measured now
---@field reused integer taken from the store
---@field skipped integer subjects that gave no number
---@field seconds number that all of it took
---@field noise? number relative standard deviation of one run, as repeats show it
---@field exact? boolean
---@field store? store.Store
---@field investigation? integer in the store
---@field side_points? report.Point[] with reg.bisect: commits measured on the branches that merges brought in
---@field dry? boolean a dry run: nothing was measured

--- Measures as few of the subjects, in their order, as it takes to name every place where the numbers changed. Finished trials
--- are in the store and are not run again. A subject is a text, or a table with `id` (or `at`) and perhaps `label`. What `measure`
--- raises as a failed trial is recorded; anything else it raises ends the sweep. Raises usage where subjects or `measure` are
--- missing. Times in the result are seconds.
--- ```lua
--- local series = reg.sweep({ "1", "5", "9" }, {
---   title = "levels", metric = "seconds", min_effect = 0.1,
---   measure = function(level, trial) return trial:run({ shell = "seq 1e6 | gzip -" .. level }).wall_s end,
--- })
--- return reg.answer(series)
--- ```
---@param subjects any[]
---@param options sweep.Options
---@return sweep.Series series
function reg.sweep(subjects, options) end

---@class bisect.Options: sweep.Options
---@field passes? fun(commit: git.Commit, trial: sweep.Trial): boolean instead of measure: true for good, false for bad
---@field repo? git.Repo where the commits are: a merge that was found is gone down into
---@field first_parent? boolean do not go down into merges

--- Finds the commit of a line, good first and bad last, that changed a number (`measure`) or made a test fail (`passes`). Both ends
--- are confirmed first: where one is not what was said the verdict is "unresolved". Raises usage for fewer than two commits
--- or neither function. Units are those of reg.sweep, whose options it takes.
--- ```lua
--- local repo = reg.git.open "."
--- local series = reg.bisect(reg.history(repo, "v1.0", "main"), {
---   repo = repo, passes = function(commit, trial) return trial:passes { cmd = { "./test", commit.id } } end,
--- })
--- ```
---@param commits git.Commit[]
---@param options bisect.Options
---@return sweep.Series series
function reg.bisect(commits, options) end

--- The commits a bisect walks: the good one, then the first-parent line up to the bad one, oldest first. Raises usage where the
--- good one is no ancestor of the bad one or both are the same, not_found for a revision that is not there.
--- ```lua
--- local commits = reg.history(reg.git.open ".", "v1.0", "main")
--- ```
---@param repo git.Repo
---@param good string|git.Commit
---@param bad string|git.Commit
---@return git.Commit[] commits
function reg.history(repo, good, bad) end

--- The change that moved the number most, by its ratio; a step comes before a dip. nil where there is none. Raises nothing.
--- ```lua
--- local series = reg.sweep({ "a", "b" }, { measure = function(name) return #name end })
--- local change = reg.largest(series)
--- ```
---@param series sweep.Series
---@return sweep.Change? change
function reg.largest(series) end

--- Prints what was found: the verdict, each change with its commit, what was skipped, a plot, and where the results lie; with
--- --json the last line is one JSON object. Gives the exit code for the script to return: 0 answered, 3 unresolved. Of several
--- stages the last answers. Times are printed for people, in JSON they are seconds. Raises usage for what is no series.
--- ```lua
--- local series = reg.sweep({ "a", "b" }, { measure = function(name) return #name end })
--- return reg.answer(series)
--- ```
---@param ... sweep.Series
---@return integer exit_code
function reg.answer(...) end
