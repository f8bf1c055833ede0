#!/bin/sh
# tests/gpu/run, which is for a real GPU, on the fake one: its arithmetic and its verdicts, not its numbers.
. "$(dirname "$0")/lib.sh"
[ -n "${REGENGINE_FAKES:-}" ] || skip "REGENGINE_FAKES is not set: run under ctest"
export REGENGINE_FAKE_CUDA="$folder/fake" REGENGINE_CUBLAS="$REGENGINE_FAKES/cublas.so"

table() { # EXIT-CODE: runs the table's part about timing
  status=0
  "$source_root/tests/gpu/run" "$engine" timing >out 2>err || status=$?
  [ "$status" = "$1" ] || fail "exit code $status, not $1"
}

export REGENGINE_LIBCUDA=/nowhere/libcuda.so.1
table 77
said "SKIPPED: no GPU: /nowhere/libcuda.so.1"

# An engine that does not start is no machine without a GPU.
status=0
"$source_root/tests/gpu/run" /bin/false >out 2>err || status=$?
[ "$status" = 1 ] || fail "exit code $status of an engine that fails"

export REGENGINE_LIBCUDA="$REGENGINE_FAKES/cuda.so"
printf '%s\n' "kernel copy 800 cold 50 noise 0.001" "kernel multiply 1200" "kernel nothing 1" \
  "kernel gemm_bf16 1400" >fake
table 0
said "copy of 128 MiB: cold median                                                          85"
said "cuBLAS 8192 bf16, cold                                                                785 TFLOP/s"
not_said "NOT SO"

# A minute of products, of which the doctor suggests a clock.
export REGENGINE_NVML="$REGENGINE_FAKES/nvml.so" REGENGINE_FAKE_NVML="$folder/nvml" REGENGINE_GPU_HOT_S=0.3
printf '%s\n' gpu0.uuid=GPU-00102030-4050-6070-8090-a0b0c0d0e0f0 "gpu0.name=NVIDIA H100 80GB HBM3" >nvml
table 0
grep -q "samples below the suggested 1290 MHz  *< 10 %  *0.0 %.*ok" out || fail "no row of the suggested clock"
echo "clock 0.6" >>fake
table 1
grep -q "samples below the suggested 1290 MHz  *< 10 %  *.*all .* samples were discarded.*NOT SO" out || fail "a clock that is not held passes"
unset REGENGINE_NVML REGENGINE_FAKE_NVML

printf '%s\n' "kernel copy 800 noise 0.02" "kernel multiply 1200" "kernel gemm_bf16 1400" >fake
table 1
said "NOT SO"
said "FAILED: timing"

# What it says of the state, against an nvidia-smi that agrees, and one that does not.
mkdir bin
cat >bin/nvidia-smi <<'SH'
#!/bin/sh
case $1 in
  *=clocks.mem) echo 2619 ;;
  *=clocks_event_reasons.active) echo 0x0000000000000000 ;;
  *=pstate) echo "${SMI_PSTATE:-P0}" ;;
  *=name) echo "$SMI_NAME" ;;
  *=driver_version) echo 580.65.06 ;;
  *=clocks.max.sm) echo 1980 ;;
  *=memory.total) echo 81920 ;;
  *=ecc.mode.current) echo Enabled ;;
  *=mig.mode.current) echo Disabled ;;
esac
SH
chmod +x bin/nvidia-smi
export REGENGINE_NVML="$REGENGINE_FAKES/nvml.so" REGENGINE_FAKE_NVML="$folder/nvml" SMI_NAME="Fake GPU"
echo gpu0.uuid=GPU-00102030-4050-6070-8090-a0b0c0d0e0f0 >nvml
state() { # EXIT-CODE
  status=0
  PATH="$folder/bin:$PATH" "$source_root/tests/gpu/run" "$engine" state >out 2>err || status=$?
  [ "$status" = "$1" ] || fail "exit code $status, not $1"
}
state 0
said "throttling is known from"
not_said "NOT SO"
SMI_PSTATE=P8 state 1
grep -q "^GPU 0: pstate  *P8  *P0  *NOT SO" out || fail "another performance state passes"
SMI_NAME=Another state 1
said "FAILED: state"

# Fields of NVML beside nvidia-smi, and ncu: what agrees, and what does not.
printf '%s\n' '#!/bin/sh' 'case $1 in *_counters.*) echo "${SMI_COUNTER:-0}" ;; *) echo 0 ;; esac' >bin/nvidia-smi
ln -s "$source_root/tests/support/fake_ncu" bin/ncu
counters() { # EXIT-CODE
  status=0
  REGENGINE_NVRTC=/nowhere PATH="$folder/bin:$PATH" "$source_root/tests/gpu/run" "$engine" counters >out 2>err || status=$?
  [ "$status" = "$1" ] || fail "counters: exit code $status, not $1"
}
FAKE_NCU=dcgm; export FAKE_NCU
counters 0
said "driver 580.65.06: field 75"
said "nvidia-smi: hw_thermal_slowdown, ns"
said "ncu cannot use the GPU's counters"
unset FAKE_NCU
SMI_COUNTER=9000000 counters 1
[ "$(grep -c 'nvidia-smi: .*NOT SO' out)" = 4 ] || fail "other counters of nvidia-smi pass"
[ "$(grep -c 'NOT SO' out)" = 5 ] || fail "a wrong number of launches passes"

# Programs whose threads launch, and that end in each way; trials that leave the GPU alone. The fake's CUPTI replays its
# records once in each process, whatever is launched.
part() { # EXIT-CODE PART
  status=0
  "$source_root/tests/gpu/run" "$engine" "$2" >out 2>err || status=$?
  [ "$status" = "$1" ] || fail "$2: exit code $status, not $1"
}
if command -v cc >/dev/null; then
  export REGENGINE_CUPTI="$REGENGINE_FAKES/cupti.so" REGENGINE_FAKE_CUPTI="$folder/records"
  printf '%s\n' "many 6400 nothing 1000 900 1000" "at_exit 1" >records
  part 0 programs
  said "64 threads: launches in the trace"
  not_said "NOT SO"
  printf '%s\n' "many 6399 nothing 1000 900 1000" "at_exit 1" >records
  part 1 programs
  said "NOT SO"
fi

# A small program against its events, and graphs of many kernels: all of them, or a reason.
export REGENGINE_CUPTI="$REGENGINE_FAKES/cupti.so" REGENGINE_FAKE_CUPTI="$folder/records" REGENGINE_GPU_GRAPHS=2
printf '%s\n' "kernel count 1000" "kernel nothing 2" >fake
traced() { # NANOSECONDS of a long kernel
  printf '%s\n' "alloc 1000 70000000" "many 201 count 1000 $1 2000000" "many 20001 nothing 900000000 1000 2000" \
    "at_exit 1" >records
}
traced 1000000
part 0 trace
said "long kernels: their sum, apart from the events"
said "short kernels: launches in the trace                       20001"
not_said "NOT SO"
traced 1100000
part 1 trace
[ "$(grep -c 'NOT SO' out)" = 1 ] || fail "not one row is wrong"
echo "subscribe 39" >records
part 1 trace
said "tracing unavailable"
echo "many 2000 nothing 1000 900 1000" >records
echo "at_exit 1" >>records
part 0 graphs
said "2000 kernels in graphs: traced"
not_said "NOT SO"
echo "dropped 1" >>records
part 0 graphs
said "records were lost"
printf '%s\n' "many 1999 nothing 1000 900 1000" "at_exit 1" >records
part 1 graphs

# Trials that leave the GPU alone.
echo gpu0.util=0 >>nvml
part 0 trials
said "a program that does not use its GPU"
not_said "NOT SO"
echo gpu0.util=50 >>nvml
part 1 trials
said "NOT SO"

# No part runs over the limit; what did not fit is said.
REGENGINE_GPU_LIMIT_S=0 part 1 timing
said "timing: the rest                                           all of it                  not run: out of time"
not_said "copy of 128 MiB"
REGENGINE_GPU_LIMIT_S=10 part 1 trials  # its share is a second; a trial of it sleeps for three
said "trials: the rest"
said "not run: out of time"
unset REGENGINE_NVML REGENGINE_FAKE_NVML

# Each kernel that it or the engine brings, by the toolkit's assembler where that is.
ptxas=/usr/local/cuda/bin/ptxas
assembles() { # WHAT: kernels.ptx, for GPUs old and new
  [ "$(wc -l <kernels.ptx)" -gt 3 ] || fail "no kernel of $1"
  for arch in sm_75 sm_90 sm_120; do
    $ptxas -arch=$arch -o kernels.cubin kernels.ptx 2>err || fail "the kernels of $1 do not assemble for $arch"
  done
}
if [ -x $ptxas ]; then
  for file in stdlib/lib/gpu_load.lua tests/gpu/timing.lua tests/gpu/trace.lua; do
    sed -n '/^local PTX = \[\[/,/\]\]$/p' "$source_root/$file" | sed '1d; s/\]\]$//' >kernels.ptx
    assembles $file
  done
  sed -n '/^local TENSOR_PTX = \[\[/,/\]\]$/p' "$source_root/stdlib/lib/gpu_load.lua" | sed '1d; s/\]\]$//' >kernels.ptx
  $ptxas -arch=sm_80 -o kernels.cubin kernels.ptx 2>err || fail "the tensor cores' kernel does not assemble"
  for file in launches.c graphs.lua state.lua; do
    printf '%b\n' "$(grep -o '[.]version 6.0.*ret; }' "$source_root/tests/gpu/$file" | sort -u)" >kernels.ptx
    assembles $file
  done
fi
echo "the table for a real GPU says what it should"
