#!/bin/bash
# tests/bench/bench_loaded.sh REGENGINE: what it costs to note what a command loads: a command of 20 ms, and Python with
# a few libraries, with and without it.
set -eu
. "$(dirname "$0")/common.sh"

mkdir tree
cp "$(command -v sleep)" tree/tool
cat >loaded.lua <<'LUA'
local opt = reg.options { program = { "what to run", type = "string" }, note = { "what it loads", type = "boolean" } }
for _ = 1, 50 do
  reg.process.run { shell = opt.program, loaded_below = opt.note and { reg.fs.absolute "tree" } or nil }
end
LUA
noted() { "$engine" loaded.lua --program "$program" --note; }
plain() { "$engine" loaded.lua --program "$program"; }
program="tree/tool 0.02"
compare "50 commands of 20 ms, what they load noted | not noted" "<= 1.02" 5 noted plain
program="python3 -c 'import json, ssl, sqlite3, decimal'"
compare "50 times python3 with four libraries, noted | not noted" "<= 1.02" 5 noted plain
