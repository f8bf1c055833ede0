#!/bin/sh
# Without a good end, bisect.lua and hourly.lua go back from the bad one to a good one, and the search uses those runs.
. "$(dirname "$0")/lib.sh"

# 60 commits: the speed falls at commit 41; commits 36 to 38 and 44 cannot be built.
numbered repo 60 'echo $((number >= 41 ? 70 : 100)) >speed'
culprit=$(id_of repo c41)
export RUNS="$folder/runs"
build='n=$(cat number); [ $n != 44 ] && { [ $n -lt 36 ] || [ $n -gt 38 ]; }'
passes='cat number >>"$RUNS"; [ $(cat speed) = 100 ]'
speed='cat number >>"$RUNS"; echo "speed: $(cat speed).$(($(wc -l <"$RUNS") % 3))"'

given back 'bisect --repo repo --build "$build" --json'

# By exit code: 1, 2, 4, 8 and 16 commits back are bad (the last cannot be built, 17 and 18 are next), then 32.
runs_nothing tells back 0 "would go back from" --bad c60 --test "$passes" --dry-run
answers back 0 "answer.changes[1].first_bad == '$culprit'" --bad c60 --test "$passes"
answer "answer.back.distance == 32 and answer.back.unit == 'commit'"
said "Good 32 commits back from $(short repo c60): $(short repo c28) 2024-03-01."
[ "$(sort runs | uniq -d | tr '\n' ' ')" = "40 41 " ] || fail "tested twice, but for the sides: $(sort runs | uniq -d)"
head -n 1 runs | grep -qx 60 || fail "the bad end is not first"
runs_nothing answers back 0 "answer.runs == 0" --bad c60 --test "$passes"
# The same search with the good end uses the same trials.
back 0 --good c28 --bad c60 --test "$passes"
[ "$(sort runs | uniq -d | tr "\n" " ")" = "40 41 " ] || fail "a search from the good end tested again: $(sort runs | uniq -d)"

# What cannot be built is passed over: 16 back is commit 44, then 17 is tried.
fresh back 0 --bad c60 --test "$passes"
grep -qx 43 runs || fail "the next older commit was not tried: $(cat runs)"

# So is what cannot be tested; --redo tests it again, but not twice.
fresh back 0 --bad c60 --redo test_failed \
  --test '[ $(cat number) != 59 ] || { echo 59 >>"$RUNS"; exit 127; }; '"$passes"
[ "$(grep -cx 59 runs)" = 1 ] || fail "commit 59 was tested twice"

# kill -9 on the way back loses nothing.
rm -rf .regengine/results.db* runs
killing='[ "$(cat number)" != 56 ] || [ -e killed ] || { : >killed; kill -9 "$(cat "$RUNS.pid")"; }; '
sh -c 'echo $$ >"$RUNS.pid"; exec "$@"' sh "$engine" bisect --repo repo --bad c60 --build "$build" \
  --test "$killing$passes" >out 2>err || true
tested=$(lines_in runs)
[ "$tested" -ge 3 ] || fail "it was killed too early: $tested runs"
answers back 0 "answer.back.distance == 32" --bad c60 --test "$killing$passes"
[ "$(sort runs | uniq -d | grep -vxE "56|40|41")" = "" ] || fail "a commit was tested again: $(sort runs | uniq -d)"

# By a number: nearer to the good value.
fresh back 0 --bad c60 --test "$speed" --metric 'speed: {number}' --good-value 100
answer "answer.changes[1].first_bad == '$culprit' and answer.back.distance == 32"
[ "$(head -n 6 runs | tr '\n' ' ')" = "60 60 60 59 58 56 " ] || fail "not three runs of the bad end: $(cat runs)"
fresh tells back 3 "as good as --good-value" --bad c60 --test "$speed" --metric 'speed: {number}' --good-value 70
back 2 --bad c60 --test "$speed" --metric 'speed: {number}'
complained "by a number, it needs --good, or --good-value to go back to a good one"
tells back 2 "--good-value needs --bad-value" --bad c60 --good c1 --test true --metric 'speed: {number}' --good-value 90
tells back 2 "--flaky needs --good" --bad c60 --test "$passes" --flaky

# What stops it: the root, the budget, a bad end that is good or cannot be built.
tells back 3 "is the root commit, and it fails, too" --bad c60 --test false
tells back 3 "(0 commits back) is the root commit, and it fails, too" --bad c1 --test false
tells back 3 "the budget of 4 runs is spent, 8 commits back" --bad c60 --test false --budget 4
tells back 3 "the test passes at the bad commit" --bad c60 --test true
tells back 3 "cannot build the bad commit" --bad c44 --test true
tells back 2 "nowhere" --bad nowhere --test true

# Hours: one commit a minute, so a look every minute; the branch has a first commit.
given hourly 'hourly --repo repo=repo --to 2024-03-01T11:00 --every-hours 0.0167 --build "$build" --json'
fresh hourly 0 --test "$passes" --dry-run
answers hourly 0 "#answer.changes == 1 and answer.back.unit == 'hour'" --test "$passes"
tells hourly 3 "is the first commit, and it fails, too" --test false
# Nights, as folders: three have no image, and the oldest is 2024-02-20.
for day in 2024-02-20 2024-02-28 2024-03-01 2024-03-02 2024-03-03 2024-03-04 2024-03-06; do
  mkdir "img-$day"
  case $day in 2024-02*|2024-03-01) echo 100 ;; *) echo 70 ;; esac >"img-$day/speed"
done
cat >test.sh <<'END'
echo "speed: $(cat speed)"
[ "$(cat speed)" = 100 ]
END
given nightly 'nightly --runtime local --image "$folder/img-{date}" --test test.sh --json'
fresh answers nightly 0 "answer.changes[1].first_bad == '2024-03-02' and answer.back.id == '2024-02-28'" --to 2024-03-06
said "Good 7 nights back from 2024-03-06: 2024-02-28."
sed -i '$d' test.sh
nightly 0 --to 2024-03-06 --metric 'speed: {number}' --good-value 101
answer "answer.changes[1].first_bad == '2024-03-02' and answer.back.distance == 7"
nightly 3 --to 2024-03-06 --metric 'speed: {number}' --good-value 900
said "2024-02-20 (15 nights back) is the oldest image, and it has 100, which is nearer to the bad end's 70 than to 900"
nightly 2 --to 2024-03-06 --metric 'speed: {number}'
complained "by a number, it needs --from, or --good-value to go back to a good one"
tells nightly 0 "back from 2024-03-04: " --to 2024-03-05 --metric 'speed: {number}' --good-value 101
answer "answer.changes[1].first_bad == '2024-03-02' and answer.missing[#answer.missing] == '2024-03-05'"
tells nightly 2 "no image from 2024-03-29 to 2024-04-05" --to 2024-04-05
expect 2 investigate --runtime local --image "$folder/img-{date}" --test test.sh --to 2024-03-06 --metric 'speed: {number}'
complained "it needs --from, or --good-value"
says 0 "Good 7 nights back from 2024-03-06: 2024-02-28." investigate --runtime local --image "$folder/img-{date}" \
  --test test.sh --to 2024-03-06 --metric 'speed: {number}' --good-value 101
