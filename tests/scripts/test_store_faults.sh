#!/bin/sh
# A store whose file is too large, deleted, moved, replaced, locked for long by another program, or on a full disk: one line
# says so, no measured trial is lost or run again, and no other file is touched.
. "$(dirname "$0")/lib.sh"

# The limit of a file's size, which sends SIGXFSZ.
sweep_of fill.lua 3 :
exits 1 sh -c 'ulimit -f 60; exec "$0" --quiet fill.lua --store limited.db' "$engine"
complained "File too large" "Run the same command to continue: "
expect 0 --quiet fill.lua --store limited.db
(ulimit -f 60; exec "$engine" -e 'local run = reg.process.run { shell = "head -c 1M /dev/zero >big" } assert(run.code == 128 + 25, run.code)') ||
  fail "a command does not get the signal that it would get elsewhere"

# --- Six subjects; the third one waits for the file `go`.
sweep_of lost.lua 6 "$third_waits"
# COMMAND: what happens to the store during the third trial; fails unless the run ends with code 1 before a fourth.
disturbed_by() {
  rm -rf runs go work; mkdir work
  launch --quiet lost.lua --store work/r.db
  wait_until has_lines runs 3
  eval "$1"
  touch go
  ended 1
  [ "$(lines_in runs)" = 3 ] || fail "the run went on after: $1"
  not_said "Results:"
}

disturbed_by 'rm work/r.db'
complained "the store was deleted while this run used it: work/r.db" "3 finished trials are lost"
[ ! -e work/r.db ] || fail "a deleted store is back"

disturbed_by 'rm -rf work'
complained "the store was deleted while this run used it: work/r.db"

disturbed_by 'mv work elsewhere'
complained "the store was moved while this run used it: work/r.db" "elsewhere/r.db"
[ "$(sqlite3 elsewhere/r.db "SELECT count(*) FROM trials WHERE status = 'ok'")" = 2 ] || fail "a moved store lost trials"

"$engine" -e 'reg.store.open("other.db"):begin { name = "other" }' >out 2>err
cp other.db untouched.db
disturbed_by 'cp other.db work/new; mv work/new work/r.db'
complained "the store was replaced while this run used it: work/r.db" "3 finished trials are lost"
cmp -s work/r.db untouched.db || fail "the file in the store's place was written to"

disturbed_by 'rm work/r.db-wal'
complained "the store was deleted while this run used it: work/r.db-wal"

# Without its lock another engine could write to the store, too.
disturbed_by 'rm work/r.db.lock'
complained "the store was deleted while this run used it: work/r.db.lock"

# --- Locked for long. Eight seconds are more than SQLite itself waits; no wall time is that of the lock.
rm -f runs go
sweep_of short.lua 4 'sleep 0.5' 'parallel = 2,'
lock='PRAGMA busy_timeout = 10000; BEGIN IMMEDIATE; SELECT 1;'
launch --quiet short.lua
wait_until there runs
{ echo "$lock"; sleep 8; echo "ROLLBACK;"; } | sqlite3 .regengine/results.db >locked
there locked || fail "the store was not locked"
wait "$pid" || fail "a lock of eight seconds ended the run"
grep -Eq "waiting for .regengine/results.db, which another program has locked" err || fail "nothing says what the run waits for"
ok=$(sqlite3 .regengine/results.db "SELECT count(*) FROM trials WHERE status = 'ok'")
[ "$ok" = "$(lines_in runs)" ] || fail "$(lines_in runs) runs, but $ok trials: a measured one is lost"
query_gives .regengine/results.db 0 "SELECT count(*) FROM trials WHERE wall_s > 3" # no wall time includes the lock

# Ctrl-C ends the wait.
rm -f runs
launch --quiet short.lua --store again.db
wait_until there runs
{ echo "$lock"; wait_until grep -q "waiting for again.db" err; kill -INT "$pid"; wait_until [ -e ended ]
  echo "ROLLBACK;"; } | sqlite3 again.db >locked &
ended 130
touch ended
wait

# An import waits, too, while everything else goes on; none of its lines is called bad.
"$engine" -e 'reg.store.open(".regengine/results.db"):export "lines.jsonl"'
"$engine" -e 'reg.store.open("to.db"):close()'
cat >import.lua <<'END'
local ticks, done, to = 0, false, reg.store.open "to.db"
reg.fs.write("opened", "")
while not reg.fs.exists "locked_to" or #reg.fs.read "locked_to" == 0 do reg.sleep(0.05) end
reg.parallel({ "import", "tick" }, function(what)
  if what == "tick" then
    while not done do reg.sleep(0.1) ticks = ticks + 1 end
    return
  end
  local result = to:import "lines.jsonl"
  done = true
  print(result.imported .. " imported, " .. #result.bad .. " bad")
end)
print(ticks >= 20 and "the loop went on" or "the loop stood still: " .. ticks)
END
launch --quiet import.lua
wait_until [ -e opened ]
{ echo "$lock"; sleep 7; echo "ROLLBACK;"; } | sqlite3 to.db >locked_to
wait "$pid" || fail "the import ended with exit code $?"
said "$ok imported, 0 bad" "the loop went on"

# The engine is stopped, as by Ctrl-Z, while a trial runs: that one is doubtful, and another takes its place.
sweep_of stopped.lua 2 'while [ -e hold ]; do sleep 0.05; done'
rm runs
touch hold
launch --quiet stopped.lua --store stopped.db
wait_until there runs
kill -STOP "$pid"
sleep 0.2
kill -CONT "$pid"
rm hold
wait "$pid" || true
doubtful="status = 'set_aside' AND message LIKE '%regengine was stopped%'"
query_gives stopped.db 1 "SELECT count(*) FROM trials WHERE $doubtful"
[ "$(sqlite3 stopped.db "SELECT count(*) FROM trials WHERE status = 'ok'")" -ge 2 ] || fail "no other trial took its place"

# --- A full disk: with room the same command goes on.
mkdir tiny
mount -t tmpfs -o size=2m tmpfs tiny 2>/dev/null || skip "no small disk can be made here (needs root)"
at_end="umount -l $folder/tiny"
rm runs
sweep_of full.lua 8 'head -c 400000 /dev/zero'
finished() { sqlite3 tiny/r.db "SELECT count(*) FROM trials WHERE status = 'ok'"; }
says 1 "No space left on device" --quiet full.lua --store tiny/r.db
kept=$(finished)
[ "$kept" -ge 1 ] || fail "the finished trials are lost"
before=$(lines_in runs)
mount -o remount,size=64m tiny
expect 0 --quiet full.lua --store tiny/r.db
[ $(($(lines_in runs) - before)) = $(($(finished) - kept)) ] || fail "finished trials were run again"
[ "$(sqlite3 tiny/r.db 'PRAGMA integrity_check')" = ok ] || fail "the store is damaged"
