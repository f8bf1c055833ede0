#!/bin/sh
# Worktrees in real projects: a build or test that rewrites tracked files, submodules that cannot be fetched, and how
# often commits are built where they are measured again.
. "$(dirname "$0")/lib.sh"

# A project whose build writes its lock file and a header, as cargo and version scripts do. The header is tracked from
# the 5th commit on. Its state is bad from the 6th on.
numbered repo 8 'echo "lock of $((number / 3))" >Lock; [ $number -lt 5 ] || echo "version $number" >version.h'
tree=$(cd repo && echo "$folder/$("$engine" -e "print(reg.git.open('$folder/repo'):worktree().path)" | sed 's,.*/\.reg,.reg,')")
rm -rf repo/.regengine
build='n=$(cat number); echo "built $n" >>Lock; echo "generated $n" >version.h; git add Lock; echo "$n" >>'"'$folder/builds'"'; cp number built'
test='grep -q "^built $(cat number)$" Lock && [ "$(cat built)" -lt 6 ]'
given bisect 'bisect --repo repo --json --good c1 --bad c8'
first_bad() { answer "answer.changes[1].first_bad == '$(id_of repo "$1")' and answer.skipped == 0"; }

# What the trials changed is reset before the next checkout, is said once, and is kept beside the output of each.
bisect 0 --build "$build" --test "$test"
first_bad c6
[ "$(grep -c '^reset what a build or test changed' err)" = 1 ] || fail "it is not said once"
[ -z "$(git -C repo status --porcelain)" ] || fail "the repository itself was changed"
for number in $(sort -u builds); do
  grep -q "^built $number\$" .regengine/results.db.out/"$(id_of repo "c$number")"-*/changed/Lock || fail "Lock of $number is not kept"
done
[ -z "$(git -C "$tree" status --porcelain --untracked-files=no)" ] || fail "the worktree is not reset at the end"

# The next run, and gc, find the changes of the last trial, and only these are reset.
bisect 0 --build "$build" --test "$test" --fresh
first_bad c6
expect 0 gc --remove
[ ! -e "$tree" ] || fail "gc kept a worktree that only trials changed"
bisect 0 --build "$build" --test "$test" --fresh
echo mine >>"$tree/Lock"
tells bisect 1 "uncommitted changes" --build "$build" --test "$test" --fresh
grep -qx mine "$tree/Lock" || fail "an edit was reset"
git -C "$tree" checkout -q HEAD -- Lock

# The engine is killed while a test runs: what the trial changed is its own, all the same.
rm -f builds
launch bisect --repo repo --good c1 --bad c8 --build "$build" --fresh \
  --test "echo more >>Lock; rm number; echo \$\$ >'$folder/held'; sleep 100000"
kill_when there held
bisect 0 --build "$build" --test "$test" --fresh
first_bad c6
grep -qx more .regengine/results.db.out/*/changed/Lock || fail "what the killed trial changed was not kept"

# --- Submodules. The host of one cannot be reached; the build needs the other.
numbered library 2 'echo "$number" >"made$number"'
git clone -q --bare library library.git
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=protocol.file.allow GIT_CONFIG_VALUE_0=always
git init -q -b main super
for path in deps/good deps/lost; do git -C super submodule --quiet add "$folder/library.git" "$path"; done
git config -f super/.gitmodules submodule.deps/lost.url http://127.0.0.1:9/lost.git
for number in 1 2 3; do
  echo "$number" >super/number
  git -C super/deps/good checkout -q c$((number - number / 2)) # c1, c1 and c2
  commit super "commit $number"
  git -C super tag "c$number"
done
with='test -e deps/good/number && test "$(cat number)" -lt 3'
without='test ! -e deps/good/number && test "$(cat number)" -lt 3'
says 1 "cannot fetch submodules" bisect --repo super --good c1 --bad c3 --test "$with" --retry-for 0
grep -q "'deps/lost'.*127.0.0.1" err || fail "neither the submodule nor its host is named"
noted "--no-submodules, or --submodules"
expect 0 bisect --repo super --good c1 --bad c3 --test "$with" --json --submodules deps/good
answer "answer.changes[1].first_bad == '$(id_of super c3)' and answer.skipped == 0"
rm -rf .regengine
expect 0 bisect --repo super --good c1 --bad c3 --test "$without" --json --no-submodules
answer "answer.changes[1].first_bad == '$(id_of super c3)' and answer.skipped == 0"
answers expect 0 "answer.skipped == 0" hourly --repo super --from 2024-03-01T10:11 --to 2024-03-01T10:14 \
  --every-hours 0.02 --json --no-submodules --store hours.db --test "$without"
# One that is left out can be a worktree of its own, which checkouts around it leave as it is, half written, too. What a
# command changed in another one is reset and kept, at once or after the tree was closed.
cat >inner.lua <<'LUA'
local repo, how = reg.git.open "super", { submodules = true, without = { "deps/lost" } }
local tree = repo:worktree "outer"
local function checkout(revision, lost)
  tree:checkout(revision, how)
  assert(reg.fs.exists "outer/deps/lost/number" == (lost ~= nil))
  assert(not lost or reg.fs.read "outer/deps/lost/number" == lost)
  assert(reg.fs.read "outer/deps/good/number" == (revision == "c3" and "2\n" or "1\n"))
end
checkout "c1"
local changed, library = repo:files("c3")[1], reg.git.open "library"
assert(changed.old_commit == library:resolve("c1").id and changed.new_commit == library:resolve("c2").id)
assert(repo:files("c1")[2].path == "deps/good" and not repo:files("c1")[2].old_commit)
local inner <close> = library:worktree "outer/deps/lost"
assert(not reg.fs.exists "outer/deps/lost.link")
inner:checkout "c2"
checkout("c2", "2\n")
reg.fs.write("outer/deps/lost/number", "half\n")
for _, closed in ipairs { false, true } do
  checkout("c1", "half\n")
  reg.process.run { shell = "echo built >number; echo generated >made2", cwd = "outer/deps/good" }
  if closed then
    tree:close()
    tree = repo:worktree "outer"
  end
  checkout("c3", "half\n")
  assert(reg.fs.read "outer/deps/good/made2" == "2\n")
  assert(reg.process.run({ shell = "git status --porcelain --ignore-submodules=none", cwd = "outer/deps/good" }).stdout == "")
  assert(reg.fs.read "super/.git/worktrees/outer/changed/deps/good/number" == "built\n")
  reg.fs.remove "super/.git/worktrees/outer/changed/deps/good/number"
end
LUA
expect 0 inner.lua
unset GIT_CONFIG_COUNT

# --- Builds. Each takes longer than several tests; a commit that is measured again is not built again.
numbered dear 40
slow="sleep 0.3; echo \$(cat number) >>'$folder/builds'; cp number built"
counts() { built=$(lines_in builds); tests=$(lines_in tests); commits=$(sort -u builds | wc -l); }
dear() { # OPTIONS...
  rm -rf builds tests .regengine
  expect 0 bisect --repo dear --json --good c1 --bad c40 --build "$slow" "$@"
  counts
}
# A number with noise of 3 % and a change of 10 %, the same in each run of the test.
noisy="n=\$(cat built); echo \"\$n\" >>'$folder/tests'; r=\$(grep -c . '$folder/tests'); \
  echo \"speed: \$((100000 - (n >= 9 ? 10000 : 0) + (r * 7919 + n * 104729) % 6007 - 3003))\""
dear --metric 'speed: {number}' --test "$noisy"
answer "answer.changes[1].first_bad == '$(id_of dear c9)'"
[ "$tests" -gt "$commits" ] || fail "nothing was measured again: $tests tests of $commits commits"
[ "$built" -le $((tests * 3 / 4)) ] || fail "$built builds of $commits commits for $tests tests"

# A test that fails in half of its runs from commit 9 on.
flaky="n=\$(cat built); echo \"\$n\" >>'$folder/tests'; [ \$n -lt 9 ] || [ \$((\$(grep -c . '$folder/tests') % 2)) = 0 ]"
dear --flaky --test "$flaky" --explain
grep -Eq ' [1-9][0-9]* of [0-9]+ failed  ' out || fail "--explain does not count failures"
answer "answer.changes[1].first_bad == '$(id_of dear c9)'"
[ "$built" -lt "$tests" ] || fail "$built builds for $tests tests"

# A build that was killed counts for nothing: the next run builds the commit again, and its test sees a whole build.
rm -rf builds tests .regengine held
torn="cp number built; [ -e '$folder/go' ] || { echo torn >built; echo \$\$ >'$folder/held'; sleep 100000; }; $slow"
launch bisect --repo dear --good c1 --bad c40 --build "$torn" --test 'test $(cat built) -lt 9'
kill_when there held
touch go
expect 0 bisect --repo dear --json --good c1 --bad c40 --build "$torn" --test 'test $(cat built) -lt 9'
answer "answer.changes[1].first_bad == '$(id_of dear c9)'"
