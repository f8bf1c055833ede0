#!/bin/sh
# --overlap: the next image is pulled while a test runs. Here the first night's test waits until it is. Real docker and
# podman, and a registry.
. "$(dirname "$0")/lib.sh"
start_daemons
[ -n "${REGENGINE_TEST_REGISTRY:-}" ] || skip "no registry can be started here"

mkdir test here # on their own: nothing is mounted beside the socket of a container engine
cat >test/test.sh <<'END'
case $BUILD_DATE in
2024-03-01) until [ -e /dir/pulled ]; do sleep 0.1; done; echo "MLUPS: 600" ;;
2024-03-02) echo "MLUPS: 600" ;;
*) echo "MLUPS: 500" ;;
esac
END
night=$REGENGINE_TEST_REGISTRY/nvidia/jax:jax-2024-03
has() { "$1" image inspect "$2" >/dev/null 2>&1; }
cd here
for runtime in docker podman; do
  [ -n "$(eval "echo \${REGENGINE_TEST_$(echo $runtime | tr a-z A-Z):-}")" ] || { echo "SKIPPED: no $runtime"; continue; }
  rm -rf regengine.db* ../test/pulled
  has $runtime "$night-02" && fail "$runtime: night 02 is there before"
  (until has $runtime "$night-02"; do sleep 0.1; done; touch ../test/pulled) &
  waiter=$!
  expect 0 nightly --runtime "$runtime" --image "$REGENGINE_TEST_REGISTRY/nvidia/jax:jax-{date}" --from 2024-03-01 \
    --to 2024-03-05 --network none --test ../test/test.sh --metric 'MLUPS: {number}' --overlap --json
  wait $waiter
  answer "answer.verdict == 'changes' and answer.changes[1].first_bad == '2024-03-04'"
  ! grep -vE '^run [0-9]+ |^so far: |GB are free' err || fail "$runtime: it said something on stderr"

  # With --keep-images, what was pulled ahead is removed as well once it is not needed.
  rm -rf regengine.db*
  for day in 01 02 04 05; do ! has $runtime "$night-$day" || "$runtime" rmi "$night-$day" >/dev/null; done
  cat >../test/late.sh <<'END'
case $BUILD_DATE in 2024-03-05) echo "MLUPS: 50" ;; *) echo "MLUPS: 100" ;; esac
END
  expect 0 nightly --runtime "$runtime" --image "$REGENGINE_TEST_REGISTRY/nvidia/jax:jax-{date}" --from 2024-03-01 \
    --to 2024-03-05 --network none --test ../test/late.sh --metric 'MLUPS: {number}' --every --keep-images 0 --overlap
  ! has $runtime "$night-02" || fail "$runtime: night 02 is still there"
  for day in 01 04 05; do has $runtime "$night-$day" || fail "$runtime: night $day was removed"; done
  for day in 01 04 05; do "$runtime" rmi "$night-$day" >/dev/null; done
done
echo "images are pulled while a test runs"
