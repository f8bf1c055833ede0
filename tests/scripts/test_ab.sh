#!/bin/sh
# tests/scripts/test_ab.sh REGENGINE: the shipped ab.lua, on programs whose numbers are known; with two commands, then
# with more, with parameters, and what runs before and after.
. "$(dirname "$0")/lib.sh"

program() { echo "t=$2" | noisy "$1" 0.02; } # NAME STEP-TIME
program old 100
program new 110
program same 100
metric='step time: {number}'

# A slower program, and everything that the JSON says of it.
expect 0 ab ./old ./new --metric "$metric" --better lower --json
n='[0-9.]+'
first_line "^B's step time is $n % worse than A's  \(95 % interval $n to $n %\)   step time $n -> $n   [0-9]+ pairs, "
said "  A  ./old" "  B  ./new"
answer 'answer.verdict == "worse" and answer.regression and answer.low < 0.1 and answer.high > 0.1 and answer.low > 0'
answer 'answer.pairs >= 5 and answer.pairs <= 20 and #answer.values.a == answer.pairs and answer.confidence == 0.95'
answer 'answer.metric == "step time" and answer.better == "lower" and answer.commands[2] == "./new"'
pairs=$("$engine" -e "print(reg.json.decode(reg.fs.read 'answer.json').pairs)")
[ "$(lines_in runs)" = $((2 * pairs + 2)) ] || fail "$(lines_in runs) runs for $pairs pairs and a warm-up of both"
grep -q "^pair 5 .* B +[0-9.]* % (.* to .* %)" err || fail "the progress does not show the difference so far"

# With --resume, also under its full name, nothing runs, and the answer is the same, which the first line says.
cp answer.json first.json
runs_nothing expect 0 ab.lua ./old ./new --metric "$metric" --better lower --resume --json
first_line "   stored results of [0-9:]* UTC, $pairs pairs$"
answer 'answer.effect == reg.json.decode(reg.fs.read "first.json").effect and answer.reused == answer.pairs'
answer 'answer.stored.runs == 2 * answer.pairs and answer.stored.from <= answer.stored.upto'

# Without it everything is measured again: what `make run` builds and reads is not known.
before=$(lines_in runs)
answers expect 0 'answer.reused == 0 and answer.stored == nil' ab ./old ./new --metric "$metric" --better lower --json
[ "$(lines_in runs)" -gt "$before" ] || fail "nothing ran"
says 2 "--resume cannot be used with --fresh" ab ./old ./new --metric "$metric" --resume --fresh

# A program with other contents is another program.
program new 100.0
before=$(lines_in runs)
expect 0 ab ./old ./new --metric "$metric" --better lower --min-effect 5% --resume --json
answer 'answer.verdict == "no_difference" and answer.reused == 0 and answer.low > -0.05 and answer.high < 0.05'
said "No difference of 5.0 % or more: B is between "
[ "$(lines_in runs)" -gt "$before" ] || fail "the new program did not run"

# A pipe that a command names has no contents of its own.
mkfifo pipe
says 0 "would run each command" ab 'test -p ./pipe' 'test -p ./pipe && true' --dry-run

# What was predicted.
given predicted "ab 'echo ms: 8' 'echo ms: 7' --metric 'ms: {number}' --predict"
tells predicted 0 "  metric -10 %   met: -12.5 %" 'metric -10 %' --json
answer 'answer.predictions[1].verdict == "met" and answer.predictions[1].line == "metric -10 %"'
says 0 "  metric -10 %   met: -12.5 %" show
tells predicted 2 "ab: not a valid prediction: 'ms better'" 'ms better'
tells predicted 2 "ab: cannot measure 'kernels', which is predicted here" 'kernels fewer'

# Which one is better.
says 0 "x worse than A's" ab ./old 'exec ./old | sed "s/: /: 9/"' --metric "$metric" --json
answer 'answer.verdict == "worse" and answer.better == "lower" and answer.regression'
says 0 "B's score is 14.3 % higher than A's" ab 'echo score: 7' 'echo score: 8' --metric 'score: {number}' --json
answer 'answer.verdict == "higher" and not answer.regression'
of() { # EXIT-CODE TEXT A B OPTIONS...
  code=$1 text=$2 a=$3 b=$4; shift 4
  says "$code" "$text" ab "echo MB: $a" "echo MB: $b" --metric 'MB: {number}' "$@"
}
of 4 "B's MB is 14.3 % worse than A's   MB 7 -> 8   5 pairs" 7 8 --better lower --fail-on-regression
of 0 "B's MB is 14.3 % better than A's" 7 8 --better higher --fail-on-regression
of 0 "No difference: all numbers of A and B are equal   MB 4 -> 4" 4 ' 4' --better lower
of 0 "No difference of 5.0 % or more: B is 1.0 % worse than A   MB 100 -> 101" 100 101 --better lower --min-effect 5%
of 2 "MB of B is 0, and a ratio needs positive numbers" 1 0
says 0 "B's wall time is 14.3 % worse than A's   wall time 7 -> 8   5 pairs" ab 'echo wall time: 7' 'echo wall time: 8' \
  --metric 'wall time: {number}'
says 4 "x slower than A  (95 % interval " ab true 'sleep 0.3' --fail-on-regression
said "wall time "
says 0 "x faster than A  (95 % interval " ab 'sleep 0.3' true --fail-on-regression
runs_nothing expect 2 ab ./old ./new --metric 'took {number}' --fail-on-regression
complained "--fail-on-regression: cannot tell whether higher or lower values of 'took' are better" \
  "Pass --better higher or --better lower."

# The budget ends it: inconclusive, with the price of a decision; a larger one goes on.
says 3 "Inconclusive: B is between " ab ./old ./same --metric "$metric" --min-effect 0.1% --budget 6 --json
grep -Eq "^Noise is [0-9.]* % per run; about [0-9]* more pairs .* would decide it: --resume --budget [0-9]*$" out || fail "no price"
answer 'answer.verdict == "inconclusive" and answer.pairs == 6 and answer.more_pairs > 10'
before=$(lines_in runs)
expect 3 ab ./old ./same --metric "$metric" --min-effect 0.1% --budget 7 --resume --json
answer 'answer.reused == 6 and answer.pairs == 7'
first_line "   6 of 7 pairs stored, of [0-9:]* UTC, "
[ "$(lines_in runs)" = $((before + 4)) ] || fail "$(($(lines_in runs) - before)) runs for a pair and a warm-up of both"
says 3 "an interval takes 5 pairs" ab ./old ./same --metric "$metric" --budget 3
says 3 "pair  order" ab ./old ./same --metric "$metric" --min-effect 0.1% --budget 7 --store other.db --explain
said "  2  B, A"

# Killed with kill -9 in the middle of a pair, it goes on where it was with --resume.
executable slow <<'END'
echo "$1" >>slow.log
[ "$(wc -l <slow.log)" != 8 ] || { touch hangs; exec sleep 1000; }
echo MB: 7
END
launch ab './slow A' './slow B' --metric 'MB: {number}'
kill_when [ -e hangs ]
[ "$(tr -d '\n' <slow.log)" = ABABBAAB ] || fail "the order: $(cat slow.log)"
given slow "ab './slow A' './slow B' --metric 'MB: {number}' --resume --json"
answers slow 0 'answer.pairs == 5 and answer.reused == 2 and answer.verdict == "no_difference"'
[ "$(tr -d '\n' <slow.log)" = ABABBAABABABBAAB ] || fail "two pairs from before, a warm-up and three pairs: $(cat slow.log)"

# Of the same two the other way round nothing is known.
answers expect 0 'answer.reused == 0' ab './slow B' './slow A' --metric 'MB: {number}' --resume --json \
  --store .regengine/results.db

# Trials of another machine do not count, unless the user says so.
"$engine" -e "reg.store.open('.regengine/results.db'):export 'all.jsonl'"
sed -i 's/"key":"\([0-9a-f]*\)@[0-9a-f]*"/"key":"\1@0123456789abcdef"/' all.jsonl
"$engine" -e "for _, db in ipairs{'moved.db', 'moved2.db'} do reg.store.open(db):import 'all.jsonl' end"
answers slow 0 'answer.reused == 0 and answer.other_machines == 0' --store moved.db
answers slow 0 'answer.reused == 5 and answer.other_machines == 5' --store moved2.db --reuse any-machine

# A command that fails ends it, with the end of its output; --redo runs failed trials again.
expect 1 ab ./old 'echo one; echo two; exit 3'
noted "regengine: B failed: exit code 3" "  one" "  two"
expect 1 ab nosuchprogram true
noted "regengine: A failed: 'nosuchprogram' was not found (exit code 127)"
expect 1 ab ./old 'echo nothing' --metric "$metric"
noted "regengine: B failed: no match for 'step time: {number}' (check --metric)"
expect 1 ab 'sleep 1000' true --timeout 100ms
noted "regengine: A failed: ran past its time limit"
executable breaks <<'END'
echo x >>breaks.log
[ "$(wc -l <breaks.log)" != 3 ] || exit 1
echo MB: 8
END
expect 1 ab 'echo MB: 7' ./breaks --metric 'MB: {number}'
noted "--resume --redo test_failed"
expect 1 ab 'echo MB: 7' ./breaks --metric 'MB: {number}' --resume
[ "$(wc -l <breaks.log)" = 3 ] || fail "a failed trial was run again"
expect 0 ab 'echo MB: 7' ./breaks --metric 'MB: {number}' --resume --redo test_failed --json
answer 'answer.reused == 1 and answer.pairs == 5'

# Ctrl-C: what is known so far.
executable stops <<'END'
echo x >>stops.log
[ "$(wc -l <stops.log)" != 15 ] || { touch waits; exec sleep 1000; }
echo "MB: $(($(wc -l <stops.log) % 3 + 7))"
END
launch ab './stops 1' './stops 2' --metric 'MB: {number}'
interrupt_when [ -e waits ]
said "So far: Inconclusive: B is between " "6 pairs"
noted "Run this command to continue:"
grep -qxF "  $engine ab './stops 1' './stops 2' --metric 'MB: {number}' --resume" err || fail "not with --resume"

# A dry run runs nothing, and says how much it would run.
runs_nothing expect 0 ab ./old ./new --dry-run --budget 20 --store fresh.db
said "would run each command 6 to 21 times, in turn, once of which to warm up" "./new"
[ ! -e fresh.db ] || fail "a dry run made a store"

# The page and the shared text have the verdict.
of 0 "B's MB" 7 8 --better lower --store shared.db
says 0 "ab: B's MB is 14.3 % worse than A's: MB 7 -> 8, 12 trials." report --store shared.db
says 0 " B's MB is 14.3 % worse than A's: MB 7 -> 8" list
expect 0 share --store shared.db -o issue.md
holds issue.md "14.3 % worse"
says 4 "B's MB is 14.3 % worse than A's" issue.md --fail-on-regression --store again.db

# Each other pair is B, A: the progress says whose number is whose.
expect 0 ab 'echo rate 1' 'echo rate 2' --metric 'rate {number}' --store labels.db
[ "$(grep -c "^pair [1-4] of about 30: A 1, B 2" err)" = 4 ] || fail "wrong labels in the progress: $(cat err)"

# In a container, which sees this folder; by wall time the container engine's share is in it.
start_daemons
if [ -n "${REGENGINE_TEST_DOCKER:-}" ] && [ -n "${REGENGINE_TEST_IMAGE:-}" ]; then
  mkdir inside && cd inside
  executable in_busybox '[ ! -e /etc/debian_version ] && echo "MB: 7"'
  expect 0 ab ./in_busybox 'echo MB: 8' --metric 'MB: {number}' --image "$REGENGINE_TEST_IMAGE" --runtime docker
  said "B's MB is 14.3 % worse than A's   MB 7 -> 8   5 pairs"
  expect 3 ab ./in_busybox 'cat made' --metric 'MB: {number}' --image "$REGENGINE_TEST_IMAGE" --runtime docker --runs 2 \
    --setup './in_busybox >made'
  grep -q "MB: 7" made || fail "the setup ran outside of the container"
  cd ..
fi

says 2 "takes two commands or more, A and B, not 1" ab ./old
says 2 "--better needs --metric" ab ./old ./new --better lower

mkdir many && cd many
# Three commands: ranked, and the store has them as it has two.
expect 4 ab 'echo ms: 5' 'echo ms: 4' 'echo ms: 6' --metric 'ms: {number}' --better lower --json --fail-on-regression
head -n 1 out | grep -qF "Best: B's ms is 20 % better than A's   ms 5 -> 4   5 rounds, " || fail "the first line"
[ "$(awk '/^[ABC] / { printf $1 }' out)" = BAC ] || fail "not in their order"
said "  C  echo ms: 6" "20 % worse"
answer 'answer.verdict == "decided" and #answer.comparisons == 2 and #answer.results == 3 and answer.regression'
says 0 "Best: B's ms is 20 % better than A's" list
says 0 "Best: B's ms is 20 % better than A's" show
expect 0 report -o page.html
holds page.html "Best: B"
expect 0 share -o issue.md
holds issue.md "20 % better"
says 4 "Best: B's ms is 20 % better than A's" issue.md --store again.db
given three "ab 'echo ms: 5' 'echo ms: 4' 'echo ms: 6' --metric 'ms: {number}' --resume --store few.db"
tells three 3 "needs 5 rounds" --runs 4
tells three 0 "C's ms is 50 % worse than B's" --runs 5 --all-pairs --explain
first_line "   4 of 5 rounds stored, of "
said "    2  C, B, A"

# What runs before and after, and the parameters in it; only the command is measured.
expect 0 ab 'echo run {n} >>log; echo ms: {n}' --metric 'ms: {number}' --parameter n=1..2 --runs 5 --warmup 2 \
  --setup 'echo setup {n} >>log' --prepare 'echo prepare {n} >>log; echo ms: 7' --cleanup 'echo cleanup {n} >>log' --json
[ "$(sort log | uniq -c | tr -s ' \n' ' ')" = " 1 cleanup 1 1 cleanup 2 7 prepare 1 7 prepare 2 7 run 1 7 run 2 1 setup 1 1 setup 2 " ] ||
  fail "the log: $(cat log)"
head -n 3 log | tr '\n' , | grep -q "^setup 1,setup 2,prepare 1,$" || fail "the order: $(cat log)"
tail -n 1 log | grep -q "cleanup 2" || fail "the end: $(cat log)"
answer 'answer.results[1].max == 1 and answer.results[2].min == 2 and answer.results[2].parameters.n == "2"'

# Files of hyperfine's form, and a scan.
says 0 "A; all others are worse" ab 'echo ms: {n}' --metric 'ms: {number}' --parameter n=1..9:4 \
  --export-json scan.json --export-csv scan.csv --export-markdown scan.md
[ "$(tr -d '\r' <scan.csv | cut -d, -f1,2,9 | tr '\n' ' ')" = "command,mean,parameter_n echo ms: 1,1,1 echo ms: 5,5,5 echo ms: 9,9,9 " ] ||
  fail "the CSV: $(cat scan.csv)"
grep -qF '| `echo ms: 9` | 9 | 0 | 9 | 9 | 9 | 9 |' scan.md || fail "the Markdown: $(cat scan.md)"
"$engine" -e 'local file = reg.json.decode(reg.fs.read "scan.json")
  assert(#file.results == 3 and #file.results[3].times == 5 and file.results[3].parameters.n == "9")' || fail "the JSON"
says 0 "3 compared: 0 slower, 0 ambiguous, 3 same, 0 faster" compare scan.json scan.json --better lower

# What fails beside a command is named.
says 1 "A: --prepare failed: exit code 3" ab 'echo a' 'echo b' --prepare 'exit 3'
says 1 "'exit 3' failed with exit code 3" ab 'echo a' 'echo b' --setup 'exit 3' --cleanup 'touch cleaned'
[ ! -e cleaned ] || fail "what was not set up was cleaned up"

# Ctrl-C cleans up.
launch ab 'touch runs; sleep 1000' 'true' --cleanup 'echo x >>cleaned'
interrupt_when [ -e runs ]
[ "$(wc -l <cleaned)" = 2 ] || fail "not cleaned up after Ctrl-C"

says 0 "would run each command 4 times, in turn; " ab 'echo {n}' --parameter n=1..3 --runs 4 --warmup 0 --dry-run
said "echo 3"
says 2 "--parameter: not a valid parameter: 'n=3..1'" ab 'echo {n}' --parameter n=3..1
says 2 "takes two commands or more, not 1" ab 'echo {n}' --parameter n=1
says 2 "no command has the parameter {n}" ab 'echo a' 'echo b' --parameter n=1,2
says 2 "--runs cannot be used with --budget" ab 'echo a' 'echo b' --runs 3 --budget 4
