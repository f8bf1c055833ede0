#!/bin/sh
# A full disk whose blocks are smaller than a page, and the limit of a file's size: SQLite maps a part of the store into
# memory, and a write to a hole in it would end the engine without a word. It says what is wrong and how to go on.
. "$(dirname "$0")/lib.sh"
command -v sqlite3 >/dev/null || skip "no sqlite3"
command -v mkfs.ext4 >/dev/null || skip "no mkfs.ext4"

cat >fill.lua <<'END'
local opt = reg.options {}
return reg.answer(reg.sweep({ "a", "b", "c" }, { every = true, into = opt.store, config = { test = "fill" }, measure = function(_, trial)
  trial:run { shell = "echo x >>runs" }
  return 1
end }))
END

# --- The limit of a file's size, which sends SIGXFSZ.
status=0
(ulimit -f 60; exec "$engine" --quiet fill.lua --store limited.db) >out 2>err || status=$?
[ "$status" = 1 ] || fail "exit code $status, not 1, at the limit of a file's size"
complained "File too large"
complained "Run the same command to continue: "
expect 0 --quiet fill.lua --store limited.db
(ulimit -f 60; exec "$engine" -e 'local run = reg.process.run { shell = "head -c 1M /dev/zero >big" } assert(run.code == 128 + 25, run.code)') ||
  fail "a command does not get the signal that it would get elsewhere"

# --- A disk with blocks of 1 KiB, with less and less room, so that it is full at every moment of a run.
dd if=/dev/zero of=disk bs=1M count=4 2>/dev/null
mkfs.ext4 -q -b 1024 -O ^has_journal -m 0 disk
mkdir small
mount -o loop disk small 2>/dev/null || skip "no small disk can be made here (needs root)"
at_end="umount -l $folder/small"
ended=0
for free in $(seq 0 6 240); do
  rm -rf small/*
  head -c $(($(df --output=avail -B1024 small | tail -n 1) * 1024)) /dev/zero >small/ballast 2>/dev/null || true
  truncate -s -"${free}K" small/ballast
  status=0
  "$engine" --quiet fill.lua --store small/r.db >out 2>err || status=$?
  [ "$status" = 0 ] || [ "$status" = 1 ] || fail "exit code $status with $free KiB free"
  [ "$status" = 0 ] || { ended=$((ended + 1)); complained "No space left on device"; complained "Run the same command to continue: "; }
done
[ "$ended" -gt 5 ] || fail "the disk was full in $ended runs only"
rm small/ballast
expect 0 --quiet fill.lua --store small/r.db
[ "$(sqlite3 small/r.db 'PRAGMA integrity_check')" = ok ] || fail "the store is damaged"
echo "said each time"
