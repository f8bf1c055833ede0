#!/bin/sh
# tests/bench/bench_every.sh REGENGINE: the engine's own CPU time per trial of `nightly --every` over N folders, with
# one and with three tests at a time; without its children.
set -eu
nightly=$(cd "$(dirname "$0")/../../scripts" && pwd)/nightly.lua
. "$(dirname "$0")/common.sh"
sed '$s/.*/reg.answer(series)\nprint("CPU " .. os.clock())/' "$nightly" >nightly.lua
mkdir test
cat >test/test.sh <<'SH'
sleep 0.025
day=$(basename "$PWD" | tr -d -)
set -- $(od -An -N2 -tu2 /dev/urandom)
echo "speed: $((100000 - day / 100 % 4 * 9000 + $1 / 40))"  # a step every month
SH
for n in 50 100 200 400; do
  last=$(date -u -d "2023-01-01 +$((n - 1)) days" +%F)
  for day in $(seq 0 $((n - 1))); do mkdir -p "nights/$(date -u -d "2023-01-01 +$day days" +%F)"; done
  for parallel in 1 3; do
    "$engine" nightly.lua --runtime local --image "$folder/nights/{date}" --from 2023-01-01 --to "$last" \
      --test test/test.sh --metric 'speed: {number}' --every --parallel $parallel --json \
      --store "$n-$parallel.db" >out 2>err || { cat err >&2; exit 1; }
    awk -v what="nightly --every, $n folders, $parallel at a time" '
      /^CPU/ {cpu = $2} match($0, /"runs":[0-9]+/) {runs = substr($0, RSTART + 7, RLENGTH - 7)}
      END {printf "%-58s %10.2f ms a trial (%d trials)   goal <= 5 ms, flat\n", what, 1000 * cpu / runs, runs}' out
  done
done
