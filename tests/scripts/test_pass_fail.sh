#!/bin/sh
# What all searches can be asked besides a number: pass and fail, a crash by its text, a test that hangs. One history for
# all four of them: nights, hours and commits of one repository.
. "$(dirname "$0")/lib.sh"

# Four days, three commits a day. From commit 8 on `state` is bad; commits 5 and 6 fail in another way.
daily repo 4 "09:10 14:05 14:20" '
  echo $number >number
  [ $number -lt 8 ] && echo good >state || echo bad >state
  case $number in 5 | 6) echo yes >other ;; *) echo no >other ;; esac'

# script NAME: a test, from stdin, that runs in a night or in a checkout.
script() {
  { printf 'dir=${REPO_PROG:-$PWD/opt/prog}\n[ -e "$dir" ] || dir=$PWD\ncd "$dir" || exit 127\n'
    echo "cat number >>'$folder/runs'"; cat; } | executable "$1"
}
echo 'grep -q good state' | script pass.sh
script crash.sh <<'END'
if grep -q yes other; then echo "another failure"; exit 1; fi
grep -q good state || { echo "assertion x > 0 failed" >&2; kill -SEGV $$; }
END
echo 'grep -q good state || exec sleep 600' | script hang.sh
script skip.sh <<'END'
if grep -q yes other; then echo "not now"; exit 125; fi
grep -q good state
END

begin='rm -rf .regengine/results.db* runs'
PATH=$folder:$PATH # where a command of hours and commits finds the tests
nights='--runtime local --image "$folder/nights/{date}" --json --from 2024-03-01 --to 2024-03-04'
build='--build "cp state built" --json'
given nightly "nightly $nights --test" "$begin"
given hourly "hourly --repo prog=repo $build --from 2024-03-01T10:00 --to 2024-03-04T15:00 --test" "$begin"
given bisect "bisect --repo repo $build --good c1 --bad c12 --test" "$begin"
given investigate "investigate $nights --repo prog=repo --build 'cp state built' --test" "$begin"

found() { answer "answer.verdict == 'changes' and #answer.changes == 1 and answer.changes[1].first_bad:find('$1', 1, true)"; }
after() { answer "answer.changes[1].last_good:find('$1', 1, true)"; }
once() { # but for the sides of a change: three runs of the one that failed, and two of the other one
  [ -z "$(sort runs | uniq -c | awk '$1 > 3')" ] || fail "run again: $(sort runs | uniq -c | tr '\n' ' ')"
}
culprit=$(id_of repo c8)
hour=$(id_of repo c9)

# By exit code: both ends first, only the last one that passed is run again, and no number is asked for.
nightly 0 pass.sh
found 2024-03-03; after 2024-03-02; once
[ "$(head -n 2 runs | tr '\n' ' ')" = "3 12 " ] || fail "the ends do not come first"
said "REGRESSION   the test fails"
hourly 0 pass.sh
found "$hour"; once
bisect 0 pass.sh
found "$culprit"; once
expect 0 bisect --repo repo --good c1 --bad c12 --test "$folder/pass.sh" --store again.db
expect 0 bisect --repo repo --good c1 --bad c12 --test "$folder/pass.sh" --store again.db
not_said "  output"  # the test prints nothing, also in trials from the store
investigate 0 pass.sh
found "$culprit"
[ "$(grep -c '^REGRESSION   the test fails' out)" = 3 ] || fail "not each stage found it"
said "4 nights, " "3 commits, "

# Exit code 125 skips, as in git bisect.
nightly 0 skip.sh
found 2024-03-03; after 2024-03-01
said "skipped 2024-03-02 (could not be tested): exit code 125: not now"

# By the text of a crash; another failure is skipped.
nightly 0 crash.sh --crash "assertion x > 0 failed"
found 2024-03-03; after 2024-03-01
said "skipped 2024-03-02 (could not be tested): exit code 1: another failure"
investigate 0 crash.sh --crash "assertion x > 0 failed"
found "$culprit"

# A test that hangs is skipped, or bad; then its time limit belongs to what was measured.
tells nightly 3 "2 nights skipped (2024-03-03..2024-03-04): ran past its time limit" hang.sh --timeout 3s
nightly 0 hang.sh --timeout 3s --timeout-is-bad
found 2024-03-03; after 2024-03-02; once
runs_nothing expect 0 nightly --runtime local --image "$folder/nights/{date}" --test hang.sh --json --from 2024-03-01 \
  --to 2024-03-04 --timeout 3s --timeout-is-bad
investigate 0 hang.sh --timeout 3s --timeout-is-bad
found "$culprit"

# Nights that all pass or all fail are an answer, and a night that passes again is one, too.
answers nightly 0 "answer.verdict == 'no_change'" pass.sh --to 2024-03-02
said "The test passes at all 2 nights that were run."
tells nightly 0 "The test fails at all 2 nights that were run." pass.sh --from 2024-03-03
mv nights/2024-03-01 nights/2024-03-05
nightly 0 pass.sh --from 2024-03-03 --to 2024-03-05
found 2024-03-05
said "the test passes again"

# What makes no sense without a number.
tells nightly 2 "--crash cannot be used with --metric" pass.sh --crash text --metric 'speed: {number}'
tells bisect 2 "--timeout-is-bad cannot be used with --metric" pass.sh --timeout-is-bad --metric 'speed: {number}'
tells hourly 2 "--take needs --metric" pass.sh --take last
