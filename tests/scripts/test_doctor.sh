#!/bin/sh
# tests/scripts/test_doctor.sh REGENGINE: the doctor says what is there and what is not, and a lack is no failure.
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
for what in regengine git docker podman GPU 'GPU driver' CPU 'CPU governor' 'CPU min freq' 'CPU turbo' 'CPU SMT' \
  'CPU idle states' ASLR load disk terminal; do
  [ "$(grep -c "^....  $what  " "$folder/out")" = 1 ] || fail "no one line about $what"
done
grep -q "^ok    git  .*$(git --version | cut -d' ' -f3)" "$folder/out" || fail "git's version is not what git says"

# Where nothing is installed each line says what that costs.
PATH=$folder "$engine" doctor > "$folder/out" || fail "its exit code is not 0 where nothing is installed"
for what in git docker podman; do
  grep -q "^no    $what  .*not installed; costs: " "$folder/out" || fail "the lack of $what is not said"
done

# A daemon that is not there is told apart from a client that is not there.
if command -v docker > /dev/null; then
  DOCKER_HOST=unix://$folder/none "$engine" doctor > "$folder/out"
  grep -q "^no    docker  .*cannot be reached" "$folder/out" || fail "a docker without its daemon passes as good"
fi

# What is noisy comes with the command that would make it quiet, and what is quiet without one.
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
noisy 'CPU governor       powersave; the clock follows the load; for steady timings: sudo cpupower frequency-set --governor performance'
noisy 'CPU min freq       800000 kHz; '
noisy "CPU turbo          on; the clock depends on heat and neighbours; for steady timings: echo 1 | sudo tee $cpu/intel_pstate/no_turbo"
noisy "CPU SMT            on; two threads share a core; for steady timings: echo off | sudo tee $cpu/smt/control"
noisy 'CPU idle states    on; waking up takes its time; for steady timings: sudo cpupower idle-set --disable-by-latency 0'
echo 1 > "$cpu/intel_pstate/no_turbo"
REGENGINE_SYSFS=$folder/machine "$engine" doctor > "$folder/out"
grep -q '^ok    CPU turbo          off$' "$folder/out" || fail "a turbo that is off passes as noisy"
echo "doctor: all as promised"
