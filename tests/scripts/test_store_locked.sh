#!/bin/sh
# Another program locks the store for long, or the engine itself is stopped: no measured trial is lost, and no wall time
# is that of the lock.
. "$(dirname "$0")/lib.sh"

cat >short.lua <<'END'
local opt = reg.options {}
local series = reg.sweep({ "a", "b", "c", "d" }, { every = true, into = opt.store, config = { test = "short" }, parallel = 2,
  measure = function(subject, trial)
    trial:run { shell = "echo " .. subject .. " >>runs; sleep 0.5" }
    return 100
  end })
return reg.answer(series)
END
lock='PRAGMA busy_timeout = 10000; BEGIN IMMEDIATE; SELECT 1;'

# Eight seconds are more than SQLite itself waits.
launch --quiet short.lua
wait_until there runs
{ echo "$lock"; sleep 8; echo "ROLLBACK;"; } | sqlite3 .regengine/results.db >locked
there locked || fail "the store was not locked"
wait "$pid" || fail "a lock of eight seconds ended the run"
grep -Eq "waiting for .regengine/results.db, which sqlite3 \(process [0-9]+\) has locked" err || fail "nothing says what the run waits for"
ok=$(sqlite3 .regengine/results.db "SELECT count(*) FROM trials WHERE status = 'ok'")
[ "$ok" = "$(lines_in runs)" ] || fail "$(lines_in runs) runs, but $ok trials: a measured one is lost"
long=$(sqlite3 .regengine/results.db "SELECT count(*) FROM trials WHERE wall_s > 3")
[ "$long" = 0 ] || fail "the wall time of $long trials includes the lock"

# Ctrl-C ends the wait.
rm -f runs
launch --quiet short.lua --store again.db
wait_until there runs
{ echo "$lock"; wait_until grep -q "waiting for again.db" err; kill -INT "$pid"; wait_until [ -e ended ]
  echo "ROLLBACK;"; } | sqlite3 again.db >locked &
status=0
wait "$pid" || status=$?
touch ended
wait
[ "$status" = 130 ] || fail "Ctrl-C during a lock gave exit code $status, not 130"

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
cat >stopped.lua <<'END'
return reg.answer(reg.sweep({ "a", "b" }, { into = "stopped.db", config = { test = "stopped" }, measure = function(_, trial)
  trial:run { shell = "echo x >>begun; while [ -e hold ]; do sleep 0.05; done" }
  return 100
end }))
END
touch hold
launch --quiet stopped.lua
wait_until there begun
kill -STOP "$pid"
sleep 0.2
kill -CONT "$pid"
rm hold
wait "$pid" || true
doubtful="SELECT count(*) FROM trials WHERE status = 'set_aside' AND message LIKE '%regengine was stopped%'"
[ "$(sqlite3 stopped.db "$doubtful")" = 1 ] || fail "the trial during which the engine was stopped is not doubtful"
[ "$(sqlite3 stopped.db "SELECT count(*) FROM trials WHERE status = 'ok'")" -ge 2 ] || fail "no other trial took its place"
