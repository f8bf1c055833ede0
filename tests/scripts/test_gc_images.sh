#!/bin/sh
# regengine gc and images: it removes what regengine pulled, and never what was there before. Real docker and podman.
. "$(dirname "$0")/lib.sh"
start_daemons
need_images

mkdir test here # on their own: nothing is mounted beside the socket of a container engine
echo 'echo "speed: 1"' >test/test.sh
night=$REGENGINE_TEST_REGISTRY/nvidia/jax:jax-2024-03
has() { "$1" image inspect "$2" >/dev/null 2>&1; }
gc() { text=$1; shift; tells alone 0 "$text" gc "$@"; } # TEXT OPTIONS...

cd here
for runtime in $runtimes; do
  rm -rf .regengine/results.db*
  "$runtime" pull -q "$night-01" >/dev/null # by the user
  expect 0 nightly --runtime "$runtime" --image "$REGENGINE_TEST_REGISTRY/nvidia/jax:jax-{date}" --from 2024-03-01 \
    --to 2024-03-04 --network none --test ../test/test.sh --metric 'speed: {number}' --quiet
  for day in 01 04; do has $runtime "$night-$day" || fail "$runtime: night $day was not measured"; done

  # --keep-images removes what it pulled: not the ends, not the sides of the change, not what was there before.
  echo 'case $BUILD_DATE in 2024-03-05) echo "speed: 50" ;; *) echo "speed: 100" ;; esac' >../test/late.sh
  "$runtime" rmi "$night-04" >/dev/null
  expect 0 nightly --runtime "$runtime" --image "$REGENGINE_TEST_REGISTRY/nvidia/jax:jax-{date}" --from 2024-03-01 \
    --to 2024-03-05 --network none --test ../test/late.sh --metric 'speed: {number}' --every --keep-images 0 --store k.db
  noted "removed the image $night-02"
  [ "$(grep -c "removed the image" err)" = 1 ] || fail "$runtime: other images were removed, too"
  for day in 01 04 05; do has $runtime "$night-$day" || fail "$runtime: night $day was removed"; done
  ! has $runtime "$night-02" || fail "$runtime: night 02 is still there"
  "$runtime" rmi "$night-05" >/dev/null
  rm -rf k.db*

  # Another folder's images are not this one's to remove.
  mkdir other
  within other 0 gc
  said "nothing to remove"
  rm -r other

  gc "$night-04  (regengine pulled it, and every investigation here has its answer)"
  not_said "$night-01"
  # Without an answer, the investigation may go on and need them.
  "$engine" -e "reg.store.open('.regengine/results.db'):begin { name = 'more' }"
  gc "kept      image $night-04: the investigation 'more' in .regengine/results.db has no answer yet" --remove
  has $runtime "$night-04" || fail "$runtime: an image was removed that is needed"

  sqlite3 .regengine/results.db "UPDATE investigations SET ended = started"
  gc "removed  $night-04" --remove
  ! has $runtime "$night-04" || fail "$runtime: the image is still there"
  has $runtime "$night-01" || fail "$runtime: the user's own image was removed"
  gc "nothing to remove"

  # Of a folder that is gone.
  mkdir ../away
  within ../away 0 -e "reg.container.pull('$night-05', { runtime = '$runtime' })"
  gc "nothing to remove"
  rm -r ../away
  gc "$night-05  (regengine pulled it for a folder that is gone: $folder/away)"

  # A name that stands for another image now is not what was pulled.
  "$runtime" tag "$night-01" "$night-05"
  gc "nothing to remove" --remove
  has $runtime "$night-05" || fail "$runtime: an image of the user's was removed"
done
