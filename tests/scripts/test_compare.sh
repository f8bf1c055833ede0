#!/bin/sh
# tests/scripts/test_compare.sh REGENGINE: the shipped compare.lua, as a user starts it.
. "$(dirname "$0")/lib.sh"

# MODEL BATCH SECONDS...: a run each; its first three values are warm-up.
runs() {
  model=$1 batch=$2
  shift 2
  for seconds; do
    printf '{"model":{"suite_name":"s","model_name":"%s"},"experiment":{"test":"eval",' "$model"
    printf '"batch_size":%s},' "$batch"
    printf '"metrics":{"total_time":[90,80,70,%s]},"timestamp":1}\n' "$seconds"
  done
}
row() { awk -v model="$1" -v batch="batch_size=$2" '$2 == model && $3 == batch { print $1 }' out; }
place() { awk -v model="$1" '$2 == model { print NR; exit }' out; }

{
  runs slow 1 1.00 1.01 0.99 1.00 1.02
  runs slow 8 1.00 1.01 0.99 1.00 1.02
  runs worst 1 1.00 1.01 0.99 1.00 1.02
  runs few 1 1.00 1.01
  runs gone 1 1.00
  runs broke 1 1.00
} >old.jsonl
{
  runs slow 1 1.10 1.11 1.09 1.10 1.12
  runs slow 8 0.50 0.51 0.49 0.50 0.52
  runs worst 1 3.00 3.01 2.99 3.00 3.02
  runs few 1 1.50 1.51
  runs fresh 1 1.00
  printf '{"model":{"suite_name":"s","model_name":"broke"},"experiment":{"test":"eval","batch_size":1},'
  echo '"metrics":{"error":"OOM"},"timestamp":1}'
} >new.jsonl

expect 0 compare.lua old.jsonl new.jsonl --csv table.csv
[ "$(row slow 1)" = slower ] && [ "$(row slow 8)" = faster ] && [ "$(row worst 1)" = slower ] || fail "the verdicts"
[ "$(row few 1)" = ambiguous ] || fail "two runs a side tell nothing"
[ "$(place worst)" -lt "$(place slow)" ] && [ "$(place slow)" -lt "$(place few)" ] || fail "not the worst first"
said "+200.0 %" "+10.0 %" "3.00x slower" "2.00x faster"
[ ! -s err ] || ! grep -q "load average" err || fail "load that no record tells"
said "4 compared: 2 slower, 1 ambiguous, 0 same, 1 faster; 3 on one side only"
said "only in OLD: gone batch_size=1 (no runs in NEW)" "only in NEW: fresh batch_size=1 (no runs in OLD)"
said "only in OLD: broke batch_size=1 (no samples; last run: failed: OOM in NEW)"
grep -q "new.jsonl:[0-9]*: failed: OOM" err || fail "the failed run is named"
[ "$(wc -l <table.csv)" = 5 ] && grep -q worst table.csv || fail "the table as CSV"

expect 4 compare.lua old.jsonl new.jsonl --fail-on-regression --json
answer 'answer.slower == 2 and answer.faster == 1 and answer.compared[1].model == "worst"'
answer 'math.abs(answer.compared[1].effect - 2) < 0.02'
answer 'answer.compared[1].low > 1.8 and answer.compared[1].high < 2.2'
answer 'answer.compared[1].configuration == "suite_name=s batch_size=1 test=eval"'
answer '#answer.one_sided == 3 and answer.compared[3].low == nil and answer.compared[3].verdict == "ambiguous"'
says 0 " 0 slower" compare.lua new.jsonl new.jsonl --fail-on-regression
expect 4 compare.lua old.jsonl new.jsonl --fail-on-regression --better higher
said "4 compared: 1 slower, 1 ambiguous, 0 same, 2 faster"

# Folders, of several files; the runs of one thing come together, and nothing is said of what warm-up left nothing of.
mkdir before after
head -n 2 old.jsonl >before/1.jsonl && sed -n '3,$p' old.jsonl >before/2.jsonl && cp new.jsonl after/
says 0 "4 compared: 2 slower" compare.lua before after
expect 0 compare.lua before after --ignore batch_size --warmup 0
[ "$(awk '$2 == "slow" { print $NF }' out)" = 10 ] || fail "ten runs a side where batch sizes do not count"
expect 1 compare.lua before after --warmup 4
said "0 compared"
noted "total_time has 4 values, but the first 4 are warm-up"

# The load of the machine that suite.lua records.
with_load() { sed "s/\"timestamp\":1/&,\"units\":{\"total_time\":\"s\"},\"process_load\":[$2]/" "$1"; }
with_load old.jsonl 0.2 >calm.jsonl
with_load new.jsonl 6.5 >busy.jsonl
expect 0 compare.lua calm.jsonl busy.jsonl --json
grep -q "4 of 4 compared under different load: the load average of worst batch_size=1 was 0.2 in OLD and 6.5 in NEW" \
  err || fail "that the load differs"
answer 'answer.compared[1].load_differs and answer.compared[1].times_faster < 0.34'
said "old (s)"
with_load new.jsonl 1.1 >calm2.jsonl
expect 0 compare.lua calm.jsonl calm2.jsonl
! grep -q "load average" err || fail "what a benchmark itself causes"

# Files of other programs, and a file of another kind in one line.
data=$source_root/tests/data/foreign
cp "$data/hyperfine.json" .
sed 's/"times": \[0.1, 0.101, 0.102, 0.103, 0.104\]/"times": [0.2, 0.201, 0.202, 0.203, 0.204]/' hyperfine.json >slower.json
says 4 "old (s)" compare hyperfine.json slower.json --fail-on-regression --confidence 95%
said "1.98x slower" "2 compared: 1 slower, 1 ambiguous"
noted "1 of 2 have fewer than 5 samples on a side. Run hyperfine with --runs 10 for more samples."
says 2 "hyperfine.json has no metric 'usr' (did you mean 'user'?)" compare hyperfine.json slower.json --metric usr

says 2 "takes two results, OLD and NEW, not 1" compare.lua old.jsonl
says 2 nowhere.jsonl compare.lua old.jsonl nowhere.jsonl
"$engine" -e 'reg.store.open("suite.db"):begin { name = "suite" }'
says 2 "no results of a suite in suite.db" compare suite.db suite.db
