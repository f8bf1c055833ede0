#!/bin/sh
# tests/scripts/test_results_store.sh REGENGINE: the scripts on results say the same of a store as of the files it was
# made from, and an import that is killed leaves a store as good as before.
. "$(dirname "$0")/lib.sh"

records() {  # NIGHTS FACTOR
  awk -v nights="$1" -v factor="$2" 'BEGIN {
    for (night = 0; night < nights; ++night)
     for (model = 1; model <= 20; ++model)
      for (dynamo = 0; dynamo < 2; ++dynamo)
      for (run = 0; run < 5; ++run)
        printf "{\"model\": {\"model_name\": \"m%d\"}, " \
          "\"experiment\": {\"accelerator_model\": \"One of Tesla V100\", \"test\": \"eval\", " \
          "\"batch_size\": %d, \"dynamo\": %s, \"xla\": %s}, " \
          "\"metrics\": {\"total_time\": [9, 8, 7, %.15g, %.15g, %.15g]}, " \
          "\"timestamp\": %d.5}\n", model, run, dynamo ? "\"openxla\"" : "\"inductor\"", dynamo ? "\"PJRT\"" : "null",
          model * factor + run / 1000, model * factor + run / 900, model * factor + 1 / (7 + night + dynamo), \
          1700000000 + night * 86400
  }'
}
import() { "$engine" -e "print(reg.json.encode(reg.results.import { files = { '$1' }, into = '$2' }))" >out 2>err; }

records 5 1 >old.jsonl
records 5 1.2 >new.jsonl
import old.jsonl old.db || fail "the import"
import new.jsonl new.db || fail "the import"
said '"imported":1000'

# ARGUMENTS...: the script says the same with *.db for *.jsonl.
same() {
  "$engine" "$@" >of_files 2>err || fail "exit code $?: $*"
  [ -s of_files ] || fail "nothing said: $*"
  expect 0 $(printf '%s\n' "$@" | sed 's/\.jsonl$/.db/')
  cmp of_files out || fail "a store says something else: $*"
}
for report in speedup histogram latest latest_grouped; do same aggregate.lua --report $report old.jsonl; done
same aggregate.lua old.jsonl new.jsonl
same aggregate.lua --format tab --metric compile old.jsonl
same compare.lua old.jsonl new.jsonl
said "200 slower"
for what in jsonl db; do
  mkdir "of_$what"
  expect 0 analyze.lua --results "new.$what" --output-dirname "of_$what" --output-format both
done
for file in metric_report.csv metric_report.jsonl database.csv; do
  cmp "of_jsonl/$file" "of_db/$file" || fail "analyze writes another $file of a store"
done
expect 0 aggregate.lua old.jsonl new.db

# Another program's database, and a store that was cut.
sqlite3 other.db 'CREATE TABLE t(a)' || skip "no sqlite3"
says 1 "other.db is not a regengine store" aggregate.lua other.db
head -c 20000 new.db >cut.db
says 1 cut.db aggregate.lua cut.db

# kill -9 at any time: what was there stays, and the next import takes the rest.
records 150 2 >many.jsonl
half=0
killed() { # DELAY STORE BEFORE AFTER: an import that is killed; the store has BEFORE or AFTER runs
  launch -e "reg.results.import { files = { 'many.jsonl' }, into = '$2' }"
  sleep "$1"
  kill -9 $pid 2>/dev/null || true
  wait $pid 2>/dev/null || true
  [ -s "$2" ] || return 0
  [ ! -s "$2-journal" ] || half=$((half + 1))
  expect 0 -e "local n = 0 for _ in reg.results.runs { store = '$2' } do n = n + 1 end print(n)"
  [ "$(cat out)" = "$3" ] || [ "$(cat out)" = "$4" ] || fail "half of an import is there"
}
for delay in 0.05 0.1 0.2 0.3; do
  cp old.db killed.db; rm -f killed.db-*
  killed $delay killed.db 1000 31000
done
import many.jsonl killed.db || fail "the import after kill -9"
# A new store has no log in its first import.
for delay in 0.02 0.04 0.06 0.08 0.1 0.15 0.2; do
  rm -f new_killed.db*
  killed $delay new_killed.db 0 30000
done
echo "$half of the first imports were killed in their transaction"
import many.jsonl new_killed.db || fail "the first import after kill -9"
expect 0 -e "print(reg.results.export { store = 'new_killed.db', to = 'all.jsonl' })"
cmp many.jsonl all.jsonl || fail "what came back is not what went in"
expect 0 -e "reg.results.export { store = 'killed.db', to = 'all.jsonl' }"
cat old.jsonl many.jsonl | cmp - all.jsonl || fail "what came back is not what went in"
