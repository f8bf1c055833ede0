#!/bin/sh
# tests/bench/bench_search.sh REGENGINE: runs that the search takes and how often it is right, beside git bisect; and how
# long it thinks. `search_score --help` tells what the columns are.
set -eu
. "$(dirname "$0")/common.sh"
build=$(dirname "$engine")
score=$build/tests/search_score
[ -x "$score" ] || cmake --build "$build" --target search_score >/dev/null

echo "-- the goals, 100 histories each"
"$score" --goals --traces 100 --rivals
echo "-- JAX nights, eight at a time"
"$score" --cells JAX --parallel 8
echo "-- ordinary machines, 20 histories each"
"$score" --untold --traces 20
echo "-- a few releases, loaded machines, two named ends"
"$score" --door --traces 20
"$score" --decision
"$score" --decision --parallel 64
