-- Builds that are the same are measured once; a build that did not take effect is not measured as if it had.

local test = require "harness"
local shown = require "shown"
local real_git = require "real_git"

-- A sweep or bisection over commits "0000001", "0000002", ...; source(i) is what the build of commit i makes.
local function search(n, source, o)
  local folder, commits, ran = test.fresh(), {}, {}
  reg.fs.mkdir(folder)
  for i = 1, n do commits[i] = { id = string.format("%07d%033d", i, 0), short = string.format("%07d000", i), at = i } end
  local function measure(commit, trial)
    trial:build { shell = "printf %s " .. source(commit.at) .. " >program", cwd = folder,
      artifact = o.artifact == nil and { "program" } or o.artifact }
    if o.says then trial:check_build({ shell = "echo version $(cat program)", cwd = folder }, o.says) end
    ran[#ran + 1] = commit.at
    return tonumber(trial:run({ shell = "cat program", cwd = folder }).stdout:match "%d+$") or 1
  end
  return reg.sweep(commits, { into = folder .. ".db", exact = true, every = o.every, measure = measure,
    keep_going = o.keep_going }), ran
end

test("commits whose build is the same are measured once, and the change is where the build changed", function()
  local series, ran = search(12, function(i) return i <= 4 and 5 or i <= 8 and 6 or 9 end, { every = true })
  test.equal({ #ran, #series.changes, series.changes[1].hi.at, series.changes[2].hi.at }, { 3, 2, 5, 9 })
  local same = 0
  for _, entry in ipairs(series.asked) do same = same + (entry.same_as and 1 or 0) end
  test.equal({ same, series.skipped }, { 9, 0 })
end)

test("without the option every commit is measured", function()
  local _, ran = search(6, function(i) return i <= 3 and 5 or 6 end, { every = true, artifact = {} })
  test.equal(#ran, 6)
end)

test("the same build at both ends ends it, unless it is to go on", function()
  local series, ran = search(20, function() return 5 end, {})
  test.equal({ series.verdict, #ran }, { "inconclusive", 1 })
  test.truthy(series.why:find("the build made the same at .* and at .*: it did not take effect"), series.why)
  test.equal(search(20, function() return 5 end, { keep_going = true }).verdict, "no_change")
end)

test("a file that the build does not make is misuse", function()
  test.refuses("usage", search,
    { { "the build did not make nothing", 3, function(i) return i end, { artifact = { "nothing" } } } })
end)

test("a program that says it is something else is skipped, with what it says", function()
  -- The build of commit 3 leaves the program of commit 2.
  local function source(i) return string.format("%07dg%d", i == 3 and 2 or i, i < 3 and 1 or 2) end
  local series = search(5, source, { every = true, says = "version {subject}g" })
  test.equal(series.skipped, 1)
  local wrong = series.points[3]
  test.equal({ wrong.status, wrong.message }, { "build_failed",
    "the build did not take effect: the program says 'version 0000002g2', not 'version 0000003g'" })
  test.equal({ series.points[2].status, series.points[4].status }, { "ok", "ok" })
end)

test("runner:build takes it from the options of a script", function()
  reg.fs.mkdir "shop"
  local runner <close> = reg.runner { folders = { reg.fs.absolute "shop" } }
  local opt = { build = "echo $SUBJECT >program", artifact = { "program" }, timeout = "1m", says = "{subject}",
    check_build = "cat program" }
  local function built(subject, o)
    local trials = reg.sweep({ subject }, { into = "shop.db", exact = true, measure = function(_, trial)
      runner.env = { SUBJECT = o.subject or subject }
      runner:build(trial, o)
      return trial:run(runner:command("true", "1m")).code
    end })
    return trials.points[1].status, trials.asked[1].artifact ~= nil
  end
  test.equal({ built("a1", opt) }, { "ok", true })
  opt.subject = "another"
  test.equal({ built("a2", opt) }, { "build_failed", true })
  test.equal({ built("a3", { timeout = "1m" }) }, { "ok", false })
end)

test("what build returns is not looked at", function()
  test.equal(reg.sweep({ "a", "b" }, { into = test.fresh ".db", exact = true, every = true,
    build = function() return pcall(error, "as a script's last line may") end,
    measure = function() return 5 end }).verdict, "no_change")
end)

-- --- What measured programs loaded from the checkouts: a build that did not take effect is told at the end.

-- Four commits, and a program for each that differs from the others by its build-id, or else by its bytes.
local COMMITS <const> = 4
local sleep = reg.fs.read((reg.process.run({ shell = "command -v sleep" }).stdout:gsub("\n", "")))
real_git.new_repo "repo"
reg.fs.mkdir "programs"
for i = 1, COMMITS do
  real_git.commit("repo", "number", tostring(i), 1709287200 + i)
  local _, note = sleep:find("\4\0\0\0\20\0\0\0\3\0\0\0GNU\0", 1, true)
  reg.fs.write("programs/" .. i, note and sleep:sub(1, note) .. string.char(i) .. sleep:sub(note + 2) or sleep .. i)
end

-- A search of every commit. make(i): the shell line that builds commit i in its worktree; `test` runs it.
local function search_all(make, o)
  o = o or {}
  local repo = reg.git.open "repo"
  local tree <close> = repo:worktree(o.path or "trees/" .. test.fresh())
  local commits, at = repo:log {}, {}
  for i, commit in ipairs(commits) do at[commit.id] = COMMITS + 1 - i end
  table.sort(commits, function(a, b) return at[a.id] < at[b.id] end)
  return reg.sweep(commits, { title = "commits", kind = "commit", into = o.into or test.fresh ".db", every = true,
    measure = function(commit, trial)
      tree:checkout(commit.id)
      trial:build { shell = make(at[commit.id]), cwd = tree.path }
      trial:run { shell = o.test or "./tool 0.2", cwd = tree.path }
      return 1
    end })
end

local PROGRAMS <const> = reg.fs.absolute "programs"
local function install(i) return "cp " .. PROGRAMS .. "/" .. i .. " tool && chmod +x tool" end
local function install_once(i) return "[ -e tool ] || { " .. install(i) .. "; }" end

-- What the answer says of it.
local function warning(series)
  return table.concat(shown(series), " "):match "The measured program loaded the same .-%. Check [^.]*%."
end

test("nothing is said where what is loaded differs, comes from elsewhere or was not seen", function()
  local series = search_all(install)
  test.equal({ #series.points, warning(series) }, { COMMITS })
  test.equal(warning(search_all(install_once, { test = "sleep 0.1" })), nil, "not from the worktree")
  test.equal(warning(search_all(function(i) return install(i == 4 and 4 or 1) end)), nil, "one subject that differs")
  test.equal(warning(search_all(install_once, { test = "[ $(cat number) = 4 ] || ./tool 0.2" })), nil, "one was not seen")
  local store <close> = reg.store.open(series.store.path)
  local info = store:trials({})[1].info
  test.equal({ info.loaded.files, info.loaded.one, #info.loaded.id }, { 1, "tool", 64 })
end)

test("the same program for every commit is one sentence, also when the trials come from the store", function()
  local wanted = "The measured program loaded the same file (tool) for each of 4 commits: the build did not take effect, "
    .. "or no commit changed what it loads. Check that --build builds what --test runs."
  test.equal(warning(search_all(install_once, { path = "trees/stale", into = "stale.db" })), wanted)
  local again = search_all(install_once, { path = "trees/stale", into = "stale.db" })
  test.equal({ again.reused >= COMMITS, warning(again) }, { true, wanted })
end)

test("several files are named by the first, with a count", function()
  local text = warning(search_all(function(i) return install_once(i) .. "; cp tool zeal" end,
    { test = "./tool 0.1; ./zeal 0.2" }))
  test.truthy(text and text:find("loaded the same files (tool and 1 more) for each", 1, true), text)
end)

return test.finish()
