#!/bin/sh
# bisect.lua as a user runs it, on a small repository made here by git.
. "$(dirname "$0")/lib.sh"

# Sixteen commits on the main line. From commit 11 on `state` is bad; 4 does not build; 6 fails in another way.
numbered repo 16 '
  [ $number -ge 11 ] && echo bad >state || echo good >state
  [ $number = 4 ] && echo false >build || echo true >build
  [ $number = 6 ] && echo yes >other || echo no >other'
counted="echo run >>'$folder/runs'"
by_code="$counted; grep -q good state"
given bisect 'bisect --repo repo --json' 'rm -rf .regengine/results.db* runs'

# By exit code: both ends, ceil(log2 N) for the N commits that may have done it, the first one that failed twice more and
# the last one that passed once more: it may be chance.
bisect 0 --good c1 --bad c16 --test "$by_code"
answer "answer.verdict == 'changes' and #answer.changes == 1 and answer.changes[1].kind == 'step'"
answer "answer.changes[1].first_bad == '$(id_of repo c11)' and answer.changes[1].last_good == '$(id_of repo c10)'"
[ "$(lines_in runs)" = 9 ] || fail "$(lines_in runs) runs, not ceil(log2 15) + 5"
[ "$(head -n 1 out)" = "REGRESSION   the test fails   confidence > 99 %" ] || fail "the change is not first"
said "  first bad   $(id_of repo c11)   commit 11" "              Ann <ann@example.org>, 2024-03-01 10:11 UTC"
said "              2 files changed: number (+1 -1), state (+1 -1)" "  last good   $(id_of repo c10)   commit 10"
said "Next:  regengine report   the page with plots and every run"
not_said "regengine investigate.lua"
answer "answer.direction == 'lower' and answer.metric == reg.json.null and answer.changes[1].role == 'regression'"
answer "answer.changes[1].bad.commit == '$(id_of repo c11)' and answer.changes[1].good.commit == '$(id_of repo c10)'"
answer "answer.runs == 9 and answer.skipped == 0"

# A good commit that fails by chance, once: the second run shows it, and what was run still counts.
by_chance="if grep -qx 8 number && [ ! -e '$folder/once' ]; then : >'$folder/once'; exit 1; fi; $by_code"
bisect 0 --good c1 --bad c16 --test "$by_chance"
answer "#answer.changes == 1 and answer.changes[1].first_bad == '$(id_of repo c11)' and answer.changes[1].before < 0.3"
said "$(short repo c8) passed and failed: the test fails by chance, so the search compared failure rates."
rm once

replays() { # TERM REVISION: git, given git.log, says that this is the first commit of the term
  git -C repo bisect replay "$folder/git.log" >replayed 2>&1 || fail "git does not replay it: $(cat replayed)"
  grep -q "^$(id_of repo "$2") is the first $1 commit" replayed || fail "git finds another: $(cat replayed)"
  git -C repo bisect reset >replayed 2>&1
}
# The fix: the bad revision is the older one. Words of one's own, and a log that git replays.
git -C repo checkout -q c16
for i in 17 18 19; do echo good >repo/state; echo "$i" >repo/number; commit repo "commit $i"; git -C repo tag "c$i"; done
tells bisect 0 "FIX   the test passes" --find fix --bad c11 --good c19 --test "$by_code" --log git.log
said "first good  $(id_of repo c17)" "last bad    $(id_of repo c16)"
[ "$(sed -n 1p git.log)" = "git bisect start '--term-old=broken' '--term-new=fixed'" ] || fail "$(cat git.log)"
replays fixed c17
bisect 3 --find fix --bad c12 --good c16 --test "$by_code"
said "the test fails at the good commit $(short repo c16)"
bisect 2 --find fix --bad c19 --good c11 --test "$by_code"
complained "the bad revision c19 is not an ancestor of the good revision c11" "Swap the two."
tells bisect 2 "Swap the two. To find a fix, pass --find fix." --bad c11 --good c19 --test "$by_code"
bisect 0 --good c1 --bad c16 --test "$by_code" --term-good fast --term-bad slow --log git.log
said "first slow  $(id_of repo c11)"
replays slow c11

# Ends by date: the last commits at or before.
git -C repo checkout -q main
bisect 0 --good "$(git -C repo log -1 --format=%cs c1)T$(git -C repo log -1 --date=format:%H:%M:%S --format=%cd c3)" --bad c16 \
  --test "$by_code"
answer "answer.changes[1].first_bad == '$(id_of repo c11)'"
grep -q " is $(short repo c3) commit 3$" err || fail "it does not say which commit the date means"

# By metric.
answers bisect 0 "#answer.changes == 1 and answer.changes[1].first_bad == '$(id_of repo c11)'" --good c1 --bad c16 \
  --metric 'speed: {number}' --test 'if grep -q good state; then echo speed: 200; else echo speed: 150; fi'
answer "(function(c) return math.abs(c.before - 200) < 0.1 and math.abs(c.after - 150) < 0.1
  and math.abs(c.ratio - 0.75) < 0.001 and c.effect_low <= c.effect and c.effect <= c.effect_high
end)(answer.changes[1])"

# A commit that does not build is skipped and listed; the search goes on around it.
answers bisect 0 "answer.skipped == 1" --good c1 --bad c7 --build '. ./build' --test 'test "$(cat number)" -lt 5'
said "(could not be built)"
answer "answer.changes[1].first_bad == '$(id_of repo c5)' and answer.changes[1].last_good == '$(id_of repo c3)'"
said "  one of      these 2 commits; 1 could not be tested"
said "              $(id_of repo c4)   commit 4   could not be built" "              $(id_of repo c5)   commit 5"
not_said "first bad"
answer "#answer.changes[1].candidates == 2 and answer.changes[1].candidates[1] == '$(id_of repo c4)'"
says 0 "The test fails at one of these 2 commits ($(short repo c4), $(short repo c5))." report

# By crash signature: another failure is no answer; it is skipped and listed.
crash='if grep -q yes other; then echo "another failure"; exit 1; fi
  grep -q good state || { echo "assertion x > 0 failed" >&2; kill -SEGV $$; }'
bisect 0 --good c3 --bad c13 --test "$crash" --crash "assertion x > 0 failed"
answer "answer.changes[1].first_bad == '$(id_of repo c11)'"
said "  output      assertion x > 0 failed"
"$engine" share >shared 2>&1 || fail "nothing to share"
! grep -q "output  *assertion" shared || fail "what the test printed is published"
bisect 3 --good c3 --bad c13 --test "$crash" --crash "Segmentation fault"
said "the failure of the bad commit $(short repo c13) does not contain 'Segmentation fault': killed by signal"
bisect 0 --good c3 --bad c9 --crash wanted --test 'if grep -q yes other; then echo "another failure"; exit 1; fi
  test "$(cat number)" -lt 8 || { echo wanted; exit 1; }'
answer "answer.skipped == 1"
said "(could not be tested): exit code 1: another failure"
answer "answer.changes[1].first_bad == '$(id_of repo c8)'"
# In a line of a megabyte, as of a progress bar: its part around the text.
bisect 0 --good c3 --bad c13 --crash boom --test 'grep -q good state || { head -c 500000 /dev/zero | tr "\\0" A
  printf boom; head -c 500000 /dev/zero | tr "\\0" C; exit 1; }'
grep -Eq '^  output +A{200}boomC{200}$' out || fail "the part of a long line"

# The direction: of a test it is known, of a number the metric or --better says it.
bisect 4 --good c1 --bad c16 --test "$by_code" --fail-on-regression
value='if grep -q good state; then echo value: 200; else echo value: 150; fi'
bisect 4 --good c1 --bad c16 --metric 'value: {number}' --test "$value" --fail-on-regression --better higher
answer "answer.direction == 'higher' and answer.changes[1].role == 'regression'"
bisect 0 --good c1 --bad c16 --metric 'value: {number}' --test "$value" --fail-on-regression --better lower
said "IMPROVEMENT   value 200 -> 150" "  first new   $(id_of repo c11)" "  last old    $(id_of repo c10)"
bisect 0 --good c1 --bad c16 --metric 'value: {number}' --test "$value" --better lower --only regressions
said "No regression found in 16 commits (" "1 other change not listed (--only regressions)."
not_said "IMPROVEMENT"
answer "#answer.changes == 1 and answer.changes[1].role == 'improvement'"
tells bisect 0 "CHANGE   value 200 -> 150" --good c1 --bad c16 --metric 'value: {number}' --test "$value"
answer "answer.direction == reg.json.null and answer.unit == reg.json.null and answer.metric == 'value'"

# A good release on a branch of its own: the merge base stands for it. It is tested, and if it is bad, that is said.
git -C repo switch -q -c release c3
echo release >repo/notes
commit repo "release"
tells bisect 0 "  first bad   $(id_of repo c11)   commit 11" --good release --bad c16 --test "$by_code"
noted "release is not an ancestor of c16: the search begins at their merge base $(short repo c3)"
git -C repo switch -q -c fixed c12
echo good >repo/state
commit repo "fixed"
bisect 3 --good fixed --bad c16 --test "$by_code"
answer "answer.verdict == 'inconclusive' and answer.why:find('the test fails at the good commit $(short repo c12)', 1, true)"
noted "If that is bad, too, it was fixed on the way to fixed"
git -C repo switch -q main

[ "$(cat .regengine/.gitignore)" = "*" ] || fail "git lists the worktrees"

# Inside of the repository everything is in one folder, which git does not list.
(cd repo && "$engine" bisect --repo . --good HEAD~2 --bad HEAD --test true --metric 'n: {number}') >out 2>err || true
[ -f repo/.regengine/results.db ] && [ -z "$(git -C repo status --porcelain)" ] || fail "git lists what the engine made"
rm -rf repo/.regengine

# The ends.
bisect 2 --good c16 --bad c1 --test "$by_code" --metric 'value: {number}'
grep -q "Swap the two.$" err || fail "a number has no exit code to invert"
echo more >>repo/number
bisect 0 --good c1 --bad c16 --test "$by_code"
[ "$(grep -c "repo has uncommitted changes (number): only its commits are tested" err)" = 1 ] || fail "not one notice: $(cat err)"
git -C repo checkout -q number
bisect 0 --good c1 --bad c16 --test "$by_code"
! grep -q "uncommitted" err || fail "a notice about a clean repository"

# Two repositories from one folder have two worktrees; that of a repository that was replaced is made again, once.
tree=$(echo .regengine/worktrees/repo-????????)
cp -r repo other && rm -r other/.git/worktrees
expect 0 bisect --repo other --json --good c1 --bad c16 --test "$by_code" --store other.db
[ "$(echo .regengine/worktrees/*/state | wc -w)" = 2 ] || fail "not two worktrees: $(ls .regengine/worktrees)"
rm -rf repo
cp -r other repo && rm -r repo/.git/worktrees
bisect 0 --good c1 --bad c16 --test "$by_code"
grep -qF "remaking the worktree $(realpath "$tree"): its repository was removed or replaced" err || fail "no line says so"
bisect 0 --good c1 --bad c16 --test "$by_code"
! grep -q "remaking" err || fail "it was made again without a reason"

# A patch on top of every commit.
printf -- '--- /dev/null\n+++ b/extra\n@@ -0,0 +1 @@\n+one\n' >extra.patch
bisect 0 --good c1 --bad c16 --patch extra.patch --test 'test "$(cat extra)" = one && grep -q good state'
answer "answer.changes[1].first_bad == '$(id_of repo c11)'"
[ ! -e repo/extra ] || fail "the patch went into the user's own checkout"
