#!/bin/sh
# tests/bench/bench_hlo.sh REGENGINE: reg.hlo.diff of two modules of 5,000 instructions, beside diff of the same files.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
"$engine" --trust "$here/hlo_modules.lua"

ours() { "$engine" -e 'local list = reg.hlo.diff("before.txt", "after.txt") assert(list[1].what:find "6 more copies")'; }
theirs() { diff before.txt after.txt || true; }
compare "diff of two 5,000-instruction modules | diff" "ours <= 1000 ms" 7 ours theirs

other() { "$engine" -e 'assert(#reg.hlo.diff("before.txt", "other.txt") > 0)'; }
theirs_other() { diff before.txt other.txt || true; }
compare "diff of two different programs of that size | diff" "ours <= 1000 ms" 7 other theirs_other
