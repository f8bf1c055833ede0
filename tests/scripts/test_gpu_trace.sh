#!/bin/sh
# tests/gpu/trace.lua, which is for a real GPU, on the fake one: a program of reg.cuda's whose driver loads the
# injection library, and a CUPTI that tells of the launches it makes.
. "$(dirname "$0")/lib.sh"
[ -n "${REGENGINE_FAKES:-}" ] || skip "REGENGINE_FAKES is not set: run under ctest"
export REGENGINE_LIBCUDA="$REGENGINE_FAKES/cuda.so" REGENGINE_FAKE_CUDA="$folder/fake"
export REGENGINE_CUPTI="$REGENGINE_FAKES/cupti.so" REGENGINE_FAKE_CUPTI="$folder/records"
printf '%s\n' "kernel count 1200" "kernel nothing 1" >fake

table() { # EXIT-CODE LENGTH-OF-A-KERNEL: with launches of so many nanoseconds in the records
  printf '%s\n' "at_exit 1" "alloc 1000 67108864" "many 201 count 1000 $2 2000000" \
    "many 20001 nothing 500000000 1000 2000" >records
  status=0
  "$source_root/tests/gpu/run" "$engine" trace >out 2>err || status=$?
  [ "$status" = "$1" ] || fail "exit code $status, not $1"
}

table 0 1200000
said "long kernels: launches in the trace                        201"
said "short kernels: launches in the trace                       20001"
not_said "NOT SO"
table 1 1250000
[ "$(grep -c 'NOT SO' out)" = 1 ] || fail "not one row is wrong"
grep -q "their sum, apart from the events.*NOT SO" out || fail "a sum that is off is not told"
echo "subscribe 39" >records
"$source_root/tests/gpu/run" "$engine" trace >out 2>err && fail "a trace that was not to be had is well"
said "tracing unavailable"

ptxas=/usr/local/cuda/bin/ptxas
if [ -x $ptxas ]; then
  sed -n '/^local PTX = \[\[/,/^}\]\]/p' "$source_root/tests/gpu/trace.lua" | sed '1d; s/\]\]$//' >kernels.ptx
  for arch in sm_75 sm_90 sm_120; do
    $ptxas -arch=$arch -o kernels.cubin kernels.ptx 2>err || fail "its kernels do not assemble for $arch"
  done
fi
echo "the trace's part of the table for a real GPU says what it should"
