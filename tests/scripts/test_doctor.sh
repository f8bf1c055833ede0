#!/bin/sh
# tests/scripts/test_doctor.sh REGENGINE: the doctor reports what is there and what is missing, and exits with 0.
set -eu
engine=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
  echo "FAILED: $1" && cat "$folder/out"
  exit 1
}

"$engine" doctor > "$folder/out" || fail "its exit code is not 0"
grep -Evq '^(ok  |no  |note)  [A-Za-z ]{17}  [^ ]' "$folder/out" && fail "a line is not in its columns"
for what in regengine git docker podman gnuplot GPU 'GPU driver' CPU 'CPU governor' 'CPU min freq' 'CPU turbo' \
  'CPU SMT' 'CPU idle states' ASLR load disk sandbox terminal; do
  [ "$(grep -c "^....  $what  " "$folder/out")" = 1 ] || fail "no one line about $what"
done
grep -q "^ok    git  .*$(git --version | cut -d' ' -f3)" "$folder/out" || fail "git's version is not what git says"

# What the kernel lacks, and what that means.
landlock() { LD_PRELOAD=$REGENGINE_FAKES/landlock.so ASAN_OPTIONS=verify_asan_link_order=0 FAKE_LANDLOCK_VERSION=$1 "$engine" doctor; }
if [ -n "${REGENGINE_FAKES:-}" ]; then
  landlock 0 >"$folder/out"
  grep -q "^no    sandbox  .*no Landlock; programs of untrusted scripts run with all your rights" "$folder/out" ||
    fail "the lack of Landlock is not said"
fi

# The driver's libraries are those that the engine would load.
if [ -n "${REGENGINE_FAKES:-}" ]; then
  REGENGINE_NVML=$REGENGINE_FAKES/nvml.so REGENGINE_FAKE_NVML=$folder/nvml REGENGINE_LIBCUDA=$REGENGINE_FAKES/cuda.so \
    "$engine" doctor >"$folder/out"
  grep -q "^ok    GPU driver  .*libcuda.so.1 and libnvidia-ml.so.1 load" "$folder/out" || fail "the driver is not seen"
fi

# If nothing is installed, each line says what it is needed for.
PATH=$folder "$engine" doctor > "$folder/out" || fail "its exit code is not 0 where nothing is installed"
for what in git docker podman; do
  grep -q "^no    $what  .*not installed; needed " "$folder/out" || fail "the lack of $what is not said"
done
grep -q "^note  gnuplot  .*not installed; needed .*gnuplot-nox" "$folder/out" || fail "the lack of gnuplot is not said"

# A missing daemon is not reported as a missing client.
if command -v docker > /dev/null; then
  DOCKER_HOST=unix://$folder/none "$engine" doctor > "$folder/out"
  grep -q "^no    docker  .*cannot be reached" "$folder/out" || fail "a docker without its daemon passes as good"
fi

# A noisy setting comes with the command that fixes it, a quiet one without.
cpu=$folder/machine/sys/devices/system/cpu
mkdir -p "$cpu/cpufreq/policy0" "$cpu/smt" "$cpu/intel_pstate" "$cpu/cpuidle" "$folder/machine/dev"
echo powersave > "$cpu/cpufreq/policy0/scaling_governor"
echo 800000 > "$cpu/cpufreq/policy0/scaling_min_freq"
echo 3600000 > "$cpu/cpufreq/policy0/scaling_max_freq"
echo 0 > "$cpu/intel_pstate/no_turbo"
echo on > "$cpu/smt/control"
echo intel_idle > "$cpu/cpuidle/current_driver"
: > "$folder/machine/dev/cpu_dma_latency"
REGENGINE_SYSFS=$folder/machine "$engine" doctor > "$folder/out"
noisy() { grep -qF -- "note  $1" "$folder/out" || fail "the doctor does not say: note  $1"; }
steady='; for steady timings:'
noisy "CPU governor       powersave; the clock follows the load$steady sudo cpupower frequency-set --governor performance"
noisy 'CPU min freq       800000 kHz; '
noisy "CPU turbo          on; the clock depends on temperature and the load of other cores$steady echo 1 | sudo tee $cpu/"
noisy "CPU SMT            on; two threads share a core; for steady timings: echo off | sudo tee $cpu/smt/control"
noisy "CPU idle states    on; waking up adds latency$steady sudo cpupower idle-set --disable-by-latency 0"
echo 1 > "$cpu/intel_pstate/no_turbo"
REGENGINE_SYSFS=$folder/machine "$engine" doctor > "$folder/out"
grep -q '^ok    CPU turbo          off$' "$folder/out" || fail "a turbo that is off passes as noisy"

# GPUs in containers: docker asks the toolkit, podman reads a specification.
mkdir -p "$folder/ctk" "$folder/machine/etc/cdi"
printf '#!/bin/sh\necho "NVIDIA Container Toolkit CLI version 1.17.8"\n' > "$folder/ctk/nvidia-ctk"
chmod +x "$folder/ctk/nvidia-ctk"
in_containers() { PATH=$folder/ctk:$PATH REGENGINE_SYSFS=$folder/machine "$engine" doctor > "$folder/out"; }
in_containers
noisy 'GPU in containers  NVIDIA Container Toolkit CLI version 1.17.8; podman also needs a description of the GPUs: sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml'
printf 'kind: nvidia.com/gpu\n' > "$folder/machine/etc/cdi/nvidia.yaml"
in_containers
grep -q '^ok    GPU in containers  NVIDIA Container Toolkit CLI version 1.17.8$' "$folder/out" || fail "a description is not seen"

# GPUs, from the driver's own library: what is noisy, and the command that fixes it.
first=GPU-one second=GPU-two
printf 'gpus=2\ngpu0.uuid=%s\ngpu1.uuid=%s\n' $first $second > "$folder/nvml"
printf 'gpu1.recovery=1\ngpu0.persistence=0\ngpu1.mig=1\ngpu1.procs=1:1000\ngpu1.reasons=0x20\n' >> "$folder/nvml"
fakes=${REGENGINE_FAKES:-$(dirname "$engine")/fakes}
[ -e "$fakes/nvml.so" ] || fail "no fake driver in $fakes"
REGENGINE_NVML=$fakes/nvml.so REGENGINE_FAKE_NVML=$folder/nvml "$engine" doctor > "$folder/out"
said() { grep -qF -- "$1" "$folder/out" || fail "the doctor does not say: $1"; }
said 'ok    GPU                2 NVIDIA'
said 'ok    GPU 0              Fake GPU, clock 1980 of 1980 MHz, '
said "note  GPU 0 clocks       not locked by regengine; the driver does not report other locks; for steady timings: sudo nvidia-smi --lock-gpu-clocks=1590,1590 -i $first"
said "note  GPU 0 driver       persistence mode is off: the driver may drop a lock when the last program ends; for steady timings: sudo nvidia-smi --persistence-mode=1 -i $first"
said 'note  GPU 1              Fake GPU, '
said ', throttled: sw_thermal'
said "note  GPU 1 MIG          on: its instances share clocks and power; for steady timings: sudo nvidia-smi --multi-instance-gpu=0 -i $second"
said "note  GPU 1 health       the driver asks to reset the GPU; for steady timings: sudo nvidia-smi --gpu-reset -i $second"
said 'note  GPU 1 processes    running on it now: 1'
! grep -q '  DCGM  ' "$folder/out" || fail "DCGM, which does not run"
mkdir -p "$folder/machine/proc/41" "$folder/machine/proc/self"
echo nv-hostengine > "$folder/machine/proc/41/comm"
REGENGINE_SYSFS=$folder/machine REGENGINE_NVML=$fakes/nvml.so REGENGINE_FAKE_NVML=$folder/nvml "$engine" doctor > "$folder/dcgm"
grep -qF "note  DCGM               nv-hostengine (pid 41) runs; profiling metrics that it watches (DCGM_FI_PROF_*) can disturb timings and block ncu; for steady timings: dcgmi profile --pause" "$folder/dcgm" ||
  fail "the doctor does not name DCGM: $(grep DCGM "$folder/dcgm")"
! grep -q 'GPU 0 processes' "$folder/out" || fail "a process on a GPU that has none"
said '  GPU 0 clocks  '
REGENGINE_NVML=$fakes/nvml.so REGENGINE_FAKE_NVML=$folder/nvml REGENGINE_LIBCUDA=$fakes/cuda.so PATH=$folder "$engine" doctor \
  > "$folder/out"
for what in NVRTC cuBLAS CUPTI nsys; do
  [ "$(grep -c "^....  $what  " "$folder/out")" = 1 ] || fail "no one line about $what"
done
said 'note  nsys               not installed; needed for reg.nsys. Install it '
[ -z "$(grep '^no ' "$folder/out" | grep -v 'apt-get\|pip install\|  sandbox  \|git')" ] ||
  fail "something is missing, without the command for it: $(grep '^no ' "$folder/out")"

with_cupti() { REGENGINE_NVML=$fakes/nvml.so REGENGINE_FAKE_NVML=$folder/nvml REGENGINE_CUPTI=$1 "$engine" doctor >"$folder/out"; }
export REGENGINE_LIBCUDA="$fakes/cuda.so"
with_cupti "$fakes/cupti.so"
said 'ok    CUPTI              API version 130000'
# Without a driver its version is 0, or asking for it crashes.
export REGENGINE_LIBCUDA=/nowhere/libcuda.so.1 REGENGINE_FAKE_CUPTI="$folder/driverless"
echo 'driverless 1' >"$REGENGINE_FAKE_CUPTI"
with_cupti "$fakes/cupti.so"
said "ok    CUPTI              $fakes/cupti.so (CUPTI tells its version only with a GPU driver)"
unset REGENGINE_LIBCUDA REGENGINE_FAKE_CUPTI
with_cupti "$folder/none.so"
said 'note  CUPTI              not found; needed for reg.trace of programs that bring none (PyTorch and JAX do). '

# Clocks that an engine has locked.
REGENGINE_NVML=$fakes/nvml.so REGENGINE_FAKE_NVML=$folder/nvml XDG_STATE_HOME=$folder/state "$engine" --quiet -e \
  "local lock <close> = reg.gpu.lock { sm = 1500, device = 0, required = true }
  reg.process.run { cmd = { '$engine', 'doctor' }, out = '$folder/out' }"
said 'ok    GPU 0 clocks       locked by regengine, pid '
rm -f /run/lock/regengine-GPU-one* /run/lock/regengine-GPU-two* /tmp/regengine-GPU-one* /tmp/regengine-GPU-two*
# An H100 or H200 does not hold 80 % of its highest clock.
printf 'gpu0.uuid=%s\ngpu0.name=NVIDIA H200\n' $first > "$folder/nvml"
REGENGINE_NVML=$fakes/nvml.so REGENGINE_FAKE_NVML=$folder/nvml "$engine" doctor > "$folder/out"
said "for steady timings: sudo nvidia-smi --lock-gpu-clocks=1290,1290 -i $first"
# A driver that is there and does not respond is not one that is missing.
printf 'rc.nvmlInit_v2=18\n' > "$folder/nvml"
REGENGINE_NVML=$fakes/nvml.so REGENGINE_FAKE_NVML=$folder/nvml REGENGINE_LIBCUDA=$fakes/cuda.so "$engine" doctor > "$folder/out"
said 'no    GPU driver         the NVIDIA driver does not respond: Driver/library version mismatch (18). The driver was updated while the old one is loaded. Reboot'
printf 'gpu0.lost=1\n' > "$folder/nvml"
REGENGINE_NVML=$fakes/nvml.so REGENGINE_FAKE_NVML=$folder/nvml "$engine" doctor > "$folder/out" ||
  fail "a lost GPU ends the doctor"
echo "doctor: all as promised"
