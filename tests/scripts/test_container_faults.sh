#!/bin/sh
# Ctrl-C, kill -9 and a container engine that goes away, with a docker daemon of this test's own.
. "$(dirname "$0")/lib.sh"
orphans=
end() {
  # shellcheck disable=SC2086
  [ -z "$orphans" ] || kill -9 $orphans 2>/dev/null || true
  stop_daemons
}
start_daemons
at_end=end
need_images docker

ours() { docker ps --all --quiet --filter label=regengine.engine; }
runs() { [ -n "$(docker ps --quiet --filter label=regengine.engine)" ]; }

settings="runtime = 'docker', image = '$REGENGINE_TEST_IMAGE', network = 'none'"

# Ctrl-C while a container runs and while one is kept.
for code in "reg.container.run { $settings, cmd = { 'sleep', '4323' } }" \
  "local box <close> = reg.container.start { $settings } box:exec { cmd = { 'sleep', '4323' } }"; do
  launch -e "$code"
  interrupt_when runs
  [ -z "$(ours)" ] || fail "Ctrl-C left a container"
done

# A container that nobody closed ends with the script.
expect 0 -e "local box = reg.container.start { $settings } box:exec { cmd = { 'true' } }"
[ -z "$(ours)" ] || fail "a container outlived the script that forgot to close it"

# kill -9, and the next start.
launch -e "local box = reg.container.start { $settings } print 'kept' box:exec { cmd = { 'sleep', '4323' } }"
kill_when runs
left=$(ours)
[ -n "$left" ] || fail "kill -9 should have left the container"
says 0 hi -e "print(reg.container.run { $settings, cmd = { 'echo', 'hi' } }.stdout)"
[ -z "$(ours)" ] || fail "the next start did not remove what the dead engine left"

# The daemon dies under a running container.
launch -e "reg.container.run { $settings, cmd = { 'sleep', '4323' } } print 'not reached'"
wait_until runs
container_pid=$(docker inspect --format '{{.State.Pid}}' "$(ours)")
orphans="$container_pid $(sed -n 's/^PPid:[^0-9]*//p' "/proc/$container_pid/status")" # and its shim
kill -9 "$(cat "$folder/daemons/docker.pid")"
ended 1
not_said "not reached"
grep -q "docker could not .*Cannot connect to the Docker daemon" err || fail "no clear message"
[ "$(wc -l <err)" -le 3 ] || fail "more than a message and a hint"
