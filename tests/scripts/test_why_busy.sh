#!/bin/sh
# tests/scripts/test_why_busy.sh REGENGINE: why.lua on a machine that is busy, and tells a program that waits for a CPU from
# one that sleeps. No other test runs beside it.
. "$(dirname "$0")/lib.sh"
need python3

# busy.sh COMMAND: beside loops, which share the scheduler's attention with it.
cat >busy.sh <<'END'
pids=
for i in $(seq $(($(nproc) * 4))); do sh -c 'while :; do :; done' & pids="$pids $!"; done
"$@"
status=$?
kill $pids
exit $status
END
echo 'sum(i * i for i in range(5000000))' >plain.py
cp plain.py same.py

# top PATTERN A B: the sentence of A against B, whose first finding is of the host. Two runs an end are collected: where the
# loops share the CPUs unevenly, they say nothing, once.
says_why() {
  expect 0 why "$2" "$3" --json --fresh
  head -n 1 out
  head -n 1 out | grep -Eq "slower than A: $1" && answer 'answer.top.level == "host" and answer.top.share > 0.8'
}
top() { (says_why "$@") || { echo "once more" && says_why "$@"; } || fail "the sentence of $3"; }

# The same program: nothing but the host differs.
top 'waits [0-9.]+ s longer, [0-9.]+ s of it for a CPU \(' 'python3 plain.py' 'sh busy.sh python3 same.py'

# On a machine that is as busy for both, B sleeps: that the loops wait for a CPU is not why.
printf 'import time\ntime.sleep(2)\n' >sleeps.py
printf 'import time\ntime.sleep(0.2)\n' >sleeps_less.py
loops=
for _ in $(seq $(($(nproc) * 2))); do sh -c 'while :; do :; done' & loops="$loops $!"; done
at_end="kill $loops"
top 'waits [0-9.]+ s longer \(' 'python3 sleeps_less.py' 'python3 sleeps.py'
