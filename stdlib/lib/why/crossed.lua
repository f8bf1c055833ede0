-- Runs four commands in rounds: both ends of a comparison, and each with a half of the other. A round runs each of them
-- once, every second one backwards, so that load and drift hit all alike. The store keeps the rounds.

local Turns = require "lib/sweep/turns"
local investigation = require "lib/sweep/investigation"
local words = require "lib/report/words"

local KEYS <const> = { "metric", "better", "into", "title", "measure", "files", "redo", "suspect", "config", "folder" }

-- The rounds so far.
local Rounds = {}
Rounds.__index = Rounds

-- Ends themselves have run before, and need no warm-up.
local function warm_up(turns)
  for _, side in ipairs { 2, 3 } do
    local trial = turns:warm_up(side)
    if trial.status ~= "ok" then turns:fail(side, trial) end
  end
end

function Rounds:go(progress)
  local turns = Turns.new { subjects = self.labels, ids = self.names, names = self.names, run = self.run,
    progress = progress }
  local stored, warm = turns:stored(), false
  for n = 1, self.rounds do
    local round = stored[n]
    if not round then
      if not warm then warm_up(turns) end
      warm, round = true, turns:round(n % 2 == 0)
      self.runs = self.runs + #self.labels
    end
    for side, turn in ipairs(round) do table.insert(self.values[side], turn.value) end
    progress:update { done = n }
  end
  self.runs = self.runs + (warm and 2 or 0)
end

function Rounds.knows() return false end

function Rounds:answer()
  local by_name = {}
  for side, name in ipairs(self.names) do by_name[name] = self.values[side] end
  return { verdict = "measured", rounds = self.rounds, runs = self.runs, cells = self.values, values = by_name }
end

local function text_of(found) return words.count(found.rounds, "round") .. " of four commands in turn." end

--- The numbers of `rounds` rounds as a list for each of the four, and how many runs that took. `labels`: of the
--- commands, in the order of a round; `names`: what messages call them. `options`: as of reg.ab.
return function(labels, names, rounds, options)
  local o = investigation.options("why", options, KEYS, 1, { kind = "command" })
  o.config = { crossed = labels, contents = investigation.contents(labels, o.folder) }
  local found = investigation.conduct(o, text_of, { unit = "round", total = rounds }, function(run)
    local values = {}
    for i = 1, #labels do values[i] = reg.json.array {} end
    return setmetatable({ labels = labels, names = names, run = run, rounds = rounds, runs = 0, values = values },
      Rounds)
  end)
  return found.cells, found.runs
end
