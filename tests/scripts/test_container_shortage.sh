#!/bin/sh
# In containers: a disk that is full, where only the container writes or in a mount, and a child that is killed for
# memory. With a docker daemon of this test's own.
. "$(dirname "$0")/lib.sh"
mkdir small
mount -t tmpfs -o size=8m tmpfs small 2>/dev/null || skip "no small disk can be made here (needs root)"
end() {
  umount -l "$folder/small"
  stop_daemons
}
start_daemons
at_end=end
need_images docker

cat >sweep.lua <<'END_OF_SCRIPT'
local opt = reg.options { image = { "image", type = "string", required = true }, kept = { "one container for all trials", type = "boolean" },
  memory = { "limit", type = "string" },
  test = { "shell line", type = "string", required = true } }
local box = { runtime = "docker", image = opt.image, network = "none", memory = opt.memory,
  mounts = { small = "/small" } }
local kept = opt.kept and reg.container.start(box)
return reg.answer(reg.sweep({ "a", "b" }, { into = opt.store, config = { test = opt.test, kept = opt.kept }, exact = true,
  measure = function(subject, trial)
    local call = { shell = opt.test }
    for name, value in pairs(kept and { container = kept } or box) do call[name] = value end
    trial:run(call)
    return 100
  end }))
END_OF_SCRIPT

for kept in "" --kept; do
  rm -rf small/*
  touch small/sick
  test="if [ -e /small/sick ]; then cat /dev/zero >/small/junk 2>/dev/null; exit 1; fi"
  # shellcheck disable=SC2086
  expect 1 --quiet sweep.lua --image "$REGENGINE_TEST_IMAGE" $kept --store "full$kept.db" --test "$test"
  complained "the disk is full: 0 bytes free in "
  rm -rf small/*
  # shellcheck disable=SC2086
  expect 0 --quiet sweep.lua --image "$REGENGINE_TEST_IMAGE" $kept --store "full$kept.db" --test "$test"
  [ "$(sqlite3 "full$kept.db" "SELECT count(*) FROM trials WHERE status NOT IN ('ok', 'interrupted')")" = 0 ] ||
    fail "a subject is blamed"

  # The second run loses a child and succeeds all the same.
  touch small/runs
  test="echo run >>/small/runs; [ \$(wc -l </small/runs) != 2 ] || sh -c 'tail -c 300m /dev/zero >/dev/null'; true"
  # shellcheck disable=SC2086
  expect 0 --quiet sweep.lua --image "$REGENGINE_TEST_IMAGE" $kept --memory 30m --store "child$kept.db" --test "$test"
  said "1 suspect trial discarded and run again: out of memory"
done
