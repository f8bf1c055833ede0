-- The words of a report: numbers, effects, and what an investigation found in one sentence.

local sorted_names = require "lib/sorted_names"
local verdict = require "lib/sweep/verdict"

local words = {}

local SURE = 0.001  -- wrong statements: fewer are not worth a sentence
local MINUS, QUOTED, PERCENT = "\u{2212}", "\u{201c}%s\u{201d}", "\u{a0}%"  -- with a blank that breaks no line

function words.number(x)
  if type(x) ~= "number" then return "\u{2013}" end
  return (string.format("%.5g", x):gsub("^%-", MINUS))
end

--- "one change", "3 changes".
function words.count(n, one, many) return (n == 1 and "one " .. one) or string.format("%d %s", n, many or one .. "s") end

--- A level with its 95 % interval.
function words.level(of, name, series)
  local value, interval = words.level_and_interval(of[name], of[name .. "_low"], of[name .. "_high"], series)
  return interval and string.format("%s (%s)", value, interval) or value
end

--- Both as texts, with as many decimals as the interval bears; no interval where there is none.
function words.level_and_interval(value, low, high, series)
  local percent = series.flaky
  local function scaled(x) return percent and x and 100 * x or x end
  value, low, high = scaled(value), scaled(low), scaled(high)
  local unit_after = percent and PERCENT or ""
  if not value or not low or not high or low == high then return words.number(value) .. (value and unit_after or "") end
  local decimals = math.tointeger(math.max(0, 1 - math.log((high - low) / 2, 10) // 1))
  local function number(x)
    if decimals > 9 then return words.number(x) end
    return (string.format("%." .. decimals .. "f", x):gsub("^%-", MINUS))
  end
  return number(value) .. unit_after, string.format("%s to %s%s", number(low), number(high), unit_after)
end

local function signed(change, x, plain)
  local digits = verdict.decimals(change)
  local format = "%" .. (plain and "" or "+") .. (digits and "." .. digits .. "f" or ".3g")
  return (string.format(format, 100 * x):gsub("^%-", MINUS))
end

local function unit(series) return series.flaky and "\u{a0}points" or PERCENT end

--- How much a change is, "-19.0 %"; nothing to say where the numbers are pass and fail.
function words.effect(change, series)
  if series.exact or not change.effect then return nil end
  return signed(change, change.effect) .. unit(series)
end

--- Its 95 % interval.
function words.effect_interval(change, series)
  local low, high = change.effect_low, change.effect_high
  if series.exact or not low or not high or low == high then return nil end
  return string.format("%s to %s%s", signed(change, low), signed(change, high), unit(series))
end

--- What the subjects of a stage are called: "nights", "commits".
function words.things(stage, n)
  -- A stage without trials of its own says by its name what they are: those of another may be of another kind.
  local kind = stage.title:match "^(%l+)s$" or stage.trials[1] and stage.trials[1].kind or ""
  for _, trial in ipairs(stage.trials) do
    if trial.investigation == stage.id then kind = trial.kind break end
  end
  if not kind:match "^%l+$" then kind = "subject" end
  return n == 1 and kind or kind .. "s"
end

--- A text with its moments as people write them, not as "2024-03-01T10:00:00Z".
function words.date(text)
  return text and (text:gsub("(%d%d%d%d%-%d%d%-%d%d)T(%d%d:%d%d):%d%dZ", "%1 %2 UTC"))
end

--- The same of seconds since 1970.
function words.moment(seconds)
  local whole = math.tointeger(type(seconds) == "number" and seconds // 1)
  return whole and math.abs(whole) < 1 << 36 and words.date(reg.time.format(whole)) or nil
end

-- Whether the subject is one commit, and not an hour or a night that speaks as its last one.
local function is_commit(subject)
  return type(subject) == "table" and subject.subject ~= nil and (not subject.label or subject.label == subject.short)
end
words.is_commit = is_commit

--- A subject in a word.
function words.short(subject, id)
  if type(subject) ~= "table" then return tostring(id) end
  return is_commit(subject) and tostring(subject.short or id) or words.date(tostring(subject.label or id))
end

--- A subject as one names it in a sentence.
function words.subject(subject, id)
  if not is_commit(subject) then return words.short(subject, id) end
  local repo = subject.repo and subject.repo .. " " or ""
  return string.format("%s%s, %s", repo, subject.short or tostring(id):sub(1, 10), QUOTED:format(subject.subject))
end

local function where(change)
  local first = words.subject(change.hi, change.first_bad)
  if change.kind ~= "dip" or not change.recovered_at then return "with " .. first end
  return string.format("from %s, until %s", first, words.subject(change.leave_hi, change.recovered_at))
end

local function one_change(change, series)
  if series.exact then
    return string.format(change.after > change.before and "The test fails %s" or "The test passes again %s", where(change))
  end
  if series.flaky then
    return string.format("The test fails in %.0f of 100 runs, not %.0f, %s", 100 * change.after, 100 * change.before, where(change))
  end
  local verb = change.effect < 0 and "fell" or "rose"
  return string.format("%s %s by %s%s %s", series.metric, verb, signed(change, math.abs(change.effect), true), PERCENT, where(change))
end

local function listed(change, series)
  local first = words.short(change.hi, change.first_bad)
  local when = change.kind == "dip" and change.recovered_at
    and string.format("from %s until %s", first, words.short(change.leave_hi, change.recovered_at)) or "with " .. first
  return (words.effect(change, series) or change.kind) .. " " .. when
end

--- What the numbers are of.
function words.measured(series)
  return series.exact and "the test" or series.flaky and "how often the test fails" or series.metric
end

--- What a script of another kind kept as its answer; nil where it kept none.
function words.kept(answer)
  local list = {}
  for _, name in ipairs(sorted_names(answer)) do
    local value = answer[name]
    if type(value) == "number" or type(value) == "string" then list[#list + 1] = name:gsub("_", " ") .. " " .. tostring(value) end
  end
  return #list > 0 and table.concat(list, ", ") or nil
end

--- What was found, in a sentence.
function words.verdict(stage)
  local series = stage.series
  if not stage.answered then
    local count, kept = words.count(#stage.trials, "trial"), stage.row.ended and words.kept(stage.row.answer)
    if kept then return string.format("%s: %s, %s", stage.title, kept, count) end
    return (stage.beside and "No answer of its own, " or "No answer yet, ") .. count
  end
  local what = words.measured(series)
  if series.verdict == "no_change" then return string.format("No change in %s", what) end
  if series.verdict == "unresolved" then return "Unresolved: " .. words.date(series.why or "the numbers do not tell") end
  if series.verdict == "machine_changed" then return "The machine changed: " .. words.date(series.why or "") end
  if #series.changes == 1 then return one_change(series.changes[1], series) end
  local list = {}
  for i, change in ipairs(series.changes) do list[i] = listed(change, series) end
  local shown = table.concat(list, "; ", 1, math.min(#list, 4))
  return string.format("%d changes in %s: %s%s", #list, what, shown, #list > 4 and "; and " .. #list - 4 .. " more" or "")
end

--- How much was measured, and how far the answer is to be trusted: sentences.
function words.trust(stage)
  local series, list = stage.series, {}
  local function say(...) list[#list + 1] = string.format(...) .. "." end
  if stage.answered then
    local reused = (series.reused or 0) > 0 and string.format(", and %d more were known", series.reused) or ""
    local all = series.subjects or #series.points
    say("%d of %d %s were measured, in %s%s, which took %s", #series.points, all, words.things(stage, all),
      words.count(series.runs or 0, "run"), reused, reg.time.words(series.seconds or 0))
  end
  if (series.noise or 0) > 0 then
    local of_builds = series.build_noise or 0
    local builds = of_builds > 0 and string.format(", and %.2g%s from build to build", 100 * of_builds, PERCENT) or ""
    say("The noise is %.2g%s from run to run%s", 100 * series.noise, PERCENT, builds)
  end
  local narrowest = not series.exact and series.narrowest_dip or 0
  if narrowest > 1 then say("No dip of %d or more %s was missed", narrowest, words.things(stage)) end
  if series.verdict == "unresolved" then
    local more = (series.runs_to_resolve or 0) > 0 and not series.why and verdict.runs_more(series.runs_to_resolve)
    if more then say("%s would tell", (more:gsub("^%l", string.upper))) end
  elseif (series.runs_to_be_surer or 0) > 0 and (series.error or 0) > SURE then
    say("%.2g wrong statements are to be expected; %s for a tenth of that", series.error, verdict.runs_more(series.runs_to_be_surer))
  end
  local suspect = series.suspect
  if suspect then
    say("%d of %d trials are suspect, and %d more were set aside and run again: %s", suspect.trials, suspect.of, suspect.set_aside,
      table.concat(suspect.why, ", "))
  end
  if series.reference and series.verdict ~= "machine_changed" then
    say("The machine held: the reference %s was run %s", series.reference.label, words.count(series.reference.runs, "time"))
  end
  return table.concat(list, " ")
end

return words
