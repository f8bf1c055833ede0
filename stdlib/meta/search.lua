---@meta

--- The search itself, for strategies of your own: it says what to run, and you tell it the results.
--- ```lua
--- local search = reg.search { n = 61, parallel = 4 }
--- search:tell(1, 587.5, { machine = "node7", at = 1700000000 })
--- search:fail(12, "broken", "lbitlib.c: error")
--- for _, request in ipairs(search:ask()) do search:tell(request.place, 581.0, { machine = "node8" }) end
--- print(search:answer().verdict)
--- ```
---@class search.Search
local Search = {}

--- The places to run now, at most `parallel`; none when the answer is certain enough. A place that was not told yet is
--- asked for again. Raises nothing.
---@return search.Request[] round
function Search:ask() end

---@class search.Origin
---@field machine? string where it was measured. Of a noisy number, a machine is compared with the others by the places
--- that both ran: two, or all that it ran; until then its numbers do not count, and such a run is asked for ("link")
---@field at? number when it was measured, in seconds since any moment that is the same for all: the order of the runs,
--- which is that of the calls otherwise. Two runs side by side in it, of one machine, can confirm a change

--- Tells the number of one run of a place, whether or not it was asked for. Raises usage for a place outside 1..n.
---@param place integer
---@param value number 0 for passed and 1 for failed
---@param origin? search.Origin
function Search:tell(place, value, origin) end

--- Tells that a run gave no number. Where places with one `cause` are broken and none between them ran, those between
--- are assumed to be broken as well, and are not asked for. Raises usage for a place outside 1..n.
---@param place integer
---@param how "broken"|"crashed" broken: it will never run; crashed: it may be tried once more
---@param cause? string equal for failures that are alike; without it nothing is assumed
function Search:fail(place, how, cause) end

--- The answer so far. Raises nothing.
---@return search.Answer answer
function Search:answer() end
