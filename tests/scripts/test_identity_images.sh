#!/bin/sh
# Numbers belong to images by their digest, out of a real registry: not to the date of a night, and not to a name.
. "$(dirname "$0")/lib.sh"
need_images
jax=$REGENGINE_TEST_REGISTRY/nvidia/jax:jax

echo 'case $BUILD_DATE in 2024-03-01 | 2024-03-02) echo "MLUPS: 600" ;; *) echo "MLUPS: 500" ;; esac' >test.sh
given nightly 'nightly --runtime $runtime --from 2024-03-01 --to 2024-03-02 --test test.sh \
  --metric "MLUPS: {number}" --network none --every --quiet --json --image'
runs() { ask_store "SELECT count(*) AS n FROM trials"; }

# Another registry's name for the night, with the same or another image behind it.
named() { # NAME DATE OF-DATE
  $runtime pull -q "$jax-$3" >/dev/null
  $runtime tag "$jax-$3" "$1-$2"
  $runtime push -q "$1-$2" >/dev/null
  $runtime rmi "$1-$2" >/dev/null
}
mirror=$REGENGINE_TEST_REGISTRY/identity/mirror:n
other=$REGENGINE_TEST_REGISTRY/identity/other:n
for day in 01 02; do named "$mirror" 2024-03-$day 2024-03-$day; done
named "$other" 2024-03-01 2024-03-01
named "$other" 2024-03-02 2024-03-05

nightly 0 "$jax-{date}"
answer "answer.verdict == 'no_change'"
first=$(runs)
nightly 0 "$jax-{date}"
[ "$(runs)" = "$first" ] || fail "the same images were measured again"
nightly 0 "$mirror-{date}"
[ "$(runs)" = "$first" ] || fail "the same images under another name were measured again"
nightly 0 "$other-{date}"
[ "$(runs)" -gt "$first" ] || fail "the numbers of one image were used for another"
answer "#answer.changes == 1 or answer.verdict == 'inconclusive'"

# What reaches the container counts, and what does not reach it does not.
second=$(runs)
XLA_FLAGS=--a=1 PATH=$PATH:/nowhere nightly 0 "$jax-{date}"
[ "$(runs)" = "$second" ] || fail "the variables of the engine do not reach a container"
nightly 0 "$jax-{date}" --network host
[ "$(runs)" -gt "$second" ] || fail "another network is another measurement"
third=$(runs)
echo '# edited' >>test.sh
nightly 0 "$jax-{date}"
[ "$(runs)" -gt "$third" ] || fail "another test is another measurement"

# A removed image is known by its registry's digest, and is not pulled for that.
fourth=$(runs)
for day in 01 02; do wait_until $runtime rmi "$jax-2024-03-$day" >/dev/null 2>&1; done # the last container may go a little later
nightly 0 "$jax-{date}"
[ "$(runs)" = "$fourth" ] || fail "a removed image was measured again"
for day in 01 02; do
  ! $runtime image inspect "$jax-2024-03-$day" >/dev/null 2>&1 || fail "an image was pulled, and nothing was to be run"
done

# Nights with one digest are one subject.
twin=$REGENGINE_TEST_REGISTRY/identity/twin:n
for day in 01 02; do named "$twin" 2024-03-$day 2024-03-01; done
nightly 0 "$twin-{date}"
answer "answer.verdict == 'no_change' and answer.runs == 0"
said "1 night not run: the build is the same as that of another night."
[ "$(runs)" = "$fourth" ] || fail "two nights of one image were measured"
