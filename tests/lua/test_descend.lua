-- Down from a commit into the dependency that it bumps: what reg.descend asks a script for, and which commit a pin means.

local test = require "harness"
local real_git = require "real_git"
local Repositories = reg.private "lib/descend/repositories"
local commit_of = reg.private("lib/descend/level").commit_of

local git, new_repo = real_git.git, real_git.new_repo

local NOON <const> = reg.time.parse "2024-03-01T12:00"

local function commit(folder, file, text, minutes)
  return real_git.commit(folder, file, text, NOON + 60 * minutes)
end

new_repo "xla"
new_repo "jax"
local x = {}
for i = 1, 6 do x[i] = commit("xla", "version", i < 4 and "1" or i .. "", i) end
for i, tag in ipairs { "v0.1", "0.2", "release-0.3", "xla-0.4", "rel-0.5" } do git("xla", "tag", tag, x[i]) end
commit("jax", "xla_commit", x[1]:sub(1, 12) .. "\n", 10)
commit("jax", "xla_commit", x[6]:sub(1, 12) .. "\n", 11)

test("descend searches the range of a pin, with the rest held and the file rewritten", function()
  local pins, asked
  local levels = reg.descend { repos = { "jax", "xla" }, commit = "main", search = function(level)
    pins, asked = level.pin, {}
    local series = reg.bisect(level.states, { title = level.title, repo = level, into = "descend.db",
      passes = function(state, trial)
        level:checkout(state.commits, trial)
        local run = trial:run { shell = 'cat xla_commit ../xla/version; test "$REPO_XLA" = "$(cd ../xla && pwd)"',
          cwd = level:folders()[1], env = level:env() }
        asked[run.stdout:sub(1, 12)] = state.commits.xla.id
        return run.stdout:sub(-1) == "1"
      end })
    return series
  end }
  test.equal(#levels, 1)
  test.equal(levels[1].changes[1].hi.commits.xla.id, x[4])
  test.equal({ pins.of, pins.name, pins.old, pins.new, pins.path, pins.line },
    { "jax", "xla", x[1]:sub(1, 12), x[6]:sub(1, 12), "xla_commit", 1 })
  for short, id in pairs(asked) do test.equal(short, id:sub(1, 12)) end
  test.truthy(asked[x[4]:sub(1, 12)], "the first bad commit was not measured")
  test.equal(reg.json.decode(reg.fs.read ".regengine/repositories.json"), { xla = reg.fs.absolute "xla" })
end)

test("descend refuses what it cannot use", function()
  local function search() end
  test.raises("takes { repos =", function() reg.descend { repos = { "jax" }, search = search } end, "usage")
  test.raises("did you mean 'search'", function()
    reg.descend { repos = { "jax" }, commit = "main", search = search, serch = 1 }
  end, "usage")
  test.raises("bumps no submodule and no pinned commit", function()
    reg.descend { repos = { "xla" }, commit = "main", search = search }
  end, "usage")
end)

test("a series without a culprit has no levels below it", function()
  local repos <close> = reg.repos({ "jax" }, "after")
  local states = repos:between({ jax = repos.repos.jax:resolve "main~1" }, { jax = repos.repos.jax:resolve "main" })
  local series = reg.bisect(states, { into = "after.db", measure = function() return 1 end })
  test.equal(reg.descend { repos = { "xla" }, after = series, of = repos, search = function() end }, {})
end)

test("a version is the commit of its tag", function()
  local repo, pin = reg.git.open "xla", { name = "xla" }
  for i, version in ipairs { "0.1", "v0.2", "0.3", "0.4", "0.5" } do
    test.equal(commit_of(repo, pin, version).id, x[i], version)
  end
  test.equal(commit_of(repo, pin, x[6]:sub(1, 12)).id, x[6])
  local why = test.raises("no tag of xla fits the version 0.9", function() commit_of(repo, pin, "0.9") end, "not_found")
  test.truthy(why.hint:find("tag v0.9 COMMIT", 1, true), why.hint)
  test.raises("no commit aaaaaaaaaaaa in", function() commit_of(repo, pin, ("a1"):rep(20):gsub("1", "a")) end, "not_found")
end)

test("a dependency is known by each of its names; which of several to take is asked", function()
  local llvm = { name = "llvm", aliases = { "llvm-raw", "llvm-project" }, path = "third_party/llvm/workspace.bzl",
    line = 3, old = x[1], new = x[2], url = "https://github.com/llvm/llvm-project" }
  local tsl = { name = "tsl", path = "WORKSPACE", line = 9, old = "1.0", new = "1.1" }
  local known = Repositories.new { "LLVM_project=xla" }
  test.equal({ known:find(llvm) }, { "LLVM_project", reg.fs.absolute "xla" })
  test.equal(known:find(tsl), nil)
  test.equal(known:choose({ llvm, tsl }, nil, "xla a1").name, "llvm")
  test.equal(known:choose({ llvm, tsl }, "llvm-project", "xla a1").name, "llvm")
  local why = test.raises("xla a1 bumps tsl 1.0..1.1 (WORKSPACE:9), but its repository is not known", function()
    known:choose({ llvm, tsl }, "tsl", "xla a1")
  end, "usage")
  test.equal(why.hint, "Pass --repo tsl=PATH.")
  why = test.raises("but the repositories are not known", function()
    Repositories.new({}):choose({ llvm, tsl }, nil, "xla a1")
  end, "usage")
  test.equal(why.hint, "Pass --repo llvm=https://github.com/llvm/llvm-project or --repo tsl=PATH.")
  local both = Repositories.new { "llvm=xla", "tsl=https://github.com/google/tsl" }
  why = test.raises("bumps 2 pins: llvm " .. x[1]:sub(1, 10), function() both:choose({ llvm, tsl }, nil, "a") end)
  test.equal(why.hint, "Choose one: --pin llvm")
end)

test("what is remembered may be damaged", function()
  reg.fs.write(".regengine/repositories.json", "{ half")
  test.equal(Repositories.new({}):find { name = "xla" }, nil)
end)

test("the words of repositories that an image has", function()
  reg.fs.mkdir "image/opt"
  git(".", "clone", "-q", "jax", "image/opt/jax")
  reg.container.use { runtime = "local" }
  test.equal(reg.in_image({ "jax=jax", "xla=https://github.com/openxla/xla" }, "image"), { "jax=jax" })
  test.equal(reg.in_image({ "xla=xla" }, "image"), { "xla=xla" })
end)

return test.finish()
