#!/bin/bash
# tests/bench/bench_store.sh REGENGINE: trials and samples into the store.
set -eu
. "$(dirname "$0")/common.sh"

cat >trials.lua <<'LUA'
local store <close> = reg.store.open "trials.db"
local id = store:begin { name = "bench" }
for i = 1, 500 do
  local trial = store:start { investigation = id, subject = "s" .. i, key = "k" .. i }
  local run = reg.process.run { cmd = { "/bin/true" }, out = trial.folder .. "/OUT", err = trial.folder .. "/OUT" }
  store:finish(trial.id, { status = "ok", wall_s = run.wall_s, samples = { code = run.code } })
end
LUA
trials() { rm -rf trials.db*; "$engine" trials.lua; }
bash_loop() { rm -f OUT-*; for i in $(seq 500); do /bin/true &>"OUT-$i"; done; }
compare "500 trials of /bin/true, stored durably | bash &> OUT-i" "<= 3" 5 trials bash_loop

# 1,000,000 samples of 1,000 subjects, then a median per subject: ours from Lua, theirs from a CSV file in sqlite3's shell.
cat >samples.lua <<'LUA'
local store <close> = reg.store.open "samples.db"
local id = store:begin { name = "bench" }
for subject = 1, 1000 do
  local trial = store:start { investigation = id, subject = "s" .. subject, key = "k" .. subject }
  local values = {}
  for n = 1, 1000 do values[n] = (subject * 7919 + n * 104729) % 1000003 / 1000 end
  store:finish(trial.id, { status = "ok", samples = { value = values } })
end
local rows = store:query "SELECT subject, median(value) AS m FROM results WHERE metric = 'value' GROUP BY subject"
assert(#rows == 1000)
LUA
awk 'BEGIN {for (s = 1; s <= 1000; ++s) for (n = 1; n <= 1000; ++n) printf "%d,value,%d,%.3f\n", s, n - 1, (s * 7919 + n * 104729) % 1000003 / 1000}' >samples.csv
cat >samples.sql <<'SQL'
PRAGMA journal_mode = WAL;
CREATE TABLE subjects(id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO subjects SELECT value, 's' || value FROM generate_series(1, 1000);
CREATE TABLE samples(trial INTEGER, metric TEXT, n INTEGER, value REAL, PRIMARY KEY(trial, metric, n)) WITHOUT ROWID;
.mode csv
.import samples.csv samples
SELECT count(*) FROM (
  SELECT name, avg(value) FROM (
    SELECT s.name, m.value, row_number() OVER (PARTITION BY m.trial ORDER BY m.value) AS r, count(*) OVER (PARTITION BY m.trial) AS c
    FROM samples m JOIN subjects s ON s.id = m.trial WHERE m.metric = 'value')
  WHERE r IN ((c + 1) / 2, c / 2 + 1) GROUP BY name);
SQL
samples() { rm -rf samples.db*; "$engine" samples.lua; }
shell() { rm -f shell.db*; sqlite3 shell.db <samples.sql; }
compare "1,000,000 samples, then a median per subject | sqlite3" "<= 1.5" 3 samples shell
