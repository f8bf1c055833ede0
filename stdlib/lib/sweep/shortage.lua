-- Whether the machine ran out of something when a command failed: disk, memory, processes or open files. Such a failure
-- says nothing about the subject, so it is not stored, and the run pauses.

local shortage = {}

--- Why a failed run is not taken at its word: a file system is full, or the output ends with words for that; nil if it
--- is. `sure_only`: words alone do not count.
function shortage.of(run, sure_only)
  return run.shortage or not sure_only and core.shortage_in(run.stdout .. "\n" .. run.stderr) or nil
end

-- The same for what reg.skip made of a run.
local function of_result(result, sure_only)
  return result.shortage or not sure_only and core.shortage_in(result.message or "") or nil
end

--- Ends the run if that is why a trial failed: `result`, of trial.measure, or a table without fields for its last
--- command. With `sure_only`, and with --keep-going, words alone do not count: what asks for too much fails alike each
--- time.
function shortage.check(trial, result, sure_only)
  local run = trial.failed_run
  sure_only = sure_only or trial.keep_going
  local why = run and shortage.of(run, sure_only) or of_result(result, sure_only)
  if not why then return end
  local sure = run and run.shortage or result.shortage
  local has_option = core.options and core.options.keep_going ~= nil
  error({ kind = "paused", message = string.format("the machine failed, not %s: %s", trial.subject_id, why),
    hint = sure and "Free some space." or has_option and "If it is the subject that fails so, pass --keep-going."
      or nil }, 0)
end

return shortage
