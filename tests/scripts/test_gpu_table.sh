#!/bin/sh
# tests/gpu/run, which is for a real GPU, on the fake one: its arithmetic and its verdicts, not its numbers.
. "$(dirname "$0")/lib.sh"
export REGENGINE_FAKE_CUDA="$folder/fake" REGENGINE_CUBLAS="$REGENGINE_FAKES/cublas.so"

table() { exits "$1" "$source_root/tests/gpu/run" "$engine" timing; } # EXIT-CODE: runs the table's part about timing

export REGENGINE_LIBCUDA=/nowhere/libcuda.so.1
table 77
said "SKIPPED: no GPU: /nowhere/libcuda.so.1"

# An engine that does not start is no machine without a GPU.
exits 1 "$source_root/tests/gpu/run" /bin/false

export REGENGINE_LIBCUDA="$REGENGINE_FAKES/cuda.so"
printf '%s\n' "kernel copy 800 cold 50 noise 0.001" "kernel multiply 1200" "kernel nothing 1" \
  "kernel gemm_bf16 1400" >fake
table 0
said "copy of 128 MiB: cold median                                                          85"
said "cuBLAS 8192 bf16, cold                                                                785 TFLOP/s"
not_said "NOT SO"

printf '%s\n' "kernel copy 800 noise 0.02" "kernel multiply 1200" "kernel gemm_bf16 1400" >fake
table 1
said "NOT SO" "FAILED: timing"

# Each kernel that it or the engine brings, by the toolkit's assembler where that is.
ptxas=/usr/local/cuda/bin/ptxas
assembles() { # WHAT: kernels.ptx, for GPUs old and new
  [ "$(wc -l <kernels.ptx)" -gt 3 ] || fail "no kernel of $1"
  for arch in sm_75 sm_80 sm_90 sm_100 sm_120; do
    $ptxas -arch=$arch -Werror -o kernels.cubin kernels.ptx 2>err || fail "the kernels of $1 do not assemble for $arch"
  done
}
if [ -x $ptxas ]; then
  sed -n '/^local PTX = \[\[/,/\]\]$/p' "$source_root/tests/gpu/rows.lua" | sed '1d; s/\]\]$//' >kernels.ptx
  assembles rows.lua
  sed -n '/R"ptx(/,/^)ptx"/p' "$source_root/engine/cuda/timing_kernels.h" | sed 's/.*R"ptx(//; /^)ptx"/d' >kernels.ptx
  assembles timing_kernels.h
  load() { # TABLE: the kernel that load.lua makes of it
    sed -n '/^local FRAME/,/^local THREADS/p' "$source_root/stdlib/lib/gpu/load.lua" | sed '$d' >load.lua
    echo "print((FRAME:gsub('%\$(%w+)', $1)))" >>load.lua
    "$engine" load.lua >kernels.ptx
  }
  load CHAINS
  assembles load.lua
  load PRODUCTS_16
  $ptxas -arch=sm_80 -o kernels.cubin kernels.ptx 2>err || fail "the tensor cores' kernel does not assemble"
  printf '%b\n' "$(grep -o '[.]version 6.0.*ret; }' "$source_root/tests/gpu/launches.c")" >kernels.ptx
  assembles launches.c
else
  echo "SKIPPED: no $ptxas, which assembles the kernels"
fi
