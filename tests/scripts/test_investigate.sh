#!/bin/sh
# investigate.lua on the local runtime: a folder a night that holds a built checkout; the change is found in the nights, then
# in the hours between, then in the commits of that hour.
. "$(dirname "$0")/lib.sh"

# Ten days, four commits a day; commit 22, in the middle of an hour, makes it slower.
git init -q -b main repo
mkdir nights
n=0
for day in 01 02 03 04 05 06 07 08 09 10; do
  for time in 09:10 14:05 14:20 14:40; do
    n=$((n + 1))
    [ $n -lt 22 ] && echo 100 >repo/level || echo 70 >repo/level
    echo "$n" >repo/revision
    git -C repo add -A
    GIT_COMMITTER_DATE="2024-03-${day}T$time:00Z" git -C repo commit -qm "commit $n"
  done
  night=nights/2024-03-$day
  mkdir -p "$night/opt"
  git clone -q repo "$night/opt/prog"
  cp "$night/opt/prog/level" "$night/opt/prog/built"
done
cat >test.sh <<'END'
#!/bin/sh
# In a nightly image the program is in opt/prog; beside a checkout it is where the checkout is.
echo "speed: $(cat "${REPO_PROG:-$PWD/opt/prog}/built")"
END
chmod +x test.sh

expect 0 investigate --runtime local --image "$folder/nights/{date}" --from 2024-03-01 --to 2024-03-10 --repo prog=repo \
  --build 'cp level built' --test test.sh --metric 'speed: {number}' --json
said "1 change found in 10 nights"
said "1 change found in 3 hours"
said "1 change found in 4 commits"
said "prog $(git -C repo log -1 --format=%h --abbrev=10 ':/commit 22') commit 22"
culprit=$(git -C repo log -1 --format=%H ':/commit 22')
answer "answer.verdict == 'changes' and #answer.changes == 1 and answer.changes[1].first_bad == '$culprit'"

# The report has the three stages, the commits first; an hour is named by its time, and not by its last commit.
if "$engine" report >out 2>err; then
  said "first bad prog $(git -C repo log -1 --format=%h --abbrev=10 ':/commit 22')"
  for text in 'hours, number 2' ': first bad 2024-03-06 15:00 UTC' '<b>prog</b>' ', 3 commits' 'id="stage-1"'; do
    grep -qF -- "$text" report.html || fail "the report does not hold: $text"
  done
else
  grep -q "without Chart.js" err || fail "no report"
fi

# Without repositories it ends with the nights.
expect 0 investigate --runtime local --image "$folder/nights/{date}" --from 2024-03-01 --to 2024-03-10 --test test.sh \
  --metric 'speed: {number}' --json
answer "answer.changes[1].first_bad == '2024-03-06'"

# A repository that the images do not hold is a mistake that says which they do.
expect 2 investigate --runtime local --image "$folder/nights/{date}" --from 2024-03-01 --to 2024-03-10 --repo other=repo \
  --test test.sh --metric 'speed: {number}' --quiet
complained "holds no repository 'other'"
echo "investigate.lua goes from nights to the commit"
