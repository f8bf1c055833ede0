#!/bin/sh
# Misuse costs no run, or two or three: what each misuse says, its exit code, how many tests were run, and that none of
# them is lost. Prints a table.
. "$(dirname "$0")/lib.sh"

nights nights/jax- 2023-07-01 14 'echo $((i < 8 ? 100 : 80)) >level'
pace=3600 numbered repo 16 'echo $((number < 9 ? 100 : 80)) >level'
mkdir empty
counted="echo run >>'$folder/runs'"
echo "$counted; echo MLUPS: \$(cat level)" >test.sh
metric='MLUPS: {number}'

# misuse NAME EXIT-CODE MOST-RUNS TEXT ARGUMENTS...: fails unless the engine ends so, says the text in one line, and ran
# at most so many tests, each of which is in the store.
misuse() {
  name=$1 code=$2 most=$3 text=$4; shift 4
  rm -rf .regengine runs
  git -C repo worktree prune
  expect "$code" "$@"
  runs=$(lines_in runs)
  printf '%-42s %2s\n' "$name" "$runs"
  [ "$(cat out err | grep -cF -- "$text")" = 1 ] || fail "$name: not one line with: $text"
  [ "$runs" -le "$most" ] || fail "$name: $runs runs"
  if [ "$most" = 0 ]; then
    [ ! -e .regengine ] || fail "$name: something was made before the options were checked"
  else
    stored=$(ask_store 'SELECT count(*) AS n FROM trials WHERE status != "running"')
    [ "$stored" = "$runs" ] || fail "$name: $stored of $runs runs are in the store"
  fi
}
nights="--runtime local --image $folder/nights/jax-{date} --from 2023-07-01 --to 2023-07-14"
nightly() { # NAME EXIT-CODE MOST-RUNS TEXT OPTIONS...
  row="$1" code=$2 most=$3 text=$4; shift 4
  misuse "$row" "$code" "$most" "$text" nightly $nights --test test.sh --metric "$metric" "$@"
}
bisect() { # NAME EXIT-CODE MOST-RUNS TEXT TEST OPTIONS...
  row="$1" code=$2 most=$3 text=$4 test=$5; shift 5
  misuse "$row" "$code" "$most" "$text" bisect --repo repo --good c1 --bad c16 --test "$counted; $test" "$@"
}

# Of a topic that does not exist, no line of a script that nobody wrote.
says 2 "regengine: help: no such topic: 'nigtly' (did you mean 'nightly'?)" help nigtly

# Found when the options are read; lua/test_options.lua has what is said of each.
nightly "--metric {num}" 2 0 "captures no number: did you mean {number}?" --metric 'MLUPS: {num}'
nightly "--from: not a date" 2 0 "--from: not a valid time: '2023-02-30'" --from 2023-02-30
nightly "--from after --to" 2 0 "--from 2023-08-01 is after --to 2023-07-14" --from 2023-08-01
misuse "matmul: --from above --to" 2 0 "--from 900 is greater than --to 100" matmul --from 900 --to 100
nightly "--image without {date}" 2 0 "no {date} in the image name: 'jax:latest'" --image jax:latest
nightly "equal --good-value and --bad-value" 2 0 "must be two different numbers" --good-value 1 --bad-value 1
bisect "--metric without {number}, bisect" 2 0 "captures no number" true --metric MLUPS
misuse "wrong revisions and --metric at once" 2 0 "3 problems on the command line" bisect --repo repo --good nope \
  --bad never --test "$counted" --metric MLUPS
[ "$(grep -c "no commit '" err)" = 2 ] || fail "it does not name both revisions"
misuse "--repo: not a repository" 2 0 "no git repository at" investigate $nights --test test.sh --metric "$metric" \
  --repo a=empty
misuse "--repo, --to and --every-hours at once" 2 0 "3 problems on the command line" hourly --repo nowhere \
  --from 2023-07-01 --to 2023-07-32 --test "$counted" --every-hours 0
noted "--repo: no git repository at 'nowhere'" "--to: not a valid time: '2023-07-32'" \
  "--every-hours must be at least 0.01: '0'"
nightly "four of these at once" 2 0 "4 problems on the command line" \
  --metric '{num}' --budget 0 --timeout 1x --test nowhere.sh
noted "--metric: the pattern '{num}'" "--budget must be at least 1: '0'" "--timeout: not a valid duration: '1x'" \
  "--test: no such file: 'nowhere.sh'"

# The test itself fails: three runs show it, or as many as run at a time.
echo "$counted; nosuchprogram --fast" >missing.sh
echo "$counted; echo MLUPS: fast" >words.sh
echo "$counted; echo done" >silent.sh
echo "$counted; for i in 1 2 3 4; do echo step \$i MLUPS: \$i; done" >several.sh
missing="the test itself seems to fail: 'nosuchprogram' was not found (exit code 127)"
nightly "a program that does not exist" 3 3 "$missing" --test missing.sh
said "failed alike: 2023-07-01, 2023-07-14, 2023-07-10" "missing.sh: line 1: nosuchprogram: command not found"
said "pass --keep-going to continue anyway."
[ "$(wc -l <out)" -le 8 ] || fail "the answer is a long list"
nightly "the same, --parallel 4" 3 4 "$missing" --test missing.sh --parallel 4
nightly "the same, --every" 3 3 "$missing" --test missing.sh --every
nightly "a text in place of the number" 3 3 \
  "seems to fail: '$metric' gives 'fast', which is not a number" --test words.sh
nightly "no number in the output" 3 3 "seems to fail: no match for '$metric' (check --metric): done" --test silent.sh
grep -q "^Check --metric, or fix the test" out || fail "nothing says that the pattern may be wrong"
"$engine" list | grep -qF "no match for '$metric' (check --metric)" || fail "list"
nightly "several numbers without --take" 2 1 "2023-07-01: the output has 4 matches for '$metric':" --test several.sh
grep -qF "  step 3 MLUPS: 3" err && ! grep -qF "step 4" err || fail "not three of the lines are shown"
noted "Pass --take first, last, median or min; --drop N ignores the first N."
misuse "hourly: a build that always fails" 3 3 "the build itself seems to fail: exit code 2: make: no rule" hourly \
  --repo repo --from 2024-03-01T12:00 --to 2024-03-02T01:00 --build "$counted; echo make: no rule >&2; exit 2" \
  --test true --metric "$metric"

# The ends are not what they were said to be.
id=$(short repo c1)
missing="cannot test the good commit $id: 'nosuchprogram' was not found (exit code 127)"
bisect "bisect: a program that does not exist" 3 1 "$missing" nosuchprogram
bisect "the same, by a number" 3 1 "$missing" nosuchprogram --metric "$metric"
bisect "bisect: a build that always fails" 3 1 "cannot build the good commit $id: exit code 2: make: no rule" \
  true --build "$counted; echo make: no rule >&2; exit 2"
bisect "bisect: good and bad mixed up" 3 3 "the test fails at the good commit $id" 'test $(cat number) -gt 8'
bisect "bisect: the bad commit passes" 3 3 "the test passes at the bad commit" true
said "Check --bad and the test. If it became slower, pass --metric @wall. If it fails by chance, pass --flaky."
bisect "bisect: a script that is not in the worktree" 3 3 "the test fails at the good commit $id" 'sh ./test.sh'
said "The test runs in the worktree: pass a file that is elsewhere by its absolute path."
bisect "bisect: not the reported numbers" 3 4 \
  "the ends do not reproduce the report: MLUPS 100 -> 80 here, 587 -> 518 reported" \
  'echo MLUPS: $(cat level)' --metric "$metric" --good-value 587 --bad-value 518
nightly "nightly: not the reported numbers" 3 4 "the ends do not reproduce the report" --good-value 80 --bad-value 100

# No misuse: the reported numbers, many numbers on stderr, an end that is broken while others work, --keep-going.
works() { # BEFORE OPTIONS...: finds the night, and this number before it
  before=$1; shift
  fresh expect 0 nightly $nights --metric "$metric" --json "$@"
  answer "answer.verdict == 'changes' and answer.changes[1].first_bad == '2023-07-08'
    and math.abs(answer.changes[1].before - $before) < 0.1"
}
works 100 --test test.sh --good-value 105 --bad-value 75
echo 'for i in 9 8 7; do echo MLUPS: $(($(cat level) * i)) >&2; done' >stderr.sh
works 700 --test stderr.sh --take last
works 700 --test stderr.sh --take min --drop 1
works 750 --test stderr.sh --take median --drop 1
works 900 --test stderr.sh --take first
echo '[ ! -e broken ] || exit 1; echo MLUPS: $(cat level)' >ends.sh
touch nights/jax-2023-07-01/broken nights/jax-2023-07-02/broken nights/jax-2023-07-14/broken
works 100 --test ends.sh
echo '[ ! -e broken ] || { echo '"'in $folder'"' >&2; exit 1; }; echo MLUPS: $(cat level)' >ends.sh
touch nights/jax-2023-07-10/broken
fresh says 3 "the test itself seems to fail" nightly $nights --test ends.sh --metric "$metric"
rm nights/jax-2023-07-10/broken
works 100 --test ends.sh --keep-going
rm -f nights/*/broken

# With a registry: what was pulled for each misuse.
start_daemons
[ -n "${REGENGINE_TEST_DOCKER:-}" ] && [ -n "${REGENGINE_TEST_REGISTRY:-}" ] ||
  skip "no docker daemon or no registry can be started here"
for i in $(seq 14); do date -u -d "2023-07-01 + $((i - 1)) days" +"jax-%F %FT00:00:00Z 1"; done |
  "$source_root/tests/support/made_images" "$REGENGINE_TEST_REGISTRY" regengine/busybox:1 misuse/jax >/dev/null
pulls() { # NAME EXIT-CODE MOST-PULLS TEXT OPTIONS...
  row="$1" code=$2 most=$3 text=$4; shift 4
  docker images --format '{{.Repository}}:{{.Tag}}' "$REGENGINE_TEST_REGISTRY/misuse/jax" | xargs -r docker rmi >/dev/null
  rm -rf .regengine/results.db*
  expect "$code" nightly --runtime docker --image "$REGENGINE_TEST_REGISTRY/misuse/jax:jax-{date}" --network none \
    --from 2023-07-01 --to 2023-07-14 --test programs/test.sh --metric "$metric" "$@"
  pulled=$(docker images -q "$REGENGINE_TEST_REGISTRY/misuse/jax" | wc -l)
  printf '%-42s %2s pulls\n' "$row" "$pulled"
  [ "$(cat out err | grep -cF -- "$text")" = 1 ] || fail "$row: not one line with: $text"
  [ "$pulled" -le "$most" ] || fail "$row: $pulled pulls"
}
mkdir programs # a folder without a socket, since it is mounted
cp test.sh programs
echo 'nosuchprogram --fast' >programs/missing.sh
echo 'for i in 1 2 3; do echo MLUPS: $i; done' >programs/several.sh
pulls "docker: --metric {num}" 2 0 "did you mean {number}?" --metric 'MLUPS: {num}'
pulls "docker: a program that does not exist" 3 3 \
  "'nosuchprogram' was not found (exit code 127)" --test programs/missing.sh
pulls "docker: several numbers without --take" 2 1 "the output has 3 matches" --test programs/several.sh
