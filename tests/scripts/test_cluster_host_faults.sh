#!/bin/sh
# --hosts: what goes wrong with the hosts, ssh and the engine. No trial is lost, none counts twice, nothing is left.
. "$(dirname "$0")/lib.sh"
. "$source_root/tests/scripts/hosts.sh"

step() { rm -rf .regengine starts ends; : >starts; : >ends; echo "- $1"; }
# Each test says that it starts and ends.
test_for() { echo "echo \$N >>starts; sleep $1; echo \$N >>ends; echo \"speed: \$((N < 9 ? 100 : 80))\""; }
step "a host that vanishes with its jobs, and returns"
launch numbers.lua --hosts host1,host2 --of 6 --every --exact --metric 'speed: {number}' --test "$(test_for 2)"
wait_until has_lines starts 2
cluster kill host1
sleep 3
cluster restart host1
ended 0
all_counted 6
noted "cannot reach host1"

step "a host whose sshd vanishes, while the job on it goes on"
launch numbers.lua --hosts host1,host2 --of 2 --every --exact --metric 'speed: {number}' --test "$(test_for 12)"
wait_until has_lines starts 2
kill -9 "$(cat "$REGENGINE_TEST_CLUSTER/host1.pid")"
ended 0
cluster restart host1
all_counted 2
[ "$(wc -l <starts)" = "$counted" ] || fail "a job that went on was started again"

step "a host that never answers"
# It takes connections, and says nothing.
python3 -c '
import socket, time
silent = socket.socket()
silent.bind(("127.0.0.1", 0))
silent.listen(50)
print(silent.getsockname()[1], flush=True)
time.sleep(1000)' >silent_port &
silent=$!
at_end="kill $silent"
wait_until there silent_port
configure <<CONF
Host silent
  HostName 127.0.0.1
  Port $(cat silent_port)
CONF
expect 0 numbers.lua --hosts host1,silent,host2 --of 6 --every --exact --metric 'speed: {number}' --test "$(test_for 1)"
all_counted 6
noted "cannot reach silent: "
[ "$(nodes_of | sort -u | tr '\n' ' ')" = "host1 host2 " ] || fail "they ran on: $(nodes_of)"
kill "$silent"
at_end=:

step "all hosts away, at the start and later"
cluster kill host3
cluster kill host4
says 1 "cannot reach any host: host4: " numbers.lua --hosts host3,host4 --test true
cluster restart host3
cluster restart host4
launch numbers.lua --hosts host3,host4 --of 4 --every --exact --metric 'speed: {number}' --test "$(test_for 1)"
wait_until has_lines starts 1
cluster kill host3
cluster kill host4
sleep 8
cluster restart host3
cluster restart host4
ended 0
all_counted 4

step "a host that does not see the folder, or may not write there"
fifth_host "unshare -m sh -c 'mount -t tmpfs none $folder; exec sh'"
says 1 "host5 does not see $folder/.regengine/results.db.jobs" numbers.lua --hosts host1,host5 --test true
no_fifth_host
fifth_host "unshare -m sh -c 'mount -o bind $folder $folder; mount -o remount,bind,ro $folder; exec sh'"
says 1 "host5 cannot write to $folder/.regengine/results.db.jobs" numbers.lua --hosts host1,host5 --test true
no_fifth_host
at_end=:

step "ssh that asks for a password, and a host that it does not know"
configure <<CONF
Host asks
  HostName 127.0.0.1
  Port $(sed -n 's/ListenAddress .*://p' "$REGENGINE_TEST_CLUSTER/host1.conf")
  HostKeyAlias host1
  IdentityFile /dev/null
  UserKnownHostsFile $REGENGINE_TEST_CLUSTER/known_hosts
Host unknown
  HostName 127.0.0.1
  Port $(sed -n 's/ListenAddress .*://p' "$REGENGINE_TEST_CLUSTER/host1.conf")
  UserKnownHostsFile /dev/null
  StrictHostKeyChecking ask
CONF
says 1 "asks cannot be used: $(id -un)@127.0.0.1: Permission denied (publickey)" numbers.lua --hosts asks --test true
says 1 "unknown cannot be used: Host key verification failed" numbers.lua --hosts host1,unknown --test true

step "kill -9 of the engine at 20 random moments"
run="numbers.lua --hosts host1,host2,host3,host4 --of 40 --every --exact"
tries=0
while [ $tries -lt 20 ]; do
  launch $run --metric 'speed: {number}' --test "$(test_for 0.5)"
  sleep "$(($(od -An -N1 -tu1 /dev/urandom) % 3 + 1)).$(($(od -An -N1 -tu1 /dev/urandom) % 10))"
  kill -9 $pid 2>/dev/null || break
  wait $pid 2>/dev/null || true
  tries=$((tries + 1))
done
echo "killed $tries times; $(wc -l <starts) starts, $(wc -l <ends) ends"
expect 0 $run --metric 'speed: {number}' --test "$(test_for 0.5)"
all_counted 40
[ "$(sort -u ends | wc -l)" = 40 ] || fail "not every test ran to its end"
wait_until none_on_hosts
