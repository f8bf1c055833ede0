#!/bin/sh
# tests/scripts/test_aggregate.sh REGENGINE: the shipped aggregate.lua, as a user starts it.
set -eu
engine=$1
cd "$(mktemp -d)"
fail() { echo "FAILED: $*"; cat out err 2>/dev/null; exit 1; }

record() {  # MODEL DYNAMO XLA TIMESTAMP SECONDS
  printf '{"model":{"model_name":"%s"},"experiment":{"accelerator_model":"One of Tesla V100-SXM2","test":"eval","batch_size":1,' "$1"
  printf '"dynamo":%s,"xla":%s},"metrics":{"total_time":[9,1,1,%s]},"timestamp":%s}\n' "$2" "$3" "$5" "$4"
}
{
  record bert '"inductor"' null 86400 0.4
  record bert '"openxla"' '"PJRT"' 86400 0.8
  record bert null '"PJRT"' 86400 1.6
  record bert '"inductor"' null 172800 0.2
} >results.jsonl

"$engine" aggregate.lua results.jsonl >out 2>err || fail "exit code $?"
cat >wanted <<'W'
# Datetime(UTC),Speedup(Inductor/Oldest Inductor),StdDev,Speedup(XLA+Dynamo/Oldest Inductor),StdDev
1970-01-02 00:00:00,1.0,0.0,0.5,0.0
1970-01-03 00:00:00,2.0,0.0,,
W
cmp out wanted || fail "the speedups"

"$engine" aggregate.lua results.jsonl --accelerator a100 >out 2>err && fail "there is no a100"
grep -q "of 4 results none is of these backends" err || fail "why there is nothing"
"$engine" aggregate.lua results.jsonl --backends openxla+dynamo --backends openxla+lazytensor --accelerator v100 >out 2>err ||
  fail "exit code $?"
grep -q '^1970-01-02 00:00:00,1.0,0.0,0.5,0.0$' out || fail "against another baseline"

"$engine" aggregate.lua results.jsonl --format tab --report latest >out 2>err || fail "exit code $?"
grep -q "ModelName(Inductor)" out || fail "a table"
printf '{"model":' >>results.jsonl
"$engine" aggregate.lua results.jsonl >out 2>err || fail "exit code $?"
cmp out wanted || fail "a cut line changes nothing else"
grep -q "results.jsonl:5 is no result: its writer was stopped in it" err || fail "the cut line is named"
"$engine" aggregate.lua nowhere.jsonl >out 2>err && fail "no such file"
[ "$(wc -l <err)" -le 2 ] && grep -q nowhere.jsonl err || fail "no such file, in a line"
echo "aggregate.lua gives its reports"
