---@meta

---@class minimize.Options
---@field items string[] what can be switched on: flags, variables, options
---@field measure? fun(subset: string[], trial: sweep.Trial): any one run with these items on, in the order of
--- `items`: a number, metrics by name, true for passed and false for failed, or reg.skip(reason). Without it
--- reg.minimize returns a minimize.Minimize
---@field metric? string name or pattern of the number
---@field better? "lower"|"higher" which numbers are better; by default what the metric's name says
---@field exact? boolean a subset gives the same number at every run: nothing is repeated; without it, of a size or a
--- count, if each end gives the same integer twice
---@field budget? integer most runs, 200 by default
---@field ends? table<"none"|"all", string> what no items and all items are called in the answer, such as "good", "bad"
---@field title? string names the progress and the investigation in the store; "minimize" by default
---@field kind? string what a subset is called in the store; "subset" by default
---@field into? string|store.Store the store of the trials; a path is opened; the option --store by default
---@field config? table<string, any> what else the numbers depend on, besides what `measure` does
---@field files? string[] files that the runs read: their contents are part of the key
---@field commands? string[] what `measure` runs, to find the files that it names, as reg.ab does
---@field folder? string folder that the commands run in
---@field redo? string[] statuses whose stored trials are measured again; the option --redo by default
---@field suspect? "again"|"keep" as in reg.sweep

---@class minimize.Estimate
---@field value number
---@field low? number its 95 % interval; absent where the runs cannot tell the effect from another one
---@field high? number

---@class minimize.Culprit
---@field items string[] one item, or several that have an effect together
---@field any boolean each of them alone is enough; else it takes all of them
---@field effect minimize.Estimate after / before - 1; for pass and fail 1
---@field alone? minimize.Estimate what they bring alone, as a part of the whole difference; absent if it could not run
---@field without? minimize.Estimate what is gone without them, as a part of it; absent if it could not run

---@class minimize.Run
---@field subset string its items, or "none"
---@field label string
---@field reason "none"|"all"|"runnable"|"split"|"alone"|"without"
---@field trial integer
---@field status string
---@field value? number absent if it failed
---@field message? string why it failed
---@field reused boolean the store had it
---@field suspect? string[]

---@class minimize.Answer
---@field verdict "found"|"no_effect"|"inconclusive"
---@field why? string why it is inconclusive
---@field culprits minimize.Culprit[] those with at least a fifth of the difference, the largest first
---@field confidence number probability that they, and no others, carry the difference
---@field none minimize.Estimate level with no items
---@field all minimize.Estimate level with all items
---@field effect minimize.Estimate all / none - 1
---@field rest minimize.Estimate effect of all other items together, relative
---@field noise number run-to-run noise: relative standard deviation of one run
---@field excluded string[] items with which nothing can be run
---@field items integer how many there are
---@field ends table<"none"|"all", string>
---@field regression boolean all items are worse than none
---@field pass_fail boolean
---@field exact boolean
---@field metric string
---@field unit? string
---@field better? "lower"|"higher"
---@field runs integer
---@field failed integer runs without a number
---@field reused integer runs that the store had
---@field stored? sweep.Stored what of that earlier commands ran
---@field asked minimize.Run[] all runs in their order
---@field seconds number
---@field suspect? sweep.Suspect absent if no trial is in doubt
---@field investigation integer its id in the store
---@field text string the answer in words

--- Finds the smallest set of items that carries the difference between none of them and all of them: one culprit, items
--- that have an effect together, or several whose effects add up. It runs both ends twice, then always the subset that
--- tells most, and at last the culprits alone and all items without them. A subset that fails is skipped, and what
--- makes subsets fail is avoided; if all items together cannot be run, those that break it are found and excluded. The
--- store keeps the runs, which are not made again. Numbers are compared as ratios; passed and failed are taken to be
--- the same at every run. Raises failed_trial if nothing can be run without items, and usage for options that make no
--- sense. A dry run prints what would run, and returns nothing.
--- ```lua
--- local found = reg.minimize { items = { "-O3", "-funroll-loops", "-ffast-math" }, measure = function(flags, trial)
---   trial:build { shell = "cc -o bench bench.c " .. table.concat(flags, " ") }
---   return trial:run({ shell = "./bench" }).wall_s
--- end }
--- print(found.text)
--- ```
---@param options minimize.Options
---@return minimize.Answer|minimize.Minimize answer
function reg.minimize(options) end

--- The minimization itself, for strategies of your own: it says which subset to run, and you tell it the number.
--- Subsets are lists of positions in `items`.
---@class minimize.Minimize
local Minimize = {}

--- The subset to run now, and why; nil when enough is known. The same until it was told. Raises nothing.
--- ```lua
--- local minimize = reg.minimize { items = { "a", "b", "c" } }
--- local subset, reason = minimize:ask()
--- ```
---@return integer[]? subset
---@return "none"|"all"|"runnable"|"split"|"alone"|"without"? reason
function Minimize:ask() end

--- Tells the number of one run of a subset. Raises usage for an item outside 1..n.
--- ```lua
--- local minimize = reg.minimize { items = { "a", "b", "c" } }
--- minimize:tell({}, 587.5)
--- minimize:tell({ 1, 2, 3 }, 512)
--- ```
---@param subset integer[]
---@param value number
function Minimize:tell(subset, value) end

--- Tells that a subset gave no number. Raises usage for an item outside 1..n.
--- ```lua
--- local minimize = reg.minimize { items = { "a", "b", "c" } }
--- minimize:fail({ 1, 3 }, "broken")
--- ```
---@param subset integer[]
---@param how "broken"|"crashed" broken: it will never run; crashed: it may run the next time
function Minimize:fail(subset, how) end

--- The answer so far, as reg.minimize has it: items are positions. Raises nothing.
--- ```lua
--- local minimize = reg.minimize { items = { "a", "b" } }
--- print(minimize:answer().verdict)
--- ```
---@return minimize.Answer answer
function Minimize:answer() end
