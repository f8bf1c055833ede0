#!/bin/sh
# tests/scripts/test_machine.sh REGENGINE: what reg.machine.tune changed is restored, however the engine ends. The machine
# is a folder with the same layout: $REGENGINE_SYSFS.
. "$(dirname "$0")/lib.sh"

cpu=machine/sys/devices/system/cpu
mkdir -p $cpu/cpufreq/policy0 $cpu/cpufreq/policy1 $cpu/intel_pstate $cpu/smt
export REGENGINE_SYSFS="$PWD/machine"

# The values to restore, all different.
reset_machine() {
  echo powersave >$cpu/cpufreq/policy0/scaling_governor
  echo ondemand >$cpu/cpufreq/policy1/scaling_governor
  for policy in 0 1; do
    echo "performance powersave ondemand" >$cpu/cpufreq/policy$policy/scaling_available_governors
    echo ${policy}800000 >$cpu/cpufreq/policy$policy/scaling_min_freq
    echo 3600000 >$cpu/cpufreq/policy$policy/scaling_max_freq
  done
  rm -f $cpu/intel_pstate/no_turbo
  echo 0 >$cpu/intel_pstate/no_turbo
  echo on >$cpu/smt/control
}

state() {
  for file in cpufreq/policy0/scaling_governor cpufreq/policy1/scaling_governor cpufreq/policy0/scaling_min_freq \
    cpufreq/policy1/scaling_min_freq intel_pstate/no_turbo smt/control; do
    printf '%s ' "$(cat $cpu/$file)"
  done
}
before='powersave ondemand 0800000 1800000 0 on '
during='performance performance 3600000 3600000 1 off '
is() { [ "$(state)" = "$1" ]; }
check() { is "$1" || fail "$2: $(state)"; }

all='governor = "performance", min_freq = "max", turbo = false, smt = false'

# --- close, and nothing left in the journal
reset_machine
expect 0 -e "do
  local quiet <close> = reg.machine.tune { $all }
  print(reg.process.run({ shell = 'cat $cpu/cpufreq/policy*/scaling_governor $cpu/smt/control | tr -d \"\\\\n\"' }).stdout)
  for _, measure in ipairs(quiet:record()) do print(measure.measure, measure.state, measure.was, measure.now) end
end
print(reg.process.run({ shell = 'cat $cpu/smt/control' }).stdout .. ' again')"
said 'performanceperformanceoff' 'governor	done	ondemand, powersave	performance' 'turbo	done	on	off' 'on again'
check "$before" "after close"
says 0 "nothing to restore" recover

# --- what a script forgets is restored, too, the last change first
expect 0 -e "for _, name in ipairs { 'performance', 'ondemand' } do _G[name] = reg.machine.tune { governor = name } end"
check "$before" "after two changes of one setting"

# --- Ctrl-C, and kill -9, after which the guardian does it; other ends: test_gpu_lock.sh
reset_machine
cat >wait.lua <<END
local quiet <close> = reg.machine.tune { $all }
reg.process.run { shell = "echo x >ready; sleep 4325" }
END
launch wait.lua
wait_until there ready
check "$during" "while it lives"
interrupt_when true
check "$before" "after Ctrl-C"
rm -f ready
launch wait.lua
kill_when there ready
wait_until is "$before"

# --- kill -9 of engine and guardian: the journal has the changes, and recover restores them
reset_machine
killed() { # $journal
  rm -f ready
  launch wait.lua
  wait_until there ready
  kill_both
  journal=$(echo "$XDG_STATE_HOME"/regengine/*.journal)
}
killed
check "$during" "restored without engine and guardian"
says 0 "scaling_governor" recover
check "$before" "after recover"

# --- a forged journal: no file but a setting is written, and none of a journal that others may write
killed
echo mine >own-file
cp "$journal" kept
sed -i "s|$PWD/$cpu/[^\"]*|$PWD/own-file|" "$journal"
expect 1 recover
said "not a setting that regengine changes: $PWD/own-file"
[ "$(cat own-file)" = mine ] || fail "recover wrote to a file of the user"
for other in proc/sys/kernel/core_pattern sys/devices/system/cpu/online sys/devices/system/cpu/cpufreq/../online; do
  mkdir -p "machine/$(dirname $other)" && echo mine >"machine/$other"
  sed "s|$PWD/$cpu/[^\"]*|$PWD/machine/$other|" kept >"$journal"
  expect 1 recover
  [ "$(cat machine/$other)" = mine ] || fail "recover wrote to $other"
done
# --- of another machine that shares the folder: none of our business; a kind that it does not know stays in the journal
sed 's/"engine":"[^"]*","host":"[^"]*"/"engine":"00000bad-12-1","host":"another-host"/' kept >"$journal"
says 0 "nothing to restore" recover
[ -e "$journal" ] || fail "the journal of another machine is gone"
sed 's/"kind":"[^"]*"/"kind":"other"/' kept >"$journal"
expect 1 recover
said "unknown kind of change in the journal: 'other'"
[ -e "$journal" ] || fail "the journal is gone with what it could not restore"
cp kept "$journal" && chmod o+w "$journal"
expect 0 recover
check "$during" "a journal that others may write was believed"
chmod o-w "$journal"
expect 0 recover
check "$before" "after recover"
# --- after a power cut in the middle of a line, with one change that was undone and one whose file is gone
killed
undone=$(sed -n 's|.*"did":\([0-9]*\),.*/policy1/scaling_governor".*|\1|p' "$journal")
printf '{"undone":%s}\n{"did":99,"ki' "$undone" >>"$journal"
mv $cpu/smt/control control
expect 0 recover
[ ! -e "$journal" ] && [ ! -e $cpu/smt/control ] || fail "the journal stays, or a file was made"
mv control $cpu/smt/control
check 'powersave performance 0800000 1800000 0 off ' "after a power cut"

# --- two measures refused and one done: the script continues, and each refusal has its command
reset_machine
for file in intel_pstate/no_turbo smt/control; do
  rm $cpu/$file
done
ln -s /proc/sys/kernel/ostype $cpu/intel_pstate/no_turbo # not to be written, not even by root
mkdir $cpu/cpufreq/policy2
ln -s /proc/sys/kernel/ostype $cpu/cpufreq/policy2/scaling_min_freq
echo 3600000 >$cpu/cpufreq/policy2/scaling_max_freq
expect 0 -e 'local quiet <close> = reg.machine.tune { governor = "performance", min_freq = "max", turbo = false, smt = false }
  for _, measure in ipairs(quiet:record()) do print(measure.measure, measure.state, measure.command) end
  print(reg.process.run({ shell = "cat '"$cpu"'/cpufreq/policy1/scaling_*" }).stdout)'
said 'governor	done	nil' 'turbo	refused	echo 1 | sudo tee'
said 'min_freq	refused	sudo cpupower frequency-set --min 3600000kHz' 'smt	not supported	nil'
grep -q '^warning: machine.tune: turbo off: refused, .*; run: echo 1 | sudo tee' err || fail "the command is not said"
[ "$(cat $cpu/cpufreq/policy1/scaling_min_freq)" = 1800000 ] || fail "one policy was left with what another refused"

# --- required: raised, and nothing is left changed
says 1 "turbo off: refused" -e 'reg.machine.tune { governor = "performance", turbo = false, required = true }'
noted 'echo 1 | sudo tee'
[ "$(cat $cpu/cpufreq/policy0/scaling_governor)" = powersave ] || fail "it raised, and left the governor changed"

# --- a dry run changes nothing and says what it would
expect 0 --dry-run -e 'local quiet <close> = reg.machine.tune { governor = "performance" } print(quiet:record()[1].why)'
said "a dry run changes nothing"
[ "$(cat $cpu/cpufreq/policy0/scaling_governor)" = powersave ] || fail "a dry run changed the governor"
expect 0 --dry-run -e 'reg.machine.tune { gpu = "80%", turbo = false, required = true }'
[ ! -s err ] || fail "a dry run complains of what it did not try"

# --- what is so already, the boost file of other drivers, a governor that is none, a machine without any of it
reset_machine
rm -r $cpu/cpufreq/policy2
tune() { # OPTIONS [LUA]: prints each measure, and does what LUA says while they hold
  expect 0 -e "local quiet <close> = reg.machine.tune { $1 }
    for _, m in ipairs(quiet:record()) do print(m.measure, m.state, m.was, m.now, m.why, m.command) end
    ${2:-}"
}
echo 1 >$cpu/intel_pstate/no_turbo
tune 'turbo = false' "reg.fs.write('$cpu/intel_pstate/no_turbo', '0')"
said 'turbo	done	off	off'
[ "$(cat $cpu/intel_pstate/no_turbo)" = 0 ] || fail "what somebody else changed was set back"
mv $cpu/intel_pstate none
echo 1 >$cpu/cpufreq/boost
tune 'turbo = false' "print('boost ' .. reg.fs.read '$cpu/cpufreq/boost')"
said 'turbo	done	on	off' 'boost 0'
[ "$(cat $cpu/cpufreq/boost)" = 1 ] || fail "the boost was not restored"
rm $cpu/cpufreq/boost
mv none $cpu/intel_pstate
tune 'governor = "warp"'
said 'performance powersave ondemand'
REGENGINE_SYSFS=$folder/nothing tune "$all, c_states = false"
[ "$(grep -c '	not supported	.*	[^	][^	]*	nil$' out)" = 5 ] || fail "not all five say why they are not supported"
mkdir -p machine/dev $cpu/cpuidle
: >machine/dev/cpu_dma_latency
echo intel_idle >$cpu/cpuidle/current_driver
tune 'c_states = false' "print(('%q'):format(reg.fs.read 'machine/dev/cpu_dma_latency'))"
said 'c_states	done	' '"\0\0\0\0"'

# --- an investigation records how the machine was
reset_machine
expect 0 -e 'local quiet <close> = reg.machine.tune { governor = "performance" }
  reg.sweep({ "a" }, { into = "facts.db", config = {}, exact = true, measure = function() return 1 end })
  local facts = reg.json.decode(reg.store.open("facts.db"):query("SELECT facts FROM investigations")[1].facts)
  print(facts.governor, facts.turbo)'
said 'performance	on'
