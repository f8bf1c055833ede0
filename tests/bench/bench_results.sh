#!/bin/bash
# tests/bench/bench_results.sh REGENGINE: 100,000 records of a benchmark suite, 93 MB, aggregated from their file and from a
# store, and taken into one. $PYTORCH_XLA names a checkout of pytorch/xla, whose benchmarks/aggregate.py is the rival.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
"$engine" --trust "$here/results_records.lua" results.jsonl

jsonl() { "$engine" aggregate.lua results.jsonl >jsonl.csv; }
store() { "$engine" aggregate.lua results.db >store.csv; }
import() { rm -f results.db*; "$engine" -e 'assert(reg.results.import({ files = { "results.jsonl" }, into = "results.db" }).imported == 100000)'; }
again() { "$engine" -e 'assert(reg.results.import({ files = { "results.jsonl" }, into = "results.db" }).duplicates == 100000)'; }

# aggregate.py asks for packages that change nothing in a report as CSV; what is missing is stood in for.
python=${PYTHON:-python3} rival=${PYTORCH_XLA:-}/benchmarks/aggregate.py
stand_in() {  # MODULE, with its code on standard input
  "$python" -c "import $1" 2>/dev/null && return
  file=stand_in/$(echo "$1" | tr . /).py
  mkdir -p "$(dirname "$file")"
  for folder in stand_in/*/ stand_in/*/*/; do [ ! -d "$folder" ] || : >"$folder/__init__.py"; done
  cat >"$file"
}
theirs() { PYTHONPATH=stand_in "$python" "$rival" --accelerator=v100 --format=csv --report=speedup results.jsonl >theirs.csv; }
if [ ! -f "$rival" ]; then
  echo "SKIPPED: aggregate.py: \$PYTORCH_XLA names no checkout of pytorch/xla"
elif ! "$python" -c "import numpy" 2>/dev/null; then
  echo "SKIPPED: aggregate.py: $python has no numpy; \$PYTHON names another"
else
  echo 'def tabulate(*_, **__): raise NotImplementedError' | stand_in tabulate
  printf 'import numpy\ndef gmean(a): return numpy.exp(numpy.average(numpy.log(a)))\n' | stand_in scipy.stats.mstats
  compare "aggregate 100,000 records | aggregate.py" "<= 0.04 (25x)" "${ROUNDS:-3}" jsonl theirs
  cmp jsonl.csv theirs.csv
fi

import
compare "the same from a store | from JSONL" "<= 0.333 (3x)" 15 store jsonl
cmp store.csv jsonl.csv

alone=$(dirname "$engine")/tests/simdjson_alone
if [ -x "$alone" ]; then
  compare "import of 100,000 records | simdjson reads and parses them" "<= 3" 9 import "$alone results.jsonl"
  compare "import of what is there already | simdjson alone" "" 5 again "$alone results.jsonl"
else
  echo "SKIPPED: simdjson alone: $alone was not built (libsimdjson-dev)"
fi
"$engine" -e 'reg.results.export { store = "results.db", to = "out.jsonl" }'
cmp results.jsonl out.jsonl
