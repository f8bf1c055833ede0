#!/bin/sh
# A full disk: one line that says so, what was finished stays, and with room the same command goes on.
. "$(dirname "$0")/lib.sh"
mkdir tiny
mount -t tmpfs -o size=2m tmpfs tiny 2>/dev/null || skip "no small disk can be made here (needs root)"
at_end="umount -l $folder/tiny"

cat >fill.lua <<'END'
local subjects = {}
for i = 1, 8 do subjects[i] = "s" .. i end
return reg.answer(reg.sweep(subjects, { every = true, into = "tiny/r.db", config = { test = "fill" }, measure = function(subject, trial)
  trial:run { shell = "echo " .. subject .. " >>runs; head -c 400000 /dev/zero" }
  return 1
end }))
END
finished() { sqlite3 tiny/r.db "SELECT count(*) FROM trials WHERE status = 'ok'"; }

says 1 "No space left on device" --quiet fill.lua
kept=$(finished)
[ "$kept" -ge 1 ] || fail "the finished trials are lost"
before=$(lines_in runs)
mount -o remount,size=64m tiny
expect 0 --quiet fill.lua
[ $(($(lines_in runs) - before)) = $(($(finished) - kept)) ] || fail "finished trials were run again"
[ "$(sqlite3 tiny/r.db 'PRAGMA integrity_check')" = ok ] || fail "the store is damaged"
