#!/bin/sh
# The limit of a file's size, which sends SIGXFSZ: the engine says what is wrong and how to go on.
. "$(dirname "$0")/lib.sh"

cat >fill.lua <<'END'
local opt = reg.options {}
return reg.answer(reg.sweep({ "a", "b", "c" }, { every = true, into = opt.store, config = { test = "fill" }, measure = function(_, trial)
  trial:run { shell = "echo x >>runs" }
  return 1
end }))
END

status=0
(ulimit -f 60; exec "$engine" --quiet fill.lua --store limited.db) >out 2>err || status=$?
[ "$status" = 1 ] || fail "exit code $status, not 1, at the limit of a file's size"
complained "File too large"
complained "Run the same command to continue: "
expect 0 --quiet fill.lua --store limited.db
(ulimit -f 60; exec "$engine" -e 'local run = reg.process.run { shell = "head -c 1M /dev/zero >big" } assert(run.code == 128 + 25, run.code)') ||
  fail "a command does not get the signal that it would get elsewhere"

echo "said, and goes on"
