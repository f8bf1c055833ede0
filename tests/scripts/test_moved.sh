#!/bin/sh
# A machine that gets slower while a search is stopped, as a user sees it: kill -9, the next start, the answer, the same
# answer again, and what --explain and --json say of it.
. "$(dirname "$0")/lib.sh"

# A fifth slower from 2024-03-18 on; ./speed is how fast the machine is. Each run adds a line to ./runs.
nights images/img- 2024-03-01 31 'echo $((i < 18 ? 500 : 400)) >level'
echo 1 >speed
cat >test.sh <<END
echo run >>"$folder/runs"
awk -v speed="\$(cat "$folder/speed")" '{ srand(); print "MLUPS: " \$1 * speed + int(rand() * 100) / 1000 }' level
sleep 0.2
END
given nightly 'nightly.lua --runtime local --image "$folder/images/img-{date}" --from 2024-03-01 --to 2024-03-31 \
  --test test.sh --metric "MLUPS: {number}"'
finished() { [ "$(sqlite3 .regengine/results.db "SELECT count(*) FROM trials WHERE status = 'ok'" 2>/dev/null || echo 0)" -ge "$1" ]; }

# --- On a steady machine the good end is run once more, before the answer.
nightly 0 --store steady.db --explain --json
said 'checks that it still measures the same'
grep -Eq '^Run-to-run noise is [0-9.]+ %' out || fail "no statistics with --explain"
not_said 'The machine changed'
answer "#answer.changes == 1 and answer.changes[1].first_bad == '2024-03-18' and not answer.moves"
[ "$(grep -c 'checks that it still measures the same' err)" = 1 ] || fail "not one check of the good end"
rm runs

# --- Killed after four runs, and the machine gets slower: the next start sees it first thing.
launch --quiet nightly.lua --runtime local --image "$folder/images/img-{date}" --from 2024-03-01 \
  --to 2024-03-31 --test test.sh --metric 'MLUPS: {number}'
wait_until finished 4
kill -9 -- "-$pid" 2>/dev/null || kill -9 "$pid"
wait "$pid" 2>/dev/null || true
next=$(($(sqlite3 .regengine/results.db "SELECT max(id) FROM trials") + 1))
echo 0.9 >speed
rm runs
nightly 0 --explain --json
made=$(lines_in runs)
said 'The machine changed between'
grep -q 'MLUPS of 2024-03-01 went from 500[.0-9]* to 450[.0-9]* (-' err || fail "it is not said at once"
[ "$(sqlite3 .regengine/results.db "SELECT subjects.name FROM trials JOIN subjects ON subjects.id = subject
  WHERE trials.id = $next")" = "$(sqlite3 .regengine/results.db "SELECT name FROM subjects ORDER BY id LIMIT 1")" ] ||
  fail "the good end was not run first"
answer "#answer.changes == 1 and answer.changes[1].last_good == '2024-03-17'"
answer "answer.runs == $made and #answer.moves == 1 and answer.changes[1].before < 460"

# --- The answer is there: the same again, and nothing is run.
cp answer.json first.json
grep -o 'The machine changed.*; [^.]*\.' out >first_words
runs_nothing nightly 0 --json
grep -o 'The machine changed.*; [^.]*\.' out | cmp -s - first_words || fail "other words the second time"
answer "answer.runs == 0 and answer.changes[1].last_good == '2024-03-17' and #answer.moves == 1"

# --- Reports of it say so.
says 0 'The machine changed between' share
said '| load average |'
