-- The page of an investigation: what is in it, and that whatever a store holds stays text. What it looks like in a
-- browser, and whether it works there: tests/scripts/test_report_html.sh.

local test = require "harness"

local probe = reg.store.open "probe.db"
probe:begin { name = "probe" }

-- The page without the embedded script, since that is this file, which has every text that the tests look for; and its title.
local function page(store, options)
  local html, title = reg.report.html(store, options)
  local without, count = html:gsub("<summary>The script, .-</details>", "")
  return count > 0 and without or error "the page has no script", title
end

-- What the drawings say of each point first, "s001: 100".
local function points_of(html)
  local list = {}
  for text in html:gmatch "<title>([^\n<]*)" do list[#list + 1] = text end
  table.remove(list, 1)  -- of the page
  return list
end

local function count(html, text) return select(2, html:gsub((text:gsub("%p", "%%%0")), "")) end

-- A sweep of n subjects whose numbers `level` gives; `fails(i)` is a status where the subject is to fail.
local function sweep(store, n, level, o)
  local subjects = {}
  for i = 1, n do subjects[i] = o.subject and o.subject(i) or { id = string.format("s%03d", i), place = i } end
  return reg.sweep(subjects, { into = store, title = o.title or "series", kind = o.kind, metric = o.metric or "v",
    better = o.better, every = o.every, config = {}, measure = function(subject, trial)
      local i = subject.place or tonumber(subject.id:match "%d+")
      if o.command then trial:run(o.command(i)) end
      if o.fails and o.fails(i) then return reg.skip(o.why or "it failed", "", o.fails(i)) end
      return level(i)
    end })
end

-- The page of such a sweep, its title, the series and its store.
local function page_of_sweep(n, level, o, options)
  local store = reg.store.open(test.fresh ".db")
  local series = sweep(store, n, level, o)
  reg.answer(series)
  local html, title = page(store, options)
  return html, title, series, store
end

local function step(i) return (i <= 20 and 100 or 80) + i * 7 % 5 * 0.05 end

test("a label below the drawing is redacted before it is cut", function()
  local html = page_of_sweep(3, function(i) return i < 3 and 100 or 80 end, { every = true, subject = function(i)
    return { id = "s" .. i, label = "https://ann:hunter2secret@example.org/" .. i, place = i }
  end })
  test.has(html, "redacted")
  test.lacks(html, "hunter2")
end)

test("an answered series: the verdict in a sentence, every trial in the data, levels, interval", function()
  local html, verdict, series = page_of_sweep(40, step, { kind = "night", better = "higher" })
  test.truthy(verdict:find "^v fell by [12][%d.]+ %%: first bad s021$", verdict)
  test.has(html, "<h1>" .. verdict .. "</h1>", "1 regression found in 40 nights (", "last good   s020",
    "first bad   s021")
  local points = points_of(html)
  test.equal(#points, #series.points)
  for i, point in ipairs(series.points) do
    local wanted = ("%s: %.4g"):format(point.label, point.value)
    test.equal(points[i]:sub(1, #wanted), wanted)
  end
  for _, class in ipairs { 'line class="level"', 'rect class="band"' } do test.equal(count(html, "<" .. class), 2) end
  test.equal(count(html, '<line class="change"'), 1)
end)

-- The page of an answer with this change between two commits of three, and its title.
local function page_of(change)
  local store <close> = reg.store.open "candidates.db"
  local id, commits, points = store:begin { name = "commits" }, {}, {}
  for i = 1, 3 do
    local hash = tostring(i):rep(40)
    commits[i] = { id = hash, short = hash:sub(1, 10), subject = "Fuse " .. i, author = "Ann",
      message = "Fuse " .. i .. "\n\nWhy in the body.\n" }
    points[i] = { id = hash, label = commits[i].short, subject = commits[i], value = i ~= 2 and 100 - 10 * i or nil }
  end
  local all = test.merged({ kind = "step", lo = commits[1], hi = commits[3], last_good = commits[1].id, first_bad = commits[3].id,
    untested = 1, before = 90, after = 70, candidates = { { id = commits[2].id, subject = commits[2] },
      { id = commits[3].id, subject = commits[3] } }, files = { { path = "innocent.c" } } }, change)
  store:finish_investigation(id, { verdict = "changes", series = { verdict = "changes", kind = "commit", metric = "MLUPS",
    direction = "higher", points = points, changes = { all }, noise = 0.0012, build_noise = 0.003, error = 0.01 } })
  return page(store, { investigation = id })
end

test("where several commits may be the culprit, the page lists them and blames none", function()
  local html, title = page_of {}
  test.equal(title, "MLUPS fell by 22.2 % at one of these 2 commits (2222222222, 3333333333)")
  test.has(html, "Run-to-run noise is 0.12 %, build-to-build noise 0.3 %. The whole answer has a confidence of 99 %.",
    "\n              " .. ("3"):rep(40) .. "   Fuse 3", "Fuse 2   could not be tested")
  test.lacks(html, "innocent.c", "first bad   ", "in the body")
  html, title = page_of { open = true, candidates = {}, runs_to_name = 3 }
  test.truthy(title:find "^MLUPS fell by 22.2 %% between 1111111111 .* and 3333333333 .* %(2 commits%)$", title)
  test.has(html, "between     1111111111 and 3333333333")
  test.lacks(html, "innocent.c")
  html = page_of { untested = 0, candidates = {} }
  test.has(html, '<b class="regression">REGRESSION</b>   MLUPS 90 -&gt; 70',
    "first bad   " .. ("3"):rep(40) .. "   Fuse 3", "innocent.c", '<pre class="message">Why in the body')
end)

test("the level between a dip and the next change is what was measured there, not what was before the dip", function()
  local LEVELS, heights = { 100, 50, 104, 80 }, {}
  local html = page_of_sweep(40, function(i) return LEVELS[(i - 1) // 10 + 1] + i % 3 * 0.1 end, { every = true })
  for y in html:gmatch '<line class="level"[^>]* y1="([%d.]+)' do heights[#heights + 1] = tonumber(y) end
  test.equal(#heights, 4)
  for i, height in ipairs(heights) do
    test.near((height - heights[1]) / (heights[2] - heights[1]), (LEVELS[i] - 100) / -50, 0.02, "level " .. i)
  end
end)

test("failures are listed with the end of what they wrote, without the terminal's escapes", function()
  local without, _, _, store = page_of_sweep(6, function() return 5 end,
    { every = true, fails = function(i) return i == 3 and "crashed" end, why = "it <b>failed</b>", command = function(i)
      return { shell = "printf 'line %s\\n' $(seq 60); printf '\\033[31mno & <i>\\033[0m\\n'; echo of " .. i }
    end })
  test.lacks(without, "\nline 30\nline")
  local html = page(store, { with_output = true })
  test.has(html, "it &lt;b&gt;failed&lt;/b&gt;", "\nno &amp; &lt;i&gt;\nof 3\n", "line 30\n")
  test.lacks(html, "line 10\n")
  test.lacks(html, "\nof 2\n")  -- that one did not fail
  test.equal(points_of(html)[3], "s003: crashed")
end)

test("of a log is shown what remains on the terminal", function()
  local logs, shown = {}, {}
  for log, text in pairs { ["\27[1;31merror:\27[0m no\n"] = "error: no\n",
    ["10 %\r50 %\r100 %\ndone\r\n"] = "100 %\ndone\n",
    ["\27]0;a title\7text\n"] = "text\n", ["\27]8;;https://example.org\27\\link\27]8;;\27\\\n"] = "link\n",
    ["\27(Bplain\27[?25l\n"] = "plain\n", ["a\27\27[31mb\n"] = "ab\n",
    ["kept \27]0;never ended\nkept too\n"] = "kept \nkept too\n", ["a\27[31\nb\27(\nc\27\nd\n"] = "a\nb\nc\nd\n",
    ["a\bb\1c\n"] = "abc\n", [""] = "", ["end \27\n"] = "end \n", ["end \27[\n"] = "end \n", ["end \27[3\n"] = "end \n" } do
    logs[#logs + 1], shown[#shown + 1] = log, text
  end
  reg.fs.write("log", table.concat(logs))
  local html = page_of_sweep(1, print, { fails = function() return "crashed" end,
    command = function() return { shell = "cat log" } end }, { with_output = true })
  test.has(html, table.concat(shown))
end)

test("of a test that passes or fails, what the failing runs wrote is listed", function()
  local store <close> = reg.store.open "fails.db"
  reg.answer(reg.bisect(test.subjects(8, "c%03d"), { into = store, passes = function(commit, trial)
    return trial:passes { shell = string.format("echo at %d; test %d -lt 5", commit.place, commit.place) }
  end }))
  local html = reg.report.html(store, { with_output = true })
  test.has(html, '<b>c005</b> <span class="status">fails</span></summary>', "<pre>at 5\n</pre>")
  test.lacks(html, "<pre>at 4\n</pre>")
end)

test("of a flaky test one failing run of each subject is listed", function()
  local store <close> = reg.store.open "flaky.db"
  local id = store:begin { name = "commits" }
  for i = 1, 6 do
    local trial = store:start { investigation = id, subject = i % 2 == 0 and "a" or "b", key = "k" .. i }
    store:finish(trial.id, { status = "ok", samples = { value = i < 3 and 0 or 1 } })
  end
  local points = { { id = "a", value = 0.6, values = { 0, 1, 1 } }, { id = "b", value = 0.6, values = { 0, 1, 1 } } }
  local series = { flaky = true, verdict = "no_change", metric = "value", points = points }
  store:finish_investigation(id, { verdict = "no_change", series = series })
  test.equal(count(reg.report.html(store), '<span class="status">fails</span></summary>'), 2)
end)

test("what was stopped before its answer is shown by its trials, and says so", function()
  local store <close> = reg.store.open "killed.db"
  local id = store:begin { name = "nights" }
  for i, day in ipairs { "2024-03-03", "2024-03-01", "2024-03-02" } do
    local trial = store:start { investigation = id, subject = day, kind = "night", key = "k" .. i,
      config = { metric = "mlups" } }
    local ok = { status = "ok", samples = { mlups = { i * 10, i * 10 + 2 }, other = { 1 } } }
    store:finish(trial.id, i < 3 and ok or { status = "timeout" })
  end
  store:start { investigation = id, subject = "2024-03-04", kind = "night", key = "k4" }
  local html, verdict = reg.report.html(store)
  test.equal(verdict, "No answer yet, 4 trials")
  test.has(html, "it was stopped, is still running, or", "<figcaption><b>mlups</b>")
  test.equal(points_of(html), { "2024-03-01: 21", "2024-03-02: timed out", "2024-03-03: 11", "2024-03-04: running" })
end)

test("a suite's page has its table of results", function()
  reg.suite.run({ name = "zip", workloads = { "gzip" }, axes = { { level = { 1, 9 } }, { n = { 10 } } },
    metric = { total_time = "took {number} ms", rate = "rate {number} MB/s" },
    command = function(c)
      return c.level == 9 and "exit 3" or "echo took 2 ms; echo took 4 ms; echo rate 7 MB/s"
    end }, { folder = "zip", processes = 2 })
  test.has(page(reg.store.open "zip/suite.db"), "<h1>zip: 2 experiments, 1 new, 1 failed, 3 trials</h1>",
    "gzip level=1 n=10  total_time       3  33.3 %        4  ok",
    "gzip level=9 n=10                                       test_failed  exit code 3</pre>")
end)

test("a stage that rests on another's trials calls its subjects by its own name", function()
  local store <close> = reg.store.open "rests.db"
  for _, title in ipairs { "hours", "commits" } do
    reg.answer(reg.sweep({ "a", "b", "c" }, { into = store, title = title, kind = title:sub(1, -2),
      measure = function() return 7 end }))
  end
  test.has(page(store), "No change found in 3 commits (stored results of ")
end)

test("an investigation or repository that is not there is told, and the host is named only if that is asked for", function()
  local store <close> = reg.store.open "several.db"
  test.raises("has no investigation yet", function() reg.report.html(store) end, "not_found")
  store:begin { name = "nights" }
  test.has(page(store, { investigation = "1" }), "nights, number 1")
  test.refuses("not_found", reg.report.html, { { "no investigation 'night' (did you mean 'nights'?)", store,
    { investigation = "night" } } })
  test.raises("unknown option 'investigatoin'", function() reg.report.html(store, { investigatoin = 1 }) end, "usage")
  local host = " \u{b7} " .. store:investigations()[1].host .. "</p>"
  test.has(page(store, { keep_host = true }), host)
  test.lacks(page(store), host)
end)

test("what differs between good and bad is named, and what is the same is not", function()
  local html = page_of_sweep(40, step, { command = function(i)
    return { cmd = { "true" }, env = { XLA_FLAGS = i <= 20 and "--old" or "--<new>", SAME = "same" } }
  end })
  test.has(html, "<th>env XLA_FLAGS</th>", "<code>--old</code>", "<code>--&lt;new&gt;</code>")
  test.lacks(html, "<th>env SAME</th>")
  html = page_of_sweep(40, step, { subject = function(i) return { id = "s" .. i } end })
  test.has(html, "are the same on both sides")
end)

-- With an overlong '<', half of a surrogate pair, and a malformed character that must hide nothing after it.
local EVIL = '</script><script>alert(1)</script><img src=x onerror="alert(2)">\'"\27[31m\u{202e}\u{2066}\u{9b}\0\xff&'
  .. "\xc0\xbci>\xed\xa0\x80\xe2<u>\xf4\x90\x80\x80\xe2\x82\127"

test("a page lets only its own style be used, and no script", function()
  local html = reg.report.html(probe)
  reg.fs.write("style", (html:match "<style>(.-)</style>\n"))
  local hash = reg.process.run { shell = "openssl dgst -sha256 -binary style | openssl base64" }.stdout:match "%S+"
  test.equal(html:match 'Content%-Security%-Policy" content="([^"]*)"',
    "default-src 'none'; style-src 'sha256-" .. hash .. "'; img-src data:; base-uri 'none'; form-action 'none'")
end)

test("whatever a store holds stays text", function()
  reg.fs.write("evil", EVIL)
  local function commit(i)
    return { id = ("%040x"):format(i), short = ("%010x"):format(i), label = EVIL .. i, subject = EVIL,
      message = EVIL .. "\n\n" .. EVIL, author = EVIL, email = EVIL, date = EVIL, author_date = EVIL, repo = EVIL,
      image = EVIL .. i, place = i, [EVIL] = EVIL .. i,
      commits = { [EVIL] = { id = ("%040x"):format(i), short = EVIL, subject = EVIL, author = EVIL } } }
  end
  local html = page_of_sweep(40, step, { title = EVIL, metric = EVIL, kind = EVIL, subject = commit, why = EVIL,
    fails = function(i) return (i == 1 or i == 20) and "crashed" end,
    command = function(i) return { shell = "cat evil", env = { EVIL = EVIL:gsub("%z", "") .. i } } end })
  test.lacks(html, "<script", "</script", "<img", "<u>", "<i>", "\27", "\u{202e}", "\u{2066}", "\u{9b}", "\0", "\xff",
    "\127")
  test.truthy(utf8.len(html), "not UTF-8")
  test.has(html, "&lt;img src=x onerror=&quot;alert(2)&quot;&gt;", "\u{FFFD}")
  test.has(points_of(html)[2], "onerror=&quot;alert(2)&quot;&gt;")
end)

test("a store that was damaged or made by somebody else gives a page all the same", function()
  local odd = { 1, "x", true, {}, { 1, 2 }, { { {} } }, { a = { b = "c" } }, reg.json.null }
  -- What is changed one field at a time: where it is in the verdict, and its fields.
  local CHANGED = {
    { function(v) return v end, { "series", "verdict", "changes", "stages" } },
    { function(v) return v.series end, { "points", "changes", "doubts", "side_points", "metric", "verdict", "suspect",
      "reference", "noise", "title", "exact" } },
    { function(v) return v.series.points[2] end, { "id", "label", "index", "values", "value", "status", "message",
      "trials", "subject" } },
    { function(v) return v.series.changes[1] end, { "kind", "last_good", "first_bad", "lo", "hi", "leave_lo",
      "still_bad", "recovered_at", "before", "before_low", "after", "effect", "effect_high", "p", "merge",
      "untested" } },
  }
  local function good()
    local subject = { id = "s2", commits = { r = { id = ("a"):rep(40) } } }
    return { verdict = "changes", stages = { 1 }, series = { metric = "m", verdict = "changes", runs = 2, subjects = 2,
      noise = 0.1, doubts = { { label = "d", p = 0.1, after = "s1", upto = "s2" } }, side_points = {},
      points = { { id = "s1", label = "s1", values = { 1 }, value = 1, status = "ok", trials = { 1 } },
        { id = "s2", label = "s2", values = { 2 }, value = 2, status = "ok", trials = { 2 }, subject = subject } },
      changes = { { kind = "step", last_good = "s1", first_bad = "s2", before = 1, after = 2, before_low = 0.9, before_high = 1.1,
        after_low = 1.9, after_high = 2.1, effect = 1, effect_low = 0.9, effect_high = 1.1, p = 1, hi = subject } } } }
  end
  local store <close> = reg.store.open "odd.db"
  for n, value in ipairs { 1, "x", { 1 }, { { {} } }, { gpu = 1 },
    { gpu = { gpus = { 1, {}, { index = {}, busy_sm_mhz = 1 } } } }, { suspect = 1 }, { suspect = { why = { {}, 1 } } },
    { quiet = { 1, {} } }, { image_digest = {} }, { metric = {} } } do
    local id = store:begin { name = "trials " .. n, text = tostring(n) }
    for i = 1, 2 do
      local trial = store:start { investigation = id, subject = "s" .. i, kind = "<b>", key = n .. "-" .. i,
        config = value }
      store:finish(trial.id, { status = "ok", samples = { m = i }, command = value, env = value, info = value })
    end
    local killed = reg.report.html(store, { investigation = id })
    store:finish_investigation(id, good())
    local drawn = #points_of(reg.report.html(store, { investigation = id }))
    test.equal({ #points_of(killed), drawn > 0 and drawn % 2 }, { 2, 0 })
  end
  for place, changed in ipairs(CHANGED) do
    for _, name in ipairs(changed[2]) do
      for n, value in ipairs(odd) do
        local verdict, what = good(), ("%d.%s %d"):format(place, name, n)
        changed[1](verdict)[name] = value
        local id = store:begin { name = what, text = what }
        store:finish_investigation(id, verdict)
        local ok, html = pcall(reg.report.html, store, { investigation = id })
        test.truthy(ok and html:find "</html>\n$", what .. ": " .. tostring(html))
      end
    end
  end
end)

return test.finish()
