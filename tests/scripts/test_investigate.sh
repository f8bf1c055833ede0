#!/bin/sh
# investigate.lua on the local runtime: a folder with a built checkout for each night. It finds the change in the
# nights, then in the hours between, then in the commits of that hour.
. "$(dirname "$0")/lib.sh"

# Ten days, four commits a day; commit 22, in the middle of an hour, makes it slower.
daily repo 10 "09:10 14:05 14:20 14:40" '
  echo $number >revision
  [ $number -lt 22 ] && echo 100 >level || echo 70 >level'
for night in nights/*; do cp "$night/opt/prog/level" "$night/opt/prog/built"; done
executable test.sh <<'END'
# In a nightly image the program is in opt/prog; beside a checkout it is where the checkout is.
echo "speed: $(cat "${REPO_PROG:-$PWD/opt/prog}/built")"
END

given investigate 'investigate --runtime local --image "$folder/nights/{date}" --from 2024-03-01 --to 2024-03-10 \
  --test test.sh --metric "speed: {number}" --json'
investigate 0 --repo prog=repo --build 'cp level built'
culprit=$(id_of repo c22)
[ "$(grep -c '^REGRESSION   speed 100 -> 70' out)" = 3 ] || fail "not each stage is printed once"
said "10 nights, " "3 hours, " "4 commits, " "  first bad   prog $culprit   commit 22"
said "              2 files changed: level (+1 -1), revision (+1 -1)"
answer "#answer.stages == 3 and answer.stages[1].changes[1].first_bad == '2024-03-06' and answer.stages[1].runs < answer.runs"
answer "answer.stages[3].investigation == answer.investigation and answer.direction == 'higher'"
answer "answer.verdict == 'changes' and #answer.changes == 1 and answer.changes[1].first_bad == '$culprit'"

# The report has the three stages, the commits first; an hour is named by its time, and not by its last commit.
says 0 "first bad prog $(short repo c22)" report
holds report.html 'hours, number 2' ': first bad 2024-03-06 15:00 UTC' '<th>commit of prog</th>' 'id="stage-1"'

# --prove reverts what it found; the search is not repeated. Reverting conflicts in the file that each commit changes.
investigate 0 --repo prog=repo --build 'cp level built' --prove
answer "answer.stages[1].runs + answer.stages[2].runs + answer.stages[3].runs == 0 and answer.runs >= 15"
grep -qE "^4 stages: [0-9]+ of [0-9]+ runs stored, of [0-9:]+ UTC, " out || fail "no line for all stages"
said nights: hours: commits: proof:
"$engine" list | grep -qE "commits +1[0-9] +[0-9.]+ m?s +speed fell by 30" || fail "the list does not have the runs of all"
answer "answer.proof.verdict == 'proved' and answer.proof.commit == '$culprit'"
answer "answer.proof.revert.conflicts[1] == 'revision' and answer.proof.apply.low > 0.99"
said "costs 100.0 % (100.0 to 100.0 %) of the loss."

# Without repositories it ends with the nights.
investigate 0
answer "answer.changes[1].first_bad == '2024-03-06'"

# What a stage found is printed and stored, whatever fails after it: here a clone lacks the commit of the bad night.
git clone -q --no-tags repo old
git -C old checkout -q --detach ':/commit 8'
git -C old branch -q -D main
git -C old update-ref -d refs/remotes/origin/main
git -C old update-ref -d refs/remotes/origin/HEAD
git -C old reflog expire --expire=all --all
git -C old gc -q --prune=now
fresh tells investigate 2 "no commit '$(git -C nights/2024-03-05/opt/prog rev-parse HEAD)'" --repo prog=old --quiet
[ "$(grep -c '^REGRESSION   speed 100 -> 70' out)" = 1 ] || fail "the nights are not printed once"
answer "answer.changes[1].first_bad == '2024-03-06'"
[ "$(ask_store 'SELECT count(*) AS n FROM investigations WHERE ended > 0')" = 1 ] || fail "the answer was not stored"
cat >fails.lua <<'END'
reg.options {}
local series = reg.sweep({ "a", "b" }, { title = "letters", measure = function() return 1 end })
if reg.fs.exists "answers" then reg.answer(series) end
error "boom"
END
expect 1 fails.lua --store fails.db --quiet
said "letters: "
touch answers
expect 1 fails.lua --store fails.db --quiet
[ "$(grep -c "^letters: " out)" = 1 ] || fail "an answer was printed twice"

# A repository that the images do not hold is a mistake that says which they do, and nothing was measured for it.
fresh tells investigate 2 "no repository 'other' in the image" --repo other=repo --quiet
[ ! -e .regengine/results.db ] || fail "nights were measured before the mistake was found"

# Two repositories; the culprit is on a branch of the library, which is merged in the hour in which the app moves too.
rm -rf nights .regengine .regengine/results.db*
for name in app library; do git init -q -b main $name; done
clock=1709251200 # 2024-03-01T00:00:00Z
at() { clock=$((1709251200 + ($1 - 1) * 86400 + $2 * 3600)); } # DAY HOUR
move() { echo "$1 $2" >"$1/version"; commit "$1" "$1 $2"; }
night() { # DAY
  night=nights/2024-03-0$1
  mkdir -p "$night/opt"
  for name in app library; do git clone -q $name "$night/opt/$name"; done
  cp "$night/opt/library/speed" "$night/built"
}
echo 100 >library/speed
at 1 1; move library 1; move app 1
night 1
git -C library checkout -q -b branch
at 1 2
for i in 2 3 4 5; do
  [ $i != 4 ] || echo 60 >library/speed
  echo $i >library/on_branch
  commit library "branch $i"
done
culprit=$(id_of library HEAD~1)
git -C library checkout -q main
at 1 5; move library 6; move app 2
at 2 9; move app 3
git -C library merge -q --no-ff --no-commit branch 2>/dev/null
commit library "the merge"
move app 4; move library 7
night 2
cat >two.sh <<'END'
library=$(git -C "${REPO_LIBRARY:-opt/library}" log -1 --format=%s)
[ -z "${REPO_APP:-}" ] || echo "$(cat "$REPO_APP/version") $library" >>../../../../measured
echo "speed: $(cat "${REPO_LIBRARY:-.}/built" 2>/dev/null || cat built)"
END
expect 0 investigate --runtime local --image "$folder/nights/{date}" --from 2024-03-01 --to 2024-03-02 \
  --repo app --repo library=library --build 'cp "$REPO_LIBRARY/speed" "$REPO_LIBRARY/built"' \
  --test two.sh --metric 'speed: {number}' --min-effect 5% --json
answer "answer.verdict == 'changes' and #answer.changes == 1"
answer "answer.changes[1].first_bad:find('library@' .. ('$culprit'):sub(1, 12), 1, true)"
answer "answer.changes[1].last_good:find('library@$(id_of library "$culprit~1" | cut -c 1-12)', 1, true)"
said "  merged by   app@$(id_of app HEAD~1 | cut -c 1-12) library@$(id_of library HEAD~1 | cut -c 1-12)"
grep -q "^app 3 branch" measured || fail "no commit of the branch was measured"
! grep branch measured | grep -qv "^app 3 " || fail "the app moved in the search of the branch: $(cat measured)"
