-- Which commit and which repository a pin means. tests/scripts/test_descend.sh goes down into dependencies.

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

test("a dependency is known by each of its names", function()
  local known = Repositories.new { "LLVM_project=xla" }
  test.equal({ known:find { name = "llvm", aliases = { "llvm-raw", "llvm-project" } } }, { "LLVM_project", reg.fs.absolute "xla" })
  test.equal(known:find { name = "tsl" }, nil)
end)

test("what is remembered may be damaged", function()
  reg.fs.mkdir ".regengine"
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
