-- Repositories of an untrusted script, whose code the kernel holds to its folder: git's own client runs at the broker, in
-- a private repository, and everything else is done in the box.

local test = require "harness"
local attacks = require "attacks"
local sandboxed = require "sandboxed"
local real_git = require "real_git"

local function foreign(code, options)
  reg.fs.write("found.lua", code)
  attacks.sh "\"$REGENGINE\" trust --forget \"$PWD\" 2>/dev/null || true"
  local run = reg.process.run { shell = "exec setsid -w \"$REGENGINE\" " .. options .. " found.lua", timeout_s = 300 }
  return run.stdout .. run.stderr, run.code
end

local function fresh()
  attacks.sh "chmod -R u+w . && rm -rf src clone part tree sub super trees"
  real_git.new_repo "src"
  real_git.git("src", "config", "uploadpack.allowFilter", "true")
  real_git.git("src", "config", "uploadpack.allowAnySHA1InWant", "true")
  attacks.sh "printf '#!/bin/sh\n' >src/program && chmod +x src/program"
  real_git.commit("src", "file", "one\n", 1700000000, "first")
  real_git.commit("src", "file", "two\n", 1700003600, "second")
  real_git.git("src", "tag", "v2")
end

if sandboxed.is_missing "repositories in the box" then return test.finish() end

test("a clone, its worktree, a patch, and what is fetched later", function()
  fresh()
  reg.fs.write("p.diff", "--- a/file\n+++ b/file\n@@ -1 +1 @@\n-one\n+patched\n")
  local said, code = foreign([[
    local repo = reg.git.clone("src", "clone")
    assert(#repo:log {} == 2 and repo:tags()[1] == "v2" and repo:default_branch() == "origin/main")
    local tree = repo:worktree "tree"
    assert(tree:checkout("HEAD~1").subject == "first" and reg.fs.read "tree/file" == "one\n")
    tree:checkout("HEAD~1", { patch = "p.diff" })
    assert(reg.fs.read "tree/file" == "patched\n")
    local ok, why = pcall(tree.checkout, tree, "HEAD", { patch = "p.diff" })
    assert(not ok and tostring(why):find "does not apply", why)
    local run = reg.process.run { cmd = { "sh", "-c", "cd src && git checkout -q -b side && echo three >file && " ..
      "git -c user.name=A -c user.email=a@b.invalid commit -qam third" } }
    assert(run.ok, run.stderr)
    repo:fetch()
    assert(repo:find("origin/side").subject == "third")
    tree:remove()
    assert(not reg.fs.exists "tree")
  ]], "--allow git=src --allow process=sh --allow files=p.diff")
  test.equal(code, 0, said)
  test.equal(real_git.git("clone", "status", "--porcelain", "--branch"), "## main...origin/main")
  test.equal(real_git.git("clone", "worktree", "list"):match "\n", nil)
  test.equal(attacks.sh "[ -x clone/program ] && git -C clone fsck 2>&1 | grep -v dangling || true", "")
end)

test("a shallow clone is refused in one line, and a custom refspec is obeyed", function()
  fresh()
  attacks.sh "git clone -q --depth 1 \"file://$PWD/src\" part && git clone -q src clone"
  real_git.git("clone", "config", "remote.origin.fetch", "+refs/heads/main:refs/remotes/origin/only")
  local said, code = foreign("reg.git.open('part'):fetch()", "--allow git=src")
  test.truthy(code ~= 0 and said:find("cannot fetch for a shallow clone", 1, true), said)
  said, code = foreign("local r = reg.git.open 'clone' r:fetch() assert(r:find 'origin/only')", "--allow git=src")
  test.equal(code, 0, said)
  -- One that leads out of the refs is named.
  real_git.git("clone", "config", "remote.origin.fetch", "+refs/heads/*:refs/../../hooks/*")
  said, code = foreign("reg.git.open('clone'):fetch()", "--allow git=src")
  test.truthy(code ~= 0 and said:find("the remote 'origin' of ", 1, true) and
    said:find("'+refs/heads/*:refs/../../hooks/*' is not a valid refspec", 1, true), said)
end)

test("a partial clone: the missing parts are fetched when a worktree needs them, and before a patch", function()
  fresh()
  reg.fs.write("p.diff", "--- a/file\n+++ b/file\n@@ -1 +1 @@\n-one\n+patched\n")
  reg.fs.write("q.diff", "--- a/file\n+++ b/file\n@@ -1 +1 @@\n-two\n+patched too\n")
  local said, code = foreign([[
    local repo = reg.git.clone("src", "part", { filter = "blob:none" })
    assert(reg.fs.read "part/file" == "two\n")
    local tree = repo:worktree "tree"
    tree:checkout("HEAD~1", { patch = "p.diff" })
    assert(reg.fs.read "tree/file" == "patched\n")
    tree:checkout("HEAD", { patch = "q.diff" })
    assert(reg.fs.read "tree/file" == "patched too\n")
  ]], "--allow git=src --allow files=p.diff --allow files=q.diff")
  test.equal(code, 0, said)
  test.equal(real_git.git("part", "config", "remote.origin.promisor"), "true")
end)

test("submodules, at the commits of each checkout", function()
  fresh()
  real_git.new_repo "super"
  real_git.git("super", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../src", "deep/sub")
  real_git.git("super/deep/sub", "checkout", "-q", "HEAD~1")
  real_git.commit("super", "file", "super one", 1700007200)
  real_git.git("super/deep/sub", "checkout", "-q", "main")
  real_git.commit("super", "file", "super two", 1700010800)
  local code_of = [[
    local tree = reg.git.clone("super", "clone"):worktree "trees"
    for revision, text in pairs { HEAD = "two\n", ["HEAD~1"] = "one\n" } do
      tree:checkout(revision, { submodules = true })
      assert(reg.fs.read "trees/deep/sub/file" == text)
    end
    reg.fs.write("trees/deep/sub/file", "mine")
    local ok, why = pcall(tree.checkout, tree, "HEAD", { submodules = true })
    assert(not ok and tostring(why):find "uncommitted changes", why)
  ]]
  local said, code = foreign(code_of, "--allow git=super --allow git=src --allow git=submodules --allow 'files=trees/*'")
  test.equal(code, 0, said)
  attacks.sh "rm -rf clone trees"
  said, code = foreign(code_of, "--allow git=super --allow git=submodules --allow 'files=trees/*'")
  test.truthy(code == 1 and said:find("not permitted: git=src", 1, true), said)
end)

return test.finish()
