#!/bin/bash
# tests/bench/bench_large_store.sh REGENGINE [TRIALS...]: stores of 10,000, 100,000 and 1,000,000 trials. For each it prints
# the seconds and the peak memory of opening the store after a drop of the page cache (where this user may), of report and
# share of the newest investigation, and of export; then those of comparing as many runs,
# and of runs of 100 and 1,000 subjects.
# An investigation has up to 10,000 trials of 1,000 subjects, and its points rest on the one before it, too.
set -eu
. "$(dirname "$0")/common.sh"
shift
[ $# -gt 0 ] || set -- 10000 100000 1000000

# TRIALS: fills store.db. SQLite's shell writes the rows: a million trials of the engine's own would take an hour.
fill() {
  rm -rf store.db*
  "$engine" -e 'reg.store.open("store.db"):close()'
  sqlite3 store.db >/dev/null <<SQL
PRAGMA synchronous = OFF;
BEGIN;
CREATE TEMP TABLE numbers AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $1) SELECT i FROM n;
INSERT INTO subjects SELECT i + 1, 'night', printf('2021-%04d', i) FROM numbers WHERE i < 1000;
INSERT INTO investigations(id, name, script, script_text, script_sha256, options, engine, host, kernel, cpu, facts, started, ended)
  SELECT i / 10000 + 1, 'nights ' || (i / 10000 + 1), 'n.lua', 'return 0', 'hash', '{}', '0', 'h', 'k', 'c', '{}', i, i + 1
  FROM numbers WHERE i % 10000 = 0;
INSERT INTO trials SELECT i + 1, printf('%032d', i), i / 10000 + 1, i % 1000 + 1, printf('%064d@m', i), 'ok', '',
  '{"metric":"MLUPS","gpus":"all"}', '[["bash","test.sh"]]', '{"CUDA_VISIBLE_DEVICES":"0"}',
  '{"machine":{"host":"h","load_start":0.1,"load_end":0.2},"session":1}', i, i + 0.5, 0.5, 0.4, 0.1, 1000000, NULL
  FROM numbers;
INSERT INTO samples SELECT i + 1, 'MLUPS', 0, 500 + (i * 7919 % 1000) / 100.0 - (i % 1000 >= 400) * 50 FROM numbers;
COMMIT;
CREATE TEMP TABLE last AS SELECT max(id) AS id FROM investigations;
UPDATE investigations SET verdict = json_object('verdict', 'changes', 'series', json_object('title', name, 'kind', 'night',
  'metric', 'MLUPS', 'verdict', 'changes', 'subjects', 1000, 'runs', 10000, 'points', (
  SELECT json_group_array(json(point)) FROM (
    SELECT json_object('id', s.name, 'status', 'ok', 'values', json_group_array(m.value), 'trials', json_group_array(t.id)) AS point
    FROM trials t JOIN subjects s ON s.id = t.subject JOIN samples m ON m.trial = t.id
    WHERE t.id > max(0, ((SELECT id FROM last) - 1) * 10000 - 1000) GROUP BY s.id)),
  'changes', json_array(json_object('kind', 'step', 'before', 505, 'after', 455, 'effect', -0.099, 'p', 1.0,
    'last_good', '2021-0399', 'first_bad', '2021-0400'))))
WHERE id = (SELECT id FROM last);
PRAGMA wal_checkpoint(TRUNCATE);
SQL
}

# NAME COMMAND...: one line with its time and its peak memory.
took() {
  name=$1; shift
  start=$(date +%s%N)
  "$engine" -e 'local run = reg.process.run { cmd = { ... } } print(run.peak_bytes // 1000000)
    if not run.ok then error(run.stderr) end' "$@" >peak 2>err || { cat err >&2; exit 1; }
  awk -v name="$name" -v ns=$(($(date +%s%N) - start)) -v mb="$(cat peak)" 'BEGIN { printf "%-58s %9.2f s %7d MB\n", name, ns / 1e9, mb }'
}

forget() { sync; { echo 3 >/proc/sys/vm/drop_caches; } 2>/dev/null || true; }

for trials in "$@"; do
  fill "$trials"
  forget
  took "open, $trials trials, cold" "$engine" -e 'reg.store.open("store.db"):close()'
  took "report of $((trials < 10000 ? trials : 10000)) trials of $trials" "$engine" report --store store.db -o page.html
  took "share of $((trials < 10000 ? trials : 10000)) trials of $trials" "$engine" share --store store.db -o shared.md
  took "export, $trials trials" "$engine" -e 'reg.store.open("store.db"):export "trials.jsonl"'
  took "compare, $trials runs a side" "$engine" -e 'local a, b = {}, {}
    for i = 1, '"$trials"' do a[i], b[i] = 500 + i * 7919 % 1009 / 100, 490 + i * 104729 % 1013 / 100 end
    print(reg.compare(a, b, { better = "higher" }).verdict)'
  rm -rf store.db* trials.jsonl
done

for subjects in 100 1000; do
  cat >subjects.lua <<LUA
local subjects = {}
for i = 1, $subjects do subjects[i] = "s" .. i end
reg.sweep(subjects, { into = "subjects-$subjects.db", every = true, config = {}, measure = function() return 1 end })
LUA
  took "a run of each of $subjects subjects" "$engine" --quiet subjects.lua
done
