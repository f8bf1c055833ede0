#!/bin/sh
# The shipped ab.lua with three commands or more, parameters, and what runs before and after.
. "$(dirname "$0")/lib.sh"

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
