#!/bin/bash
# tests/bench/bench_results.sh REGENGINE: 100,000 records of a benchmark suite, 93 MB, aggregated from their file and from a
# store, and imported into one, beside the JSON library's own parse. $PYTORCH_XLA names a checkout of pytorch/xla, whose benchmarks/aggregate.py is the rival.
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
  compare "aggregate 100,000 records | aggregate.py" "<= 0.5" "${ROUNDS:-3}" jsonl theirs
  cmp jsonl.csv theirs.csv
fi

alone="$(dirname "$engine")/tests/nlohmann_alone results.jsonl"
compare "aggregate 100,000 records | the JSON library parses them" "<= 2.5" 5 jsonl "$alone"
import
compare "the same from a store | the JSON library" "<= 2.5" 5 store "$alone"
cmp store.csv jsonl.csv
compare "import of 100,000 records | the JSON library" "<= 3" 3 import "$alone"
compare "import of what is there already | the JSON library" "" 3 again "$alone"
"$engine" -e 'reg.results.export { store = "results.db", to = "out.jsonl" }'
cmp results.jsonl out.jsonl
