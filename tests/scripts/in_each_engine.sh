# Sourced by tests of metrics that come out of a container: in_each_engine runs ./sweep.lua with docker and with podman, and
# then `check`, a function of the test, for which $runtime is the one.
[ -n "${REGENGINE_TEST_IMAGE:-}" ] || skip "no registry can be started here"

in_each_engine() {
  tried=
  for runtime in docker podman; do
    [ -n "$(eval "echo \${REGENGINE_TEST_$(echo $runtime | tr a-z A-Z):-}")" ] || { echo "SKIPPED: no $runtime"; continue; }
    tried=1
    "$runtime" pull -q "$REGENGINE_TEST_IMAGE" >/dev/null
    expect 0 --quiet sweep.lua "$runtime" "$REGENGINE_TEST_IMAGE"
    check
  done
  [ -n "$tried" ] || skip "neither docker nor podman can be started here"
}
