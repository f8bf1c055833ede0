---@meta

--- What a script's `measure` gets beside the subject: one run of it, whose output and costs are kept in the store.
---@class sweep.Trial
---@field subject any
---@field repeat_number integer 1 for the subject's first run
---@field folder? string where this trial's output files go; nil in a dry run
local Trial = {}

---@class sweep.TrialCommand: process.RunOptions, container.RunOptions
---@field container? container.Container one that runs already; the command is executed in it
---@field trace? boolean run by reg.trace.run: its files lie in the trial's folder, its sums are samples ("kernel_s:NAME")

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
--- output holds that text is false. Another failure, a time-out (in seconds), want of memory and exit codes 125 to 127 raise a failed
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
---@field every? boolean measure every subject
---@field min_effect? number smallest change worth finding: relative, 0.01 = 1 % when absent; of a flaky test's rate 0.25
---@field max_error? number expected number of wrong statements at which it stops, 0.02 when absent
---@field budget? integer most runs; 200 when absent (flaky: 400), or four times the first look where that is more
---@field parallel? integer subjects measured side by side, 1 when absent
---@field first_look? integer how many subjects are looked at first, both ends among them
---@field min_width? integer a dip of so many subjects must be found
---@field builds? any[]|fun(subject: any): any what each was built from; a field `build` or `digest` of all subjects when absent
---@field prior? number[]|fun(subject: any): number how likely a change is to have come with each subject
---@field cost? number|number[]|table as reg.search has it; a list may be a function of the subject
---@field exact? boolean the numbers carry no noise: nothing is repeated
---@field flaky? boolean numbers are 0 for passed and 1 for failed, by chance
---@field reference? any a subject that is measured again now and then: where it moves the verdict is "machine_changed"
---@field reference_every? integer after how many runs, 8 when absent
---@field suspect? "again"|"keep" trials under which a GPU throttled, left its lock or worked for others too: "again" when absent
---@field redo? string[] statuses whose earlier trials are measured again; the option --redo when absent
---@field investigation? integer one of the store to go on with; a new one when absent

---@class sweep.Change: report.Change
---@field lo any subject last_good
---@field hi any subject first_bad
---@field untested integer subjects between the two that gave no number
---@field ratio? number after / before
---@field p number how sure it is, 0 to 1
---@field before_low number 95 % interval of the level before
---@field before_high number
---@field after_low number and of the one after
---@field after_high number
---@field effect number after / before - 1; for a flaky test the difference of the rates
---@field effect_low number its 95 % interval
---@field effect_high number
---@field leave_lo? any for a dip: its last subject
---@field leave_hi? any for a dip: the subject recovered_at
---@field still_bad? string for a dip: id of leave_lo
---@field merge? string with reg.bisect: id of the merge that brought the commit in

---@class sweep.Asked
---@field place integer number of the subject
---@field id string
---@field label string
---@field reason "first_look"|"split"|"repeat"|"confirm"|"odd_one"|"retry"
---@field why string the same in words
---@field lo integer numbers of the subjects on both sides that were run
---@field hi integer
---@field p number probability of a change between lo and hi
---@field value? number what it gave
---@field status string "ok", or how it failed
---@field message? string why it failed
---@field reused boolean out of the store
---@field trial integer its id in the store
---@field started number Unix seconds
---@field suspect? string[] why its number is not to be believed

---@class sweep.Suspect
---@field trials integer runs among `asked` that are suspect
---@field of integer how many were asked
---@field set_aside integer suspect trials that were run again
---@field in_vain boolean running again did not help several times, and was given up
---@field why string[] "SW thermal slowdown", "foreign GPU process", ...

---@class sweep.Doubt
---@field label string where a change may lie, as "s012..s040"
---@field after string id of the subject after which
---@field upto string and of the one with which it may have come at the latest
---@field p number how likely

---@class sweep.Reference
---@field id string
---@field label string
---@field runs integer how often it was run now
---@field values number[] what it gave while it held

---@class sweep.Series: report.Series
---@field verdict "changes"|"no_change"|"unresolved"|"machine_changed"
---@field why? string what "unresolved" or "machine_changed" is for
---@field asked sweep.Asked[] every run the answer rests on, in order
---@field set_aside sweep.Asked[] runs since the machine changed: not used, and not used again
---@field doubts sweep.Doubt[] changes that were not narrowed down
---@field error? number expected number of wrong statements
---@field build_noise? number relative standard deviation from build to build, beyond the noise
---@field narrowest_dip? integer no dip of so many subjects can have been missed for want of looking
---@field rounds? integer
---@field runs_to_resolve? integer about how many runs more would tell; 0 where no number would
---@field runs_to_be_surer? integer about how many runs more make the error ten times smaller
---@field reference? sweep.Reference
---@field flaky? boolean
---@field suspect? sweep.Suspect absent where every trial is to be believed
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
---@field side_asked? sweep.Asked[] with reg.bisect: the runs on those branches
---@field side_points? report.Point[] with reg.bisect: commits measured on the branches that merges brought in
---@field dry? boolean a dry run: nothing was measured

--- Measures as few of the subjects, in their order, as it takes to name every place where the numbers changed. Finished trials
--- are in the store and are not run again; neighbours of one build are run once. With `parallel` the runs of a round are tasks of
--- their own. A subject is a text, or a table with `id` (or `at`) and perhaps `label`. What `measure`
--- raises as a failed trial is recorded; anything else it raises ends the sweep. Raises usage where subjects or `measure` are
--- missing. A suspect trial is set aside and run again, twice at most for one measurement; what stays suspect is used, and
--- `suspect` says so, as the answer does. Times in the result are seconds.
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
---@field prior? table|fun(commit: git.Commit): number a list; or { files = { "src/fft/*" }, text = { "fft" } }: likelier those
---@field repo? git.Repo where the commits are: a merge that was found is gone down into
---@field first_parent? boolean do not go down into merges

--- Finds the commit of a line, good first and bad last, that changed a number (`measure`) or made a test fail (`passes`). A
--- test that is not `flaky` gives the same at every run: both ends are run first, and where one is not what was said the verdict
--- is "unresolved". A commit that a table as `prior` names is five times likelier. Raises usage for fewer than two commits
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

--- Prints what was found: the verdict, each change with its commit and 95 % intervals, how far to trust it and what more would
--- cost, what was skipped, a plot, and where the results lie; with --explain why each run was made; with --json the last line is
--- one JSON object. Gives the exit code for the script to return: 0 answered, 3 unresolved or the machine changed. Of several
--- stages the last answers. Times are printed for people, in JSON they are seconds. Raises usage for what is no series.
--- ```lua
--- local series = reg.sweep({ "a", "b" }, { measure = function(name) return #name end })
--- return reg.answer(series)
--- ```
---@param ... sweep.Series
---@return integer exit_code
function reg.answer(...) end
