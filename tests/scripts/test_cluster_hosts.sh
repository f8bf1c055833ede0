#!/bin/sh
# --hosts: what a user does with machines that ssh reaches. The hosts are four real sshd on this machine.
. "$(dirname "$0")/lib.sh"
. "$source_root/tests/scripts/hosts.sh"

step() { rm -rf .regengine starts; echo "- $1"; }
speed='echo "speed: $((N < 9 ? 100 : 80))"'

step "a search over four hosts"
expect 0 numbers.lua --hosts host1,host2,host3,host4 --exact --metric 'speed: {number}' --test "sleep 0.3; $speed"
said "first bad   9"
[ "$(nodes_of | sort -u | wc -l)" -ge 3 ] || fail "the trials ran on: $(nodes_of)"
wait_until none_on_hosts
[ -z "$(ls .regengine/results.db.jobs/jobs .regengine/results.db.jobs/results | grep -v :)" ] || fail "jobs are left"
expect 0 numbers.lua --hosts host4,host3,host2,host1 --exact --metric 'speed: {number}' --test "sleep 0.3; $speed"
said "stored results of" # the same hosts in another order

step "two hosts for six trials at the same time: one on each"
expect 0 numbers.lua --hosts host1,host2 --of 6 --every --parallel 6 --exact --metric 'speed: {number}' \
  --test 'mkdir on-$REGENGINE_NODE_NAME || exit 1; echo x >>starts; sleep 1; rmdir on-*$REGENGINE_NODE_NAME; echo speed: 1'
[ "$(nodes_of | sort -u | tr '\n' ' ')" = "host1 host2 " ] || fail "they ran on: $(nodes_of)"
all_counted 6
[ "$(wc -l <starts)" = "$counted" ] || fail "$(wc -l <starts) starts for $counted trials"

step "names as ssh takes them"
port=$(sed -n 's/ListenAddress .*://p' "$REGENGINE_TEST_CLUSTER/host1.conf")
configure <<CONF
Host ::1
  HostName 127.0.0.1
  Port $port
  HostKeyAlias host1
  IdentityFile $REGENGINE_TEST_CLUSTER/user_key
  UserKnownHostsFile $REGENGINE_TEST_CLUSTER/known_hosts
CONF
user=$(id -un)
port=$(sed -n 's/ListenAddress .*://p' "$REGENGINE_TEST_CLUSTER/host2.conf")
expect 0 numbers.lua --hosts "::1 ssh://$user@host2:$port,$user@host3" --of 6 --every --exact --metric 'speed: {number}' \
  --test "sleep 8; $speed" --parallel 3
[ "$(nodes_of | sort -u | tr '\n' ' ')" = "::1 $user@host3 ssh://$user@host2:$port " ] || fail "they ran on: $(nodes_of)"
says 2 "host1 is listed twice" numbers.lua --hosts host1,host1 --test true
says 1 "hostname contains invalid characters" numbers.lua --hosts "-oProxyCommand=touch\${IFS}out-of-bounds" --test true
[ ! -e out-of-bounds ] || fail "a host's name is an option of ssh"

step "a host whose shell is not sh"
for shell in fish zsh; do
  command -v $shell >/dev/null || continue
  fifth_host "exec $shell -c \"\$SSH_ORIGINAL_COMMAND\""
  expect 0 numbers.lua --hosts host5 --of 2 --exact --metric 'speed: {number}' --test 'sleep 3; echo speed: 1'
  no_fifth_host
  rm -rf .regengine
done

step "a folder with spaces, quotes and letters that are not ASCII"
odd="it's a \"\$HOME\" of größe [x]"
mkdir "$odd"
cp numbers.lua "$odd"
(
  cd "$odd"
  expect 0 numbers.lua --hosts host1,host2 --of 4 --every --exact --metric 'speed: {number}' \
    --test 'echo x >>starts; sleep 11; echo speed: 1'
  all_counted 4
  [ "$(wc -l <starts)" = "$counted" ] || fail "$(wc -l <starts) starts for $counted trials"
  ! grep -q "submitting it again" err || fail "a running job was taken for lost"
)

step "variables with line breaks and quotes"
expect 0 numbers.lua --hosts host1,host2 --of 2 --metric 'speed: {number}' --exact --env "ODD=a
cd 'x' \"\$(touch out-of-bounds)\" \\" \
  --test 'printf "%s\n" "$ODD" >"odd-$N"; echo "speed: $N"'
printf '%s\n' "a
cd 'x' \"\$(touch out-of-bounds)\" \\" | cmp - odd-1 || fail "a variable arrives as: $(cat odd-1)"
[ ! -e out-of-bounds ] || fail "a variable was run"

step "a test that leaves processes behind"
expect 0 numbers.lua --hosts host1,host2 --of 2 --metric 'speed: {number}' --exact \
  --test 'setsid sleep 7000 & (nohup sleep 7000 & ); sleep 7000 & echo "speed: $N"'
wait_until none_on_hosts # a process that was killed is gone a moment later; these would stay for hours

step "100 MB of output of each test, without loss"
expect 0 numbers.lua --hosts host1,host2 --of 2 --test 'head -c 100000000 /dev/zero | tr "\0" a; echo; [ $N = 1 ]'
said "first bad   2"
for output in .regengine/results.db.out/*/OUT; do
  [ "$(wc -c <"$output")" = 100000001 ] || fail "$(wc -c <"$output") bytes of 100000001"
done

step "a time-out, a signal, a failure"
expect 3 numbers.lua --hosts host1,host2,host3 --of 3 --metric 'speed: {number}' --exact --timeout 2s --every \
  --test 'case $N in 1) trap "" TERM; sleep 100 ;; 2) kill -SEGV $$ ;; 3) exit 7 ;; esac'
for text in "timeout" "signal 11" "exit code 7"; do
  "$engine" -e 'for _, one in ipairs(reg.store.open(".regengine/results.db"):trials {}) do
    print(one.status, one.message) end' >trials
  grep -q "$text" trials || fail "no trial says $text: $(cat trials)"
done
wait_until none_on_hosts
step "a script from elsewhere, permitted to use ssh"
"$engine" trust --forget "$folder" >/dev/null
says 1 "not permitted: files=.regengine/results.db.jobs" numbers.lua --hosts host1,host2 --of 2 --test true
noted "--allow unboxed=ssh"
expect 0 --allow unboxed=ssh --allow process=sh --allow process=cp --allow 'files=.regengine/results.db.jobs/*' \
  numbers.lua --hosts host1,host2 --of 2 --test "echo x >>starts; [ \$N = 1 ]"
said "first bad   2"
wait_until none_on_hosts
