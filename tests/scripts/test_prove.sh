#!/bin/sh
# prove.lua: a commit is reverted on the bad version and applied to the good one; bisect.lua --prove does it by itself.
. "$(dirname "$0")/lib.sh"

# 40 commits that each change a file of their own. Commit 17 brings most of the loss, commit 30 a little of it, and both
# are in a file of their own. `cost` sums them up.
git init -q -b main repo
mkdir repo/part
for n in $(seq 1 40); do echo 0 >"repo/part/$n"; done
printf 'one\ntwo\nthree\n' >repo/text
commit repo "start"
git -C repo tag good
for n in $(seq 1 40); do
  case $n in 17) echo 100 ;; 30) echo 6 ;; *) echo 0.001 ;; esac >"repo/part/$n"
  [ "$n" != 12 ] || printf 'one\n2\nthree\n' >repo/text
  [ "$n" != 25 ] || printf 'one\nII\nthree\n' >repo/text
  commit repo "commit $n"
  git -C repo tag "c$n"
done
git -C repo tag bad
export RUNS="$folder/runs"
# The time of a version, with noise that depends on nothing but the number of the run.
cat >test.sh <<'END'
echo x >>"$RUNS"
cat part/* | awk -v n="$(wc -l <"$RUNS")" '{ sum += $1 } END {
  printf "%.4f ms\n", (1000 + sum) * (1 + 0.004 * (n * 7919 % 101 - 50) / 50) }'
END
given prove 'prove --repo repo --good good --bad bad --build "echo x >>\"\$RUNS.builds\"" --test "sh $folder/test.sh" \
  --metric "{number} ms" --json'

runs_nothing tells prove 0 "would run 4 versions in turn" --commit c17 --dry-run

tells prove 0 "Proved: " --commit c17
matches out '^Reverting [0-9a-f]{10} on bad brings back 9[0-9] % \([0-9]+ to [0-9]+ %\) of the loss\.$' \
  '^Applying [0-9a-f]{10} to good costs 9[0-9] % \([0-9]+ to [0-9]+ %\) of it\.$'
answer "answer.verdict == 'proved' and answer.revert.low < 0.94 and answer.revert.high > 0.94"
answer "answer.apply.low < 0.94 and answer.apply.high > 0.94 and answer.rounds >= 5"
[ "$(lines_in runs.builds)" = 4 ] || fail "$(lines_in runs.builds) builds of 4 versions"
[ -z "$(git -C repo status --porcelain)" ] || fail "the clone changed"

# Innocent commits, and one that brings a little.
for n in 3 8 29 40; do
  prove 4 --commit c$n
  answer "answer.verdict == 'not_this_commit' and answer.revert.high < 0.5 and answer.apply.high < 0.5"
done
tells prove 4 "Not this commit: " --commit c30
# One of two causes: commit 30 brings a fifth.
sed 's|cat part/\*|cat part/* part/30 part/30 part/30|' test.sh >plain.sh
expect 0 prove --repo repo --good good --bad bad --commit c30 --test "sh '$folder/plain.sh'" --metric '{number} ms' --json
said "One of several causes: "
answer "answer.verdict == 'one_of_several' and answer.revert.low > 0.05 and answer.apply.high < 0.5"

# kill -9 in the middle: the rounds count.
rm -rf .regengine/results.db* runs runs.builds
mv test.sh plain.sh
cat >test.sh <<END
sh '$folder/plain.sh'
[ "\$(wc -l <"\$RUNS")" != 18 ] || kill -9 "\$(cat "\$RUNS.pid")"
END
sh -c 'echo $$ >"$RUNS.pid"; exec "$@"' sh "$engine" prove --repo repo --good good --bad bad --commit c17 --build true \
  --test "sh '$folder/test.sh'" --metric '{number} ms' >out 2>err && fail "it was not killed"
answers expect 0 "answer.reused == 3 and answer.rounds > 3" prove --repo repo --good good --bad bad --commit c17 \
  --build true --test "sh '$folder/test.sh'" --metric '{number} ms' --json

# A conflict in one direction, and in both.
cp plain.sh test.sh
fresh prove 4 --commit c12
said "Reverting $(short repo c12) on bad conflicts in text; it is not measured."
answer "answer.revert.conflicts[1] == 'text' and answer.apply.high < 0.5 and #answer.values.before >= 5"
git -C repo checkout -q -b both good
for line in x y z; do printf 'one\n%s\nthree\n' $line >repo/text; commit repo $line; done
git -C repo checkout -q main
runs_nothing says 1 "conflicts in text; applying" prove --repo repo --good good --bad both --commit both~1 \
  --test 'echo x >>"$RUNS"'

# A version that cannot be built is left out.
tells prove 0 "cannot be built" --commit c17 --build '[ "$(cat part/17)" != 100 ] || [ "$(cat part/30)" = 6 ]'
answer "answer.verdict == 'proved' and not answer.apply.share and answer.revert.low > 0.5"
prove 0 --commit c17 --build '[ "$(cat part/17)" != 100 ] || [ "$(cat part/30)" = 6 ]'
answer "answer.reused == answer.rounds"

# A fix: the same with the roles exchanged. A revert of commit 17 gains.
git -C repo revert --no-edit c17 >/dev/null 2>&1
git -C repo tag fixed
expect 0 prove --repo repo --bad c20 --good fixed --fix fixed --test "sh '$folder/test.sh'" --metric '{number} ms' --json
answer "answer.verdict == 'proved' and answer.fix"
said "of the gain."
# By itself, against its parent.
says 0 "Proved: " prove --repo repo --fix fixed --test "sh '$folder/test.sh'" --metric '{number} ms'
says 3 "there is nothing to prove" prove --repo repo --commit fixed --test "sh '$folder/test.sh'" --metric '{number} ms'

# A merge is taken against its first parent.
git -C repo checkout -q -b branch c5
echo 200 >repo/part/6; commit repo "on a branch"
git -C repo checkout -q -b merged c5
echo 1 >repo/other; commit repo "other"
GIT_AUTHOR_DATE="@$clock +0000" GIT_COMMITTER_DATE="@$clock +0000" git -C repo merge -q --no-ff -m "merge it" branch
echo 2 >repo/other; commit repo "later"
expect 0 prove --repo repo --good c5 --bad merged --commit merged~1 --test "sh '$folder/test.sh'" --metric '{number} ms'
said "It is a merge, taken against its first parent."

# Pass and fail.
passes='echo x >>"$RUNS"; [ "$(cat part/17)" != 100 ]'
given pass 'prove --repo repo --good good --bad bad --json --test "$passes"'
tells pass 0 "on bad makes the test pass." --commit c17
said "to good makes the test fail."
tells pass 4 "on bad makes the test fail." --commit c18
tells pass 3 "Inconclusive: the test passes at good and passes at c16." --commit c3 --bad c16

# bisect --prove.
fresh expect 0 bisect --repo repo --good good --bad bad --test '[ "$(cat part/17)" != 100 ]' --prove --json
said "REGRESSION   the test fails" "on bad makes the test pass."
answer "answer.proof.verdict == 'proved' and answer.changes[1].first_bad == '$(id_of repo c17)'"
fresh expect 0 bisect --repo repo --good good --bad bad --test "sh '$folder/test.sh'" --metric '{number} ms' \
  --min-effect 2% --prove --json
answer "answer.proof.verdict == 'proved' and answer.proof.commit == '$(id_of repo c17)'"
said "commits:" "proof:"
grep -qE "^2 stages: $(wc -l <runs) runs, [0-9.]+ (m?s|min)\.$" out || fail "not the $(wc -l <runs) runs of both stages"
answer "answer.runs == $(wc -l <runs)"
"$engine" list | grep -qE "commits +$(wc -l <runs) " || fail "the list does not have all runs"
matches err "^run 1 of about [0-9]+: $(short repo good) [0-9.]+ ms"
expect 0 bisect --repo repo --good good --bad bad --test "sh '$folder/test.sh'" --metric '{number} ms' --min-effect 2% \
  --prove --json
grep -q "^run 1: .* (stored)" err || fail "a stored run is shown as a new one"

# Bad input: one line, before anything runs.
mistake() { runs_nothing tells prove 2 "$@"; }
mistake "no commit 'nowhere'" --commit nowhere
mistake "is not between good and bad" --commit both
mistake "is not between good and bad" --commit good
mistake "the good revision bad is not an ancestor of the bad revision good" --commit c3 --good bad --bad good
mistake "needs --commit or --fix"
mistake "--commit cannot be used with --fix" --commit c17 --fix c17
