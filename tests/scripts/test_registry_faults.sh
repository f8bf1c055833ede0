#!/bin/sh
# A registry on a bad day: it fails 30 % of the requests, it lost the layers of one night or of several, or it is away
# while the images are here. With a real registry, docker and podman.
. "$(dirname "$0")/lib.sh"
. "$source_root/tests/scripts/five_nights.sh"

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

  mkdir -p proxy
  "$source_root/tests/support/flaky_registry" "$REGENGINE_TEST_REGISTRY" proxy 30% 500 2>proxy/log &
  proxy=$!
  wait_until [ -e proxy/port ]
  registry=127.0.0.1:$(cat proxy/port)
  begin
  nightly 0
  found
  grep -q "^failed" proxy/requests || fail "$runtime: no request failed"
  kill "$proxy"; wait "$proxy" 2>/dev/null || true; proxy=
  rm -r proxy

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
  grep -q "^regengine: .*3 nights in a row could not be prepared: $runtime could not pull " err || fail "$runtime: no pause"
  grep -q "^  Pass --keep-going to skip them. Finished work is kept. Run the same command to continue: " err ||
    fail "$runtime: no line that resumes it"
  nightly 3 --keep-going
  answer "answer.skipped == 3"
  for night in 02 04 05; do mv "$folder/$night" "$(layer $night)"; done
  nightly 0
  found
done
