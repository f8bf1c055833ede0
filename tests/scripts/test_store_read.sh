#!/bin/sh
# What a run has so far can be looked at while it goes on, and on a file system without write access. Reading leaves
# nothing behind.
. "$(dirname "$0")/lib.sh"

sweep_of night.lua 4 "$third_waits"
"$engine" --quiet night.lua >night.out 2>night.err &
engine_pid=$!
wait_until has_lines runs 3
says 0 "3 trials" report
grep -qF '<meta http-equiv="refresh"' report.html && fail "a page that nobody writes again reloads itself"
expect 0 share -o shared.md
grep -qF "3 trials" shared.md || fail "the shared text of a running investigation lacks its trials"
expect 0 -e 'local store <close> = reg.store.open(".regengine/results.db", { read_only = true })
  assert(store:writer():match "^pid %d+ on ", store:writer())
  assert(#store:trials { status = "ok" } == 2 and #store:trials { status = "running" } == 1)
  assert(not pcall(store.begin, store, {}))'

# The page is written until the run ends.
"$engine" report --follow -o live.html >follow.out 2>&1 &
follower=$!
wait_until grep -qsF '<meta http-equiv="refresh"' live.html
reader=$(pgrep -P "$follower" -f -- --boxed) || fail "no boxed process reads the store"
grep -q '^Seccomp:[[:space:]]*2$' "/proc/$reader/status" || fail "no filter holds the process that reads"
touch go
wait "$engine_pid" || { cat night.err; fail "a reader disturbed the run"; }
wait "$follower" || { cat follow.out; fail "report --follow"; }
grep -qF '<meta http-equiv="refresh"' live.html && fail "the page of a run that has ended reloads itself"
grep -qF "No change found" live.html || fail "the last page is not that of the answer"

# Nothing is left beside a store that nobody writes to, and nothing in it changed.
expect 0 -e 'local store <close> = reg.store.open ".regengine/results.db"'  # what the last reader may not remove
sum=$(cksum <.regengine/results.db)
rm .regengine/results.db.lock
expect 0 report
[ "$(cksum <.regengine/results.db)" = "$sum" ] || fail "a report changed the store"
[ "$(ls -d .regengine/results.db*)" = ".regengine/results.db
.regengine/results.db.out" ] || { ls; fail "a report left files beside the store"; }

# A killed engine leaves a log that has the newest trials.
rm -f go runs
launch --quiet night.lua --store killed.db
kill_when has_lines runs 3
[ -s killed.db-wal ] || fail "no log to read"
mkdir readable
mkdir temporary
export TMPDIR="$folder/temporary"
mount -t tmpfs -o size=8m tmpfs readable 2>/dev/null || skip "no file system can be mounted here (needs root)"
at_end="umount -l $folder/readable"
cp -r .regengine/results.db .regengine/results.db.out killed.db killed.db-wal killed.db.lock readable
mount -o remount,ro readable
for store in results killed; do
  expect 0 report --store readable/$store.db
  expect 0 share --store readable/$store.db
done
grep -qF "3 trials" report.html || fail "the report lacks the trials of the log"
[ -z "$(ls "$TMPDIR")" ] || fail "the copy of the store is still there"
expect 1 --quiet night.lua --store readable/results.db
