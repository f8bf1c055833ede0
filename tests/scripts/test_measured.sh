#!/bin/sh
# What --metric @gpu_time, @gpu_memory and @instructions measure, with a fake GPU, and that each says before anything is
# run where it cannot be measured.
. "$(dirname "$0")/lib.sh"
fakes=$REGENGINE_FAKES
given compare 'ab --budget 8 --json --metric'

# The GPU time is that of all kernels, also where two overlap; copies are none.
export REGENGINE_LIBCUDA="$fakes/cuda.so" REGENGINE_CUPTI="$fakes/cupti.so"
printf '%s\n' "kernel a 1000 2001000" "kernel b 1000 1001000" "memcpy 1 4096 5000000 9000000" >a
printf '%s\n' "kernel a 1000 5001000" "kernel b 1000 1001000" >b
compare 0 @gpu_time "REGENGINE_FAKE_CUPTI=a $fakes/cuda_program init play" \
  "REGENGINE_FAKE_CUPTI=b $fakes/cuda_program init play"
answer "answer.regression and math.abs(answer.a - 0.003) < 1e-9 and math.abs(answer.b - 0.006) < 1e-9"
said "B's GPU time is 2x worse than A's" "GPU time 3 -> 6 ms"
answer "answer.unit == 's'"
# Busy is a GPU while a kernel or a copy runs: of a 2 ms and 4 ms, of b 5 ms.
compare 0 @gpu_busy "REGENGINE_FAKE_CUPTI=a $fakes/cuda_program init play" \
  "REGENGINE_FAKE_CUPTI=b $fakes/cuda_program init play"
answer "math.abs(answer.a - 0.006) < 1e-9 and math.abs(answer.b - 0.005) < 1e-9 and answer.metric == 'GPU busy time'"
compare 1 @gpu_time true true
noted "the GPU time was not measured"
REGENGINE_LIBCUDA="$folder/none.so" tells compare 1 "@gpu_time: no GPU driver" @gpu_time "touch ran" "touch ran"

# Where the clocks may not be locked, GPU time is compared in cycles: twice the time at half the clock is the same.
export REGENGINE_NVML="$fakes/nvml.so" REGENGINE_FAKE_NVML="$folder/clocks"
clocks=GPU-$(cat /proc/sys/kernel/random/uuid)
printf '%s\n' "gpu0.uuid=$clocks" gpu0.util=0 rc.nvmlDeviceSetGpuLockedClocks=4 >idle
cp idle clocks
cat >at.sh <<'END'
{ grep -v util idle; echo "gpu0.sm=$1"; echo gpu0.util=97; } >clocks.new
mv clocks.new clocks
sleep 0.3
REGENGINE_FAKE_CUPTI=$2 "$REGENGINE_FAKES/cuda_program" init play
cp idle clocks.new
mv clocks.new clocks
END
printf '%s\n' "kernel a 1000 6001000" >slow
compare 0 @gpu_time --lock-clocks 1395 "sh at.sh 1800 a" "sh at.sh 900 slow"
answer "not answer.regression and answer.metric == 'GPU cycles' and answer.unit == 'cycles'"
answer "math.abs(answer.a / 5.4e6 - 1) < 1e-6"
noted "compared in SM cycles (@gpu_cycles): the clocks are not locked"
compare 0 @gpu_time "sh at.sh 1800 a" "sh at.sh 900 slow"
answer "answer.regression and answer.unit == 's'"
unset REGENGINE_NVML
tells compare 1 "@gpu_cycles: " @gpu_cycles "touch ran" "touch ran"

# The GPU memory is what the test's processes have together, and nobody else.
export REGENGINE_NVML="$fakes/nvml.so" REGENGINE_FAKE_NVML="$folder/gpus"
uuid=GPU-$(cat /proc/sys/kernel/random/uuid)
printf '%s\n' gpus=2 "gpu0.uuid=$uuid" "gpu1.uuid=$uuid-b" >gpus
cat >uses.sh <<'END'
sleep 100 & child=$!
cp gpus before
{ cat before; echo "gpu0.procs=1:7000 $$:$1 $child:50"; echo "gpu1.procs=$$:1"; } >gpus.new
mv gpus.new gpus
sleep 0.3
kill $child
mv before gpus
END
compare 0 @gpu_memory "sh uses.sh 1000" "sh uses.sh 2000"
answer "answer.regression and answer.a == 1051 and answer.b == 2051"
compare 1 @gpu_memory true true
noted "no process of the test was seen on a GPU"
export REGENGINE_NVML="$folder/none.so"
tells compare 1 "@gpu_memory: " @gpu_memory "touch ran" "touch ran"

# Instructions: of two loops, or why not.
loop() { echo "i=0; while [ \$i -lt $1 ]; do i=\$((i+1)); done"; }
if "$engine" ab --metric @instructions --budget 8 --store i.db --json "$(loop 2000)" "$(loop 8000)" >out 2>err; then
  answer "answer.regression and answer.b > 2 * answer.a"
else
  grep -q "^regengine: .*@instructions: this machine \|the instructions were not counted" err || fail "why not: $(cat err)"
fi

# In a container: what no container measures is said before one is looked for. A shipped strategy's line helps nobody; a
# script's own does.
numbered repo 2
mkdir bin
for program in git sh touch; do ln -s "$(command -v $program)" bin/; done
in_container() {
  wanted=$1; shift
  PATH="$folder/bin" expect $wanted bisect --repo repo --good HEAD~1 --bad HEAD --image image --test "touch ran" "$@"
  complained "$said"
}
said="regengine: @instructions is not measured in a container" in_container 2 --metric @instructions
said="regengine: no container engine is available; cannot run 'docker'" in_container 1 --metric @cpu
echo 'reg.container.use {}' >own.lua
PATH="$folder/bin" expect 1 own.lua
complained "regengine: own.lua:1: no container engine is available"
mkdir copy && cp "$source_root/scripts/ab.lua" copy/
PATH="$folder/bin" expect 1 copy/ab.lua --image image true true
grep -q "^regengine: copy/ab.lua:[0-9]*: no container engine" err || fail "the user's copy has lines of its own"

# This docker answers, and notes what it is asked to run.
executable bin/docker "[ \"\$1\" = version ] && echo 20 || touch $folder/ran"
said="regengine: @hlo:fusion is not measured in a container" in_container 2 --metric @hlo:fusion
[ ! -e ran ] || fail "something was run"
