-- reg.answer(series, ...): prints what a script found - the verdict, a plot, the table, where the results lie - and returns
-- the exit code: 0 answered, 3 unresolved. With --json the last line of stdout is one JSON object.

local function percent(change)
  if not change.ratio then return "" end
  return string.format("%+.1f %%", 100 * (change.ratio - 1))
end

local function subject_words(subject, id)
  if type(subject) ~= "table" then return id end
  if not subject.subject then return subject.label or id end
  local repo = subject.repo and subject.repo .. " " or ""
  return string.format("%s%s %s (%s, %s)", repo, subject.short, subject.subject, subject.author, subject.date)
end

local function number(x) return x and string.format("%.5g", x) or "-" end

local function change_lines(change, lines)
  lines[#lines + 1] = string.format("%s  %s -> %s  %s (p %.3f)", change.kind, number(change.before), number(change.after),
    percent(change), change.p)
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
  local n = #series.changes
  return n == 1 and "one change" or n .. " changes"
end

local function print_series(series)
  print(string.format("%s%s. %d of %d subjects measured in %d runs%s, %s.", series.title and series.title .. ": " or "",
    verdict_words(series), #series.points, series.subjects or #series.points, series.runs,
    (series.reused or 0) > 0 and string.format(" (%d more were known)", series.reused) or "", reg.time.words(series.seconds)))
  local lines = {}
  for _, change in ipairs(series.changes) do change_lines(change, lines) end
  for _, point in ipairs(series.points) do
    if point.status ~= "ok" then
      lines[#lines + 1] = "skipped " .. point.label .. ": " .. point.status .. ", " .. tostring(point.message)
    end
  end
  if #lines > 0 then print(table.concat(lines, "\n")) end
  if #series.points > 1 and not series.exact then print(reg.report.plot(series)) end
end

local function json_changes(series, into)
  for _, change in ipairs(series.changes) do
    into[#into + 1] = { kind = change.kind, last_good = change.last_good, first_bad = change.first_bad, before = change.before,
      after = change.after, ratio = change.ratio, p = change.p, recovered_at = change.recovered_at }
  end
end

-- The last stage answers the question; the earlier ones led to it.
return function(...)
  local all = { ... }
  local last = all[#all]
  if type(last) ~= "table" or not last.verdict then core.fail("usage", "answer: takes what reg.sweep or reg.bisect returned") end
  if last.dry then return 0 end
  local total = { verdict = last.verdict, changes = reg.json.array {}, runs = 0, skipped = 0, seconds = 0 }
  for _, series in ipairs(all) do
    print_series(series)
    total.runs, total.skipped = total.runs + series.runs, total.skipped + series.skipped
    total.seconds = total.seconds + series.seconds
  end
  local store = last.store
  if store then print("results: " .. store.path .. ", each trial's output below " .. store.path .. ".out/") end
  if last.investigation and store then
    json_changes(last, total.changes)
    store:finish_investigation(last.investigation, total)
  end
  if core.options and core.options.json then
    print(reg.json.encode(total))
  end
  return last.verdict == "unresolved" and 3 or 0
end
