---@meta

---@class search.Options
---@field n integer number of places
---@field measure? fun(place: integer): number|boolean|sweep.Skip one run; without it the search itself is returned
---@field min_effect? number smallest change to look for, relative; without it what the noise allows. Of a flaky test's
--- failure rate, 0.25 without it
---@field max_error? number expected number of false or missed changes at which it stops, 0.02 by default
---@field budget? integer most runs; 200 by default (flaky: 400), or four times the first look where that is more
---@field parallel? integer places in one round, which run in parallel; 1 by default
---@field first_look? integer places measured first, evenly spaced; by default as many as min_width needs. With n,
--- and of up to 16 places, all of a number with noise are measured, and neighbors compared by runs one after the other
---@field ends? boolean the first and the last place are a good and a bad end that somebody named: of a number with
--- noise they are compared first, in alternation, and nothing else is run unless they differ
---@field together? boolean going to another place costs a build: where all places are measured, and of named ends, runs
--- of one place are made together
---@field min_width? integer find temporary changes of this many places or more
---@field builds? any[]|fun(place: integer): any what each place was built from: neighbours of one build are run once
---@field prior? number[]|fun(place: integer): number how likely a change is at each place; equal by default
---@field cost? number|number[]|table of a first run, in further runs; or { first = number or list, again = number }
---@field exact? boolean a place gives the same number at every run: any difference is a change, and nothing is repeated
---@field try_skipped? boolean run places between several that fail alike; without it they are assumed to fail as well
---@field flaky? boolean a test that passes (0) and fails (1) by chance: finds changes of the failure rate

---@class search.Change
---@field kind "step"|"dip" "dip": a temporary change
---@field lo integer last place before it; the places between lo and hi could not be run
---@field hi integer first place after it
---@field leave_lo? integer of a temporary change: its last place
---@field leave_hi? integer of a temporary change: the first place after it
---@field open? boolean which of the places after lo, up to hi, it came with is not known, and runs would tell
---@field runs_to_name? integer open: about how many runs more that would take
---@field p number confidence, 0 to 1
---@field before number level before; for a flaky test the failure rate
---@field before_low number its 95 % interval
---@field before_high number
---@field after number level after, and its 95 % interval
---@field after_low number
---@field after_high number
---@field effect number after / before - 1; for a flaky test the difference of the rates
---@field effect_low number its 95 % interval
---@field effect_high number
---@field ratio? number after / before

---@class search.Doubt
---@field lo integer a change may lie between lo and hi
---@field hi integer
---@field p number its probability

---@field effect? number about its size, of a number with noise

---@class search.Ends
---@field differ? boolean whether the named ends differ; absent while that is not known
---@field effect number last / first - 1
---@field effect_low number its 95 % interval
---@field effect_high number
---@field bound? number they do not differ by more than this, relative
---@field runs_to_tell? integer about how many more runs would tell whether they differ

---@class search.Part
---@field lo integer over (lo, hi] the level moves by `effect`
---@field hi integer
---@field effect number relative; those of all parts multiply to that of the ends
---@field effect_low number its 95 % interval
---@field effect_high number
---@field runs_to_narrow integer about how many more runs would narrow it to a place

---@class search.Row
---@field place integer
---@field runs integer
---@field value number its level, and the 95 % interval
---@field value_low number
---@field value_high number
---@field step? number against the place before it, relative; absent for the first
---@field step_low? number its 95 % interval
---@field step_high? number
---@field from_first? number against the first place, relative
---@field from_first_low? number its 95 % interval
---@field from_first_high? number

---@class search.Range
---@field first integer
---@field last integer

---@class search.Answer
---@field verdict "changes"|"no_change"|"inconclusive"
---@field why? string why it ended before all of it was answered
---@field changes search.Change[] in the order of places
---@field doubts search.Doubt[] possible changes that were not narrowed down
---@field ends? search.Ends of named ends
---@field spread? search.Part[] where they differ and no single place explains it: all of the difference, in parts
---@field unaccounted? {effect: number, effect_low: number, effect_high: number} what the changes leave of the
--- difference of the ends, relative, where that is sure
---@field table? search.Row[] where all places were measured: those that gave a number
---@field assumed search.Range[] places that were not run: they lie between several that are broken for one reason
---@field noise number run-to-run noise: relative standard deviation of one run
---@field build_noise number build-to-build noise beyond that, relative
---@field error number expected number of false or missed changes in the answer
---@field resolution? number of a noisy number: no other lasting change this large, relative, with 95 % confidence
---@field narrowest_dip integer no temporary change of this many places or more can have been missed for lack of runs
---@field runs integer
---@field rounds integer
---@field finer? number a smaller size: min_effect where the noise puts it out of reach, or half the resolution
---@field runs_for_finer? integer about how many runs would exclude a change of that size
---@field runs_to_resolve integer about how many more runs would resolve it; 0 if no number of runs would
---@field asked? search.Request[] every run in order; absent from Search:answer

---@class search.Request
---@field place integer
---@field reason "first_look"|"split"|"repeat"|"confirm"|"chance"|"odd_one"|"retry"|"link"|"round"|"ends"
---@field lo integer the nearest places on both sides that were run
---@field hi integer
---@field p number probability of a change between lo and hi
---@field round? integer in `asked`: the round it was in
---@field value? number in `asked`: its number
---@field failed? "broken"|"crashed" in `asked`: how it failed

--- Finds where along the places 1..n a number changed, in as few runs as its noise allows: first an evenly spaced look,
--- then wherever a run tells most, until it expects fewer than max_error false or missed changes. It stores nothing;
--- reg.sweep does. A failure of status build_failed or skipped is final, any other may be tried once more. Booleans are
--- taken to be flaky unless `exact` is set. Without `measure` it returns a search.Search. Raises usage for options that
--- contradict each other.
--- ```lua
--- local answer = reg.search { n = 100, measure = function(place) return place < 37 and 5.0 or 5.5 end }
--- print(answer.verdict, answer.changes[1].hi, answer.runs)
--- ```
---@param options search.Options
---@return search.Answer|search.Search answer
function reg.search(options) end

--- The search itself, for strategies of your own: it says what to run, and you tell it the results.
---@class search.Search
local Search = {}

--- The places to run now, at most `parallel`; none when the answer is certain enough. A place that was not told yet is
--- asked for again. Raises nothing.
--- ```lua
--- local search = reg.search { n = 61, parallel = 4 }
--- for _, request in ipairs(search:ask()) do print(request.place, request.reason) end
--- ```
---@return search.Request[] round
function Search:ask() end

---@class search.Origin
---@field machine? string where it was measured. Of a noisy number, a machine is compared with the others by the places
--- that both ran: two, or all that it ran; until then its numbers do not count, and such a run is asked for ("link")
---@field at? number when it was measured, in seconds since any moment that is the same for all: the order of the runs,
--- which is that of the calls otherwise. Two runs side by side in it, of one machine, can confirm a change

--- Tells the number of one run of a place, whether or not it was asked for. Raises usage for a place outside 1..n.
--- ```lua
--- local search = reg.search { n = 61 }
--- search:tell(1, 587.5, { machine = "node7", at = 1700000000 })
--- for _, request in ipairs(search:ask()) do search:tell(request.place, 581.0, { machine = "node8" }) end
--- ```
---@param place integer
---@param value number 0 for passed and 1 for failed
---@param origin? search.Origin
function Search:tell(place, value, origin) end

--- Tells that a run gave no number. Where places with one `cause` are broken and none between them ran, those between
--- are assumed to be broken as well, and are not asked for. Raises usage for a place outside 1..n.
--- ```lua
--- local search = reg.search { n = 61 }
--- search:fail(12, "broken", "lbitlib.c: error")
--- ```
---@param place integer
---@param how "broken"|"crashed" broken: it will never run; crashed: it may be tried once more
---@param cause? string equal for failures that are alike; without it nothing is assumed
function Search:fail(place, how, cause) end

--- The answer so far. Raises nothing.
--- ```lua
--- local search = reg.search { n = 2, exact = true }
--- search:tell(1, 0)
--- search:tell(2, 1)
--- print(search:answer().verdict)
--- ```
---@return search.Answer answer
function Search:answer() end
