-- reg.search: the search over places alone. It stores nothing; reg.sweep does.

local failure = require "lib/failure"
local question = require "lib/sweep/question"

local KEYS = table.move(question.keys, 1, #question.keys, 3, { "n", "measure" })

local function places(n)
  if math.type(n) ~= "integer" or n < 1 then core.fail("usage", "search: 'n' must be the number of places") end
  local list = {}
  for i = 1, n do list[i] = i end
  return list
end

-- Runs a place: its `value`, or a `status` and its `cause`.
local function run(o, place)
  local ok, result = pcall(o.measure, place)
  local kind = type(result)
  if kind == "table" and result.kind == "failed_trial" then
    failure.check_shortage({ subject_id = "place " .. place }, result)
    local status = result.status or "build_failed"
    return { place = place, status = status, cause = question.cause(o, status, result.message) }
  end
  if not ok then error(result, 0) end
  if kind == "boolean" and (o.exact or o.flaky) then return { place = place, value = result and 0 or 1 } end
  if kind == "number" then return { place = place, value = result } end
  core.fail("usage", "search: `measure` must return a number, reg.skip(...), or with `exact` or `flaky` a boolean")
end

---@class search.Question
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
---@field exact? boolean a place gives the same number at every run: any difference is a change, and nothing is repeated
---@field try_skipped? boolean run places between several that fail alike; without it they are assumed to fail as well
---@field flaky? boolean a test that passes (0) and fails (1) by chance: finds changes of the failure rate

---@class search.Options: search.Question
---@field n integer number of places
---@field measure? fun(place: integer): number|boolean|sweep.Skip one run; without it the search itself is returned

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
---@field budget integer the most runs that it makes: that of the question, or its own
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
--- reg.sweep does. A failure of status build_failed or skipped is final, any other may be tried once more. Without
--- `measure` it returns a search.Search. Raises usage for options that contradict each other, and for true and false
--- without `exact` or `flaky`.
--- ```lua
--- local answer = reg.search { n = 100, measure = function(place) return place < 37 and 5.0 or 5.5 end }
--- print(answer.verdict, answer.changes[1].hi, answer.runs)
--- ```
---@param options search.Options
---@return search.Answer|search.Search answer
return function(o)
  if type(o) ~= "table" then core.fail("usage", "search: takes a table { n =, measure =, ... }") end
  core.check_keys("search", o, KEYS)
  local search = core.nouns.search.new(question.of(o, places(o.n)))
  if not o.measure then return search end

  local asked, rounds = {}, 0
  repeat
    local round = search:ask()
    rounds = rounds + 1
    local results = reg.parallel(round, function(request) return run(o, request.place) end, { at_most = #round })
    for i, request in ipairs(round) do
      local result = results[i]
      question.tell(search, result)
      request.round, request.value = rounds, result.value
      request.failed = result.status and question.failure(result.status)
      asked[#asked + 1] = request
    end
  until #round == 0
  local answer = search:answer()
  answer.asked = asked
  return answer
end
