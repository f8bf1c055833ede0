# Sourced by tests of the registry, which set $proxy to the process that stands before it. Nights of JAX: two good ones,
# one that is not there, two slow ones.

proxy=
end() {
  [ -z "$proxy" ] || kill "$proxy" 2>/dev/null || true
  stop_daemons
}
start_daemons
at_end=end
need_images
command -v python3 >/dev/null || skip "no python3"

mkdir test # on its own: nothing is mounted beside the socket of a container engine
cat >test/test.sh <<'END'
case $BUILD_DATE in 2024-03-0[12]) echo "speed: 100" ;; *) echo "speed: 70" ;; esac
END
given nightly 'nightly --runtime "$runtime" --image "$registry/nvidia/jax:jax-{date}" --from 2024-03-01 \
  --to 2024-03-05 --network none --test test/test.sh --metric "speed: {number}" --json'
found() {
  answer "#answer.changes == 1 and answer.changes[1].last_good == '2024-03-02'
    and answer.changes[1].first_bad == '2024-03-04'"
}
