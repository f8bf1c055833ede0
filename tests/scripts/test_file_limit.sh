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

exits 1 sh -c 'ulimit -f 60; exec "$0" --quiet fill.lua --store limited.db' "$engine"
complained "File too large" "Run the same command to continue: "
expect 0 --quiet fill.lua --store limited.db
(ulimit -f 60; exec "$engine" -e 'local run = reg.process.run { shell = "head -c 1M /dev/zero >big" } assert(run.code == 128 + 25, run.code)') ||
  fail "a command does not get the signal that it would get elsewhere"
