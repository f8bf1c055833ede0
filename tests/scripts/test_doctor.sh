#!/bin/sh
# The doctor reports what is there and what is missing, and exits with 0.
. "$(dirname "$0")/lib.sh"

doctor() { exits 0 env "$@" "$engine" doctor; } # [NAME=VALUE]...: what it says is in ./out
one_line_about() { for what; do [ "$(grep -c "^....  $what  " out)" = 1 ] || fail "not one line about $what"; done; }

doctor
grep -Evq '^(ok  |no  |note)  [A-Za-z ]{17}  [^ ]' out && fail "a line is not in its columns"
one_line_about regengine git docker podman gnuplot GPU 'GPU driver' CPU 'CPU governor' 'CPU min freq' 'CPU turbo' 'CPU SMT' \
  'CPU idle states' load sandbox
matches out "^ok    git  .*$(git --version | cut -d' ' -f3)"

# What the kernel lacks, and what that means. The driver's libraries are those that the engine would load.
doctor LD_PRELOAD="$REGENGINE_FAKES/landlock.so" ASAN_OPTIONS=verify_asan_link_order=0 FAKE_LANDLOCK_VERSION=0
matches out "^no    sandbox  .*no Landlock; programs of untrusted scripts run with all your rights"
doctor REGENGINE_NVML="$REGENGINE_FAKES/nvml.so" REGENGINE_FAKE_NVML="$folder/nvml" REGENGINE_LIBCUDA="$REGENGINE_FAKES/cuda.so"
matches out "^ok    GPU driver  .*libcuda.so.1 and libnvidia-ml.so.1 load"

# If nothing is installed, each line says what it is needed for. A missing daemon is not reported as a missing client.
doctor PATH="$folder"
for what in git docker podman; do matches out "^no    $what  .*not installed; needed "; done
matches out "^note  gnuplot  .*not installed; needed .*gnuplot-nox"
if command -v docker >/dev/null; then
  doctor DOCKER_HOST="unix://$folder/none"
  matches out "^no    docker  .*cannot be reached"
fi

# A noisy setting comes with the command that fixes it, a quiet one without.
export REGENGINE_SYSFS="$folder/machine"
cpu=$folder/machine/sys/devices/system/cpu
mkdir -p "$cpu/cpufreq/policy0" "$cpu/smt" "$cpu/intel_pstate" "$cpu/cpuidle" machine/dev
echo powersave >"$cpu/cpufreq/policy0/scaling_governor"
echo 800000 >"$cpu/cpufreq/policy0/scaling_min_freq"
echo 3600000 >"$cpu/cpufreq/policy0/scaling_max_freq"
echo 0 >"$cpu/intel_pstate/no_turbo"
echo on >"$cpu/smt/control"
echo intel_idle >"$cpu/cpuidle/current_driver"
: >machine/dev/cpu_dma_latency
doctor
steady='; for steady timings:'
said "note  CPU governor       powersave; the clock follows the load$steady sudo cpupower frequency-set --governor performance" \
  'note  CPU min freq       800000 kHz; ' \
  "note  CPU turbo          on; the clock depends on temperature and the load of other cores$steady echo 1 | sudo tee $cpu/" \
  "note  CPU SMT            on; two threads share a core; for steady timings: echo off | sudo tee $cpu/smt/control" \
  "note  CPU idle states    on; waking up adds latency$steady sudo cpupower idle-set --disable-by-latency 0"
echo 1 >"$cpu/intel_pstate/no_turbo"
doctor
matches out '^ok    CPU turbo          off$'

# GPUs in containers: docker asks the toolkit, podman reads a specification.
mkdir -p ctk machine/etc/cdi
executable ctk/nvidia-ctk 'echo "NVIDIA Container Toolkit CLI version 1.17.8"'
doctor PATH="$folder/ctk:$PATH"
said 'note  GPU in containers  NVIDIA Container Toolkit CLI version 1.17.8; podman also needs a description of the GPUs: sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml'
printf 'kind: nvidia.com/gpu\n' >machine/etc/cdi/nvidia.yaml
doctor PATH="$folder/ctk:$PATH"
matches out '^ok    GPU in containers  NVIDIA Container Toolkit CLI version 1.17.8$'
unset REGENGINE_SYSFS

# GPUs, from the driver's own library: what is noisy, and the command that fixes it.
first=GPU-one second=GPU-two
fake_driver
gpus() { printf '%s\n' "$@" >nvml; }
gpus gpus=2 gpu0.uuid=$first gpu1.uuid=$second gpu1.recovery=1 gpu0.persistence=0 gpu1.mig=1 gpu1.procs=1:1000 gpu1.reasons=0x20
doctor
said 'ok    GPU                2 NVIDIA' 'ok    GPU 0              Fake GPU, clock 1980 of 1980 MHz, ' \
  "note  GPU 0 clocks       not locked by regengine; the driver does not report other locks; for steady timings: sudo nvidia-smi --lock-gpu-clocks=1590,1590 -i $first" \
  "note  GPU 0 driver       persistence mode is off: the driver may drop a lock when the last program ends; for steady timings: sudo nvidia-smi --persistence-mode=1 -i $first" \
  'note  GPU 1              Fake GPU, ' ', throttled: sw_thermal' \
  "note  GPU 1 MIG          on: its instances share clocks and power; for steady timings: sudo nvidia-smi --multi-instance-gpu=0 -i $second" \
  "note  GPU 1 health       the driver asks to reset the GPU; for steady timings: sudo nvidia-smi --gpu-reset -i $second" \
  'note  GPU 1 processes    running on it now: 1'
not_said '  DCGM  ' 'GPU 0 processes' # DCGM does not run
mkdir -p machine/proc/41 machine/proc/self
echo nv-hostengine >machine/proc/41/comm
doctor REGENGINE_SYSFS="$folder/machine"
said "note  DCGM               nv-hostengine (pid 41) runs; profiling metrics that it watches (DCGM_FI_PROF_*) can disturb timings and block ncu; for steady timings: dcgmi profile --pause"
doctor REGENGINE_LIBCUDA="$REGENGINE_FAKES/cuda.so" PATH="$folder"
one_line_about NVRTC cuBLAS CUPTI nsys
said 'note  nsys               not installed; needed for reg.nsys. Install it '
[ -z "$(grep '^no ' out | grep -v 'apt-get\|pip install\|  sandbox  \|git')" ] ||
  fail "something is missing, without the command for it: $(grep '^no ' out)"

# CUPTI. Without a driver its version is 0, or asking for it crashes.
doctor REGENGINE_CUPTI="$REGENGINE_FAKES/cupti.so" REGENGINE_LIBCUDA="$REGENGINE_FAKES/cuda.so"
said 'ok    CUPTI              API version 130000'
echo 'driverless 1' >driverless
doctor REGENGINE_CUPTI="$REGENGINE_FAKES/cupti.so" REGENGINE_LIBCUDA=/nowhere/libcuda.so.1 REGENGINE_FAKE_CUPTI="$folder/driverless"
said "ok    CUPTI              $REGENGINE_FAKES/cupti.so (CUPTI tells its version only with a GPU driver)"
doctor REGENGINE_CUPTI="$folder/none.so"
said 'note  CUPTI              not found; needed for reg.trace of programs that bring none (PyTorch and JAX do). '

# Clocks that an engine has locked. An H100 or H200 does not hold 80 % of its highest clock.
expect 0 --quiet -e "local lock <close> = reg.gpu.lock { sm = 1500, device = 0, required = true }
  print(reg.process.run({ cmd = { '$engine', 'doctor' } }).stdout)"
said 'ok    GPU 0 clocks       locked by regengine, pid '
forget_gpus $first
forget_gpus $second
gpus gpu0.uuid=$first 'gpu0.name=NVIDIA H200'
doctor
said "for steady timings: sudo nvidia-smi --lock-gpu-clocks=1290,1290 -i $first"
# A driver that is there and does not respond is not one that is missing; a lost GPU does not end the doctor.
gpus rc.nvmlInit_v2=18
doctor REGENGINE_LIBCUDA="$REGENGINE_FAKES/cuda.so"
said 'no    GPU driver         the NVIDIA driver does not respond: Driver/library version mismatch (18). The driver was updated while the old one is loaded. Reboot'
gpus gpu0.lost=1
doctor
