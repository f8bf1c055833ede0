#!/bin/sh
# A registry and a git server that fail and come back, or do not: nightly.lua waits and goes on, or stops with the line
# that resumes it. With a real registry, docker and podman, behind a proxy that fails the first requests.
. "$(dirname "$0")/lib.sh"
. "$source_root/tests/scripts/five_nights.sh"

flaky() { # FAILURES MODE: sets $registry
  [ -z "$proxy" ] || kill "$proxy"
  rm -rf proxy; mkdir proxy
  "$source_root/tests/support/flaky_registry" "$REGENGINE_TEST_REGISTRY" proxy "$@" 2>proxy/log &
  proxy=$!
  wait_until [ -e proxy/port ]
  registry=127.0.0.1:$(cat proxy/port)
  cat >"$folder/registries.conf" <<END
[[registry]]
location = "$registry"
insecure = true
END
  export CONTAINERS_REGISTRIES_CONF="$folder/registries.conf"
}

for runtime in $runtimes; do
  # One way to fail each; which words of either are a failure of the network is in tests/engine/test_container_text.cpp.
  [ $runtime = docker ] && mode=500 || mode=reset
  rm -rf .regengine/results.db*
  flaky 6 $mode
  nightly 0
  found
  noted "; trying again in 1 s"
  [ "$(grep -c "^failed" proxy/requests)" = 6 ] || fail "$runtime, $mode: not all failures were met"

  # A pull alone: its failures are not those of a query.
  flaky 8 502
  cat >pull.lua <<END
reg.options {}
reg.container.pull("$registry/regengine/bare:1", { runtime = "$runtime" })
END
  expect 0 pull.lua
  grep -q "could not pull .*; trying again in" err || fail "$runtime: no line of the wait"
done

runtime=docker
[ -n "${REGENGINE_TEST_DOCKER:-}" ] || runtime=podman

# It never recovers: the line that resumes, and what was measured is kept.
rm -rf .regengine/results.db*
flaky 0 500
nightly 0 --to 2024-03-02
flaky_port=${registry#*:}
kill "$proxy"; wait "$proxy" 2>/dev/null || true; proxy=
nightly 1 --retry-for 3s
grep -q "^regengine: .*127.0.0.1:$flaky_port.*(tried [0-9]* times in " err || fail "no line of what failed"
resumed=$(sed -n 's/^  Finished work is kept. Run the same command to continue: //p' err)
[ -n "$resumed" ] || fail "no line that resumes it"
[ "$(ask_store 'SELECT count(*) AS n FROM trials WHERE status = "ok"')" -gt 0 ] || fail "trials were lost"

# That line, once the registry is there again, has the answer.
mkdir again
"$source_root/tests/support/flaky_registry" "$REGENGINE_TEST_REGISTRY" again 0 500 "$flaky_port" 2>again/log &
proxy=$!
wait_until [ -e again/port ]
sh -c "$resumed" >out 2>err || fail "the resumed run"
found

# What cannot pass is not tried again.
says 2 "no image" nightly --runtime "$runtime" --image "$registry/nvidia/jix:jax-{date}" --from 2024-03-01 \
  --to 2024-03-02 --test test/test.sh --metric 'speed: {number}'
! grep -q "trying again" err || fail "a missing image was tried again"

# Ctrl-C ends a wait at once.
kill "$proxy"; wait "$proxy" 2>/dev/null || true; proxy=
rm -rf .regengine/results.db*
launch nightly --runtime "$runtime" --image "$registry/a:{date}" --from 2024-03-01 --to 2024-03-01 --test test/test.sh \
  --metric 'x: {number}'
interrupt_when grep -q "trying again in 4 s" err
