#!/bin/sh
# matmul.lua as a user runs it, on the fake driver and cuBLAS: what it measures is what the fake's script says.
. "$(dirname "$0")/lib.sh"
export REGENGINE_LIBCUDA="$REGENGINE_FAKES/cuda.so" REGENGINE_CUBLAS="$REGENGINE_FAKES/cublas.so"
export REGENGINE_FAKE_CUDA="$folder/fake"

hex=$(tr -d - </proc/sys/kernel/random/uuid)  # GPUs are leased for the whole machine, and tests run side by side
uuid=GPU-$(echo "$hex" | sed 's/^\(........\)\(....\)\(....\)\(....\)/\1-\2-\3-\4-/')
fake() { printf '%s\n' "log $folder/log" "device uuid $hex name Fake_GPU sms 4" "$@" >fake; : >log; }
line='^matmul-torch\.[a-z0-9]*-lhs[0-9]*x[0-9]*-rhs[0-9]*x[0-9]*: speedup=[0-9.]*x; base=[0-9.]*ms; test=[0-9.]*ms$'

given f16 'matmul --from 256 --to 256 --dtype f16 --name'

# No GPU: one line that says so, and what would help.
REGENGINE_LIBCUDA=/nowhere/libcuda.so.1 says 1 "no GPU: /nowhere/libcuda.so.1" matmul
grep -q "REGENGINE_LIBCUDA\|nvidia-smi" err || fail "no hint"
[ ! -e .regengine/results.db ] || fail "a store was made for nothing"

# A dry run: what would run; no GPU is touched and nothing is made.
REGENGINE_LIBCUDA=/nowhere/libcuda.so.1 says 0 "would time 189 products" matmul --dry-run
[ ! -e .regengine/results.db ] || fail "a dry run made a store"

at_end="forget_gpus $uuid"

# The first run is the baseline of later ones: it has none itself.
fake "kernel gemm_tf32 2000" "kernel gemm_f16 1000" "kernel gemm_bf16 1250"
expect 0 matmul --from 256 --to 384 --name old --json
said "matmul-torch.float32-lhs256x256-rhs256x256: speedup=-; base=-; test=2.00ms"
said "matmul-torch.bfloat16-lhs384x384-rhs384x384: speedup=-; base=-; test=1.25ms"
said "old on Fake GPU: 6 of 6 products; 0 slower than 0.95x, 0 faster than 1.05x"
answer "answer.products == 6 and answer.gpu == 'Fake GPU' and answer.name == 'old'"

# Another run, f16 slower by a quarter and bf16 faster: against the oldest, line by line.
fake "kernel gemm_tf32 2000" "kernel gemm_f16 1250" "kernel gemm_bf16 1000"
expect 0 matmul --from 256 --to 384 --name new --csv all.csv --json
said "matmul-torch.float32-lhs256x256-rhs256x256: speedup=1.00x; base=2.00ms; test=2.00ms"
said "matmul-torch.float16-lhs384x384-rhs384x384: speedup=0.80x; base=1.00ms; test=1.25ms"
said "matmul-torch.bfloat16-lhs256x256-rhs256x256: speedup=1.25x; base=1.25ms; test=1.00ms"
[ "$(grep -Ec "$line" out)" = 6 ] || fail "the lines are not in their form"
answer "answer.slower == 2 and answer.faster == 2"

# CSV: a line each, with all that is known.
[ "$(wc -l <all.csv)" = 7 ] || fail "all.csv has $(wc -l <all.csv) lines, not 7"
head -n 1 all.csv | grep -q "test_ms" || fail "all.csv has no head"
grep -q "f16,384,new,.*matmul-torch.float16-lhs384x384-rhs384x384" all.csv || fail "a product is not in all.csv"

# The same again: the store has it, and nothing is timed.
trials() { ask_store "SELECT count(*) AS n FROM trials"; }
before=$(trials)
expect 0 matmul --from 256 --to 384 --name new --json
[ "$(trials)" = "$before" ] || fail "it was timed again"
answer "answer.slower == 2 and answer.faster == 2"

# At another clock it is timed again: somebody locked it with nvidia-smi, which the driver does not report. Then the
# store has both.
fake "kernel gemm_f16 1250" "clock 0.8"
tells f16 0 "matmul-torch.float16-lhs256x256-rhs256x256: speedup=0.64x; base=1.00ms; test=1.56ms" new
noted "new was timed at other clocks"
grep -q "old ran at an SM clock of [0-9]* MHz, and new at [0-9]* MHz" err || fail "no word of the clocks of the baseline"
[ "$(trials)" = $((before + 1)) ] || fail "an old number was used at another clock"
f16 0 new
fake "kernel gemm_f16 9999"
tells f16 0 "test=1.25ms" new
fake "kernel gemm_f16 9999" "clock 0.8"
tells f16 0 "test=1.56ms" new
[ "$(trials)" = $((before + 1)) ] || fail "it was timed again at a clock that the store has"
# Another run compares itself with what was timed at its own clock.
tells f16 0 "base=1.56ms" slow --baseline new
! grep -q "ran at an SM clock" err || fail "a warning about a baseline at the same clock"

# The same for the memory clock, which the driver reports.
fake_driver
for mhz in 2619 1593 1593; do
  printf '%s\n' "gpu0.uuid=$uuid" "gpu0.max_mem=$mhz" >nvml
  fake "kernel gemm_f16 $mhz"
  f16 0 memory
  noted "has not locked the clocks of the GPU: runs with --lock-clocks"
done
# A GPU that throttles, or works for others: timed once more, and said. The clocks are locked as was asked.
printf '%s\n' "gpu0.uuid=$uuid" gpu0.throttled.hw_thermal=0.5 "gpu0.procs=1:1000000" >nvml
: >nvml.log
fake "kernel gemm_f16 1000"
tells f16 0 "  doubtful: hw_thermal, process 1" hot --store hot.db --json --lock-clocks 1590
answer "answer.doubtful == 1"
! grep -q "has not locked the clocks of the GPU" err || fail "the clocks were locked"
grep -q "SetGpuLockedClocks $uuid 1590 1590" nvml.log || fail "--lock-clocks does not lock"
forget_gpus "$uuid"
echo "gpu0.uuid=$uuid" >nvml
# The power limit holds the clock of a GPU down: normal where clocks are free, also because the driver permits no lock.
capped() { # DOUBTFUL OPTIONS...
  doubtful=$1; shift
  answers f16 0 "answer.doubtful == $doubtful" capped --store capped.db --json "$@"
  rm -rf capped.db*
}
printf '%s\n' "gpu0.uuid=$uuid" gpu0.power_clock=1500 >nvml
capped 0
capped 1 --clock 1590
capped 1 --lock-clocks 1590
said "  doubtful: sw_power_cap"
echo rc.nvmlDeviceSetGpuLockedClocks=4 >>nvml
capped 0 --lock-clocks 1590
# What breaks while a product is timed.
printf '%s\n' "gpu0.uuid=$uuid" gpu0.next_xid=13 >nvml
capped 1
said "  doubtful: Xid 13"
printf '%s\n' "gpu0.uuid=$uuid" >nvml
for clock in 1395 1590; do
  f16 0 hot --store cool.db --lock-clocks $clock
done
[ "$(store=cool.db trials)" = 2 ] || fail "not two products timed at two clocks"
forget_gpus "$uuid"
unset REGENGINE_NVML REGENGINE_FAKE_NVML
query_gives .regengine/results.db 2 \
  "SELECT count(*) FROM trials t JOIN subjects s ON s.id = t.subject WHERE s.name = 'memory'"
fake

# Against a run by name, and one that is not there.
fake "kernel gemm_f16 1250" "kernel gemm_f32 1000"
tells f16 0 "matmul-torch.float16-lhs256x256-rhs256x256: speedup=1.00x; base=1.25ms; test=1.25ms" third --baseline new
says 2 "no such run: 'nothing'" matmul --baseline nothing
says 2 "f64" matmul --dtype f64

# Another kind of product is not compared with what it is not.
says 0 "speedup=-" matmul --from 256 --to 256 --dtype f32 --ieee --name ieee
[ "$(grep -c '^cublas gemm_f32' log)" -gt 10 ] || fail "--ieee did not multiply in f32"

# What does not fit is told, and the rest goes on; a GPU that fails ends it.
fake "device memory 67108864" "kernel gemm_f16 1000"
expect 0 matmul --from 256 --to 8192 --step 7936 --dtype f16 --name small
said "matmul-torch.float16-lhs8192x8192-rhs8192x8192: cannot allocate" "1 of 2 products"
fake "fail cuLaunchKernel 719 at 20"
tells f16 1 "unspecified launch failure" broken

# The default name says what this machine has.
fake "kernel gemm_f16 1000"
says 0 "driver 13.0 cublas 13.0.2 on Fake GPU" matmul --from 256 --to 256 --dtype f16
# A copy from elsewhere asks for the permission to lock only where it locks.
"$engine" trust --forget "$folder"
{ cat "$source_root/scripts/matmul.lua"; echo "-- changed"; } >found.lua
says 1 "not permitted: gpu=run" found.lua --from 256 --to 256 </dev/null
! grep -q "gpu=lock" err || fail "it asks for a permission that it does not use"
says 1 "--allow gpu=run --allow gpu=lock" found.lua --from 256 --to 256 --lock-clocks 1395 </dev/null
