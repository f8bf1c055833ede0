-- Repositories outside the folder of an untrusted script: it works on a private clone of its folder, which reads the
-- objects of the other one. That one stays as it is, to the byte.

local test = require "harness"
local attacks = require "attacks"
local sandboxed = require "sandboxed"
local real_git = require "real_git"

local sh, git = attacks.sh, real_git.git

if sandboxed.is_missing "repositories outside" then return test.finish() end

local SUMS = "find outside -printf '%p %y %m %T@ %l\\n' -type f -exec sha256sum {} + | sort"

-- `ws` is the script's folder. outside/src has two commits and is cloned to outside/user.
local function begin()
  sh "chmod -R u+w . && rm -rf ws outside REACHED && mkdir -p ws outside"
  real_git.new_repo "outside/src"
  real_git.commit("outside/src", "file", "one\n", 1700000000, "first")
  real_git.commit("outside/src", "file", "two\n", 1700003600, "second")
  sh "git clone -q outside/src outside/user"
  git("outside/user", "config", "user.name", "Ada")
  git("outside/user", "config", "user.email", "ada@example.org")
end

-- Runs the code as an untrusted script in ws. Returns what it says, its exit code, and whether `outside` stayed as it
-- was.
local function foreign(code, options, for_user)
  for_user = for_user or "--allow git=$(realpath ../outside/user) "
  reg.fs.write("ws/found.lua", "local USER = '" .. reg.fs.absolute "outside/user" .. "'\n" .. code)
  local before = sh(SUMS)
  local run = reg.process.run { shell = "exec setsid -w \"$REGENGINE\" " .. for_user ..
    (options or "") .. " found.lua", cwd = "ws", env = { XDG_STATE_HOME = reg.fs.absolute "nobody" }, timeout_s = 300 }
  return run.stdout .. run.stderr, run.code, sh(SUMS) == before
end

local function works(code, options)
  local said, status, same = foreign(code, options)
  test.equal(status, 0, said)
  test.truthy(same, "the other repository was changed: " .. said)
  return said
end

test("a worktree, a patch, a build in it and a replayed commit leave the other repository as it is", function()
  begin()
  reg.fs.write("ws/p.diff", "--- a/file\n+++ b/file\n@@ -1 +1 @@\n-one\n+patched\n")
  works([[
    local repo = reg.git.open(USER)
    assert(repo.path == USER and #repo:log {} == 2 and repo:default_branch() == "origin/main")
    local tree <close> = repo:worktree "tree"
    assert(tree:checkout("HEAD~1").subject == "first" and reg.fs.read "tree/file" == "one\n")
    tree:checkout("HEAD~1", { patch = "p.diff" })
    assert(reg.fs.read "tree/file" == "patched\n")
    tree:checkout "HEAD"
    local run = reg.process.run { cmd = { "git", "log", "--format=%s" }, cwd = tree.path }
    assert(run.stdout == "second\nfirst\n", run.stdout .. run.stderr)
    assert(repo:revert("HEAD", "HEAD").id)
    local ok, why = pcall(repo.find, repo, "-x")
    assert(not ok)
    ok, why = pcall(repo.resolve, repo, "nothing")
    assert(not ok and tostring(why):find(USER, 1, true), why)
  ]], "--allow process=git --allow files=p.diff")
  test.equal(sh "ls ws/.regengine/repos | wc -l", "1\n")
end)

test("a fetch goes into the private clone, which the next run finds again with the refs of the user", function()
  begin()
  real_git.commit("outside/src", "file", "three\n", 1700007200, "third")
  local options = "--allow git=$(realpath ../outside/src)"
  works([[
    local repo = reg.git.open(USER)
    assert(repo:resolve "origin/main".subject == "second")
    repo:fetch()
    assert(repo:resolve "origin/main".subject == "third")
    local tree <close> = repo:worktree "tree"
    tree:checkout "origin/main"
    assert(reg.fs.read "tree/file" == "three\n")
  ]], options)
  test.equal(git("outside/user", "log", "-1", "--format=%s", "origin/main"), "second")
  real_git.commit("outside/user", "mine", "mine\n", 1700010800, "mine")
  works([[
    local repo = reg.git.open(USER)
    assert(repo:resolve "origin/main".subject == "second" and repo:resolve "main".subject == "mine")
    local tree <close> = repo:worktree "tree"
    tree:checkout "main"
    assert(reg.fs.read "tree/mine" == "mine\n")
  ]], options)
  test.equal(sh "ls ws/.regengine/repos | wc -l", "1\n")
end)

test("commits that git gc took: the next run goes on from the files", function()
  begin()
  git("outside/user", "checkout", "-q", "-b", "side")
  reg.fs.mkdir "outside/user/dir"
  local lost = real_git.commit("outside/user", "dir/file", "side\n", 1700007200, "side")
  git("outside/user", "checkout", "-q", "main")
  local code = [[
    local tree <close> = reg.git.open(USER):worktree "tree"
    tree:checkout(%q)
    assert(reg.fs.exists "tree/dir/file" == %s)
  ]]
  works(code:format("side", true))
  git("outside/user", "branch", "-q", "-D", "side")
  git("outside/user", "reflog", "expire", "--expire=now", "--all")
  git("outside/user", "gc", "-q", "--prune=now")
  sh "echo built >ws/tree/output"
  test.equal(works(code:format("main", false)), "")
  test.truthy(reg.fs.exists "ws/tree/output")
  test.equal(git("ws/tree", "status", "--porcelain"), "?? output")
  test.equal(works(code:format("main", false)), "")
  -- What is gone from the repository is not known here either.
  local again, status = foreign(code:format(lost, true))
  test.truthy(status ~= 0 and again:find("no commit '" .. lost, 1, true), again)
end)

test("repositories of every form: linked worktree, bare, shallow, with alternates, partial, behind a link", function()
  begin()
  git("outside/user", "worktree", "add", "-q", "--detach", "../linked", "HEAD~1")
  sh [[cd outside && git clone -q --bare src bare.git && git clone -q --depth 1 "file://$PWD/src" shallow &&
    git clone -q --shared user shared && git -C src config uploadpack.allowFilter true &&
    git clone -q --no-checkout --filter=blob:none "file://$PWD/src" partial && ln -s user behind]]
  local code = [[
    local repo = reg.git.open(USER .. "/../NAME")
    local tree <close> = repo:worktree()
    tree:checkout "HEAD"
    assert(reg.fs.read(tree.path .. "/file") == "TEXT\n")
  ]]
  for name, text in pairs { linked = "one", ["bare.git"] = "two", shallow = "two", shared = "two", partial = "two",
    behind = "two" } do
    local options = "--allow git=$(realpath ../outside/" .. name .. ") --allow git=$(realpath ../outside/src)"
    local said = works(code:gsub("NAME", name):gsub("TEXT", text), options)
    test.equal(said, "", name)
  end
  -- What else it reads is to be declared.
  for name, named in pairs { linked = "user", shared = "user/.git/objects" } do
    local said, status = foreign(code:gsub("NAME", name), "--allow git=$(realpath ../outside/" .. name .. ")", "")
    test.truthy(status ~= 0 and said:find("reg.needs { git = \"" .. reg.fs.absolute("outside/" .. named) .. "\" }", 1,
      true), name .. ": " .. said)
  end
  local said, status = foreign("reg.git.open(USER .. '/../shallow'):fetch()",
    "--allow git=$(realpath ../outside/shallow) --allow git=$(realpath ../outside/src)")
  test.truthy(status ~= 0 and said:find("cannot fetch for a shallow clone in the sandbox: '" ..
    reg.fs.absolute "outside/shallow" .. "'", 1, true), said)
end)

test("a dry run makes no clone, and gc removes it once its worktree is gone", function()
  begin()
  local code = [[reg.git.open(USER):worktree(".regengine/worktrees/tree"):checkout "HEAD~1"]]
  works(code, "--dry-run")
  test.truthy(not reg.fs.exists "ws/.regengine")
  works(code)
  works(code, "--dry-run")
  test.has(sh [[cd ws && "$REGENGINE" gc --remove 2>&1]], "removed  .regengine/repos/user-")
  test.equal(sh "ls ws/.regengine/repos ws/.regengine/worktrees", "ws/.regengine/repos:\n\nws/.regengine/worktrees:\n")
end)

test("a link in the place of the clone is refused", function()
  begin()
  works "reg.git.open(USER)"
  sh "cd ws/.regengine/repos && name=$(echo user-*) && rm -r $name && ln -s ../../../outside/user/.git $name"
  local said, status, same = foreign "reg.git.open(USER)"
  test.truthy(status ~= 0 and same and said:find("' is a symbolic link", 1, true), said)
end)

test("a repository of another user", function()
  if sh "id -u" ~= "0\n" then test.skip "only root can make one" end
  begin()
  sh "chown -R 1:1 outside/user"
  works [[
    local tree <close> = reg.git.open(USER):worktree "tree"
    assert(tree:checkout "HEAD~1".subject == "first")
  ]]
end)

test("two scripts open it at the same time, again and again", function()
  begin()
  local code = [[
    for i = 1, 30 do
      local repo = reg.git.open(USER)
      assert(repo:default_branch() == "origin/main" and repo:find "main".subject == "second")
    end
  ]]
  reg.parallel({ 1, 2, 3 }, function() test.equal(foreign(code), "") end)
end)

return test.finish()
