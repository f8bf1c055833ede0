#!/bin/sh
# nightly.lua without --from, with real images out of a real registry: it goes back to a good night.
. "$(dirname "$0")/lib.sh"
need_images

cat >test.sh <<'END'
case $BUILD_DATE in 2024-03-01 | 2024-03-02) echo "MLUPS: 600" ;; *) echo "MLUPS: 500"; exit "${BAD:-0}" ;; esac
END
given back 'nightly --runtime $runtime --image "$REGENGINE_TEST_REGISTRY/nvidia/jax:jax-{date}" --to 2024-03-05 \
  --test test.sh --network none --quiet --json'
# 2024-03-03 has no image, so that two nights back is the same night as one.
back 0 --metric 'MLUPS: {number}' --good-value 600
answer "answer.changes[1].first_bad == '2024-03-04' and answer.changes[1].last_good == '2024-03-02'"
answer "answer.back.id == '2024-03-01' and answer.back.distance == 4 and answer.back.unit == 'night'"
back 3 --metric 'MLUPS: {number}' --good-value 900
said "2024-02-06 (28 nights back) is the oldest image, and it has 500, which is nearer to the bad end's 500 than to 900"
back 0 --env BAD=1
answer "answer.changes[1].first_bad == '2024-03-04' and answer.back.id == '2024-03-01'"
