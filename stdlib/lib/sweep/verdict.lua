-- A series in words: the verdict, its changes, how far it is to be trusted, what failed. For reg.answer and for what is shared; a
-- series that comes from the store has all that these need.

local verdict = {}

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

--- As many decimals of an effect in percent as its interval bears; nil where it has none.
function verdict.decimals(change)
  local half = 50 * ((change.effect_high or 0) - (change.effect_low or 0))
  if half <= 0 then return nil end
  return math.tointeger(math.max(0, math.min(6, -(math.log(half, 10) // 1))))
end

-- What changed by how much: relative for a metric, in the rate for a flaky test, and nothing to say of pass and fail.
local function effect_words(change, series)
  if series.exact then return "" end
  local unit, digits = series.flaky and "points" or "%", verdict.decimals(change)
  if not digits then return string.format("%+.3g %s", 100 * change.effect, unit) end
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

--- How many runs would tell.
function verdict.runs_more(n) return n == 1 and "one run more" or string.format("about %d runs more", n) end

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
    if more > 0 and not series.why then words[#words + 1] = verdict.runs_more(more) .. " would tell" end
  elseif (series.runs_to_be_surer or 0) > 0 then
    words[#words + 1] = string.format("%.2g wrong statements expected; %s for a tenth of that", series.error,
      verdict.runs_more(series.runs_to_be_surer))
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

--- The verdict in one line.
function verdict.head(series)
  return string.format("%s%s. %d of %d subjects measured in %d runs%s, %s.", series.title and series.title .. ": " or "",
    verdict_words(series), #series.points, series.subjects or #series.points, series.runs,
    (series.reused or 0) > 0 and string.format(" (%d more were known)", series.reused) or "", reg.time.words(series.seconds))
end

--- What follows it: each change, the certainty, the subjects that gave no number.
function verdict.lines(series)
  local lines = {}
  for _, change in ipairs(series.changes) do change_lines(change, series, lines) end
  certainty_lines(series, lines)
  for _, point in ipairs(series.points) do
    if point.status ~= "ok" then
      local message = tostring(point.message):gsub("\n", "\n  ")
      lines[#lines + 1] = "skipped " .. point.label .. ": " .. point.status .. ", " .. message
    end
  end
  return lines
end

return verdict
