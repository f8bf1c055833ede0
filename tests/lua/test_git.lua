local test = require "harness"
local real_git = require "real_git"

local git, new_repo = real_git.git, real_git.new_repo

local NOON <const> = reg.time.parse "2023-08-24T12:00"

local function commit(folder, file, text, time) return real_git.commit(folder, file, text, time, "change " .. file) end

new_repo "xla"
local one = commit("xla", "main.c", "a\nb\nc\none\nx\ny\nz\n", NOON)
local two = commit("xla", "main.c", "a\nb\nc\ntwo\nx\ny\nz\n", NOON + 3600)
local three = commit("xla", "other.c", "1\n2\n", NOON + 7200)
git("xla", "tag", "v1.0", one)
new_repo "jax"
local jax_one = commit("jax", "a", "1", NOON - 60)
local jax_two = commit("jax", "a", "2", NOON + 7000)

test("a commit is a plain table", function()
  local repo = reg.git.open "xla"
  test.equal(repo.path, git("xla", "rev-parse", "--show-toplevel"))
  test.equal(repo:resolve "v1.0", {
    id = one, short = one:sub(1, 10), time = NOON, date = "2023-08-24T12:00:00Z", author = "Ada", email = "ada@example.org",
    author_date = "2023-08-24T12:00:00Z",
    subject = "change main.c", message = "change main.c\n", parents = {},
  })
  test.equal(repo:resolve(repo:find "main").parents, { two })
end)

test("what is not there: nil from find, a likely name from resolve, a way out from open", function()
  local repo = reg.git.open "xla"
  test.equal(repo:find "v2.0", nil)
  test.raises("did you mean 'v1.0'", function() repo:resolve "v1.O" end, "not_found")
  test.raises("begins with '-'", function() repo:find "--all" end, "usage")
  test.raises("no git repository at 'nowhere'", function() reg.git.open "nowhere" end, "not_found")
  test.raises("did you mean 'first_parent'", function() repo:between(one, two, { first_paren = true }) end, "usage")
end)

test("revert and apply make a commit, or name the files that conflict", function()
  local repo = reg.git.open "xla"
  local without = repo:revert(two, three)
  test.equal({ git("xla", "show", without.id .. ":main.c"), without.parents }, { "a\nb\nc\none\nx\ny\nz", { three } })
  test.equal(repo:revert(two:sub(1, 10), "main").id, without.id)
  git("xla", "gc", "-q", "--prune=now")
  test.equal({ reg.git.open("xla"):revert(two, three).id, git("xla", "for-each-ref", "refs/regengine") }, { without.id, "" })
  test.equal(git("xla", "show", repo:apply(three, one).id .. ":other.c"), "1\n2")
  test.equal({ repo:revert(one, "main") }, { nil, { "main.c" } })
  test.raises("no commit 'v9'", function() repo:apply("v9", one) end, "not_found")
end)

test("log, between, merge_base, is_ancestor, files, branches and tags", function()
  local repo = reg.git.open "xla"
  for _, case in ipairs { { repo:log(), { three, two, one } }, { repo:log { limit = 1 }, { three } },
    { repo:log { since = NOON + 1 }, { three, two } }, { repo:log { ["until"] = "2023-08-24T13:00" }, { two, one } },
    { repo:between("v1.0", "main", { first_parent = true }), { two, three } } } do
    test.equal(test.map(case[1], "id"), case[2])
  end
  test.equal(repo:merge_base("v1.0", "main").id, one)
  test.equal({ repo:is_ancestor(one, three), repo:is_ancestor(three, one) }, { true, false })
  test.equal(repo:files "main", { { path = "other.c", status = "added", insertions = 2, deletions = 0, binary = false } })
  test.equal({ repo:read(one, "main.c"), repo:read("main", "other.c") }, { "a\nb\nc\none\nx\ny\nz\n", "1\n2\n" })
  test.equal(repo:read(one, "other.c"), nil)
  test.raises("no commit 'nowhere'", function() repo:read("nowhere", "main.c") end, "not_found")
  test.equal({ repo:branches(), repo:tags(), repo:default_branch() }, { { "main" }, { "v1.0" }, "main" })
end)

test("a timeline holds several repositories at the same instants", function()
  local repos = { xla = reg.git.open "xla", jax = reg.git.open "jax" }
  local points = reg.git.timeline { repos = repos, branch = "main", from = "2023-08-24T12:00", to = NOON + 4 * 3600 }
  test.equal({ #points, points[1].at }, { 3, "2023-08-24T12:00:00Z" })
  test.equal({ points[1].commits.xla.id, points[1].commits.jax.id, points[1].moved }, { one, jax_one, {} })
  test.equal({ points[2].commits.xla.id, points[2].commits.jax.id, points[2].moved }, { two, jax_one, { "xla" } })
  test.equal({ points[3].commits.xla.id, points[3].commits.jax.id, points[3].moved }, { three, jax_two, { "jax", "xla" } })
  test.equal(#reg.git.timeline { repos = repos, from = NOON, to = NOON + 4 * 3600, every = "4h" }, 2)
  test.refuses("usage", reg.git.timeline, { { "is after", { repos = repos, from = NOON + 1, to = NOON } },
    { "'repos'", { from = NOON, to = NOON } }, { "'from' and 'to'", { repos = repos, from = NOON } } })
  test.refuses("not_found", reg.git.timeline, {
    { "did you mean 'main'", { repos = repos, branch = "mian", from = NOON, to = NOON } },
    { "no commit on 'main'", { repos = repos, from = "2001-01-01", to = NOON } } })
  git(".", "clone", "-q", "--depth", "2", "file://" .. reg.fs.absolute "xla", "shallow")
  local shallow = { x = reg.git.open "shallow" }
  test.equal(#reg.git.timeline { repos = shallow, from = NOON + 3600, to = NOON + 7200 }, 2)
  local early = test.raises("x: no commit", function() reg.git.timeline { repos = shallow, from = NOON, to = NOON } end)
  test.truthy(early.hint:find "fetch %-%-unshallow")
end)

test("a worktree is in use once, and closed says so", function()
  local repo = reg.git.open "xla"
  do
    local tree <close> = repo:worktree "trees/xla"
    test.equal(tree:checkout(one).id, one)
    reg.fs.write("bad.patch", "--- a/main.c\n+++ b/main.c\n@@ -1 +1 @@\n-no\n+such\n")
    test.raises("does not apply", function() tree:checkout(two, { patch = "bad.patch" }) end, "failed_trial")
    test.equal({ tree:head().id, git(tree.path, "status", "--porcelain") }, { two, "" })
    test.raises("in use", function() repo:worktree "trees/xla" end, "conflict")
  end
  local tree = repo:worktree "trees/xla"
  test.equal(tree:head().id, two)
  tree:remove()
  tree:close()
  test.raises("closed", function() tree:head() end, "usage")
end)

test("a worktree without a path carries the repository's identity in it", function()
  local repo = reg.git.open "xla"
  test.equal(#repo.id, 8)
  local tree <close> = repo:worktree()
  test.equal(tree.path, reg.fs.absolute(".regengine/worktrees/xla-" .. repo.id))
  test.equal(reg.git.open(tree.path).id, repo.id)
  git(".", "clone", "-q", "--bare", "xla", "clones/same.git")
  local clone = reg.git.open "clones/same.git"
  test.equal(clone.id ~= repo.id, true)
  local other <close> = clone:worktree()
  test.equal(other.path, reg.fs.absolute(".regengine/worktrees/same-" .. clone.id))
end)

test("two worktrees switch at the same time", function()
  local repo = reg.git.open "xla"
  local left <close> = repo:worktree "trees/left"
  local other <close> = repo:worktree "trees/right"
  local a = reg.spawn(function() return left:checkout(one).id end)
  local b = reg.spawn(function() return other:checkout(two).id end)
  test.equal({ a:wait(), b:wait() }, { one, two })
end)

test("clone, fetch, and a partial clone that fetches what a checkout needs", function()
  git("xla", "config", "uploadpack.allowFilter", "true")
  git("xla", "config", "uploadpack.allowAnySHA1InWant", "true")
  local url = "file://" .. reg.git.open("xla").path
  local repo = reg.git.clone(url, "clones/xla", { filter = "blob:none" })
  local tree <close> = repo:worktree "trees/partial"
  tree:checkout(one)
  test.equal(reg.fs.read "trees/partial/main.c", "a\nb\nc\none\nx\ny\nz\n")
  tree:checkout(three)
  test.equal(git(tree.path, "status", "--porcelain"), "")

  local whole = reg.git.clone(url, "clones/whole")
  local four = commit("xla", "other.c", "3\n", NOON + 9000)
  test.equal(whole:find(four), nil)
  whole:fetch()
  test.equal(whole:resolve("origin/main").id, four)
  git("xla", "branch", "topic/new", one)
  whole:fetch()
  test.equal({ whole:branches(), whole:default_branch() }, { { "main", "origin/main", "origin/topic/new" }, "origin/main" })
  test.raises("did you mean 'origin/topic/new'", function() whole:resolve "topic/new" end, "not_found")

  test.raises("there already", function() reg.git.clone(url, "clones/whole") end, "conflict")
  test.raises("begins with '-'", function() reg.git.clone("--upload-pack=touch pwned", "clones/x") end, "usage")
  test.raises("begins with '-'", function() whole:fetch { remote = "--all" } end, "usage")
  test.raises("ext", function() reg.git.clone("ext::sh -c 'touch pwned'", "clones/x") end)
  test.equal({ reg.fs.exists "pwned", reg.fs.exists "clones/x" }, { false, false })
end)

test("a git server that is out of reach may recover, with one line for all that wait; what is not there does not", function()
  reg.fs.write("away.lua", [[
    reg.options {}
    local function kind(url) return select(2, pcall(reg.git.clone, url, "clones/of-" .. url:sub(1, 3))).kind end
    local other = reg.spawn(kind, "http://127.0.0.1:1/a.git")
    print(kind "git://127.0.0.1:1/a.git", other:wait(), kind(reg.fs.absolute "nothing"))]])
  local run = reg.process.run { shell = '"$REGENGINE" away.lua --retry-for 1s' }
  test.equal(run.stdout, "network\tnetwork\tio\n", run.stderr)
  test.equal({ #test.lines(run.stderr), run.stderr:sub(-22) }, { 1, "; trying again in 1 s\n" }, run.stderr)
end)

return test.finish()
