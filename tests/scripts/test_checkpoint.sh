#!/bin/sh
# tests/scripts/test_checkpoint.sh REGENGINE: the shipped checkpoint.lua, on a program whose numbers are known.
. "$(dirname "$0")/lib.sh"

# program FACTOR: a script that prints FACTOR times a number near 100, another one at each run.
program() {
  executable bench <<END
i=\$(cat runs 2>/dev/null || echo 0); i=\$((i + 1)); echo \$i >runs
awk -v i=\$i 'BEGIN { printf "rate: %.4f\n", $1 * (100 + (i * 7 % 11) / 20) }'
END
}
given checkpoint 'checkpoint --test ./bench --metric "rate: {number}" --better higher'

# The first run keeps the baseline, the next one of the same program finds no difference.
program 1
tells checkpoint 0 "Kept the baseline 'baseline': rate 100." --json
answer 'answer.verdict == "kept" and answer.baseline and #answer.values == 10 and answer.effect == nil'
[ "$(cat runs)" = 11 ] || fail "10 runs and one to warm up"
tells checkpoint 0 "No difference of 1 % or more: rate 100." --json --min-effect 1%
answer 'answer.verdict == "no_difference" and not answer.baseline and answer.low <= 0 and answer.high >= 0'
checkpoint 0
grep -Eq '^No difference of 0\.[0-9]+ % or more: ' out || fail "what the runs can tell apart"

# Slower, faster, and what cannot be told.
program 0.9
checkpoint 4 --fail-on-regression --json
interval='99 % interval -1[01](\.[0-9])? to -(9|9\.[0-9]|10) %'
matches out "^REGRESSION   rate 100\\.[0-9]* -> 90\\.[0-9]*   -10 % \\($interval\\)$"
answer 'answer.verdict == "regression" and answer.effect < -0.09 and answer.effect > -0.11'
checkpoint 0
says 0 "REGRESSION   rate 100." show
says 0 "REGRESSION: rate 100." list
program 1.1
checkpoint 0 --fail-on-regression
grep -q '^IMPROVEMENT  rate 100\.' out || fail "an improvement"
program 1
tells checkpoint 3 "Inconclusive:" --min-effect 0.0001%

# The baseline moves, and others stay where they are.
program 0.9
tells checkpoint 0 "Kept the baseline 'other'" --name other --runs 5
tells checkpoint 0 "The baseline moves here." --move --json
answer 'answer.verdict == "regression" and answer.baseline'
tells checkpoint 0 "No difference of"
program 1
tells checkpoint 0 "IMPROVEMENT" --name other --runs 5

# Levels beside the number.
checkpoint 0 --name levels --runs 5 --collect environment --collect host
export OMP_NUM_THREADS=3
checkpoint 0 --name levels --runs 5 --collect environment --json
grep -q '^  environment .*OMP_NUM_THREADS' out || fail "the variable that changed"
answer '#answer.findings == 1 and answer.findings[1].level == "environment"'
checkpoint 0 --name other --runs 5 --collect environment
noted 'environment: the baseline was kept without it'

# The wall time, without a metric.
says 0 "Kept the baseline 'wall': wall time " checkpoint --test true --name wall --runs 5

# The samples of another program's file.
cp "$source_root/tests/data/foreign/hyperfine.json" "$source_root/tests/data/foreign/pytest.json" .
from() { code=$1; shift; expect "$code" checkpoint --from hyperfine.json --benchmark './bench 1 n=1' --name foreign "$@"; }
tells from 0 "Kept the baseline 'foreign': wall time 0.102 s, 5 samples." --json
answer '#answer.values == 5 and answer.test == "./bench 1 n=1" and answer.metric == "wall time"'
sed -i 's/"times": \[0.1, 0.101, 0.102, 0.103, 0.104\]/"times": [0.2, 0.201, 0.202, 0.203, 0.204]/' hyperfine.json
tells from 4 "REGRESSION   wall time 0.102 -> 0.202 s" --fail-on-regression
tells from 0 "would read 5 samples of ./bench 1 n=1" --dry-run
says 0 "5 samples." checkpoint --from pytest.json --name foreign_pytest
sed 's/"results"/"metric": "CPU time", "unit": "s", "results"/' hyperfine.json >cpu.json
expect 1 checkpoint --from cpu.json --benchmark './bench 1 n=1' --name foreign
complained "is of another test or metric: wall time of ./bench 1 n=1"
says 2 "hyperfine.json has the wall time, and cpu.json the CPU time" compare hyperfine.json cpu.json
says 2 "hyperfine.json has 2 benchmarks" checkpoint --from hyperfine.json
expect 2 checkpoint --from hyperfine.json --benchmark './bench 2 n=2'
complained "hyperfine.json has fewer than 5 samples of ./bench 2 n=2"
says 2 "not a file of benchmark results: ./bench: it is text" checkpoint --from ./bench
says 2 "needs --test or --from" checkpoint

# What cannot be compared, and mistakes; nothing runs.
before=$(cat runs)
expect 1 checkpoint --test './bench 2' --metric 'rate: {number}' --better higher
complained "the baseline 'baseline' is of another test or metric: rate of ./bench"
says 2 "a baseline keeps a number in the output, not @peak_memory" checkpoint --test ./bench --metric '@peak_memory'
expect 2 checkpoint --test ./bench --metric 'value: {number}'
complained "cannot tell whether higher or lower values of 'value' are better"
tells checkpoint 0 "would run 11 times: ./bench" --dry-run
[ "$(cat runs)" = "$before" ] || fail "something ran"
"$engine" -e 'local store <close> = reg.store.open ".regengine/results.db"
  local answer = { name = "elsewhere", baseline = true, test = "./bench", values = { 1, 1, 1, 1, 1 }, collected = {},
    key = reg.identity { test = "./bench", metric = "rate: {number}" }:match "^[^@]*" .. "@0123456789abcdef" }
  store:finish_investigation(store:begin { name = "checkpoint" }, answer)' || fail "a baseline of another machine"
tells checkpoint 1 "the baseline 'elsewhere' was measured on another machine, GPU or driver" --name elsewhere
tells checkpoint 0 "IMPROVEMENT" --name elsewhere --reuse any-machine
tells checkpoint 0 "Kept the baseline 'elsewhere'" --name elsewhere --move

# A test that fails or says nothing keeps no baseline.
says 1 "the test failed with exit code 3" checkpoint --test 'exit 3' --name broken
expect 1 checkpoint --test 'echo none' --name broken --metric 'rate: {number}' --better higher
complained "no match for 'rate: {number}' (check --metric)"
expect 0 checkpoint --test ./bench --name broken --metric 'rate: {number}' --better higher --runs 5
said "Kept the baseline 'broken'"
