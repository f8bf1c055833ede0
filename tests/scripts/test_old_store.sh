#!/bin/sh
# A store of an earlier engine (tests/support/stores/quickstart.sql) opens, and is reported and shared with the findings
# that the earlier engine printed.
. "$(dirname "$0")/lib.sh"
sqlite3 regengine.db <"$source_root/tests/support/stores/quickstart.sql" >/dev/null
cp regengine.db untouched.db

# What `regengine share` of that engine said, in today's words; all numbers are as they were.
expect 0 share --with-output --yes -o issue.md
cp issue.md out
title='3 changes in Mitems/s: -19.3 % at 2024-03-07; 2.040x slower from 2024-03-11 until 2024-03-16; -22.4 % at 2024-03-27'
said "**$title**" '3 changes found in 30 nights (32 runs, 8.1 s)'
sed -n '/^CHANGE/,/^No other/p' issue.md >changes
cat >wanted <<'END_OF_CHANGES'
CHANGE   Mitems/s 70.9 -> 57.2   -19.3 %  (95 % interval -19.4 to -19.2 %)   confidence > 99 %
  first new   2024-03-07
  last old    2024-03-06
TEMPORARY CHANGE   Mitems/s 57.2 -> 28.1   2.040x slower  (95 % interval 2.037 to 2.043x)   confidence > 99 %
  first new   2024-03-11
  last old    2024-03-10
  until       2024-03-16
CHANGE   Mitems/s 57.3 -> 44.5   -22.4 %  (95 % interval -22.5 to -22.3 %)   confidence > 99 %
  first new   2024-03-27
  last old    2024-03-26
No other change found; a temporary one of a single night could be missed.
END_OF_CHANGES
diff wanted changes || fail "other changes"
said 'skipped 2024-03-20 (could not be built): exit code 2:    17 |   return rounds(x);'
said 'skipped 2024-03-23 (crashed): ended by signal 11: Segmentation fault'
matches out '^2024-03-07 +56\.984 +ok +change -19\.3 %' '^2024-03-31 +44\.535 +ok'
[ "$(grep -cE '^2024-03-[0-9]{2} ' issue.md)" = 30 ] || fail "the table has not 30 nights"
said 'The same run also measured: hours (2 trials of 2 hours), commits (1 trial of 1 commit).'
said '| trials | `32: 1 could not be built, 1 crashed, 30 ok` |' '```lua title=quickstart.lua'
said '```lua module=quickstart_repo' '| first bad | `7058e8f461da406a96728fbccfe838e98ba1a169` |'
not_said builder7

# The page: the same title, every point, the levels in the drawing, the failures, and the other stages.
says 0 "$title" report -o page.html
holds page.html 'Run-to-run noise is 0.12 %.' 'until       2024-03-16' 'names: revision 67' \
  'No answer of its own, 2 trials' 'No answer of its own, 1 trial' '<title>2024-03-20: could not be built' \
  '<title>2024-03-23: crashed'
for drawn in '3 <svg ' '5 <line class="level"' '31 <title>'; do # with the title of the page
  [ "$(grep -oF -- "${drawn#* }" page.html | wc -l)" -ge "${drawn%% *}" ] || fail "the page does not have: $drawn"
done

# Scripts read it as before, and nothing above changed it.
expect 0 -e 'local store <close> = reg.store.open("regengine.db", { read_only = true })
  local list, trials = store:investigations(), store:trials { investigation = 1 }
  local answer = reg.json.decode(store:query("SELECT verdict FROM investigations WHERE id = 1")[1].verdict)
  print(#list, #trials, #store:trials {}, answer.verdict, answer.runs, answer.skipped, #answer.series.points)
  for _, change in ipairs(answer.changes) do
    print(change.kind, change.first_bad, string.format("%.4f", change.effect))
  end
  print(trials[1].status, trials[1].samples["Mitems/s"][1], trials[19].status)'
said '3	32	35	changes	32	2	30'
said 'step	4d3ae2615ff5da45b14a40b0e9b79203bb8d03c5	-0.1930' 'dip	7058e8f461da406a96728fbccfe838e98ba1a169	-0.5098'
said 'step	ca16d84f51d3b803f3929cb83ca763f09344b675	-0.2239' 'ok	70.185	build_failed'
for store in regengine.db untouched.db; do sqlite3 $store .dump >$store.sql; done
cmp -s regengine.db.sql untouched.db.sql || fail "reading changed the store"

# A search that had a reference (before 0.2.0): what it said of the machine is still reported.
sqlite3 regengine.db "UPDATE investigations SET verdict = json_set(verdict, '$.verdict', 'machine_changed', '$.why',
  'the reference 2024-03-01 went from 100 to 90 (-10.0 %)', '$.series.verdict', 'machine_changed', '$.series.why',
  'the reference 2024-03-01 went from 100 to 90 (-10.0 %)', '$.series.reference',
  json('{\"id\":\"2024-03-01\",\"label\":\"2024-03-01\",\"runs\":7,\"values\":[100.0,90.1]}')) WHERE id = 1"
expect 0 share -y
said 'The machine changed (30 nights, 32 runs, 8.1 s): the reference 2024-03-01 went from 100 to 90 (-10.0 %)'
# Results of benchmark suites, which were kept in pieces: scripts read them as before, and an import turns them into lines.
stores="$source_root/tests/support/stores"
sqlite3 suite.db <"$stores/suite_results.sql" >/dev/null
cp "$stores/suite_results.jsonl" suite.jsonl
# A boxed script may not bring it up to date.
says 1 "cannot bring an older store up to date" analyze.lua --results suite.db --output-dirname db
expect 0 -e 'reg.store.open "suite.db"'
for what in before after; do
  [ $what = before ] || expect 0 -e 'reg.results.import { files = { "suite.jsonl" }, into = "suite.db" }'
  for source in jsonl db; do
    mkdir -p $source
    expect 0 analyze.lua --results suite.$source --output-dirname $source --timestamp 5
  done
  cmp jsonl/metric_report.csv db/metric_report.csv || fail "an old store says something else: $what"
  expect 0 -e 'print(reg.results.export { store = "suite.db", to = "out.jsonl" })'
  cmp out.jsonl suite.jsonl || fail "an old store exports something else: $what"
done
# What is damaged in it is said when it is read, and it opens nevertheless.
while IFS='|' read -r damage what; do
  rm -f bad.db*
  { cat "$stores/suite_results.sql"; echo "$damage;"; } | sqlite3 bad.db >/dev/null
  expect 0 -e 'assert(#reg.store.open("bad.db"):query "SELECT * FROM runs" == 0)'
  noted "the results of benchmark suites are damaged" "$what"
done <<'END'
DELETE FROM texts|texts of a run are missing
DELETE FROM run_numbers|numbers of a run are missing
UPDATE run_numbers SET numbers = zeroblob(8)|numbers of a run are missing
UPDATE run_blocks SET words = ''|words of a run are missing
UPDATE run_blocks SET spellings = ''|spellings of a run are missing
UPDATE run_blocks SET spellings = replace(spellings, '6 0.10 ', '9 0.10 ')|spells a number
END
# A store from before them gets the table when there are some, and keeps what it has.
{ cat "$stores/quickstart.sql"; echo 'DROP TABLE texts; DROP TABLE run_blocks; DROP TABLE run_numbers; PRAGMA user_version = 1;'; } |
  sqlite3 old.db >/dev/null
run_lua 0 'print(reg.results.export { store = "old.db", to = "none.jsonl" },
  reg.results.import({ files = { "suite.jsonl" }, into = "old.db" }).imported,
  reg.results.export { store = "old.db", to = "out.jsonl" }, #reg.store.open("old.db"):investigations())'
said "0	10	10	3"
cmp out.jsonl suite.jsonl || fail "other lines from a store of format 1"
for store in suite old; do
  [ "$(sqlite3 $store.db 'PRAGMA user_version; SELECT count(*) FROM suite_runs' | tr '\n' ' ')" = '4 10 ' ] ||
    fail "$store.db was not migrated"
done
