#!/bin/sh
# --lock-clocks: at a given clock, at a part of the highest, and at the highest that the GPUs hold under a load; on the fake
# driver, whose GPU reaches its power limit at 1500 MHz.
. "$(dirname "$0")/lib.sh"
fake_driver
export REGENGINE_LIBCUDA="$REGENGINE_FAKES/cuda.so" REGENGINE_FAKE_CUDA="$folder/cuda" REGENGINE_CUBLAS=/nowhere/libcublas.so
hex=$(tr -d - </proc/sys/kernel/random/uuid)
uuid=GPU-$(echo "$hex" | sed 's/^\(........\)\(....\)\(....\)\(....\)/\1-\2-\3-\4-/')
at_end="forget_gpus $uuid"
gpu() { printf '%s\n' "gpu0.uuid=$uuid" gpu0.power_clock=1500 "$@" >nvml; : >nvml.log; }
echo "device uuid $hex" >cuda

# A minute is too long for a test.
cp -r "$source_root/stdlib" library
sed -i 's/^local HOLD_S = 60$/local HOLD_S = 0.6/' library/lib/gpu/load.lua
grep -q 'HOLD_S = 0.6' library/lib/gpu/load.lua || fail "the minute is elsewhere"
mkdir -p images/2024-03-01 images/2024-03-02
echo 'echo "MLUPS: 100"' >test.sh
given nightly '--stdlib library nightly --runtime local --image "$folder/images/{date}" --from 2024-03-01 \
  --to 2024-03-02 --test test.sh --metric "MLUPS: {number}" --every' 'rm -rf .regengine/results.db*'

gpu
nightly 0 --lock-clocks 1395
[ "$(locks)" = "SetGpuLockedClocks 1395 1395 ResetGpuLockedClocks " ] || fail "the locks: $(locks)"
gpu
nightly 0 --lock-clocks=70%
[ "$(locks)" = "SetGpuLockedClocks 1380 1380 ResetGpuLockedClocks " ] || fail "the locks: $(locks)"

# Without a number: what the GPU holds under a load, found once for this GPU and driver.
gpu
nightly 0 --lock-clocks
noted "GPU 0 holds 1500 MHz under a load" "trying which clock GPU 0 holds under a load"
[ "$(locks)" = "SetGpuLockedClocks 1980 1980 ResetGpuLockedClocks SetGpuLockedClocks 1500 1500 ResetGpuLockedClocks \
SetGpuLockedClocks 1500 1500 ResetGpuLockedClocks " ] || fail "the locks: $(locks)"
gpu
nightly 0 --lock-clocks --quiet
[ "$(locks)" = "SetGpuLockedClocks 1500 1500 ResetGpuLockedClocks " ] || fail "it was not remembered: $(locks)"
gpu driver=590.44.01
nightly 0 --lock-clocks
noted "GPU 0 holds 1500 MHz under a load"

# Without permission: a warning with the command, and the search goes on.
gpu rc.nvmlDeviceSetGpuLockedClocks=4
nightly 0 --lock-clocks 1395
noted "nvidia-smi --lock-gpu-clocks=1395,1395 -i $uuid"
gpu rc.nvmlDeviceSetGpuLockedClocks=4 driver=600.1
nightly 0 --lock-clocks
noted "clocks not locked: GPU 0: only root can lock clocks" "nvidia-smi --lock-gpu-clocks=1590,1590 -i $uuid"
! grep -q "trying which clock" err || fail "it looked for a clock that it may not lock"
gpu rc.nvmlDeviceSetGpuLockedClocks=3 driver=600.1
nightly 0 --lock-clocks
noted "clocks not locked: GPU 0 cannot lock its clocks: Not Supported (3). Locking SM clocks needs Volta"

# Where clocks are free a line says what would lock them, once.
gpu
nightly 0 --gpus 0
[ "$(grep -c -- --lock-clocks err)" = 1 ] || fail "not one line about free clocks"
nightly 0 --gpus 0 --lock-clocks 1395
! grep -q -- "with --lock-clocks" err || fail "the clocks were locked"

# A dry run locks nothing; what is not a clock is refused, as are GPUs that are not there.
gpu
nightly 0 --lock-clocks --dry-run
[ -z "$(locks)" ] || fail "a dry run locked"
tells nightly 2 "--lock-clocks: not a valid clock: 'fast'" --lock-clocks=fast
tells nightly 2 "does not support SM clock 5000 MHz" --lock-clocks 5000
