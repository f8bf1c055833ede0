#!/bin/sh
# A test that installs Python packages itself, in other versions in one night than in another. Real docker and podman.
. "$(dirname "$0")/lib.sh"
need_images

# As pip leaves it behind.
cat >test.sh <<'END'
install() { mkdir -p "/usr/lib/python3/dist-packages/$1-$2.dist-info"; }
install scipy 1.13.0
case $BUILD_DATE in
2024-03-01 | 2024-03-02) install numpy 2.0.1; echo "MLUPS: 600" ;;
*) install numpy 2.1.0; install only_now 1.0; echo "MLUPS: 500" ;;
esac
END
given nightly 'nightly --runtime $runtime --image "$REGENGINE_TEST_REGISTRY/nvidia/jax:jax-{date}" --from 2024-03-01 \
  --to 2024-03-05 --test test.sh --metric "MLUPS: {number}" --network none --quiet --json --every'
sentence='The test itself installs packages, in versions that differ: numpy 2.0.1 until 2024-03-02, 2.1.0 from 2024-03-04. Pin them in the test.'

for runtime in $runtimes; do
  rm -rf .regengine/results.db*
  nightly 0
  answer "answer.changes[1].first_bad == '2024-03-04'"
  said "$sentence"
  not_said scipy only_now
  # The store has what was installed, once for each night.
  query_gives .regengine/results.db 4 \
    "SELECT count(*) FROM trials WHERE json_extract(info, '$.installed.scipy') = '1.13.0'"
  "$engine" report -o page.html >report.out 2>report.err || fail "no report"
  grep -q "numpy 2.0.1 until" page.html || fail "the page does not name what was installed"

  # What is taken from the store says the same.
  nightly 0
  answer "answer.runs == 0"
  said "$sentence"
done

# The same packages every night, and none at all.
rm -rf .regengine/results.db*
sed -i 's/2\.1\.0/2.0.1/' test.sh
nightly 0
answer "#answer.changes == 1"
not_said "installs packages"
rm -rf .regengine/results.db*
echo 'echo "MLUPS: 1"' >test.sh
nightly 0
not_said "installs packages"
