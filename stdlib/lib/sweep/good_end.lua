-- Whether the machine still measures the same. In a noisy search the good end is run again before the answer, first
-- thing when a stopped search goes on, and after a pause. If it moved, the search starts again with what was measured
-- since then, and first with the sides of the changes it had found: numbers of two machines cannot be mixed, unless
-- they differ by much less than what was found. The stored trials decide when a run is due, so a search that is
-- repeated finds these runs in the store, too.

---@class sweep.Move the good end was run again, and differed from its earlier runs
---@field label string the subject that was run again
---@field before? number its level before
---@field after? number its level since then
---@field from? number when it was last run at the old level, in Unix seconds
---@field upto? number when it was first run at the new level
---@field sure? boolean false: the machine may have changed, but no run was left to tell
---@field unused? integer earlier runs that the answer does not rest on; absent if it rests on them
---@field failed? string instead of all but `label`: the status of a run that gave no number

local values = require "lib/values"
local words = require "lib/report/words"

local find, map, median = values.find, values.map, values.median

local PAUSE_S = 30 * 60  -- between the end of a trial and the start of the next one
local SIGMAS = 4         -- standard errors that chance does not reach
local KNOWN = 8          -- runs from which on the search knows the noise
local MOST_MOVES = 3     -- of a machine on which it makes sense to go on
local RECENT = 3         -- runs that must agree that it moved: a burst of load lasts for one
local LARGE = 4          -- times what it moved by: a change that the move cannot have made

-- The noise of one run: that of the subjects, or of these runs of one level where it is larger. Few runs may lie close
-- together by chance.
local function noise_of(of_subjects, numbers, base)
  local n, squares = #numbers, values.sum(numbers, function(number) return (number / base - 1) ^ 2 end)
  return n < 2 and of_subjects or math.max(of_subjects, math.sqrt(squares / (n - 1)) * (1 + 1 / n))
end

local GoodEnd = {}
GoodEnd.__index = GoodEnd

--- `min_effect`: the smallest shift that matters.
function GoodEnd.new(min_effect)
  return setmetatable({ min_effect = min_effect,
    moves = {},               -- what the answer says; those that are sure are changes of the machine
    newest = 0, ended = nil,  -- the latest trial that the search knows; when the last of them ended
    sweep_of = {},            -- the sweep that made a trial, by its id: trial.info.session, 0 if that is unknown
    checked = {},             -- the sweeps in which it was run again
    judged = 0, odd = {},     -- its latest run that was compared; its runs that are too odd to compare with, by trial
  }, GoodEnd)
end

-- What this machine measured: another one's numbers do not say whether it moved. Has the entries (list), those with a
-- number by build (runs), how many builds have one (builds), the first place of each sweep with one, and the oldest
-- trial with one.
local function own_of(self, session)
  local asked = session.asked  -- it only grows; a search that starts again has another list
  if self.own and self.own.of == asked and self.own.seen == #asked then return self.own end
  local function is_own(entry) return not entry.machine or entry.machine == session.keys:machine(entry.place) end
  local own = { of = asked, seen = #asked, list = values.only(asked, is_own), runs = {}, builds = 0, first = {} }
  self.own = own
  for _, entry in ipairs(own.list) do
    local head, sweep = session.head[entry.place], self.sweep_of[entry.trial]
    if entry.value and entry.reason ~= "node" then  -- which is compared by that run
      if not own.runs[head] then own.runs[head], own.builds = {}, own.builds + 1 end
      table.insert(own.runs[head], entry)
      own.oldest = math.min(own.oldest or entry.trial, entry.trial)
      own.first[sweep] = math.min(own.first[sweep] or entry.place, entry.place)
    end
  end
  return own
end

--- The place that is run again: the good end, which is the first one with a number. If the search took over the numbers
--- of an earlier sweep that began elsewhere, it is the first one among those, since the machine is compared with them.
function GoodEnd:place(session)
  local own = own_of(self, session)
  return own.first[self.sweep_of[own.oldest]]
end

--- Notes a trial that the search is told of.
function GoodEnd:note(trial)
  self.sweep_of[trial.id] = trial.info.session or 0
  if trial.id > self.newest then
    self.paused = self.paused or self.ended and trial.started - self.ended >= PAUSE_S
    self.newest = trial.id
  end
  self.ended = math.max(self.ended or 0, trial.ended or trial.started)
end

-- Whether a sweep goes on with this round that did not begin what is known so far, and has not run the good end again.
-- Stored trials that are older than what is known do not count, whichever sweep made them.
function GoodEnd:resumes(session, round)
  local this, known = session.run.session or "this sweep, which made no trial yet", own_of(self, session).list
  local function goes_on(sweep)  -- another one made some of what is known
    return not self.checked[sweep] and find(known, function(entry) return self.sweep_of[entry.trial] ~= sweep end)
  end
  return goes_on(this) and find(round, function(request)
    local stored = session:stored(request)
    return not (stored and stored.id < self.newest) and goes_on(stored and (stored.info.session or 0) or this)
  end) ~= nil
end

-- Whether the good end is to be run before this round, or before the answer if the round is empty.
function GoodEnd:due(session, round)
  if session.moved or not session:has_room() or own_of(self, session).builds < 2 then return false end
  if #round > 0 then return self.paused or self:resumes(session, round) or self:seems_moved(session) end
  -- What an engine measured that ran no such checks has its answer.
  return not self.answered and (session.measured > 0 or self.sweep_of[self.newest] ~= 0)
end

-- The runs of the good end with a number, in the order in which they were run.
function GoodEnd:runs(session)
  local runs = own_of(self, session).runs[session.head[self:place(session)]]
  return values.sort_by(values.only(runs, function(entry) return not self.odd[entry.trial] end),
    function(entry) return entry.trial end)
end

-- Whether each of these numbers is off the level on that side, by more than matters.
local function all_off(numbers, level, side, least)
  return not find(numbers, function(number) return (number / level - 1) * side <= least end)
end

-- After which of its earlier runs the good end moved, and the numbers before and after; nil if it did not. The search
-- may have run it again itself since it moved.
function GoodEnd:split(runs, recent, found)
  local best, least = nil, self.min_effect / 2
  local numbers = map(runs, function(entry) return entry.value end)
  for at = #runs, 1, -1 do
    local before, after = { table.unpack(numbers, 1, at) }, { table.unpack(numbers, at + 1) }
    table.move(recent, 1, #recent, #after + 1, after)
    if #after > 0 then
      local base = median(before)
      local far = median(after) / base - 1  -- by medians, so that one odd run does not count as a move
      local of_runs = noise_of(found.noise, before, base) ^ 2 * (1 / at + 1 / #after)
      local off = math.abs(far) / math.sqrt(of_runs + (found.build_noise or 0) ^ 2)  -- in standard errors
      local side = far > 0 and 1 or -1
      if off > SIGMAS and all_off(after, base, side, least) and all_off(before, median(after), -side, least)
        and not (best and best.off >= off) then
        best = { at = at, off = off, far = far, before = before, after = after }
      end
    end
  end
  return best
end

-- Whether all that was found so far is so much larger than this move that its runs may be mixed.
local function is_small(split, found)
  return #found.changes > 0 and not find(found.changes, function(change)
    return change.p <= 0.5 or LARGE * math.abs(split.far) > math.abs(change.effect)
  end)
end

-- Whether a run that the search wanted shows the good end elsewhere.
function GoodEnd:seems_moved(session)
  local runs = self:runs(session)
  if runs[#runs].trial <= self.judged or #session.asked < KNOWN then return false end
  self.judged = runs[#runs].trial
  local found = session.search:answer()
  local split = self:split(runs, {}, found)
  return split ~= nil and not is_small(split, found)
end

-- The subject that the same sweep measured nearest to `run`, the last one of the good end before it moved; or nil.
function GoodEnd:witness(session, run, first)
  local usable = values.only(own_of(self, session).list, function(entry)
    return entry.value and entry.trial < first.trial and session.head[entry.place] ~= session.head[run.place]
      and self.sweep_of[entry.trial] == self.sweep_of[run.trial]
  end)
  return values.sort_by(usable, function(entry) return math.abs(entry.trial - run.trial) end)[1]
end

-- Whether `value`, the number of a witness that was run again, is as far from its old one as the good end's is.
local function agrees(value, witness, far)
  local shift = value / witness.value - 1
  return shift * far > 0 and math.abs(shift) > math.abs(far) / 2
end

-- The machine changed: the answer stands, or the search starts again; not for the last time, when the changes that are
-- far larger than all moves are left as the answer.
function GoodEnd:changed(session, move, first, made, found)
  local changes = values.only(self.moves, function(one) return one.sure end)
  local is_last = #changes == MOST_MOVES
  if move.stands or is_last then
    session:leave_out(made)
  else
    self.answered = false
    move.unused = session:start_again(first.trial, made, found)
  end
  if not made[1].reused then reg.log.warn("%s", words.moved(move, session.run)) end
  if not is_last then return end
  session.moved = string.format("it changed %d times during the search", MOST_MOVES)
  session.least_change = math.max(table.unpack(map(changes, function(one)
    return LARGE * math.abs(one.after / one.before - 1)
  end)))
end

-- Measures a place now, or takes a trial that is newer than what the search knows: an entry, or nil if no run is left.
-- Of a cluster, on the node of an earlier run, since nodes differ.
function GoodEnd:again(session, made, place, reason, earlier)
  if not session:has_room() then return nil end
  local node = session.nodes and session.nodes:at(earlier)
  made[#made + 1] = session:measure_again(place, reason, self.newest, node)
  return made[#made]
end

-- Runs it again, and a witness where it seems to have moved: its old numbers may have been odd. `answers`: whether the
-- search has its answer.
function GoodEnd:check(session, answers)
  local place, runs, found = self:place(session), self:runs(session), session.search:answer()
  local made, recent, split, is_moved = {}, {}, nil, nil
  repeat
    local entry = self:again(session, made, place, "check", runs[1])
    if not (entry and entry.value) then break end
    recent[#recent + 1] = entry.value
    split = self:split(runs, recent, found)
    is_moved = split and #split.after >= RECENT or nil
  until is_moved or not split
  self.paused, self.answered, self.judged = false, self.answered or answers, self.newest
  self.checked[self.sweep_of[made[1].trial]] = true
  local label, doubt = session.labels[place], self.moves[#self.moves]
  if doubt and not doubt.sure and not doubt.failed then table.remove(self.moves) end  -- known better by now
  if not made[1].value then self.moves[#self.moves + 1] = { label = label, failed = made[1].status } end
  if not split then return session:use(made) end
  local first, last = runs[split.at + 1] or made[1], runs[split.at]
  local witness = is_moved and self:witness(session, last, first)
  if witness then
    local entry = self:again(session, made, witness.place, "witness", witness)
    is_moved = entry and entry.value and agrees(entry.value, witness, split.far)
  end
  if is_moved == false then
    for i = 1, split.at do self.odd[runs[i].trial] = true end
    return session:use(made)
  end
  local move = { label = label, before = median(split.before), after = median(split.after), from = last.started,
    upto = first.started, sure = is_moved == true,
    stands = is_small(split, found) or answers and split.at == #runs and found.verdict == "no_change" }
  self.moves[#self.moves + 1] = move
  if is_moved then return self:changed(session, move, first, made, found) end
  session:leave_out(made)
end

--- What to measure next: `round`, or what the search asks for after the good end was run again.
function GoodEnd:before(session, round)
  while self:due(session, round) do
    self:check(session, #round == 0)
    round = session:ask()
  end
  return session.moved and {} or round
end

return GoodEnd
