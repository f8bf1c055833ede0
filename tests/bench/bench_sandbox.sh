#!/bin/sh
# tests/bench/bench_sandbox.sh REGENGINE: what the sandbox adds to a permitted program, beside one outside it.
set -eu
. "$(dirname "$0")/common.sh"
"$engine" trust --forget "$folder"
echo 'for _ = 1, tonumber((...)) do reg.process.run { cmd = { "true" } } end' >many.lua
count=200
inside() { "$engine" --allow process=true many.lua $count; }
outside() { "$engine" --allow unboxed=true many.lua $count; }
compare "$count permitted programs, in the sandbox | outside" "<= 1 ms more each" 6 inside outside
number "what the sandbox adds to each" ms \
  "($(median <ours.times) - $(median <theirs.times)) / $count / 1000" "goal <= 1 ms"
