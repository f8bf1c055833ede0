#!/bin/sh
# --fresh measures again what is stored, and a rerun says that its results are stored.
. "$(dirname "$0")/lib.sh"

# From commit 8 on it is slower, until the machine is repaired, which the engine cannot see. A run may hang.
numbered repo 12 'echo $((number >= 8 ? 150 : 200)) >speed'
test="echo run >>'$folder/runs'
  [ ! -e '$folder/gate' ] || [ \$(wc -l <'$folder/runs') -lt \$(cat '$folder/gate') ] ||
    { touch '$folder/hangs'; exec sleep 600; }
  if [ -e '$folder/repaired' ]; then echo speed: 210; else echo speed: \$(cat speed); fi"
given bisect 'bisect --repo repo --good c1 --bad c12 --test "$test" --metric "speed: {number}" --json'
found="answer.verdict == 'changes' and answer.changes[1].first_bad == '$(id_of repo c8)'"

bisect 0
answer "$found and answer.stored == nil"
runs=$(lines_in runs)
answer "answer.runs == $runs"
not_said "stored"

# The same again measures nothing, and says so first; no line claims that anything ran.
runs_nothing bisect 0
first_line "^1 regression found in 12 commits \(stored results of [0-9]{2}:[0-9]{2} UTC, $runs runs\)$"
answer "$found and answer.runs == 0 and answer.stored.runs == $runs and answer.stored.from <= answer.stored.upto"
[ "$(grep -c '[0-9] runs' out)" = 1 ] || fail "a second line counts runs"
says 0 "1 regression found in 12 commits (stored results of " show

# Of another day it has the date.
"$engine" -e "reg.store.open('.regengine/results.db'):export 'all.jsonl'"
sed 's/"started":[0-9.e+]*/"started":1700000000/' all.jsonl >older.jsonl
"$engine" -e "reg.store.open('older.db'):import 'older.jsonl'"
bisect 0 --store older.db
first_line "\(stored results of 2023-11-14 22:13 UTC, $runs runs\)$"

# --fresh measures all of it.
bisect 0 --fresh
answer "$found and answer.stored == nil and answer.runs == $(($(lines_in runs) - runs))"
not_said "stored"

# What it measured is stored, and hides what was stored before: also from a run without --fresh.
rm -f hangs
echo $(($(lines_in runs) + 2)) >gate
launch bisect --repo repo --good c1 --bad c12 --test "$test" --metric 'speed: {number}' --fresh --json
interrupt_when [ -e hangs ]
grep -q "finished work is kept. Run this command to continue:$" err || fail "no command that goes on"
! grep -q -- "--fresh" err || fail "the command that goes on would measure afresh"
rm gate
touch repaired
answers bisect 0 "answer.verdict == 'no_change' and answer.stored == nil" --fresh
runs_nothing bisect 0
first_line "^No change between c1 and c12 \(12 commits, stored results of [0-9:]* UTC, [0-9]* runs\)$"

# Killed with kill -9 it begins afresh with --fresh, and goes on without.
killed() {
  rm -f hangs
  echo $(($(lines_in runs) + 3)) >gate
  launch bisect --repo repo --good c1 --bad c12 --test "$test" --metric 'speed: {number}' --fresh
  kill_when [ -e hangs ]
  rm gate
}
killed
before=$(lines_in runs)
bisect 0 --fresh
answer "answer.verdict == 'no_change' and answer.stored == nil and answer.runs == $(($(lines_in runs) - before))"
rm repaired
killed
bisect 0
answer "answer.stored.runs >= 2"
first_line "[0-9]* of [0-9]* runs stored, of [0-9:]* UTC, |stored results of"

# The same of flags, of a sweep of a script, and of prove.
flags() {
  expect 0 flags --good 'FLAGS=-a' --bad 'FLAGS=-a -b -c' --metric 'ms: {number}' --exact --json "$@" \
    --test "echo run >>'$folder/flag_runs'; "'case $FLAGS in *-b*) echo ms: 12 ;; *) echo ms: 8 ;; esac'
}
flags
runs=$(lines_in flag_runs)
flags
first_line "^REGRESSION .* \(stored results of [0-9:]* UTC, $runs runs\)$"
answer "answer.reused == $runs and answer.stored.runs == $runs"
[ "$(grep -v '^{' out | grep -c ' runs')" = 1 ] || fail "a second line counts runs"
flags --fresh
[ "$(lines_in flag_runs)" = $((2 * runs)) ] || fail "flags --fresh ran $(($(lines_in flag_runs) - runs)) times, not $runs"
answer "answer.reused == 0 and answer.stored == nil"
prove() {
  expect 0 prove --repo repo --commit c8 --test "echo run >>'$folder/proof_runs'; cat speed" --metric '{number}' \
    --better higher --json "$@"
}
prove
runs=$(lines_in proof_runs)
runs_in=proof_runs runs_nothing prove
first_line "^Proved: [0-9a-f]* is the commit\. \(stored results of [0-9:]* UTC, [0-9]* rounds of [0-9] versions\)$"
prove --fresh
[ "$(lines_in proof_runs)" = $((2 * runs)) ] || fail "prove --fresh did not run everything"

# All stages of a script use what the first one measured.
cat >stages.lua <<'LUA'
local opt = reg.options {}
local function look()
  return reg.sweep({ "a", "b", "c" }, { into = opt.store, metric = "v", exact = true,
    measure = function(_, trial) return #trial:run({ shell = "echo run >>stages; echo 1" }).stdout end })
end
local first, second = look(), look()
print(first.runs, second.runs, second.reused)
LUA
expect 0 stages.lua
runs=$(lines_in stages)
runs_in=stages runs_nothing expect 0 stages.lua
expect 0 stages.lua --fresh
[ "$(lines_in stages)" = $((2 * runs)) ] || fail "the second stage did not use the first one's runs"
