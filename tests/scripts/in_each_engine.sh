# Sourced by tests of metrics that come out of a container: in_each_engine runs ./sweep.lua with docker and with podman, and
# then `check`, a function of the test, for which $runtime is the one.
need_images

in_each_engine() {
  for runtime in $runtimes; do
    "$runtime" pull -q "$REGENGINE_TEST_IMAGE" >/dev/null
    expect 0 --quiet sweep.lua "$runtime" "$REGENGINE_TEST_IMAGE"
    check
  done
}
