#!/bin/sh
# tests/scripts/test_gpu_lock.sh REGENGINE: locked clocks are restored whatever happens to the engine; with
# the fake driver (tests/support/fakes/nvml), whose state outlives it.
. "$(dirname "$0")/lib.sh"
fake_gpus
state=$XDG_STATE_HOME/regengine

locks() { grep -c "SetGpuLockedClocks $uuid" nvml.log || true; }
resets() { grep -c "ResetGpuLockedClocks $uuid" nvml.log || true; }
reset() { [ "$(resets)" -ge 1 ]; }
no_journal() { ! ls "$state" 2>/dev/null | grep -qv "^trusted"; }
no_guardian() { [ -z "$(guardian)" ]; }

cat >hold.lua <<'END'
local clocks <close> = reg.gpu.lock { sm = "80%", required = true }
reg.fs.write("ready", "")
reg.process.run { shell = "echo $$ >child.pid; exec sleep 1000" }
END
start() {  # in a session and process group of its own; $pid
  launch --quiet "${1:-hold.lua}"
  wait_until [ -e ready ]
}
# --- Ctrl-C, TERM, HUP.
for signal in INT TERM HUP; do
  new_gpu; start
  kill -"$signal" "$pid"
  ended 130
  [ "$(locks) $(resets)" = "1 1" ] || fail "$signal: $(locks) locks and $(resets) resets"
  wait_until no_guardian
  no_journal || fail "$signal left a journal"
done

# --- Ctrl-C twice while the script does not let go: the engine ends at once.
new_gpu
cat >stubborn.lua <<'END'
reg.process.run { cmd = { "true" } } -- from here on orphans come back to this engine; its guardian must not
local clocks <close> = reg.gpu.lock { sm = "80%", required = true }
local stubborn <close> = setmetatable({}, { __close = function()
  reg.process.run { shell = "trap '' TERM; touch closing; sleep 1000" }
end })
reg.fs.write("ready", "")
reg.sleep(1000)
END
start stubborn.lua
kill -INT "$pid"
interrupt_when [ -e closing ]
wait_until reset

# --- kill -9 of the engine, of its whole process group, and while it runs below another engine's command.
new_gpu; start
kill -9 "$pid"
wait_until reset
wait_until no_guardian
no_journal || fail "kill -9 left a journal"

new_gpu; start
kill -9 -"$pid"
wait_until reset

new_gpu
echo "reg.process.run { cmd = { '$engine', 'hold.lua' }, timeout_s = 1000 }" >outer.lua
launch outer.lua
interrupt_when [ -e ready ]
wait_until reset
# This one must be killed with its whole tree, guardian or not: it does not let go when it is asked to.
new_gpu
sed -i 's/hold.lua/stubborn.lua/' outer.lua
launch outer.lua
interrupt_when [ -e ready ]
wait_until reset
wait_until no_guardian
no_journal || fail "the guardian was ended with its engine"

# --- The guardian keeps nothing of the engine: whoever reads its output does not wait for it, and it hears no signal.
new_gpu; start
keeper=$(guardian)
[ -n "$keeper" ] || fail "there is no guardian"
kill -INT "$keeper"; kill -TERM "$keeper"; kill -HUP "$keeper"
for fd in /proc/"$keeper"/fd/*; do
  case $(readlink "$fd") in
    /dev/null | *.journal | socket:* | */regengine-"$uuid".lock) ;;
    *) fail "the guardian has $(readlink "$fd") open" ;;
  esac
done
grep -zq '^REGENGINE_RUN=' "/proc/$keeper/environ" && fail "the guardian carries a command's mark"
ls -l "/proc/$(cat child.pid)/fd" | grep -q socket && fail "the engine's command inherited the guardian's socket"
kill -9 "$pid"
wait_until reset
new_gpu; start
[ "$(timeout 60 sh -c "$engine -e 'FORGOTTEN = 1 print(2)' | cat")" = 2 ] || fail "a pipe"
kill -9 -"$pid"
wait_until reset

# --- The guardian's word, typed by a person, touches nothing.
echo text >a-file
says 2 "--guardian is for internal use only" --guardian "$folder/a-file"
[ -e a-file ] || fail "--guardian removed a file"

# --- The guardian is killed too, as by a container's end: `recover` does it, and so does the next lock.
new_gpu; start
kill_both
[ "$(resets)" = 0 ] || fail "who reset it?"
no_journal && fail "there is no journal"
says 0 "restored      SM clock of $uuid" recover
[ "$(resets)" = 1 ] || fail "recover did not reset"
no_journal || fail "recover left the journal"
says 0 "nothing to restore" recover

new_gpu; start
kill_both
expect 0 --quiet -e 'local clocks <close> = reg.gpu.lock { sm = 1200, required = true }'
[ "$(cat err)" = "restored the changes of a regengine that was killed: SM clock of $uuid" ] ||
  fail "the recovery is not said"
[ "$(cut -d' ' -f3- nvml.log | grep -v -e Init -e Shutdown | cut -d' ' -f1,3- | tr '\n' ';')" = \
  "SetGpuLockedClocks 1590 1590;ResetGpuLockedClocks;SetGpuLockedClocks 1200 1200;ResetGpuLockedClocks;" ] ||
  fail "$(cat nvml.log)"

# --- The engine alone lives on when its guardian is killed: it gives back what it has, and takes nothing new.
new_gpu
cat >orphaned.lua <<'END'
local clocks = reg.gpu.lock { sm = "80%", device = 0, required = true }
reg.fs.write("ready", "")
while not reg.fs.exists "go" do reg.sleep "5ms" end
local ok, why = pcall(reg.gpu.lock, { sm = 1200, device = 1, required = true })
print(ok, why.kind, why.message)
clocks:close()
local again <close> = reg.gpu.lock { sm = 1200, device = 1, required = true }
print(again.locked)
END
echo "gpus=2
gpu1.uuid=$uuid-b" >>nvml
start orphaned.lua
kill -9 "$(guardian)"
touch go
ended 0
said "false	unavailable	not changed: cannot ensure that $uuid-b is restored: the guardian process has exited" true
[ "$(grep -c ResetGpuLockedClocks nvml.log)" = 2 ] || fail "not both were restored"
rm go

# --- A journal of another boot is dropped: the boot has reset all.
new_gpu; start
kill_both
sed -i 's/"engine":"[0-9a-f]*-/"engine":"00000bad-/' "$state"/*.journal
says 0 "nothing to restore" recover
[ "$(resets)" = 0 ] || fail "a lock of another boot was reset"
no_journal || fail "the journal of another boot is still there"

# --- Two engines want one GPU.
new_gpu; start
says 1 "GPU 0: another regengine holds a lock on its clocks: pid $pid" --quiet -e 'reg.gpu.lock { sm = 1200 }'
[ "$(locks)" = 1 ] || fail "the second engine locked too"
expect 1 -e 'local a <close> = reg.gpu.lock { sm = 1200 }'
kill -9 -"$pid"
# The next one has it as soon as it was restored, in this order.
expect 0 --quiet -e 'local clocks <close> = reg.gpu.lock { sm = 1200, required = true }'
wait_until no_guardian
[ "$(grep -v -e Init -e Shutdown nvml.log | cut -d' ' -f3,5- | tr '\n' ';')" = \
  "SetGpuLockedClocks 1590 1590;ResetGpuLockedClocks;SetGpuLockedClocks 1200 1200;ResetGpuLockedClocks;" ] ||
  fail "$(cat nvml.log)"
new_gpu
expect 1 -e 'local a <close> = reg.gpu.lock { sm = 1200 } local b <close> = reg.gpu.lock { sm = 1500 }'
noted "this script already holds a lock on its clocks"
[ "$(locks) $(resets)" = "1 1" ] || fail "the first lock was not restored"

# --- Nobody would give it back: no lock.
new_gpu
exits 0 env -u HOME XDG_STATE_HOME=relative "$engine" -e 'print(reg.gpu.lock({ sm = 1200 }).locked)'
noted "no state folder for the journal"
exits 1 env -u HOME XDG_STATE_HOME=relative "$engine" -e 'reg.gpu.lock { sm = 1200, required = true }'
noted "no state folder for the journal"
exits 1 env XDG_STATE_HOME=/dev/null "$engine" -e 'reg.gpu.lock { sm = 1200, required = true }'
[ "$(locks)" = 0 ] || fail "it was locked all the same"

# --- A reset that fails at first is tried again; one that never works stays in the journal.
new_gpu; start
echo rc.nvmlDeviceResetGpuLockedClocks=999 >>nvml
kill -9 -"$pid"
sleep 0.3
[ "$(resets)" = 0 ] || fail "it was reset in spite of the failure"
no_journal && fail "the journal is gone, and the clocks are still locked"
sed -i /rc.nvml/d nvml
wait_until reset
wait_until no_journal
