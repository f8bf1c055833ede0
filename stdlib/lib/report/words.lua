-- The findings (findings.lua) in sentences. All that a user reads of an answer is written here.

local changes = require "lib/report/changes"
local coverage = require "lib/report/coverage"
local failure = require "lib/failure"
local names = require "lib/report/names"
local numbers = require "lib/report/numbers"
local values = require "lib/values"

local words = {}

local MOST_LISTED = 4  -- changes in a title
local MOST_PACKAGES = 3
local MOST_VERSIONS = 4  -- of a package
local SURE = 0.001     -- probability of an error that is not worth a sentence

words.count, words.status = numbers.count, names.status

--- What is measured.
function words.measured(found)
  return found.kind == "test" and "the test" or found.kind == "flaky" and "the failure rate" or found.metric
end

-- "regressions" where all changes are.
local function changes_found(found)
  local first = found.listed[1]
  if not first then return "No regression found" end
  local mixed = values.find(found.listed, function(change) return change.role ~= first.role end)
  return words.count(#found.listed, mixed and "change" or first.role) .. " found"
end

local VERDICTS = { changes = "Changes found", no_change = "No change found", inconclusive = "Inconclusive",
  machine_changed = "The machine changed" }

local function is_answered(found) return found.verdict == "changes" or found.verdict == "no_change" end

--- The verdict that a stored answer has; nil where it has none.
function words.verdict(answer) return VERDICTS[answer.verdict] and answer.verdict or nil end

-- "super a1b2c3d4e5 bumped library 1.2..1.3 (requirements.txt:4); in library: ".
local function pin_prefix(pin)
  local pins = require "lib/pins/found"
  return string.format("%s %s bumped %s%s; in %s: ", pin.of, pins.short(pin.commit), pins.shown(pin),
    pin.base and ", from the merge base " .. pin.base or "", pin.name)
end

--- What a series is called, where that is more than what its subjects are: "letters: ".
function words.prefix(found)
  if found.pin then return pin_prefix(found.pin) end
  return found.title and (found.staged or found.title ~= found.thing .. "s") and found.title .. ": " or ""
end

-- "10:31 UTC", "2026-11-24 10:31 UTC", or "2026-11-24 to 2026-11-26".
local function when(stored)
  local from, upto = reg.time.date(math.floor(stored.from)), reg.time.date(math.floor(stored.upto))
  if from ~= upto then return from .. " to " .. upto end
  return reg.time.format(math.floor(stored.from), (from ~= reg.time.date(reg.time.now()) and "%Y-%m-%d " or "")
    .. "%H:%M UTC")
end

--- What an answer took: "13 runs, 6 min", "4 of 13 runs stored, of 10:31 UTC, 2 min", or "stored results of 10:31 UTC,
--- 13 runs". `count` of them, which is `what` in words; earlier commands made `old` of these.
function words.effort(found, old, count, what)
  local of = found.stored and "of " .. when(found.stored)
  if of and old == count then return "stored results " .. of .. ", " .. what end
  if of then what = old .. " of " .. what .. " stored, " .. of end
  return what .. ", " .. reg.time.words(found.seconds)
end

--- The same of the runs of a search.
function words.runs(found)
  local runs = found.runs + found.reused
  return words.effort(found, found.stored and found.stored.runs, runs, words.count(runs, "run"))
end

--- What the answer took: "2 of 31 nights skipped. 13 runs, 6 min."
function words.took(found)
  local things = words.count(found.subjects, found.thing)
  local count = values.sum(found.skips, function(range) return range.count end)
  local skipped = count > 0 and string.format("%d of %s skipped. ", count, things) or things .. ", "
  return skipped .. words.runs(found) .. "."
end

local function verdict_of(found)
  return coverage.verdict(found) or found.verdict == "changes" and #found.changes > 0 and changes_found(found)
    or VERDICTS[found.verdict] or "No answer"
end

--- The answer in one line: what was found, in what, and what it took.
function words.headline(found)
  local things = words.count(found.subjects, found.thing)
  return string.format("%s%s %s%s)%s", words.prefix(found), verdict_of(found),
    is_answered(found) and not coverage.verdict(found) and "in " .. things .. " (" or "(" .. things .. ", ",
    words.runs(found), found.why and found.verdict ~= "changes" and ": " .. names.date(found.why) or "")
end

--- What was found, in one sentence without its end: the title of a report.
function words.title(found)
  local of_ends = coverage.verdict(found)
  if of_ends then return words.measured(found) .. ": " .. of_ends:gsub("^No", "no") end
  if found.verdict == "no_change" then return "No change in " .. words.measured(found) end
  if found.verdict ~= "changes" or #found.changes == 0 then
    return verdict_of(found) .. (found.why and ": " .. names.date(found.why) or "")
  end
  if #found.changes == 1 then return changes.title(found.changes[1], found) end
  local list = values.map(found.changes, function(change) return changes.listed(change, found) end)
  return string.format("%s in %s: %s", words.count(#list, "change"), words.measured(found),
    numbers.some(list, MOST_LISTED, "; "))
end

-- Trials whose numbers the GPUs say are not to be believed.
function words.suspect(suspect)
  local why, again, vain = table.concat(suspect.why, ", "), suspect.set_aside, suspect.in_vain and ", to no avail" or ""
  if suspect.trials == 0 then
    return string.format("%s discarded and run again%s: %s.", words.count(again, "suspect trial"), vain, why)
  end
  local more = again > 0 and string.format(" (%d more discarded and run again%s)", again, vain) or ""
  return string.format("%d of %d trials are suspect: %s%s.", suspect.trials, suspect.of, why, more)
end

--- The images or releases that do not exist, by their nights, days or names; nil if all do.
function words.missing(dates, thing)
  if #dates == 0 then return nil end
  if thing == "image" then return words.count(#dates, "image") .. " not found: " .. table.concat(dates, ", ") end
  return string.format("no %s for %s: %s", thing == "day" and "release" or "image", words.count(#dates, thing),
    names.ranges(dates))
end

-- Subjects that were not run, numbers from elsewhere, and what was measured but may not be what was checked out.
local function add_sources(found, say)
  local same = found.same_loaded
  if found.same_build > 0 then
    say("%s not run: the build is the same as that of another %s.", words.count(found.same_build, found.thing),
      found.thing)
  end
  if found.other_machines > 0 then
    say("%s made on another machine or with another driver (--reuse any-machine).",
      words.count(found.other_machines, "run"))
  end
  if same then
    say("The measured program loaded the same %s (%s%s) for each of %s: the build did not take effect, or no %s "
      .. "changed what it loads. Check that --build builds what --test runs.", same.files == 1 and "file" or "files",
      same.one, same.files > 1 and " and " .. same.files - 1 .. " more" or "",
      words.count(same.subjects, found.thing), found.thing)
  end
end

-- "numpy 2.0.1 until 2024-03-10, 2.1.0 from 2024-03-11".
local function versions_of(package)
  local parts = values.map(package.stretches, function(one, i)
    return one.version .. (i == 1 and " until " .. one.upto or i == #package.stretches and " from " .. one.from
      or one.from == one.upto and " at " .. one.from or " from " .. one.from .. " to " .. one.upto)
  end)
  return package.name .. " " .. numbers.some(parts, MOST_VERSIONS, ", ", "change")
end

--- A run of the good end that differs from its earlier ones, in a sentence. `of`: metric and unit.
function words.moved(move, of)
  if move.failed then
    local failed = move.failed:gsub("^[%w_]+", words.status)  -- the rest is a message
    return string.format("Run again, %s gave no number (%s).", move.label, failed)
  end
  local before, after = numbers.pair(move, of)
  if not move.sure then
    return string.format("The machine may have changed: %s of %s was %s before, and %s when it was run again last.",
      of.metric, move.label, before, after)
  end
  local unused = move.unused and words.count(move.unused, "earlier run") .. (move.unused == 1 and " is" or " are")
    .. " not used" or "the answer stands"
  local function time(seconds) return reg.time.format(math.floor(seconds)) end
  return string.format("The machine changed between %s and %s: %s of %s went from %s to %s (%s); %s.",
    time(move.from), time(move.upto), of.metric, move.label, before, after, (numbers.effect(move, of)), unused)
end

-- A test that has one outcome: which, at how many subjects, and what may be between them.
local function add_alike(found, say)
  local outcomes = values.map(found.points, function(point) return point.value end)
  say("The test %s at %s.", outcomes[1] == 1 and "fails" or "passes",
    #outcomes == 1 and "the one " .. found.thing .. " that was run" or "all " .. words.count(#outcomes, found.thing)
      .. " that were run")
  coverage.resolution(found, say)
end

-- What it means that nothing changed over the range of a pin.
local function add_pin(found, say)
  local pin = found.pin
  local held = pin.of .. " " .. require("lib/pins/found").short(pin.commit)
  say("With the rest of %s held, %s makes no difference: the rest of that commit does, or the build does not use the "
    .. "checked-out %s.%s", held, pin.name, pin.name, pin.advice and " " .. pin.advice or "")
end

--- Sentences on what the answer does not cover, and what limits it.
function words.notes(found)
  local list = {}
  local function say(...) list[#list + 1] = string.format(...) end
  if found.pin and found.verdict == "no_change" then add_pin(found, say) end
  if #found.listed < #found.changes then
    say("%s not listed (--only regressions).", words.count(#found.changes - #found.listed, "other change"))
  end
  local back = found.back
  if back then say("Good %s back from %s: %s.", back.words, back.from, back.label) end
  add_sources(found, say)
  if #found.installed > 0 then  -- a change of the number may be one of what the test brings along
    say("The test itself installs packages, in versions that differ: %s. Pin them in the test.",
      numbers.some(values.map(found.installed, versions_of), MOST_PACKAGES, "; ", "package"))
  end
  coverage.ends(found, say)
  coverage.chance(found, say)
  coverage.scatter(found, say)
  if is_answered(found) and found.kind ~= "test" then coverage.resolution(found, say) end
  if found.drift then
    say("Smaller differences add up to %s: from %s to %s.", (numbers.effect(found.drift, found)),
      numbers.pair(found.drift, found))
  end
  if found.verdict == "no_change" and found.passes then add_alike(found, say) end
  coverage.price(found, say)
  list[#list + 1] = found.quieter and coverage.quieter(found.quieter, found.metric)
  coverage.rest(found, say)
  if found.nodes then require "lib/report/nodes"(found, say) end
  for _, move in ipairs(found.moves) do list[#list + 1] = words.moved(move, found) end
  if found.suspect then list[#list + 1] = words.suspect(found.suspect) end
  if found.verdict == "machine_changed" then say "To measure the machine as it is now, pass --fresh." end
  return list
end

--- The noise, and how sure the whole answer is; nil where neither is known.
function words.statistics(found)
  local list = {}
  if (found.noise or 0) > 0 then
    local builds = found.build_noise or 0
    list[1] = "Run-to-run noise is " .. numbers.digits(100 * found.noise, 2) .. " %"
      .. (builds > 0 and ", build-to-build noise " .. numbers.digits(100 * builds, 2) .. " %." or ".")
  end
  if found.verdict ~= "inconclusive" and (found.error or 0) >= SURE then
    list[#list + 1] = string.format("The whole answer has a confidence of %.3g %%.", 100 * (1 - found.error))
  end
  return #list > 0 and table.concat(list, " ") or nil
end

-- Of a search that stopped early: the end of the log, and what to do. The headline says why.
local function stop_lines(stopped)
  local lines = {}
  if #stopped.alike > 0 then lines[1] = "failed alike: " .. table.concat(stopped.alike, ", ") end
  if stopped.log then
    local tail = stopped.tail and ":\n  | " .. stopped.tail:gsub("\n", "\n  | ")
    lines[#lines + 1] = tail and "the end of " .. stopped.log .. tail or "its output: " .. stopped.log
  end
  lines[#lines + 1] = stopped.hint
  return lines
end

-- How many of a range were tried, and how many only assumed to fail; "" where all were tried.
local function tried_of(range)
  local assumed = range.count - range.tried
  if assumed == 0 then return "" end
  local hint = core.options and core.options.try_skipped ~= nil and "; --try-skipped runs them" or ""
  return string.format(" (%d tried, %d assumed to fail alike%s)", range.tried, assumed, hint)
end

-- A metric that became NaN or infinite, where that began and ended, and the last number before it.
local function diverged(range, thing)
  local what = failure.how(range.message or words.status(range.status))
  local upto = range.count > 1 and string.format("..%s, %s%s", range.last.label, words.count(range.count, thing),
    tried_of(range)) or ""
  return string.format("%s: %s%s%s", what, range.first.label, upto,
    range.before and "; the last number before it is of " .. range.before.label or "")
end

local function skipped_one(range)
  local message = range.message or ""
  message = failure.error_line(message) and failure.line(message) or message:gsub("\n", "\n  ")
  return string.format("skipped %s (%s)%s", range.first.label, words.status(range.status),
    message ~= "" and ": " .. message or "")
end

-- A range of subjects that failed alike: how many, which, why, and how many were assumed to; nil for a single one.
local function range_line(range, thing)
  if range.status == "not_finite" then return diverged(range, thing) end
  return range.count > 1 and string.format("%s skipped (%s..%s)%s%s", words.count(range.count, thing),
    range.first.label, range.last.label, range.message and ": " .. failure.line(range.message)
      or ", " .. words.status(range.status), tried_of(range)) or nil
end

--- The ranges of subjects that failed alike, and where a metric became NaN, a line for each.
function words.skipped_ranges(found)
  return values.map(found.skips, function(range) return range_line(range, found.thing) end)
end

--- All that follows the changes: the notes, with `more` at their end, and the skipped subjects.
function words.below(found, more)
  if found.stopped then return stop_lines(found.stopped) end
  local notes = table.concat(values.flat { words.notes(found), { more } }, " ")
  return values.flat { { notes ~= "" and notes or nil }, values.map(found.skips, function(range)
    return range_line(range, found.thing) or skipped_one(range)
  end), { words.missing(found.missing, found.thing) } }
end

--- The changes and all that follows them, as lines.
function words.lines(found)
  return values.flat { { found.pin and #found.listed > 0 and pin_prefix(found.pin):gsub(" $", "") or nil },
    values.map(changes.all(found), function(change) return change.text end), words.below(found) }
end

return words
