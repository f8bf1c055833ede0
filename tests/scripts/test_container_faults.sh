#!/bin/sh
# Ctrl-C, kill -9, a full disk where only the container writes or in a mount, a child that is killed for memory, and a
# container engine that goes away, with a docker daemon of this test's own.
. "$(dirname "$0")/lib.sh"
orphans= mounted=
end() {
  [ -z "$orphans" ] || kill -9 $orphans 2>/dev/null || true
  [ -z "$mounted" ] || umount -l "$folder/small"
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

mkdir small
if mount -t tmpfs -o size=8m tmpfs small 2>/dev/null; then mounted=1; else echo "SKIPPED: no small disk can be made here (needs root)"; fi
cat >sweep.lua <<'END_OF_SCRIPT'
local opt = reg.options { image = { "image", type = "string", required = true }, kept = { "one container for all trials", type = "boolean" },
  memory = { "limit", type = "string" },
  test = { "shell line", type = "string", required = true } }
local box = { runtime = "docker", image = opt.image, network = "none", memory = opt.memory,
  mounts = { small = "/small" } }
local kept = opt.kept and reg.container.start(box)
return reg.answer(reg.sweep({ "a", "b" }, { into = opt.store, config = { test = opt.test, kept = opt.kept }, exact = true,
  measure = function(subject, trial)
    local call = { shell = opt.test }
    for name, value in pairs(kept and { container = kept } or box) do call[name] = value end
    trial:run(call)
    return 100
  end }))
END_OF_SCRIPT

for kept in "" --kept; do
  [ -n "$mounted" ] || break
  rm -rf small/*
  touch small/sick
  test="if [ -e /small/sick ]; then cat /dev/zero >/small/junk 2>/dev/null; exit 1; fi"
  expect 1 --quiet sweep.lua --image "$REGENGINE_TEST_IMAGE" $kept --store "full$kept.db" --test "$test"
  complained "the disk is full: 0 bytes free in "
  rm -rf small/*
  expect 0 --quiet sweep.lua --image "$REGENGINE_TEST_IMAGE" $kept --store "full$kept.db" --test "$test"
  query_gives "full$kept.db" 0 "SELECT count(*) FROM trials WHERE status NOT IN ('ok', 'interrupted')"

  # The second run loses a child and succeeds all the same.
  touch small/runs
  test="echo run >>/small/runs; [ \$(wc -l </small/runs) != 2 ] || sh -c 'tail -c 300m /dev/zero >/dev/null'; true"
  expect 0 --quiet sweep.lua --image "$REGENGINE_TEST_IMAGE" $kept --memory 30m --store "child$kept.db" --test "$test"
  said "1 suspect trial discarded and run again: out of memory"
done

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
