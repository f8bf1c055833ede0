#!/bin/sh
# A registry that fails and comes back, or does not, that fails 30 % of the requests, lost the layers of one night or of
# several, or is away while the images are here: nightly.lua waits and goes on, or stops with the line that resumes it. With a
# real registry, docker and podman, behind a proxy. Nights of JAX: two good ones, one that is not there, two slow ones.
. "$(dirname "$0")/lib.sh"

proxy=
away() { # the proxy ends
  [ -z "$proxy" ] || kill "$proxy" 2>/dev/null || true
  wait "$proxy" 2>/dev/null || true
  proxy=
}
end() { away; stop_daemons; }
start_daemons
at_end=end
need_images
need python3

mkdir test # on its own: nothing is mounted beside the socket of a container engine
echo 'case $BUILD_DATE in 2024-03-0[12]) echo "speed: 100" ;; *) echo "speed: 70" ;; esac' >test/test.sh
given nightly 'nightly --runtime "$runtime" --image "$registry/nvidia/jax:jax-{date}" --from 2024-03-01 \
  --to 2024-03-05 --network none --test test/test.sh --metric "speed: {number}" --json'
found() {
  answer "#answer.changes == 1 and answer.changes[1].last_good == '2024-03-02'
    and answer.changes[1].first_bad == '2024-03-04'"
}

flaky() { away; start_proxy "$@"; } # FAILURES MODE [PORT]

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
away
nightly 1 --retry-for 3s
grep -q "^regengine: .*127.0.0.1:$flaky_port.*(tried [0-9]* times in " err || fail "no line of what failed"
resumed=$(sed -n 's/^  Finished work is kept. Run the same command to continue: //p' err)
[ -n "$resumed" ] || fail "no line that resumes it"
[ "$(ask_store 'SELECT count(*) AS n FROM trials WHERE status = "ok"')" -gt 0 ] || fail "trials were lost"

# That line, once the registry is there again, has the answer.
flaky 0 500 "$flaky_port"
sh -c "$resumed" >out 2>err || fail "the resumed run"
found

# What cannot pass is not tried again.
says 2 "no image" nightly --runtime "$runtime" --image "$registry/nvidia/jix:jax-{date}" --from 2024-03-01 \
  --to 2024-03-02 --test test/test.sh --metric 'speed: {number}'
! grep -q "trying again" err || fail "a missing image was tried again"

# Ctrl-C ends a wait at once.
away
rm -rf .regengine/results.db*
launch nightly --runtime "$runtime" --image "$registry/a:{date}" --from 2024-03-01 --to 2024-03-01 --test test/test.sh \
  --metric 'x: {number}'
interrupt_when grep -q "trying again in 4 s" err

# --- A registry on a bad day.
begin() { # and forget the images: the daemon may still be at work on the last container of one
  rm -rf .regengine/results.db*
  wait_until without_images
}
without_images() {
  "$runtime" ps --all --quiet | xargs -r "$runtime" rm --force >/dev/null 2>&1 || true
  "$runtime" images --all --quiet | sort -u | xargs -r "$runtime" rmi --force >/dev/null 2>&1 || true
  [ -z "$("$runtime" images --all --quiet)" ]
}

blobs=$folder/daemons/registry/docker/registry/v2
layer() { # NIGHT
  link=$(cat "$blobs/repositories/nvidia/jax/_manifests/tags/jax-2024-03-$1/current/link")
  digest=$(sed -n '/"layers"/,$s/.*"digest": "sha256:\([0-9a-f]*\)".*/\1/p' "$(blob "${link#sha256:}")")
  blob "$digest"
}
blob() { echo "$blobs/blobs/sha256/$(echo "$1" | cut -c 1-2)/$1/data"; }

several=
for runtime in $runtimes; do
  flaky 30% 500
  begin
  nightly 0
  found
  grep -q "^failed" proxy/requests || fail "$runtime: no request failed"
  away

  # The registry is away, and the images are here: that is said for each, and only the first is waited for.
  rm -rf .regengine/results.db*
  cat >pull.lua <<END
reg.options {}
for _, day in ipairs { "01", "02", "04" } do
  reg.container.pull("$registry/nvidia/jax:jax-2024-03-" .. day, { runtime = "$runtime", pull = "always" })
end
END
  expect 0 pull.lua --retry-for 1s
  [ "$(grep -c "^warning: .*; using the image on this machine" err)" = 3 ] || fail "$runtime: local images are used unsaid"
  nightly 1 --pull always --retry-for 1s
  grep -q "^regengine: .*2024-03-03.*(tried 2 times" err || fail "$runtime: a night that nobody knows of"

  # One layer is gone: that night is skipped. When it is back, the night is measured.
  registry=$REGENGINE_TEST_REGISTRY
  begin
  mv "$(layer 04)" "$folder/04"
  nightly 0
  said "skipped 2024-03-04 (could not be tested): $runtime could not pull $registry/nvidia/jax:jax-2024-03-04"
  answer "answer.changes[1].last_good == '2024-03-02' and answer.skipped == 1"
  mv "$folder/04" "$(layer 04)"
  nightly 0
  found
  answer "answer.skipped == 0"

  # Several in a row are not the nights' fault, whatever runs them.
  [ -z "$several" ] || continue
  several=1
  begin
  for night in 02 04 05; do mv "$(layer $night)" "$folder/$night"; done
  nightly 1
  matches err "^regengine: .*3 nights in a row could not be prepared: $runtime could not pull " \
    '^  Pass --keep-going to skip them. Finished work is kept. Run the same command to continue: '
  answers nightly 3 "answer.skipped == 3" --keep-going
  for night in 02 04 05; do mv "$folder/$night" "$(layer $night)"; done
  nightly 0
  found
done
