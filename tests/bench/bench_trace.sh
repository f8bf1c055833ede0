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
lib=$build/libregengine_inject.so
compare "trace: $records kernel records | none" "-" 5 "run $lib many" "run $lib none"
number "trace: one kernel record, with the fake that writes it" ns \
  "($(median <ours.times) - $(median <theirs.times)) * 1000 / $records"
compare "trace: a process that does nothing, with | without" "<= 10 ms more" 10 "run $lib none" "run /nonexistent none"
