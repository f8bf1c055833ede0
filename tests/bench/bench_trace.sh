#!/bin/sh
# tests/bench/bench_trace.sh REGENGINE: what the injection library costs, with the tests' CUPTI that replays records. What a real
# CUPTI adds is measured on a machine with a GPU (tests/gpu).
set -eu
. "$(dirname "$0")/common.sh"
build=$(dirname "$engine")
records=2000000
names="_ZN7cutlass6KernelINS_4gemm6kernel4GemmINS1_11threadblock12MmaMultistageINS1_9GemmShapeILi128ELi256ELi32EEENS_9transform"
awk -v n=$records -v name="$names" 'BEGIN { for (i = 0; i < 10; ++i) printf "many %d %s%d 1000 900 1000\n", n / 10, name, i }' >many
: >none
mkdir traces
run() { CUDA_INJECTION64_PATH=$1 REGENGINE_TRACE_DIR=$folder/traces REGENGINE_CUPTI=$build/fakes/cupti.so REGENGINE_FAKE_CUPTI=$folder/$2 \
  "$build/fakes/cuda_program" init play; }
: >many.times; : >none.times
for _ in 1 2 3 4 5; do
  milliseconds run "$build/libregengine_inject.so" many >>many.times
  milliseconds run "$build/libregengine_inject.so" none >>none.times
done
awk -v a="$(median <many.times)" -v b="$(median <none.times)" -v n=$records 'BEGIN {
  printf "%-58s ours %10.1f ns   (the fake that writes it included)\n", "trace: one kernel record, summed up", (a - b) * 1000 / n }'
compare "trace: a process that does nothing, with | without" "<= 10 ms more" 10 "run $build/libregengine_inject.so none" "run /nonexistent none"
