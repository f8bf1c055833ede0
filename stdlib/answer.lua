-- reg.answer(series, ...): prints what a script found - the verdict, a plot, the table, where the results lie - and returns
-- the exit code: 0 answered, 3 unresolved or the machine changed. With --json the last line of stdout is one JSON object.

local explain = require "internal/explain"
local kept = require "internal/kept"

local function subject_words(subject, id)
  if type(subject) ~= "table" then return id end
  if not subject.subject then return subject.label or id end
  local repo = subject.repo and subject.repo .. " " or ""
  return string.format("%s%s %s (%s, %s)", repo, subject.short, subject.subject, subject.author, subject.date)
end

local function number(x) return x and string.format("%.5g", x) or "-" end

local function level(change, name)
  local low, high = change[name .. "_low"], change[name .. "_high"]
  if not low or low == high then return number(change[name]) end
  return string.format("%s (%s to %s)", number(change[name]), number(low), number(high))
end

-- What changed by how much: relative for a metric, in the rate for a flaky test, and nothing to say of pass and fail.
local function effect_words(change, series)
  if series.exact then return "" end
  local unit, half = series.flaky and "points" or "%", 50 * (change.effect_high - change.effect_low)
  if half <= 0 then return string.format("%+.3g %s", 100 * change.effect, unit) end
  -- As many digits as the interval bears.
  local digits = math.tointeger(math.max(0, math.min(6, -(math.log(half, 10) // 1))))
  local plain = "%+." .. digits .. "f"
  return string.format(plain .. " %s (" .. plain .. " to " .. plain .. " %s)", 100 * change.effect, unit, 100 * change.effect_low,
    100 * change.effect_high, unit)
end

local function change_lines(change, series, lines)
  lines[#lines + 1] = string.format("%s  %s -> %s  %s  p %.3f", change.kind, level(change, "before"), level(change, "after"),
    effect_words(change, series), change.p):gsub("  +p ", "  p ")
  lines[#lines + 1] = "  changed by  " .. subject_words(change.hi, change.first_bad)
  lines[#lines + 1] = "  last before " .. subject_words(change.lo, change.last_good)
  if change.merge then lines[#lines + 1] = "  merged by   " .. change.merge end
  if change.recovered_at then lines[#lines + 1] = "  recovered   " .. subject_words(change.leave_hi, change.recovered_at) end
  if change.untested > 0 then
    lines[#lines + 1] = string.format("  the %d between the two could not be tested", change.untested)
  end
end

local function verdict_words(series)
  if series.verdict == "no_change" then return "no change" end
  if series.verdict == "unresolved" then return "unresolved: " .. (series.why or "the numbers do not tell") end
  if series.verdict == "machine_changed" then return "the machine changed: " .. series.why end
  local n = #series.changes
  return n == 1 and "one change" or n .. " changes"
end

local function runs_words(n) return n == 1 and "one run more" or string.format("about %d runs more", n) end

-- Trials whose numbers the GPUs say are not to be believed.
local function suspect_words(suspect)
  local why, again = table.concat(suspect.why, ", "), suspect.set_aside
  if suspect.trials == 0 then
    return string.format("%d suspect %s set aside and run again: %s", again, again == 1 and "trial was" or "trials were", why)
  end
  local vain = suspect.in_vain and ", in vain" or ""
  local besides = again > 0 and string.format(" (%d more set aside and run again%s)", again, vain)
  return string.format("%d of %d trials were suspect: %s%s", suspect.trials, suspect.of, why, besides or "")
end

-- How far the answer is to be trusted, and what more would cost.
local function certainty_lines(series, lines)
  for _, doubt in ipairs(series.doubts) do
    lines[#lines + 1] = string.format("perhaps in %s as well (p %.2f)", doubt.label, doubt.p)
  end
  local words = {}
  if (series.noise or 0) > 0 then
    local of_builds = series.build_noise > 0 and string.format(", %.2g %% from build to build", 100 * series.build_noise) or ""
    words[#words + 1] = string.format("noise %.2g %% from run to run%s", 100 * series.noise, of_builds)
  end
  if (series.narrowest_dip or 0) > 1 then
    words[#words + 1] = string.format("no dip of %d or more subjects was missed", series.narrowest_dip)
  end
  if series.verdict == "unresolved" then
    local more = series.runs_to_resolve or 0
    if more > 0 and not series.why then words[#words + 1] = runs_words(more) .. " would tell" end
  elseif (series.runs_to_be_surer or 0) > 0 then
    words[#words + 1] = string.format("%.2g wrong statements expected; %s for a tenth of that", series.error,
      runs_words(series.runs_to_be_surer))
  end
  if #words > 0 then lines[#lines + 1] = table.concat(words, "; ") end
  if series.suspect then lines[#lines + 1] = suspect_words(series.suspect) end
  local reference = series.reference
  if series.verdict == "machine_changed" then
    lines[#lines + 1] = "where the machine is to stay as it is now: begin anew, with another --store"
  elseif reference then
    lines[#lines + 1] = string.format("the machine held: the reference %s was run %d times", reference.label, reference.runs)
  end
end

local function print_series(series)
  print(string.format("%s%s. %d of %d subjects measured in %d runs%s, %s.", series.title and series.title .. ": " or "",
    verdict_words(series), #series.points, series.subjects or #series.points, series.runs,
    (series.reused or 0) > 0 and string.format(" (%d more were known)", series.reused) or "", reg.time.words(series.seconds)))
  local lines = {}
  for _, change in ipairs(series.changes) do change_lines(change, series, lines) end
  certainty_lines(series, lines)
  for _, point in ipairs(series.points) do
    if point.status ~= "ok" then
      lines[#lines + 1] = "skipped " .. point.label .. ": " .. point.status .. ", " .. tostring(point.message)
    end
  end
  if #lines > 0 then print(table.concat(lines, "\n")) end
  if core.options and core.options.explain and #series.asked > 0 then print(explain(series)) end
  if #series.points > 1 and not series.exact then print(reg.report.plot(series)) end
end

local function json_changes(series)
  local list = reg.json.array {}
  for _, change in ipairs(series.changes) do
    list[#list + 1] = { kind = change.kind, last_good = change.last_good, first_bad = change.first_bad, before = change.before,
      after = change.after, ratio = change.ratio, p = change.p, effect = change.effect, effect_low = change.effect_low,
      effect_high = change.effect_high, recovered_at = change.recovered_at }
  end
  return list
end

-- A stage's own part of the answer: what --json prints when it is the last.
local function summary(series)
  return { verdict = series.verdict, why = series.why, error = series.error, noise = series.noise, changes = json_changes(series),
    runs = series.runs, skipped = series.skipped, seconds = series.seconds, suspect = series.suspect and series.suspect.trials }
end

-- Each stage's investigation is ended with its answer, and with the series that reports and shared scripts show later.
local function keep(series, answer, stages)
  if not (series.investigation and series.store) then return end
  local record = {}
  for name, value in pairs(answer) do record[name] = value end
  record.series, record.stages = kept(series), stages
  series.store:finish_investigation(series.investigation, record)
end

-- The last stage answers the question; the earlier ones led to it.
return function(...)
  local all = { ... }
  local last = all[#all]
  if type(last) ~= "table" or not last.verdict then core.fail("usage", "answer: takes what reg.sweep or reg.bisect returned") end
  if last.dry then return 0 end
  local total, stages = summary(last), reg.json.array {}
  for i, series in ipairs(all) do
    print_series(series)
    stages[i] = series.investigation
    if i < #all then
      total.runs, total.skipped = total.runs + series.runs, total.skipped + series.skipped
      total.seconds = total.seconds + series.seconds
      keep(series, summary(series), stages)
    end
  end
  keep(last, total, stages)
  local store = last.store
  if store then print("results: " .. store.path .. ", each trial's output below " .. store.path .. ".out/") end
  if core.options and core.options.json then print(reg.json.encode(total)) end
  return (last.verdict == "unresolved" or last.verdict == "machine_changed") and 3 or 0
end
