---@meta

--- The trial that a script's `measure` gets beside the subject: one run of the subject, whose output and costs the
--- store keeps.
---@class sweep.Trial
---@field subject any
---@field repeat_number integer 1 for the subject's first run
---@field folder? string folder of this trial's output files; nil in a dry run
local Trial = {}

---@class sweep.TrialCommand: process.RunOptions, container.RunOptions
---@field container? container.Container a running container to execute the command in
---@field artifact? string[] of Trial:build: files or folders that it makes, relative to the folder it runs in
---@field trace? boolean run it with reg.trace.run: files go to the trial's folder, sums are samples ("kernel_s:NAME")
---@field ranges? boolean of the trace: false records no NVTX ranges

--- Runs a command in `image`, in `container`, or on the host, with its output also in the trial's folder (OUT, OUT-2,
--- ...). Takes the options of reg.process.run or reg.container.run, and raises what they raise. An exit code other than
--- 0, a signal or a time-out (in seconds) raises a failed trial with the status that fits. The trial's info has what
--- the command loaded from open worktrees, and which Python packages it installed into its image.
--- ```lua
--- reg.sweep({ "1", "9" }, { measure = function(level, trial)
---   return trial:run({ shell = "seq 1e6 | gzip -" .. level .. " | wc -c" }).wall_s
--- end })
--- ```
---@param options sweep.TrialCommand
---@return process.Result|container.Result result
function Trial:run(options) end

--- Runs a command that makes what is measured afterwards: its output goes to BUILD, its time counts as no cost, and a
--- failure raises a failed trial of status build_failed (or timeout). With `artifact`, a subject for which these files
--- are byte for byte as for an earlier one takes that one's numbers: the first trial of it ends here. Raises usage if
--- the build does not make one of them.
--- ```lua
--- trial:build { shell = "make -s", cwd = tree.path, timeout_s = "20m" }
--- ```
---@param options sweep.TrialCommand
---@return process.Result|container.Result result
function Trial:build(options) end

--- Runs a command that prints what was built, such as its version, with its output in CHECK. Unless that contains
--- `says`, the build did not take effect: it raises a failed trial of status build_failed. {subject} in `says` stands
--- for the subject's `short` or `id`; of a commit for its first seven digits.
--- ```lua
--- trial:check_build({ cmd = { "./bench", "--version" }, cwd = tree.path }, "{subject}")
--- ```
---@param options sweep.TrialCommand
---@param says string
function Trial:check_build(options, says) end

--- The worktree to check out in: `tree`, or the second one that reg.runner has beside it if the trial is built there.
--- Raises usage if there it has none.
--- ```lua
--- trial:worktree(tree):checkout(commit.id)
--- ```
---@param tree git.Worktree
---@return git.Worktree tree
function Trial:worktree(tree) end

--- For a search by pass and fail: true if the command succeeds, false if it fails. With `crash`, false only for a
--- failure whose output contains that text. Any other failure, a time-out (in seconds) unless `timeout_is_bad`, running
--- out of memory and exit codes 125 to 127 raise a failed trial.
--- ```lua
--- return trial:passes({ cmd = { "./test" }, cwd = tree.path, timeout_s = 600 }, "Segmentation fault")
--- ```
---@param options sweep.TrialCommand
---@param crash? string
---@param timeout_is_bad? boolean a test that runs past its time limit fails
---@return boolean passed
function Trial:passes(options, crash, timeout_is_bad) end

--- Runs a test as the shared options of a script ask: with `metric` it returns the number (reg.metric.of), or else
--- whether the test passes (Trial:passes, with `crash` and `timeout_is_bad`). So it is the body of a `measure` or of
--- `passes`. Time limits are in seconds. Raises what those two raise.
--- ```lua
--- local opt = reg.options { "metric", "take", "drop", "crash", "timeout_is_bad", "timeout" }
--- return reg.answer(reg.sweep({ "1", "9" }, {
---   metric = opt.metric,
---   [opt.metric and "measure" or "passes"] = function(level, trial)
---     return trial:test({ shell = "seq 1e6 | gzip -" .. level .. " | wc -c", timeout_s = opt.timeout }, opt)
---   end,
--- }))
--- ```
---@param options sweep.TrialCommand
---@param opt table<string, any> the options: metric, take, drop, crash, timeout_is_bad
---@return number|boolean result
function Trial:test(options, opt) end

---@class sweep.Skip
---@field kind "failed_trial"
---@field status string "test_failed", "build_failed", "crashed", "timeout", "oom", "not_finite" ...
---@field message string

--- Says that a trial has no number; `measure` returns or raises it. Takes a reason, and adds the last three lines of
--- `output`; or takes a command's result, which gives the status: timeout, oom, crashed or test_failed. Has no units.
--- Raises nothing.
--- ```lua
--- reg.sweep({ "a", "b" }, { measure = function(name)
---   local run = reg.process.run { cmd = { "./bench", name } }
---   if not run.ok then return reg.skip(run) end
---   return reg.metric.find(run.stdout, "{number} ms")
--- end })
--- ```
---@param why string|process.Result|container.Result
---@param output? string of the test; if `why` is a result, the status to use
---@param status? string "test_failed" by default
---@return sweep.Skip skip
function reg.skip(why, output, status) end

---@class sweep.Reported the ends must show the same direction, and at least half the difference
---@field good number reported for the first subject
---@field bad number reported for the last subject; may be absent where the sweep goes back to a good end

---@class sweep.Options
---@field measure? fun(subject: any, trial: sweep.Trial): any a number, a list, metrics by name, or reg.skip(...)
---@field build? fun(subject: any, trial: sweep.Trial) called before `measure`, unless its build is still there
---@field passes? fun(subject: any, trial: sweep.Trial): boolean instead of measure: true for passed, false for failed
---@field prepare? fun(subject: any) called once before a subject's first run, outside the measured time
---@field metric? string the number's name, or its pattern such as "MLUPS: {number}"; "value" by default
---@field title? string names the progress, the answer and the investigation in the store
---@field kind? string what the subjects are: "night", "commit" ...
---@field into? string|store.Store the store of the trials; a path is opened; the option --store by default
---@field config? table<string, any> what else the numbers depend on, besides what `measure` does
---@field files? string[] files that the commands read: their contents are part of the key
---@field every? boolean measure every subject
---@field keep_images? integer keep the images of so many subjects; others that regengine pulled are removed meanwhile
---@field min_effect? number smallest change to look for, relative; without it what the noise allows; flaky: 0.25
---@field repeats? integer runs of `measure` in each trial, one after another; their median is its value; default 1
---@field max_error? number expected number of false or missed changes at which it stops, 0.02 by default
---@field budget? integer most runs; 200 by default (flaky: 400), or four times the first look where that is more
---@field parallel? integer subjects measured in parallel, 1 by default; above that each trial leases a GPU of its own
---@field first_look? integer number of subjects measured first, both ends included
---@field min_width? integer find temporary changes of this many subjects or more
---@field builds? any[]|fun(subject: any): any what each was built from; their field `build` or `digest` by default
---@field prior? number[]|fun(subject: any): number how likely a change is at each subject
---@field cost? number|number[]|table as in reg.search; a list may be a function of the subject
---@field exact? boolean the numbers have no noise: nothing is repeated
---@field flaky? boolean numbers are 0 for passed and 1 for failed, by chance
---@field try_skipped? boolean run subjects between several that fail alike; the option --try-skipped by default
---@field chosen? "wall time"|"CPU time"|"instructions" what "@time" is, as an earlier series has it in quieter.taken
---@field better? "higher"|"lower" which values are better; the option --better, or what the metric says, by default
---@field suspect? "again"|"keep" for trials with a throttled, unlocked or shared GPU: measure again (default), or keep
---@field redo? string[] statuses whose stored trials are measured again; the option --redo by default
---@field reported? sweep.Reported numbers that the ends must reproduce, or it stops
---@field keep_going? boolean do not stop after failures; the option --keep-going by default
---@field known_ends? "measured"|"passes" stop if the first subject has no number, or if it fails or the last one passes
---@field investigation? integer an investigation of the store to continue; a new one by default

---@class sweep.Change: report.Change
---@field lo any the subject last_good
---@field hi any the subject first_bad
---@field untested integer subjects between the two that have no number; of an open change all subjects between
---@field candidates? sweep.Candidate[] with `untested` above 0: the subjects any of which may have brought the change
---@field open? boolean the runs were spent before one subject was named: it lies after last_good, up to first_bad
---@field runs_to_name? integer of an open change: about how many more runs would name one; 0 if that is unknown
---@field files? git.File[] with reg.bisect and `repo`: what the commit changed
---@field called? { first: string, last: string, role: string? } with `find` or `terms`: "first slow", "last fast"
---@field culprit? sweep.Change what a finer search found between lo and hi, if the script sets it; the answer names it
---@field culprit_of_end? sweep.Change of a temporary change: the same for its end
---@field ratio? number after / before
---@field p number confidence, 0 to 1
---@field before_low number 95 % interval of the level before
---@field before_high number
---@field after_low number 95 % interval of the level after
---@field after_high number
---@field effect number after / before - 1; for a flaky test the difference of the rates
---@field effect_low number its 95 % interval
---@field effect_high number
---@field leave_lo? any of a temporary change: its last subject
---@field leave_hi? any of a temporary change: the subject recovered_at
---@field still_bad? string of a temporary change: id of leave_lo
---@field merge? string with reg.bisect: id of the merge that brought the commit in

---@class sweep.Candidate
---@field id string
---@field label string
---@field subject any

---@alias sweep.Reason "back"|"first_look"|"ends"|"round"|"split"|"repeat"|"confirm"|"chance"|"odd_one"|"retry"|"check"
---|"exact"|"link"|"witness"|"works"|"moved"

---@class sweep.Asked
---@field place integer position of the subject in the list
---@field id string
---@field label string
---@field reason sweep.Reason
---@field why string the reason in words
---@field lo integer positions of the nearest subjects on both sides that were run
---@field hi integer
---@field p number probability of a change between lo and hi
---@field value? number
---@field cpu_s? number CPU time of the test
---@field cpu_share? number its part of the time in which other programs left it a CPU
---@field instructions? integer of the test in user mode, where the machine counts them
---@field status string "ok", or how it failed
---@field message? string why it failed
---@field cause? string equal for failures that are alike
---@field reused boolean whether it came from the store
---@field trial integer its id in the store
---@field started number Unix seconds
---@field suspect? string[] why its number is in doubt
---@field artifact? string hash of what was built
---@field same_as? integer the trial of another subject with the same build, whose numbers these are
---@field loaded? sweep.Loaded what its commands loaded from worktrees
---@field installed? table<string, string> versions of the Python packages that its command installed into its image

---@class sweep.Loaded
---@field id string hash of all files with their build-ids
---@field files integer how many
---@field one string the path of one, below its worktree
---@field subjects? integer of sweep.Series: how many loaded just these

---@class sweep.Installed
---@field name string a package
---@field stretches table[] { version =, from =, upto = }: neighbors with one version, by their labels

---@class sweep.Suspect
---@field trials integer runs in `asked` that are suspect
---@field of integer runs in `asked`
---@field set_aside integer suspect trials that were discarded and run again
---@field in_vain boolean running again did not help several times, and was given up
---@field why string[] "SW thermal slowdown", "foreign GPU process", ...

---@class sweep.Doubt
---@field label string where a change may lie, as "s012..s040"
---@field after string id of the subject before it
---@field upto string id of the last subject that may have brought it
---@field p number its probability

---@class sweep.Stop
---@field why string the reason in one line
---@field hint string what to do
---@field log? string file with the output of the run that failed
---@field tail? string its last lines
---@field alike? string[] labels of the runs that failed alike

---@class sweep.Move the good end was run again, and differed from its earlier runs
---@field label string the subject that was run again
---@field before? number its level before
---@field after? number its level since then
---@field from? number when it was last run at the old level, in Unix seconds
---@field upto? number when it was first run at the new level
---@field sure? boolean false: the machine may have changed, but no run was left to tell
---@field unused? integer earlier runs that the answer does not rest on; absent if it rests on them
---@field failed? string instead of all but `label`: the status of a run that gave no number

---@class sweep.Back
---@field id string of the good subject
---@field label string
---@field distance number from the bad end, in `unit`
---@field unit string "commit", "night", "hour" ...
---@field words string the distance in words: "32 commits"
---@field from string label of the bad end
---@field runs integer made on the way, which the search uses

---@class sweep.Stored
---@field runs integer
---@field from number when the first of these runs began
---@field upto number when the last one began

---@class sweep.Series: report.Series
---@field verdict "changes"|"no_change"|"inconclusive"|"machine_changed"
---@field why? string why it ended before all of it was answered, or how the machine changed
---@field assumed report.Point[] subjects between several that failed alike: not run, and assumed to fail as they did
---@field asked sweep.Asked[] every run that the answer rests on, in order
---@field set_aside sweep.Asked[] runs that do not count since the machine changed
---@field back? sweep.Back how far it went back to a good end, if that was not given
---@field moves? sweep.Move[] how the machine changed, in a search for a noisy number
---@field missing? string[] dates without an image, of the nights that were searched
---@field doubts sweep.Doubt[] possible changes that were not narrowed down
---@field error? number expected number of false or missed changes
---@field build_noise? number build-to-build noise beyond `noise`, relative standard deviation
---@field resolution? number no other lasting change of this relative size or more, with 95 % confidence
---@field narrowest_dip? integer no temporary change of this many subjects or more can have been missed for lack of runs
---@field rounds? integer
---@field finer? number a smaller size: min_effect where the noise puts it out of reach, or half the resolution
---@field runs_for_finer? integer about how many runs would exclude a change of that size
---@field runs_to_resolve? integer about how many more runs would resolve it; 0 if no number would
---@field flaky? boolean
---@field suspect? sweep.Suspect absent if no trial is in doubt
---@field title? string
---@field direction? "higher"|"lower" which values are better; nil if unknown
---@field unit? string of the number, such as "ms"
---@field changes sweep.Change[] in the subjects' order
---@field subjects integer number of subjects
---@field runs integer measured now
---@field reused integer taken from the store
---@field stored? sweep.Stored what of that earlier commands ran
---@field same_build? integer runs that took the numbers of another subject with the same build
---@field same_loaded? sweep.Loaded what all measured subjects loaded alike: the build may not have taken effect
---@field installed? sweep.Installed[] Python packages that the test installs in different versions
---@field other_machines? integer runs of other machines, with --reuse any-machine
---@field skipped integer subjects without a number
---@field seconds number wall time of the sweep
---@field noise? number run-to-run noise: relative standard deviation of one run
---@field quieter? metric.Quieter of a time: another number would take far fewer runs; or what @time is
---@field exact? boolean
---@field passes? boolean whether it was a search by pass and fail
---@field store? store.Store
---@field investigation? integer its id in the store
---@field side_asked? sweep.Asked[] with reg.bisect: the runs on the branches of merges
---@field side_points? report.Point[] with reg.bisect: the commits measured on those branches
---@field pin? descend.Pin with reg.descend: the pin that went over these commits
---@field dry? boolean a dry run: nothing was measured
---@field stopped? sweep.Stop why it stopped before it had an answer

--- Measures as few of the subjects, in their order, as it takes to find every place where the number changed, or where
--- a test (`passes`) begins to fail or to pass. The store keeps finished trials, and they are not run again; neighbors
--- of one build are run once. With `parallel`, the runs of a round are tasks. A trial whose command asks for GPUs
--- leases them (reg.gpu.lease): all that it asks for, and with `parallel` one of them, or as many as the option
--- --gpus-per-trial says. A subject is a string, or a table with `id` (or `at`) and perhaps `label`. A failed trial
--- that `measure` raises is recorded; any other error ends the sweep. The first and the last subject come first. If the
--- first three runs fail alike, it stops: the verdict is "inconclusive". Where several neighbors fail alike later on,
--- those between them are assumed to fail as well, and are not run, unless `try_skipped`. A suspect trial is discarded
--- and run again, at most twice for one measurement; what stays suspect is used, and the answer says so. Times in the
--- result are seconds. Raises usage without subjects or `measure`, and for several numbers in the first output
--- (reg.metric.of). Without a good end, `subjects` is a function: subjects(n) returns a list of those from n units
--- before the bad end up to it, and as a second result whether that begins with the first one of all. The sweep goes
--- back by 1, 2, 4, 8 ... until one passes, or until its number is nearer to `reported.good` than to that of the bad
--- end, and searches from there. It passes over subjects that give no number. At the first one of all, and when the
--- budget is spent, the verdict is "inconclusive". Raises usage if it is `flaky`, or for a number without
--- `reported.good`. With `build`, two subjects that are measured in turn both keep their builds, if `build` checks out
--- in Trial:worktree and every command of the trial is one of Runner:command.
--- ```lua
--- local series = reg.sweep({ "1", "5", "9" }, {
---   title = "levels", metric = "seconds", min_effect = 0.1,
---   measure = function(level, trial) return trial:run({ shell = "seq 1e6 | gzip -" .. level }).wall_s end,
--- })
--- return reg.answer(series)
--- ```
---@param subjects any[]|fun(n: integer): any[], boolean?
---@param options sweep.Options
---@return sweep.Series series
function reg.sweep(subjects, options) end

---@class bisect.Options: sweep.Options
---@field prior? table|fun(commit: git.Commit): number a list; or { files = { "src/fft/*" }, text = { "fft" } }
---@field repo? git.Repo the repository of the commits, to follow merges into their branches
---@field first_parent? boolean do not follow merges
---@field find? "regression"|"fix" what made it bad; or the fix: then the first commit is bad and the last one good
---@field terms? { good: string, bad: string } what the answer calls the two, as --term-old and --term-new of git bisect
---@field log? string file to write what was measured to, as `git bisect replay` reads it; needs `repo`
---@field skip? string[] revisions and ranges A..B, as git has them, that are neither built nor tested; needs `repo`

--- Finds the commit of a line, good first and bad last, that changed a number (`measure`) or broke a test (`passes`).
--- Both ends are run first. It stops with the verdict "inconclusive" if the good end cannot be built or tested, or if a
--- test that is not `flaky` fails at the good end or passes at the bad one. A commit that `prior` names is five times
--- as likely. With what reg.history returns without a good revision, it goes back to a good commit first. Units are
--- those of reg.sweep, whose options it takes. Raises usage for fewer than two commits or neither
--- function.
--- ```lua
--- local repo = reg.git.open "."
--- local series = reg.bisect(reg.history(repo, "v1.0", "main"), {
---   repo = repo, passes = function(commit, trial) return trial:passes { cmd = { "./test", commit.id } } end,
--- })
--- ```
---@param commits git.Commit[]|fun(n: integer): git.Commit[], boolean
---@param options bisect.Options
---@return sweep.Series series
function reg.bisect(commits, options) end

--- The commits for a bisect: the good one, then the first-parent line up to the bad one, oldest first. If the good one
--- is nil: a function of n that returns the last n + 1 commits of the line, with which reg.bisect goes back to a good
--- one. A good one that is not an ancestor of the bad one stands for their merge base, and a line in the log says so.
--- To find a "fix", the bad one is the older. Raises usage if the newer one is an ancestor of the older one, if the two
--- are the same or have no common history, not_found for a revision that does not exist.
--- ```lua
--- local commits = reg.history(reg.git.open ".", "v1.0", "main")
--- ```
---@param repo git.Repo
---@param good? string|git.Commit
---@param bad string|git.Commit
---@param find? "regression"|"fix"
---@return git.Commit[]|fun(n: integer): git.Commit[], boolean commits
function reg.history(repo, good, bad, find) end

--- The change with the largest ratio; lasting changes come before temporary ones. nil if there is none. Raises nothing.
--- ```lua
--- local series = reg.sweep({ "a", "b" }, { measure = function(name) return #name end })
--- local change = reg.largest(series)
--- ```
---@param series sweep.Series
---@return sweep.Change? change
function reg.largest(series) end

--- Prints what a stage of an investigation found, as soon as it is known, and returns the series. Its numbers have the
--- units of reg.sweep. Raises usage for anything but a series.
--- ```lua
--- local nights = reg.stage(reg.sweep({ "a", "b" }, { measure = function(name) return #name end }))
--- local hours = reg.stage(reg.sweep({ "c", "d" }, { measure = function(name) return #name end }))
--- return reg.answer(nights, hours)
--- ```
---@param series sweep.Series
---@return sweep.Series series
function reg.stage(series) end

--- Prints what was found: each change with its commit and 95 % interval, how far to trust the answer, what was skipped,
--- a plot, where the results are and what to do next; with --explain, why each run was made; with --json, one JSON
--- object on the last line. Returns the exit code for the script to return: 0 answered, 3 inconclusive or the machine
--- changed, 4 with --fail-on-regression if any stage has a regression. Of several stages the last one answers; what
--- reg.stage printed is not printed again. JSON times are seconds. Raises usage for anything but series.
--- ```lua
--- local series = reg.sweep({ "a", "b" }, { measure = function(name) return #name end })
--- return reg.answer(series)
--- ```
---@param ... sweep.Series
---@return integer exit_code
function reg.answer(...) end

--- A shipped strategy, to be called with the options of its command line, `_` for each `-`: `gpus_per_trial = 1`,
--- `env = { "A=1", "B" }`, `flaky = true`. The call prints what the command prints, raises what it reports, and returns
--- its exit code. What stands there without an option is the list part: `ab { "./old", "./new" }`. At the prompt each
--- strategy is a global. Raises not_found.
--- ```lua
--- local bisect = reg.strategy "bisect"
--- bisect { repo = ".", good = "v1", bad = "main", build = "make", test = "./bench", metric = "speed: {number}" }
--- ```
---@param name string
---@return fun(options: table): integer? strategy
function reg.strategy(name) end
