#!/bin/sh
# tests/bench/bench_identity.sh REGENGINE: what the keys of a sweep cost, and a finished investigation of 400 trials that
# runs again, beside an empty chunk.
set -eu
. "$(dirname "$0")/common.sh"
cat >sweep.lua <<'END'
local n, store = tonumber((...)), select(2, ...)
local ENV, subjects = { XLA_FLAGS = "--a=1", MODE = "fast" }, {}
for i = 1, n do subjects[i] = { id = string.format("%040x", i), parents = {}, label = "c" .. i } end
local function measure(subject, trial)
  return trial:run({ cmd = { "true", subject.id }, env = ENV, timeout_s = "1h" }).code
end
reg.sweep(subjects, { into = store or n .. ".db", exact = true, budget = not store and 2 or nil, every = store ~= nil,
  measure = measure })
END
keys() { rm -rf ./*00.db*; "$engine" -q sweep.lua "$1"; }
few() { keys 100; }
many() { keys 4100; }
: >few.times; : >many.times
for round in 1 2 3 4 5 6; do
  a=$(milliseconds few); b=$(milliseconds many)
  [ "$round" = 1 ] || { echo "$a" >>few.times; echo "$b" >>many.times; }
done
awk -v few="$(median <few.times)" -v many="$(median <many.times)" 'BEGIN {
  printf "%-58s %10.3f ms   goal <= 0.5 ms\n", "the keys of a sweep, for each subject", (many - few) / 4000 / 1000 }'

"$engine" -q sweep.lua 400 all.db >/dev/null
ours() { "$engine" -q sweep.lua 400 all.db; }
theirs() { "$engine" -e ''; }
compare "400 finished trials again | regengine -e ''" "ours <= 500 ms" 10 ours theirs
