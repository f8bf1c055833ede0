-- A series as the store kept it, made fit to be shown: a store may be older than this engine, or somebody else's, and what is
-- not as it should be is left out.

local median = require("lib/sweep/trial").median

local stored = {}

local function finite(x) return type(x) == "number" and x == x and math.abs(x) < math.huge and x or nil end
local function text(x) return (type(x) == "string" or type(x) == "number") and tostring(x) or nil end
local function list(x) return type(x) == "table" and x or {} end

--- The JSON text as a table; {} where it is none.
function stored.json(of)
  local ok, value = pcall(reg.json.decode, of or "")
  return ok and type(value) == "table" and value or {}
end

local function numbers(of)
  local found = reg.json.array {}
  for _, x in ipairs(list(of)) do found[#found + 1] = finite(x) end
  return found
end

--- nil where there are none.
function stored.median(values) return #values > 0 and median(values) or nil end

local function commit_of(of)
  if type(of) ~= "table" or not text(of.id) then return nil end
  local commit = { id = text(of.id), short = text(of.short) or tostring(of.id):sub(1, 10) }
  for _, name in ipairs { "subject", "message", "author", "email", "author_date", "date", "repo" } do commit[name] = text(of[name]) end
  return commit
end

-- Of a subject: its commits, and its plain facts.
local function subject_of(of)
  if type(of) ~= "table" then return text(of) end
  local subject = { facts = {} }
  for name, value in pairs(of) do
    if type(name) == "string" and text(value) then subject.facts[name] = text(value) end
  end
  for _, name in ipairs { "id", "label", "short", "subject", "message", "author", "author_date", "date", "repo", "image", "at" } do
    subject[name] = text(of[name])
  end
  subject.id = subject.id or subject.at
  if type(of.commits) == "table" then
    for name, commit in pairs(of.commits) do
      subject.commits = subject.commits or {}
      subject.commits[tostring(name)] = commit_of(commit) or text(commit) and commit_of { id = commit }
    end
  end
  return subject
end

local function point_of(of, i)
  if type(of) ~= "table" then return nil end
  local id = text(of.id) or "?"
  local point = { id = id, label = text(of.label) or id, index = finite(of.index) or i, values = numbers(of.values),
    value = finite(of.value), status = text(of.status) or "ok", message = text(of.message), trials = {}, subject = subject_of(of.subject) }
  for _, trial in ipairs(list(of.trials)) do point.trials[#point.trials + 1] = math.tointeger(trial) end
  point.value = point.value or stored.median(point.values)
  if not point.value and point.status == "ok" then point.status = "skipped" end
  return point
end

local ESTIMATES = { "before", "before_low", "before_high", "after", "after_low", "after_high", "effect", "effect_low", "effect_high", "p",
  "untested" }

local function change_of(of)
  if type(of) ~= "table" or not (finite(of.before) and finite(of.after)) then return nil end
  local change = { kind = of.kind == "dip" and "dip" or "step", lo = subject_of(of.lo), hi = subject_of(of.hi),
    leave_lo = subject_of(of.leave_lo), leave_hi = subject_of(of.leave_hi) }
  for _, name in ipairs(ESTIMATES) do change[name] = finite(of[name]) end
  for _, name in ipairs { "last_good", "first_bad", "still_bad", "recovered_at", "merge" } do change[name] = text(of[name]) end
  change.effect = change.effect or (change.before ~= 0 and change.after / change.before - 1) or 0
  return change
end

local function each(of, read)
  local found = {}
  for i, one in ipairs(list(of)) do found[#found + 1] = read(one, i) end
  return found
end

local function doubt_of(of)
  if type(of) ~= "table" then return nil end
  return { label = text(of.label) or "?", p = finite(of.p), after = text(of.after), upto = text(of.upto) }
end

local NUMBERS = { "subjects", "runs", "reused", "skipped", "seconds", "noise", "build_noise", "error", "narrowest_dip", "runs_to_resolve",
  "runs_to_be_surer" }

--- The series of a verdict; nil where it has none that could be shown.
function stored.series(verdict)
  local of = verdict.series
  if type(of) ~= "table" or type(of.points) ~= "table" then return nil end
  local series = { metric = text(of.metric) or "value", exact = of.exact == true, flaky = of.flaky == true, verdict = text(of.verdict),
    why = text(of.why), points = each(of.points, point_of), side_points = each(of.side_points, point_of),
    changes = each(of.changes, change_of), doubts = each(of.doubts, doubt_of) }
  for _, name in ipairs(NUMBERS) do series[name] = finite(of[name]) end
  local suspect, reference = of.suspect, of.reference
  if type(suspect) == "table" then
    series.suspect = { trials = math.tointeger(suspect.trials) or 0, of = math.tointeger(suspect.of) or 0,
      set_aside = math.tointeger(suspect.set_aside) or 0, why = each(suspect.why, text) }
  end
  if type(reference) == "table" then
    series.reference = { label = text(reference.label) or "?", runs = math.tointeger(reference.runs) or 0 }
  end
  return series
end

--- Of a trial: what was written as JSON, each a table; `suspect`, why its numbers are not to be believed, a list or nil.
function stored.trial(trial)
  for _, name in ipairs { "config", "command", "env", "info" } do trial[name] = list(trial[name]) end
  local why = each(list(trial.info.suspect).why, text)
  trial.suspect = #why > 0 and why or nil
  return trial
end

local VERDICTS = { changes = true, no_change = true, unresolved = true, machine_changed = true }

--- The verdict and the changes of an answer that was kept without its series, put into `series`; false where there is none.
function stored.answer(answer, series)
  if not VERDICTS[answer.verdict] then return false end
  series.verdict, series.why, series.changes = text(answer.verdict), text(answer.why), each(answer.changes, change_of)
  series.runs, series.noise, series.error, series.seconds = finite(answer.runs), finite(answer.noise), finite(answer.error),
    finite(answer.seconds)
  return true
end

return stored
