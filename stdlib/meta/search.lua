---@meta

---@class search.Options
---@field n integer how many places there are
---@field measure? fun(place: integer): number|boolean|sweep.Skip one run; absent: the stepper is wanted
---@field min_effect? number smallest change worth finding: relative (0.01 when absent); of a flaky test's failure rate (0.25)
---@field max_error? number expected number of wrong statements in the answer at which it stops, 0.02 when absent
---@field budget? integer most runs; 200 when absent (flaky: 400), or four times the first look where that is more
---@field parallel? integer places of one round, which run side by side; 1 when absent
---@field first_look? integer places looked at first, evenly spaced; as many as min_width needs when absent
---@field min_width? integer a dip of so many places must be found
---@field builds? any[]|fun(place: integer): any what each place was built from: neighbours with equal ones are run once
---@field prior? number[]|fun(place: integer): number how likely a change is to have come with each place; all alike when absent
---@field cost? number|number[]|table of a first run, a further one being 1; or { first = number or list, again = number }
---@field exact? boolean a place gives the same at every run: any difference is a change, and nothing is repeated
---@field flaky? boolean a test that passes and fails by chance: a rate is searched, 0 for passed and 1 for failed

---@class search.Change
---@field kind "step"|"dip"
---@field lo integer last place before it; between lo and hi nothing could be run
---@field hi integer first place after it
---@field leave_lo? integer for a dip: its last place
---@field leave_hi? integer for a dip: the first place after it
---@field p number how sure it is, 0 to 1
---@field before number level before; for a flaky test the rate of failures
---@field before_low number its 95 % interval
---@field before_high number
---@field after number level after, and its interval
---@field after_low number
---@field after_high number
---@field effect number after / before - 1; for a flaky test the difference of the rates
---@field effect_low number its 95 % interval
---@field effect_high number
---@field ratio? number after / before

---@class search.Doubt
---@field lo integer between lo and hi a change may lie
---@field hi integer
---@field p number how likely

---@class search.Answer
---@field verdict "changes"|"no_change"|"unresolved"
---@field why? string what "unresolved" is for
---@field changes search.Change[] in the order of places
---@field doubts search.Doubt[] what was not narrowed down
---@field noise number relative standard deviation from run to run
---@field build_noise number the same from build to build, beyond the noise
---@field error number expected number of wrong statements in the answer
---@field narrowest_dip integer no dip of so many places can have been missed for want of looking
---@field runs integer
---@field rounds integer
---@field runs_to_resolve integer about how many runs more would tell; 0 where no number would
---@field runs_to_be_surer integer about how many runs more make the error ten times smaller
---@field asked? search.Request[] every run in its order; not from a stepper

---@class search.Request
---@field place integer
---@field reason "first_look"|"split"|"repeat"|"confirm"|"odd_one"|"retry"
---@field lo integer the places that were run on both sides
---@field hi integer
---@field p number probability of a change between lo and hi
---@field round? integer of an answer's `asked`: which round it was in
---@field value? number and what it gave
---@field failed? "broken"|"crashed" or how it failed

--- Finds where along the places 1..n a number changed, in as few runs as its noise allows: the places of a first look, then
--- wherever a run tells most, until the answer is expected to hold fewer than max_error wrong statements. It keeps nothing;
--- reg.sweep does. A failure of status build_failed or skipped is for good, any other may be tried once more. Booleans of which
--- nothing is said are taken for flaky. Without `measure` it gives a search.Search. Raises usage for a question without sense.
--- ```lua
--- local answer = reg.search { n = 100, measure = function(place) return place < 37 and 5.0 or 5.5 end }
--- print(answer.verdict, answer.changes[1].hi, answer.runs)
--- ```
---@param options search.Options
---@return search.Answer|search.Search answer
function reg.search(options) end

--- The search itself, for strategies of one's own: it says what to run, and is told what came of it.
---@class search.Search
local Search = {}

--- The places to run now, at most `parallel`; none when enough is known. Those not yet told are asked for again. Raises
--- nothing.
--- ```lua
--- local search = reg.search { n = 61, parallel = 4 }
--- for _, request in ipairs(search:ask()) do print(request.place, request.reason) end
--- ```
---@return search.Request[] round
function Search:ask() end

--- The number of one run of a place, which need not have been asked for. Raises usage for a place that is none.
--- ```lua
--- local search = reg.search { n = 61 }
--- for _, request in ipairs(search:ask()) do search:tell(request.place, 587.5) end
--- ```
---@param place integer
---@param value number 0 for passed and 1 for failed
function Search:tell(place, value) end

--- A run that gave no number. Raises usage as tell does.
--- ```lua
--- local search = reg.search { n = 61 }
--- search:fail(12, "broken")
--- ```
---@param place integer
---@param how "broken"|"crashed" broken: it will never run; crashed: it may be tried once more
function Search:fail(place, how) end

--- What can be said by now. Raises nothing.
--- ```lua
--- local search = reg.search { n = 2, exact = true }
--- search:tell(1, 0)
--- search:tell(2, 1)
--- print(search:answer().verdict)
--- ```
---@return search.Answer answer
function Search:answer() end
