-- Which commit and which repository a pin means. tests/scripts/test_descend.sh goes down into dependencies.

local test = require "harness"
local real_git = require "real_git"

local git, new_repo = real_git.git, real_git.new_repo

local NOON <const> = reg.time.parse "2024-03-01T12:00"

local function commit(folder, file, text, minutes) return real_git.commit(folder, file, text, NOON + 60 * minutes) end

new_repo "xla"
new_repo "jax"
local x = {}
for i = 1, 6 do x[i] = commit("xla", "version", i < 4 and "1" or i .. "", i) end
for i, tag in ipairs { "v0.1", "0.2", "release-0.3", "xla-0.4", "rel-0.5" } do git("xla", "tag", tag, x[i]) end
commit("jax", "xla_commit", x[1]:sub(1, 12) .. "\n", 10)
commit("jax", "xla_commit", x[6]:sub(1, 12) .. "\n", 11)

test("descend refuses what it cannot use", function()
  local function search() end
  test.refuses("usage", reg.descend, { { "takes { repos =", { repos = { "jax" }, search = search } },
    { "did you mean 'search'", { repos = { "jax" }, commit = "main", search = search, serch = 1 } },
    { "bumps no submodule and no pinned commit", { repos = { "xla" }, commit = "main", search = search } } })
end)

test("a series without a culprit has no levels below it", function()
  local repos <close> = reg.repos({ "jax" }, "after")
  local states = repos:between({ jax = repos.repos.jax:resolve "main~1" }, { jax = repos.repos.jax:resolve "main" })
  local series = reg.bisect(states, { into = "after.db", measure = function() return 1 end })
  test.equal(reg.descend { repos = { "xla" }, after = series, of = repos, search = function() end }, {})
end)

-- Commits a file of the superproject. Returns the last commit of the range that reg.descend would search in it.
local minutes = 11
local function descended(file, content, repo)
  minutes = minutes + 1
  commit("jax", file, content, minutes)
  local last
  local ok, why = pcall(reg.descend, { repos = { "jax", repo }, commit = "main", search = function(level)
    last = level.states[#level.states].commits[level.name].id
    error "seen"
  end })
  return not ok and last or error(why, 0)
end

test("a version is the commit of its tag", function()
  commit("jax", "requirements.txt", "xla==0.1\n", minutes)
  for i, version in ipairs { "0.2", "0.3", "v0.4", "0.5" } do
    test.equal(descended("requirements.txt", "xla==" .. version .. "\n", "xla=xla"), x[i + 1], version)
  end
  local why = test.raises("no tag of xla fits the version 0.9", function()
    descended("requirements.txt", "xla==0.9\n", "xla=xla")
  end, "not_found")
  test.has(why.hint, "tag v0.9 COMMIT")
end)

test("a dependency is known by each of its names", function()
  reg.fs.mkdir "jax/third_party/llvm"
  local file = [[
LLVM_COMMIT = "%s"
tf_http_archive(
    name = name,
    strip_prefix = "llvm-project-{commit}".format(commit = LLVM_COMMIT),
    urls = ["https://github.com/llvm/llvm-project/archive/{commit}.tar.gz".format(commit = LLVM_COMMIT)],
)]]
  commit("jax", "third_party/llvm/workspace.bzl", file:format(x[1]), minutes)
  test.equal(descended("third_party/llvm/workspace.bzl", file:format(x[3]), "LLVM_project=xla"), x[3])
end)

test("what is remembered may be damaged", function()
  reg.fs.mkdir ".regengine"
  reg.fs.write(".regengine/repositories.json", "{ half")
  test.refuses("usage", reg.descend,
    { { "its repository is not known", { repos = { "jax" }, commit = "main", search = print } } })
end)

test("the words of repositories that an image has", function()
  reg.fs.mkdir "image/opt"
  git(".", "clone", "-q", "jax", "image/opt/jax")
  reg.container.use { runtime = "local" }
  test.equal(reg.in_image({ "jax=jax", "xla=https://github.com/openxla/xla" }, "image"), { "jax=jax" })
  test.equal(reg.in_image({ "xla=xla" }, "image"), { "xla=xla" })
end)

return test.finish()
