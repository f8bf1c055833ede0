#!/bin/sh
# tests/bench/bench_sandbox.sh REGENGINE: what the sandbox adds to a permitted program, beside one outside it.
set -eu
. "$(dirname "$0")/common.sh"
"$engine" trust --forget "$folder"
echo 'for _ = 1, tonumber((...)) do reg.process.run { cmd = { "true" } } end' >many.lua
count=200
inside() { "$engine" --allow process=true many.lua $count; }
outside() { "$engine" --allow unboxed=true many.lua $count; }
: >inside.times; : >outside.times
for round in 1 2 3 4 5 6 7; do
  a=$(milliseconds inside); b=$(milliseconds outside)
  [ "$round" = 1 ] || { echo "$a" >>inside.times; echo "$b" >>outside.times; }
done
report "$count permitted programs, in the sandbox | outside" "<= 1 ms more each" "$(median <inside.times)" "$(median <outside.times)"
awk -v inside="$(median <inside.times)" -v outside="$(median <outside.times)" -v count=$count 'BEGIN {
  printf "%-58s %10.3f ms   goal <= 1 ms\n", "what the sandbox adds to each", (inside - outside) / count / 1000 }'
