#!/bin/sh
# Ctrl-C, kill -9 and a container engine that goes away, with a docker daemon of this test's own.
set -eu
engine=$1
support=$(cd "$(dirname "$0")/../support" && pwd)
folder=$(mktemp -d)
orphans=
end() {
  # shellcheck disable=SC2086
  [ -z "$orphans" ] || kill -9 $orphans 2>/dev/null || true
  "$support/daemons" stop "$folder/daemons"
  rm -rf "$folder"
}
trap end EXIT
environment=$("$support/daemons" start "$folder/daemons")
eval "$environment"
if [ -z "${REGENGINE_TEST_DOCKER:-}" ] || [ -z "${REGENGINE_TEST_IMAGE:-}" ]; then
  echo "SKIPPED: no docker daemon or no registry can be started here"
  [ "${REGENGINE_REQUIRE_REAL:-}" != 1 ] || exit 1
  exit 77
fi
cd "$folder"

fail() {
  echo "FAILED: $1"
  cat out err
  exit 1
}
ours() { docker ps --all --quiet --filter label=regengine.engine; }
wait_until() {
  tries=600
  until "$@"; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || fail "waited too long for: $*"
    sleep 0.1
  done
}
runs() { [ -n "$(docker ps --quiet --filter label=regengine.engine)" ]; }
said() { grep -q "$1" out; }

settings="runtime = 'docker', image = '$REGENGINE_TEST_IMAGE', network = 'none'"

# Ctrl-C while a container runs and while one is kept.
for code in "reg.container.run { $settings, cmd = { 'sleep', '4323' } }" \
  "local box <close> = reg.container.start { $settings } box:exec { cmd = { 'sleep', '4323' } }"; do
  setsid "$engine" -e "$code" >out 2>err &
  pid=$!
  wait_until runs
  kill -INT "$pid"
  status=0
  wait "$pid" || status=$?
  [ "$status" = 130 ] || fail "Ctrl-C gave exit code $status, not 130"
  [ -z "$(ours)" ] || fail "Ctrl-C left a container"
done

# A container that nobody closed ends with the script.
"$engine" -e "local box = reg.container.start { $settings } box:exec { cmd = { 'true' } }" >out 2>err || fail "start"
[ -z "$(ours)" ] || fail "a container outlived the script that forgot to close it"

# kill -9, and the next start.
setsid "$engine" -e "local box = reg.container.start { $settings } print 'kept' box:exec { cmd = { 'sleep', '4323' } }" >out 2>err &
pid=$!
wait_until runs
kill -9 "$pid"
wait "$pid" 2>/dev/null || true
left=$(ours)
[ -n "$left" ] || fail "kill -9 should have left the container"
"$engine" -e "print(reg.container.run { $settings, cmd = { 'echo', 'hi' } }.stdout)" >out 2>err || fail "the start after kill -9"
said hi || fail "the start after kill -9 did not run"
[ -z "$(ours)" ] || fail "the next start did not remove what the dead engine left"

# The daemon dies under a running container.
"$engine" -e "reg.container.run { $settings, cmd = { 'sleep', '4323' } } print 'not reached'" >out 2>err &
pid=$!
wait_until runs
container_pid=$(docker inspect --format '{{.State.Pid}}' "$(ours)")
orphans="$container_pid $(sed -n 's/^PPid:[^0-9]*//p' "/proc/$container_pid/status")" # and its shim
kill -9 "$(cat "$folder/daemons/docker.pid")"
status=0
wait "$pid" || status=$?
[ "$status" = 1 ] || fail "a daemon that died gave exit code $status, not 1"
said "not reached" && fail "a daemon that died gave a result"
grep -q "docker could not .*Cannot connect to the Docker daemon" err || fail "no clear message"
[ "$(wc -l <err)" -le 3 ] || fail "more than a message and a hint"
echo "all kept"
