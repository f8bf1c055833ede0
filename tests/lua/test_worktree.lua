-- Worktrees in which something was changed: what commands change is reset and kept, what a person changes is refused.
-- tests/scripts/test_trees.sh has it in a bisect, and tests/engine/test_git_worktree.cpp kills the engine meanwhile.

local test = require "harness"
local real_git = require "real_git"

local clock = 1690000000
local function commit(repo, file, text)
  clock = clock + 100
  return real_git.commit(repo, file, text, clock)
end

local function sh(folder, line)
  local run = reg.process.run { shell = line, cwd = folder }
  if not run.ok then error(line .. ": " .. run.stderr, 2) end
  return run.stdout
end

local function clean_at(folder, id)
  test.equal(sh(folder, "git rev-parse HEAD; git status --porcelain --untracked-files=no; git diff --no-ext-diff " .. id),
    id .. "\n")
end

-- The repository; what each worktree of it keeps of what it resets.
real_git.new_repo "repo"
sh("repo", "mkdir sub; echo one >lock; echo 1 >still; echo 1 >sub/in.c; echo 1 >sub/same.c")
local one = commit("repo", "a.c", "1\n")
local two = commit("repo", "made.h", "tracked now\n")
local repo = reg.git.open "repo"
local function text_of(file) return reg.fs.exists(file) and reg.fs.read(file) end
local function kept(folder, name) return text_of("repo/.git/worktrees/" .. folder .. "/changed/" .. name) end

local function tree_at(id, options)
  local folder = test.fresh()
  local tree = repo:worktree(folder)
  tree:checkout(id, options)
  return tree, folder
end

test("what a person changed is refused by name and left alone, with commands before or without", function()
  for line, name in pairs { ["echo mine >lock"] = "lock", ["echo mine >a.c"] = "a.c", ["rm still"] = "still",
    ["chmod +x a.c"] = "a.c", ["echo mine >new; git add new"] = "new", ["echo mine >made.h"] = "made.h" } do
    -- A file that git does not know may be the command's.
    for _, command in ipairs { false, name ~= "made.h" and "echo changed >lock; rm a.c" or nil } do
      local tree, folder = tree_at(one)
      if command then sh(folder, command) end
      tree:close()
      sh(folder, line)
      local changed = sh(folder, "git status --porcelain; git diff HEAD; cat made.h new 2>&1 || true")
      tree = repo:worktree(folder)
      for _ = 1, 2 do
        local why = test.raises(name, function() tree:checkout(two) end, "conflict")
        test.has(why.message, tree.path)
      end
      test.equal(tree:head().id, one)
      tree:close()
      test.equal(sh(folder, "git status --porcelain; git diff HEAD; cat made.h new 2>&1 || true"), changed)
      sh(folder, "git reset -q --hard; git clean -fdq")  -- once it is as it was, the switch goes on
      tree = repo:worktree(folder)
      tree:checkout(two)
      clean_at(folder, two)
      tree:close()
    end
  end
end)

test("somebody's own checkout in between is taken as it is, and what was only touched did not change", function()
  local tree, folder = tree_at(one)
  tree:close()
  sh(folder, "git checkout -q " .. two .. "; touch -d '1 hour' a.c")
  tree = repo:worktree(folder)
  test.equal(tree:head().id, two)
  tree:checkout(one)
  clean_at(folder, one)
end)

test("what a command changed is reset, file by file, and kept", function()
  for line, keeps in pairs {
    ["echo changed >lock; echo object >a.o"] = { lock = "changed\n", ["a.o"] = false },
    ["rm lock; mkdir lock; echo x >lock/x; chmod +x a.c"] = {},
    ["rm lock a.c; ln -s /etc lock"] = {},
    ["cp -r sub ../elsewhere; rm -r sub; ln -s ../elsewhere sub; echo 2 >sub/in.c"] = {},
    ["echo new >new; echo 2 >a.c; git add -A; git rm -q --cached lock; touch \"$(git rev-parse --git-path index.lock)\""] =
      { new = "new\n", ["a.c"] = "2\n" },
    ["echo 3 >a.c; git -c user.name=A -c user.email=a@b commit -qam three"] = {},
    ["echo generated >made.h"] = { ["made.h"] = "generated\n" },
    ["echo small >lock; truncate -s 17M a.c"] = { lock = "small\n", ["a.c"] = false },  -- too large to keep
  } do
    local tree <close>, folder = tree_at(one)
    local function times() return sh(folder, "stat -c %y still a.o 2>&1 || true") end
    local before = times():match "^[^\n]+"
    sh(folder, line)
    local to = keeps["made.h"] and two or one
    tree:checkout(to)
    clean_at(folder, to)
    test.equal(times():match "^[^\n]+", before, line)
    for name, text in pairs(keeps) do test.equal(kept(folder, name), text, name) end
    if keeps["a.o"] == false then test.equal(reg.fs.read(folder .. "/a.o"), "object\n") end
  end
  test.equal({ reg.fs.read "elsewhere/in.c", reg.fs.read "repo/sub/in.c" }, { "2\n", "1\n" })
end)

test("a patch lies on top after the switch and is gone at the next", function()
  local HEAD, TAIL, ABOVE = "a\nb\nc\nd\n", "w\nx\ny\nz\n", ("above\n"):rep(20)  -- around the line that changes
  local plain = commit("repo", "main.c", HEAD .. "two\n" .. TAIL)
  local moved = commit("repo", "main.c", ABOVE .. HEAD .. "two\n" .. TAIL)
  local other = commit("repo", "main.c", HEAD .. "2\n" .. TAIL)
  reg.fs.write("fix.patch", "--- a/main.c\n+++ b/main.c\n@@ -2,7 +2,7 @@\n b\n c\n d\n-two\n+TWO\n w\n x\n y\n"
    .. "--- /dev/null\n+++ b/extra.c\n@@ -0,0 +1 @@\n+new\n")
  local patched = { patch = "fix.patch" }
  local tree, folder = tree_at(plain, patched)
  local function main() return reg.fs.read(folder .. "/main.c") end
  local function extra() return text_of(folder .. "/extra.c") end
  test.equal({ main(), extra() }, { HEAD .. "TWO\n" .. TAIL, "new\n" })
  tree:checkout(moved, patched)
  test.equal(main(), ABOVE .. HEAD .. "TWO\n" .. TAIL)
  tree:checkout(moved)
  clean_at(folder, moved)
  test.equal(extra(), false)
  -- The next engine takes it over with the patch still on, also where git gc has dropped the patched tree.
  for _, between in ipairs { "true", "git prune --expire=now" } do
    tree:checkout(plain, patched)
    tree:close()
    sh("repo", between)
    tree = repo:worktree(folder)
    tree:checkout(other)
    clean_at(folder, other)
  end
  tree:checkout(plain, patched)
  reg.fs.write(folder .. "/extra.c", "mine\n")
  test.raises("extra.c", function() tree:checkout(moved) end, "conflict")
  test.equal(extra(), "mine\n")
end)

test("what is something else is refused, and deleted by hand it is made again", function()
  local tree, folder = tree_at(one)
  tree:close()
  reg.fs.mkdir "full"
  reg.fs.write("full/file", "mine")
  real_git.new_repo "other"
  commit("other", "a", "1")
  sh("other", "git worktree add -q --detach ../foreign")
  for path, words in pairs { repo = "", full = "", foreign = "another repository" } do
    test.raises(words, function() repo:worktree(path) end, "conflict")
  end
  sh(".", "rm -r " .. folder)
  tree = repo:worktree(folder)
  tree:checkout(one)
  clean_at(folder, one)
  tree:close()
  -- remove takes it away, but not with work in it.
  reg.fs.write(folder .. "/a.c", "2\n")
  tree = repo:worktree(folder)
  test.raises("a.c", function() tree:remove() end, "conflict")
  reg.fs.write(folder .. "/a.c", "1\n")
  reg.fs.write(folder .. "/a.o", "object")
  tree:remove()
  test.equal({ reg.fs.exists(folder), sh("repo", "git worktree list | grep -c /" .. folder .. "' ' || true") }, { false, "0\n" })
end)

test("a lock that no killed switch explains is another git's", function()
  local tree, folder = tree_at(one)
  tree:close()
  local lock = "repo/.git/worktrees/" .. folder .. "/index.lock"
  reg.fs.write(lock, "")
  tree = repo:worktree(folder)
  test.raises("index.lock", function() tree:checkout(two) end, "conflict")
  reg.fs.remove(lock)
  tree:checkout(two)
end)

test("after a killed switch a half-written file gives way, and so does an edit, which is kept elsewhere", function()
  for _, text in ipairs { "track", "mine\n" } do
    local tree, folder = tree_at(one)
    tree:close()
    local record = "repo/.git/worktrees/" .. folder .. "/regengine"
    reg.fs.write(record, reg.fs.read(record) .. "to_commit " .. two .. "\nto_tree " ..
      real_git.git("repo", "rev-parse", two .. "^{tree}") .. "\n")
    reg.fs.write("repo/.git/worktrees/" .. folder .. "/index.lock", "")
    reg.fs.write(folder .. "/made.h", text)
    tree = repo:worktree(folder)
    tree:checkout(one)
    clean_at(folder, one)
    test.equal(kept(folder, "made.h"), text)
  end
end)

return test.finish()
