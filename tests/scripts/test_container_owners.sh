#!/bin/sh
# Whose container is it? What dead engines left is removed, by podman also where one container is half removed; what a
# running engine of another PID namespace has is not. An engine that is killed while podman makes a container leaves no
# monitor behind.
. "$(dirname "$0")/lib.sh"
started=
end() {
  [ -z "$started" ] || kill -9 $started 2>/dev/null || true
  stop_daemons
}
start_daemons
at_end=end
need_images

ours() { "$runtime" ps --all --quiet --filter label=regengine.engine; }
runs() { [ -n "$("$runtime" ps --quiet --filter label=regengine.engine)" ]; }
gone() { [ -z "$(ours)" ]; }
no_monitor() { [ -z "$(grep -lsz -- "$folder/daemons/podman" /proc/[0-9]*/cmdline | xargs -r grep -lsz conmon)" ]; }
sleeps() { # the start of a script whose container runs until it is removed
  echo "reg.container.run { runtime = '$runtime', image = '$REGENGINE_TEST_IMAGE', network = 'none', cmd = { $1 } }"
}
hello() {
  says 0 "done" -e "$(sleeps "'echo', 'hi'") print 'done'"
}

for runtime in $runtimes; do
  "$runtime" pull -q "$REGENGINE_TEST_IMAGE" >/dev/null

  # An engine that nobody has waited for yet is dead all the same.
  sh -c "\"\$1\" -e \"\$2\" >out.dead 2>err.dead & echo \$! >pid; exec sleep 4324" sh "$engine" "$(sleeps "'sleep', '4323'")" &
  started="$started $!"
  wait_until runs
  kill -9 "$(cat pid)"
  wait_until grep -q '^State:.Z' "/proc/$(cat pid)/status"
  hello
  gone || fail "$runtime: the container of an engine that is a zombie stayed"

  # In a PID namespace of its own, as in a container that has the socket of the container engine, this engine cannot see
  # the one that runs; that one sees those inside.
  if unshare --pid --fork --mount-proc true 2>/dev/null; then
    "$engine" -e "$(sleeps "'sleep', '4323'")" >out.outer 2>err.outer &
    outer=$!
    started="$started $outer"
    wait_until runs
    unshare --pid --fork --mount-proc "$engine" -e "$(sleeps "'true'")" >out 2>err || fail "$runtime: a run inside"
    runs || fail "$runtime: an engine in another namespace removed the container of a running one"
    kill "$outer"
    wait "$outer" 2>/dev/null || true
    gone || fail "$runtime: TERM left a container"
    unshare --pid --fork --mount-proc --kill-child "$engine" -e "$(sleeps "'sleep', '4323'")" >out.inner 2>err.inner &
    inner=$!
    started="$started $inner"
    wait_until runs
    hello
    runs || fail "$runtime: the container of an engine in a namespace below was removed"
    kill -9 "$inner"
    wait "$inner" 2>/dev/null || true
    if [ "$(stat -L -c %i /proc/self/ns/pid)" = 4026531836 ]; then hello; else ours | xargs "$runtime" rm --force >/dev/null; fi
    gone || fail "$runtime: the container of a dead engine in a namespace below stayed"
  else
    echo "SKIPPED: no PID namespaces"
  fi
done
[ -n "${REGENGINE_TEST_PODMAN:-}" ] || skip "no podman"
runtime=podman

# Killed at many moments, while podman makes, starts, runs or removes a container.
moment=0
while [ $moment -lt 6 ]; do
  moment=$((moment + 1))
  "$engine" -e "for _ = 1, 9 do $(sleeps "'true'") end" >out.killed 2>err.killed &
  sleep "0.$((10 + moment * 14))"
  kill -9 $!
  wait $! 2>/dev/null || true
  hello
  gone || fail "podman: the next engine did not remove what one left that was killed after 0.$((10 + moment * 14)) s"
done
wait_until no_monitor

# One that podman was removing when it was killed must not keep the others.
for name in a b c d e f g h; do
  podman run --detach --network none --name $name --label "regengine.host=$(uname -n)" \
    --label regengine.engine=00000000-1-1-1 "$REGENGINE_TEST_IMAGE" sleep 4323 >/dev/null
done
removing() { podman ps --all --format '{{.State}}' | grep -qi removing; }
caught=0
for name in a b c d e f; do
  podman kill $name >/dev/null
  podman rm --force $name >/dev/null 2>&1 &
  remover=$!
  sleep 0.0$((3 + caught)); caught=$((caught + 1))
  kill -9 $remover 2>/dev/null || true
  wait $remover 2>/dev/null || true
  ! removing || break
done
removing || echo "podman was never caught removing a container"
hello
gone || fail "podman: the containers of a dead engine stayed beside one that is half removed"
