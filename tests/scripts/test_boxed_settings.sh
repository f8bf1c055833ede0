#!/bin/sh
# tests/scripts/test_boxed_settings.sh REGENGINE: an untrusted script that locks clocks, tunes the machine, leases and
# watches GPUs runs boxed; its broker changes the settings, and restores them however either of the two ends. With the fake
# driver (tests/support/fakes/nvml) and a folder for the machine ($REGENGINE_SYSFS).
. "$(dirname "$0")/lib.sh"
"$engine" trust --forget "$folder"
echo 'return 3' >boxed.lua
"$engine" boxed.lua >out 2>err || [ $? = 3 ] || skip "this kernel has no Landlock"
mkdir work outside && cd work
fake_gpus outside/nvml
log=$REGENGINE_FAKE_NVML.log
state=$XDG_STATE_HOME/regengine
once="SetGpuLockedClocks 1590 1590 ResetGpuLockedClocks "
reset() { [ "$(grep -c ResetGpuLockedClocks "$log")" -ge 1 ]; }
no_journal() { ! ls "$state" 2>/dev/null | grep -q 'journal$'; }
start() {  # options of the engine and a script; $pid, and $boxed: the process that runs the script
  rm -f ready
  launch --quiet --allow files=ready --allow 'files=/proc/*/cmdline:ro' "$@"
  wait_until [ -e ready ]
  boxed=$(pgrep -P "$pid" -f -- --boxed)
}
# The head of a script that must be boxed.
head='reg.needs { gpu = "lock", process = "*", machine = "*", files = { "*", "/proc/*/cmdline:ro" } }
assert(reg.fs.read("/proc/self/cmdline"):find("--boxed", 1, true), "not boxed")'

# --- The lock holds, and is restored by close.
cat >lock.lua <<END
$head
do
  local clocks <close> = reg.gpu.lock { sm = "80%", required = true }
  print(clocks.locked, clocks.sm_mhz, clocks.gpus[1].uuid, clocks.gpus[1].sm_mhz)
  local ok, why = pcall(reg.gpu.lock, { sm = 1200, required = true })
  print(ok, why.kind)
end
local ok, why = pcall(reg.gpu.lock, { sm = 9999, required = true })
print(why.message)
END
new_gpu
says 0 "true	1590	$uuid" --allow gpu=lock --allow 'files=/proc/*/cmdline:ro' lock.lua
said "false	conflict" "does not support SM clock 9999 MHz"
[ "$(locks)" = "$once" ] || fail "the locks: $(locks)"
no_journal || fail "a journal is left"
# The audit log names each lock once, with its GPU.
new_gpu
echo 'local clocks <close> = reg.gpu.lock { sm = "80%" }' >once.lua
expect 0 --allow gpu=lock --audit ../outside/audit once.lua
[ "$(grep -c 'lock the clocks' ../outside/audit)" = 1 ] || fail "not one line: $(cat ../outside/audit)"
holds ../outside/audit '"verdict":"run","kind":"gpu","what":"lock the clocks of GPU 0: sm 80%"'
new_gpu
says 1 "not permitted: gpu=lock" --allow 'files=/proc/*/cmdline:ro' lock.lua
[ -z "$(locks)" ] || fail "it was not permitted: $(locks)"
echo 'reg.needs { gpu = "lock" } print(reg.gpu.lock({ sm = "80%" }).why)' >dry.lua
says 0 "dry run" --dry-run dry.lua
[ -z "$(locks)" ] || fail "a dry run locks: $(locks)"

# --- However it ends.
cat >hold.lua <<END
$head
local clocks <close> = reg.gpu.lock { sm = "80%", required = true }
reg.fs.write("ready", "")
reg.process.run { cmd = { "sleep", "65433" } }
END
hold() {
  new_gpu
  start --allow gpu=lock --allow process=sleep hold.lua
}
for signal in INT TERM HUP; do
  hold
  kill -$signal "$pid"
  ended 130
  [ "$(locks)" = "$once" ] || fail "$signal: $(locks)"
done
hold
kill -9 "$boxed"
ended 137
[ "$(locks)" = "$once" ] || fail "kill -9 of the script's process: $(locks)"
hold
kill_when true
wait_until reset
wait_until gone "$boxed"
wait_until no_journal
hold
kill -9 "$boxed" "$pid"
wait "$pid" 2>/dev/null || true
wait_until reset
wait_until no_journal

# --- Leases: one at a time, against other engines, too.
cat >lease.lua <<END
$head
do
  local lease <close> = reg.gpu.lease()
  print(lease.gpus[1].uuid)
  local ok, why = pcall(reg.gpu.lease, { timeout_s = 0 })
  print(why.message)
end
local again <close> = reg.gpu.lease { timeout_s = 5 }
print("again", #again.gpus)
END
new_gpu
says 0 "$uuid" --allow 'files=/proc/*/cmdline:ro' lease.lua
said "this regengine uses GPU 0" "again	1"
"$engine" -e 'local lease <close> = reg.gpu.lease() reg.fs.write("held", "") while reg.fs.exists "held" do reg.sleep(0.05) end' &
holder=$!
wait_until [ -e held ]
"$engine" --allow 'files=/proc/*/cmdline:ro' lease.lua >out 2>err &
waiting=$!
wait_until grep -q "^waiting for GPU 0: regengine, pid $holder of user " err
rm held
wait $waiting || fail "the lease after a wait"

# --- An instance (MIG) by its number, for a command on the host: CUDA gets its UUID.
new_gpu
printf '%s\n' "gpu0.mig=1" "gpu0.instances=MIG-a1 MIG-b2" >>"$REGENGINE_FAKE_NVML"
cat >instance.lua <<'END'
print(reg.container.run({ runtime = "local", gpus = "0:1", cmd = { "sh", "-c", "echo $CUDA_VISIBLE_DEVICES" } }).stdout)
END
says 0 MIG-b2 --allow process=sh instance.lua

# --- A monitor knows which processes are the script's own.
cat >watch.lua <<END
$head
local run = reg.spawn(function() return reg.process.run { cmd = { "sh", "-c", "echo \$\$ >own; sleep 0.7" } } end)
while not reg.fs.exists "go" do reg.sleep(0.01) end
local monitor <close> = reg.gpu.monitor { period_s = 0.01 }
run:wait()
local seen = monitor:stop()
print(seen.samples > 3, #seen.gpus, seen.own_peak_bytes, seen.sm_mhz.mean >= seen.sm_mhz.min)
for _, process in ipairs(seen.foreign) do print("foreign", process.pid) end
END

new_gpu
launch --allow 'process=*' --allow 'files=*' --allow 'files=/proc/*/cmdline:ro' watch.lua
wait_until test -s own
echo "gpu0.procs=$(cat own):1048576 1:4096" >>"$REGENGINE_FAKE_NVML"
: >go
ended 0
said "true	1	1048576	true" "foreign	1"
[ "$(grep -c foreign out)" = 1 ] || fail "its own command is a stranger"

# --- Settings of the machine.
cpu=$folder/outside/machine/sys/devices/system/cpu
mkdir -p "$cpu/cpufreq/policy0" "$cpu/intel_pstate"
export REGENGINE_SYSFS="$folder/outside/machine"
echo "performance powersave" >"$cpu/cpufreq/policy0/scaling_available_governors"
settings() { echo "$(cat "$cpu/cpufreq/policy0/scaling_governor") $(cat "$cpu/intel_pstate/no_turbo")"; }
restored() { [ "$(settings)" = "powersave 0" ]; }
cat >tune.lua <<END
$head
local quiet <close> = reg.machine.tune { governor = "performance", turbo = false }
for _, measure in ipairs(quiet:record()) do print(measure.measure, measure.state, measure.was, measure.now) end
reg.fs.write("ready", "")
reg.process.run { cmd = { "sleep", "65434" } }
END
tune() {
  echo powersave >"$cpu/cpufreq/policy0/scaling_governor"
  echo 0 >"$cpu/intel_pstate/no_turbo"
  start --allow machine=governor --allow machine=turbo --allow process=sleep tune.lua
  [ "$(settings)" = "performance 1" ] || fail "not tuned: $(settings)"
}
new_gpu
tune
kill -INT "$pid"
ended 130
restored || fail "Ctrl-C: $(settings)"
said "governor	done	powersave	performance" "turbo	done	on	off"
tune
kill -9 "$boxed"
ended 137
restored || fail "kill -9 of the script's process: $(settings)"
says 1 "not permitted: machine=governor" --allow machine=turbo --allow 'files=/proc/*/cmdline:ro' tune.lua
restored || fail "not all was restored: $(settings)"

# --- Shipped scripts that a user copied and edited: foreign, so boxed, with the same results.
for name in matmul nightly; do
  { cat "$source_root/scripts/$name.lua"; echo '-- edited'; } >$name-copy.lua
done
export REGENGINE_LIBCUDA="$REGENGINE_FAKES/cuda.so" REGENGINE_CUBLAS="$REGENGINE_FAKES/cublas.so"
export REGENGINE_FAKE_CUDA="$folder/outside/cuda"
echo "device uuid $(echo "$made" | sed 's/^GPU-//; s/-//g')" >"$REGENGINE_FAKE_CUDA"
printf '%s\n' "kernel gemm_tf32 2000" "kernel gemm_f16 1000" "kernel gemm_bf16 1250" >>"$REGENGINE_FAKE_CUDA"
new_gpu
echo "gpu0.uuid=$made" >"$REGENGINE_FAKE_NVML"
expect 0 --allow gpu=run --allow gpu=lock --allow 'files=*' matmul-copy.lua --from 256 --to 256 --lock-clocks 1590
said "matmul-torch.float16-lhs256x256-rhs256x256: speedup=-; base=-; test=1.00ms" "3 of 3 products"
[ "$(locks)" = "$once" ] || fail "matmul's locks: $(locks)"
mkdir -p images/2024-03-01 images/2024-03-02
echo 'echo "MLUPS: 100"' >test.sh
: >"$log"
expect 0 --allow gpu=lock --allow 'process=*' --allow 'files=*' --allow 'container=*' nightly-copy.lua --runtime local \
  --image "$PWD/images/{date}" --from 2024-03-01 --to 2024-03-02 --test test.sh --metric 'MLUPS: {number}' --every \
  --lock-clocks 1395
[ "$(locks)" = "SetGpuLockedClocks 1395 1395 ResetGpuLockedClocks " ] || fail "nightly's locks: $(locks)"
