#!/bin/sh
# A store that is deleted, moved or replaced while a run uses it: the run ends, says what is lost, and touches no other
# file.
. "$(dirname "$0")/lib.sh"

# Six subjects; the third one waits for the file `go`.
cat >lost.lua <<'END'
local series = reg.sweep({ "a", "b", "c", "d", "e", "f" }, { every = true, into = "work/r.db", config = { test = "lost" },
  measure = function(_, trial)
    trial:run { shell = [[echo x >>runs; if [ "$(wc -l <runs)" = 3 ]; then until [ -e go ]; do sleep 0.05; done; fi]] }
    return 100
  end })
return reg.answer(series)
END
third() { [ "$(lines_in runs)" -ge 3 ]; }

# COMMAND: what happens to the store during the third trial; fails unless the run ends with code 1 before a fourth.
disturbed_by() {
  rm -rf runs go work; mkdir work
  launch --quiet lost.lua
  wait_until third
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
