#!/bin/sh
# The report of real images out of a real registry: what differs between the last good night's and the first bad one's.
. "$(dirname "$0")/lib.sh"
[ -n "${REGENGINE_TEST_REGISTRY:-}" ] ||
  skip "REGENGINE_TEST_REGISTRY is not set; tests/support/daemons run COMMAND starts what this test needs"
runtime=docker
[ "${REGENGINE_TEST_DOCKER:-}" = 1 ] || runtime=podman

cat >test.sh <<'END'
case $BUILD_DATE in 2024-03-01 | 2024-03-02) echo "MLUPS: 600" ;; *) echo "MLUPS: 500" ;; esac
END
expect 0 nightly --runtime $runtime --image "$REGENGINE_TEST_REGISTRY/nvidia/jax:jax-{date}" \
  --from 2024-03-01 --to 2024-03-05 \
  --test test.sh --metric 'MLUPS: {number}' --network none --every --quiet
for side in "first bad   2024-03-04" "last good   2024-03-02"; do
  grep -Eq "^  $side   .*/nvidia/jax:jax-${side##* }@sha256:[0-9a-f]{64}\$" out || fail "no digest of the $side"
done
expect 0 report -o page.html
said "MLUPS fell by"
# A store may come from somebody else: its images run where the user permits it.
! grep -qF '<th>commit of xla</th>' page.html || fail "the report ran an image that nobody permitted"
expect 0 --allow "container=$REGENGINE_TEST_REGISTRY/nvidia/jax" report -o page.html
has() { grep -qF -- "$1" page.html || fail "the page does not hold: $1"; }
has '<th>image env NCCL_VERSION</th>'
has '<code>2.19.02</code>'
has '<code>2.19.04</code>'
has '<th>image label org.opencontainers.image.created</th>'
has '<th>commit of xla</th>'
has '<code>bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb04</code>'
has '<th>image digest</th>'

# Without the images it says that they are gone.
for day in 01 02 04 05; do $runtime rmi "$REGENGINE_TEST_REGISTRY/nvidia/jax:jax-2024-03-$day" >/dev/null; done
expect 0 report -o page.html
has 'Commits and variables of images are compared only where both images are still on this machine; some are not.'
echo "the report compares images"
