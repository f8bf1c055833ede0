-- The runs of earlier commands that an answer rests on: { runs = how many, from =, upto = when they were made }, or nil
-- for none.

local stored = {}

--- Two of these as one.
function stored.together(a, b)
  if not a or not b then return a or b end
  return { runs = a.runs + b.runs, from = math.min(a.from, b.from), upto = math.max(a.upto, b.upto) }
end

--- Adds a trial, unless the command that runs made it itself. `run`: of lib/sweep/run.
function stored.add(found, run, trial)
  if trial.id > run.before then return found end
  return stored.together(found, { runs = 1, from = trial.started, upto = trial.started })
end

return stored
