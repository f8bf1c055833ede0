-- What measured programs loaded from the checkouts: a build that did not take effect is told at the end.

local test = require "harness"
local shown = require "shown"
local real_git = require "real_git"

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

local count = 0
-- A search of every commit. make(i): the shell line that builds commit i in its worktree; `test` runs it.
local function search(make, o)
  o, count = o or {}, count + 1
  local repo = reg.git.open "repo"
  local tree <close> = repo:worktree(o.path or "trees/" .. count)
  local commits, at = repo:log {}, {}
  for i, commit in ipairs(commits) do at[commit.id] = COMMITS + 1 - i end
  table.sort(commits, function(a, b) return at[a.id] < at[b.id] end)
  return reg.sweep(commits, { title = "commits", kind = "commit", into = o.into or count .. ".db", every = true,
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
  local series = search(install)
  test.equal({ #series.points, warning(series) }, { COMMITS })
  test.equal(warning(search(install_once, { test = "sleep 0.1" })), nil, "not from the worktree")
  test.equal(warning(search(function(i) return install(i == 4 and 4 or 1) end)), nil, "one subject that differs")
  test.equal(warning(search(install_once, { test = "[ $(cat number) = 4 ] || ./tool 0.2" })), nil, "one was not seen")
  local store <close> = reg.store.open(series.store.path)
  local info = store:trials({})[1].info
  test.equal({ info.loaded.files, info.loaded.one, #info.loaded.id }, { 1, "tool", 64 })
end)

test("the same program for every commit is one sentence, also when the trials come from the store", function()
  local wanted = "The measured program loaded the same file (tool) for each of 4 commits: the build did not take effect, "
    .. "or no commit changed what it loads. Check that --build builds what --test runs."
  test.equal(warning(search(install_once, { path = "trees/stale", into = "stale.db" })), wanted)
  local again = search(install_once, { path = "trees/stale", into = "stale.db" })
  test.equal({ again.reused >= COMMITS, warning(again) }, { true, wanted })
end)

test("several files are named by the first, with a count", function()
  local text = warning(search(function(i) return install_once(i) .. "; cp tool zeal" end,
    { test = "./tool 0.1; ./zeal 0.2" }))
  test.truthy(text and text:find("loaded the same files (tool and 1 more) for each", 1, true), text)
end)

return test.finish()
