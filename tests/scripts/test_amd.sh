#!/bin/sh
# tests/scripts/test_amd.sh REGENGINE: AMD GPUs are watched and leased, and never locked; with the fake libamd_smi
# (tests/support/fakes/amdsmi.c), on a machine that has /dev/kfd and no NVIDIA driver.
. "$(dirname "$0")/lib.sh"
unset REGENGINE_NVML CUDA_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES || true
export REGENGINE_AMDSMI="$REGENGINE_FAKES/amdsmi.so" REGENGINE_FAKE_AMDSMI="$folder/amdsmi" REGENGINE_SYSFS="$folder/machine"
[ -e "$REGENGINE_AMDSMI" ] || fail "the fake library is not built: $REGENGINE_AMDSMI"
mkdir -p machine/dev machine/sys/bus/pci/devices/0000:01:00.0
: >machine/dev/kfd
echo 0 >machine/sys/bus/pci/devices/0000:01:00.0/local_cpulist
id=$(tr -d - </proc/sys/kernel/random/uuid | cut -c 1-15)
amd() { printf '%s\n' gpus=2 "gpu0.id=0x${id}a" "gpu1.id=0x${id}b" "$@" >amdsmi; } # LINE...
unmeasured() { rm -rf .regengine; amd "$@"; } # the same, where nothing is stored yet
at_end="forget_gpus $id"

# --- The doctor: which GPUs, and what regengine does with them.
amd gpu0.clock=1900 gpu0.hotspot=61 "gpu1.name=AMD Instinct MI210"
says 0 'ok    GPU                2 x AMD GPU: watched, not locked, not traced' doctor
said 'ok    GPU driver         amdgpu 6.14.14, libamd_smi loads'
said 'ok    GPU 0              AMD Instinct MI300X, clock 1900 of 2100 MHz, 61 C'
said 'ok    GPU 1              AMD Instinct MI210, clock 2100 of 2100 MHz, 47 C'
said 'note  GPU in containers  an AMD GPU needs its devices: --device /dev/kfd --device /dev/dri'
for what in 'GPU 0 clocks' NVRTC cuBLAS CUPTI nsys; do not_said "  $what  "; done

# Without the library: how to get it. With another one, or a driver that does not work: why it is not watched.
REGENGINE_AMDSMI=/nowhere/libamd_smi.so expect 0 doctor
said 'note  GPU                AMD GPU: not watched, not locked, not traced'
said 'no    GPU driver         /nowhere/libamd_smi.so: cannot open'
(unset REGENGINE_AMDSMI; expect 0 doctor; said 'Install it (from AMD'"'"'s repository): sudo apt-get install amd-smi-lib')
amd version=28.0.0
says 0 'no    GPU driver         libamd_smi 28.0: unknown version' doctor
amd version=24.7.1  # of ROCm 6.3: a year, and structs with another layout
expect 0 doctor
said 'no    GPU driver         libamd_smi 24.7: unknown version. Install one of version 26 to 27 (ROCm 7 or 10).'
amd init=34
says 0 'no    GPU driver         AMD SMI does not start: status 34' doctor
amd "gpu1.id=0x${id}a"  # two partitions of one GPU
tells run_lua 0 "the driver finds no GPU" 'print(reg.gpu.status().message)'
amd gpu1.id=0
tells run_lua 0 1 'print(#reg.gpu.list())'
rm machine/dev/kfd
expect 0 doctor
not_said AMD
: >machine/dev/kfd

# --- Numbers, in the order in which ROCm numbers them; what is not reported is absent.
amd gpu0.node=9 gpu0.violations=0 gpu0.power=90 gpu1.hotspot= gpu1.edge=38 gpu1.power=700 gpu1.limit=550
show='for _, gpu in ipairs(reg.gpu.list()) do
    print(gpu.index, gpu.uuid, gpu.pci, gpu.driver, gpu.sm_mhz, gpu.mem_mhz, gpu.temperature_c, gpu.power_w, gpu.power_limit_w)
  end'
run_lua 0 "$show print(reg.gpu.get('GPU-${id}a').index, reg.gpu.get(0).uuid)"
said "0	GPU-${id}b	00000000:02:00.0	amdgpu 6.14.14	2100	1300	38	700.0	550.0"
said "1	GPU-${id}a	00000000:01:00.0	amdgpu 6.14.14	2100	1300	47	90.0	750.0" "1	GPU-${id}b"
tells run_lua 2 "no such GPU: 7" 'reg.gpu.get(7)'
ROCR_VISIBLE_DEVICES="GPU-${id}a" CUDA_VISIBLE_DEVICES=0 run_lua 0 'for _, gpu in ipairs(reg.gpu.list "visible") do print(gpu.uuid) end'
[ "$(cat out)" = "GPU-${id}a" ] || fail "the GPUs that programs see"

# --- No locks: one line before anything runs, whatever clock is asked for.
mkdir -p images/2024-03-01 images/2024-03-02
cat >test.sh <<'TEST'
echo "start $ROCR_VISIBLE_DEVICES ${HIP_VISIBLE_DEVICES-${CUDA_VISIBLE_DEVICES-none}}" >>../log
sleep "${SECONDS_OF_TEST:-0.1}"
echo "MLUPS: 100"
TEST
given nightly 'nightly --runtime local --image "$folder/images/{date}" --from 2024-03-01 --to 2024-03-02 \
  --test test.sh --metric "MLUPS: {number}" --every --json' 'rm -f images/log'
amd
for clock in --lock-clocks '--lock-clocks 1900' --lock-clocks=80%; do
  rm -rf .regengine
  nightly 0 $clock --gpus 0
  [ "$(grep -c 'clocks not locked: regengine does not lock the clocks of AMD GPUs' err)" = 1 ] || fail "not one line about $clock"
  [ "$(head -n 1 err | grep -c 'clocks not locked')" = 1 ] || fail "something came before that line"
  ! grep -q "nvidia\|Volta\|CUDA\|libcuda" err || fail "words about NVIDIA"
done

# --- What the GPU did is in the trial's record, and one that was too hot is suspect, and run again.
record() { # LUA-EXPRESSION over `gpu`, the first GPU of the last trial's record, and `trial`
  printf '%s\n' "local all = reg.store.open('.regengine/results.db'):trials() local trial = all[#all]
    local info = trial.info.gpu local gpu = info.gpus[1] assert($1)" >record.lua
  "$engine" record.lua >record.out 2>&1 || { cat record.out; fail "the record: $1"; }
}
unmeasured gpu0.clock=1900 gpu0.power=640 gpu0.hotspot=88
SECONDS_OF_TEST=0.5 nightly 0 --gpus 0
record 'gpu.name == "AMD Instinct MI300X" and gpu.sm_mhz.median == 1900 and gpu.power_w.max == 640 and
  gpu.temperature_c.max == 88 and gpu.power_limit_w == 750 and #info.gpus == 1'
record 'not gpu.throttled and gpu.throttle_from == "samples" and not info.locked'
unmeasured gpu0.thermal=1
SECONDS_OF_TEST=0.5 nightly 0 --gpus 0
! grep -q "easier to compare" err || fail "it advises a lock that it cannot make"
noted "SW thermal slowdown"
record 'gpu.throttled and gpu.throttle_s.sw_thermal > 0.3'
answer 'answer.runs > 7'  # they are repeated
unmeasured gpu0.ppt=1  # the power limit sets the clock that no lock holds
nightly 0 --gpus 0
record 'info.power_capped and gpu.throttle_s.sw_power_cap > 0.1'
answer 'answer.runs == 7'
unmeasured gpu0.violations=0 gpu0.thermal=1  # older than MI300: nothing is claimed
nightly 0 --gpus 0
record 'not gpu.throttled and gpu.throttle_from == "none"'

unmeasured gpu0.busy=0  # at each sample, and no list of processes tells more: nobody knows whether it was used
SECONDS_OF_TEST=1.2 nightly 0 --gpus 0
answer 'answer.skipped == 0'
record 'gpu.used == nil and gpu.samples >= 5 and gpu.busy_sm_mhz == nil'

# --- The key has the GPUs, their driver and power limit: other ones measure again, the same ones do not.
again() { # RUNS LINE...: how many runs it takes on this machine
  runs=$1; shift
  amd "$@"
  answers nightly 0 "answer.runs == $runs" --gpus 0
}
rm -rf .regengine
again 7
again 0
again 7 driver=6.16.6
again 7 gpu0.limit=550
again 7 "gpu0.name=AMD Instinct MI325X" "gpu1.name=AMD Instinct MI325X"
again 7 version=28.0.0  # GPUs that nothing is known of
again 0 version=28.0.0
mv machine/dev/kfd machine/kfd
again 7  # no GPU
mv machine/kfd machine/dev/kfd

# --- Leases: trials at the same time have a GPU each, by ROCR_VISIBLE_DEVICES, on the host and in containers.
unmeasured
export HIP_VISIBLE_DEVICES=3 CUDA_VISIBLE_DEVICES=3 # of the user's shell: the program would see no GPU of its one
nightly 0 --parallel 2 --gpus all
[ "$(sort -u images/log)" = "start GPU-${id}a none
start GPU-${id}b none" ] || { cat images/log; fail "the trials' GPUs"; }
nightly 0 --gpus 1 --store other.db
[ "$(sort -u images/log)" = "start 1 none" ] || { cat images/log; fail "a GPU by number"; }
run_lua 0 'local lease <close> = reg.gpu.lease { count = 1 }
  print(reg.process.run({ shell = "echo $ROCR_VISIBLE_DEVICES ${HIP_VISIBLE_DEVICES-${CUDA_VISIBLE_DEVICES-none}}", lease = lease }).stdout, lease.gpus[1].cpus)'
said "GPU-${id}a none" '	0'
nightly 2 --gpus all --parallel 2 --env ROCR_VISIBLE_DEVICES=0
complained "--env ROCR_VISIBLE_DEVICES: each trial gets GPUs of its own"
fake_docker </dev/null
given in_docker 'nightly --runtime docker --image "localhost/app:{date}" --from 2024-03-01 --to 2024-03-02 \
  --test test.sh --metric "MLUPS: {number}" --every --gpus all --store docker.db' 'rm -f calls'
tells in_docker 2 "gpus: an AMD GPU needs its devices in a container" --parallel 2
noted "Pass --device /dev/kfd --device /dev/dri."
[ ! -e calls ] || ! grep -q '^run' calls || fail "a container ran"
in_docker 0 --parallel 2 --device /dev/null:/dev/kfd --device /dev/null:/dev/dri  # what this machine has
grep '^run ' calls | grep -o -- "--env ROCR_VISIBLE_DEVICES=[^ ]*" | sort -u >seen
[ "$(cat seen)" = "--env ROCR_VISIBLE_DEVICES=GPU-${id}a
--env ROCR_VISIBLE_DEVICES=GPU-${id}b" ] || { cat calls; fail "the containers' GPUs"; }
! grep -q -- '--gpus' calls || fail "an option of the NVIDIA toolkit"
