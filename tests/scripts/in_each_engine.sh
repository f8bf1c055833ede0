# Sourced by tests of metrics that come out of a container.
need_images

# ANSWER TEXT FILES: runs ./sweep.lua with docker and with podman. It answers so, its trials print this, and the files that
# the number was counted in are not kept.
in_each_engine() {
  for runtime in $runtimes; do
    "$runtime" pull -q "$REGENGINE_TEST_IMAGE" >/dev/null
    expect 0 --quiet sweep.lua "$runtime" "$REGENGINE_TEST_IMAGE"
    grep -q "^$1" out || fail "$runtime: not counted"
    grep -qrF -- "$2" "$runtime.db.out" || fail "$runtime: no trial printed: $2"
    [ -z "$(find "$runtime.db.out" -name "$3")" ] || fail "$runtime: the files were kept"
  done
}
