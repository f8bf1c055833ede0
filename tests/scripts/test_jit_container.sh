#!/bin/sh
# --metric @jit.traces:f of a test in a container: the hook is first on PYTHONPATH there, before the image's own, and what
# it writes comes out. The image has no Python, so the test writes what the hook would.
. "$(dirname "$0")/lib.sh"
[ -n "${REGENGINE_TEST_IMAGE:-}" ] || skip "no registry can be started here"

cat >sweep.lua <<'END'
local runtime, image = ...
local metric = reg.jit.traces "f"
local series = reg.sweep({ "a", "b" }, { into = runtime .. ".db", metric = metric, exact = true,
  measure = function(_, trial)
    return trial:test({ runtime = runtime, image = image, network = "none", env = { PYTHONPATH = "/own" },
      shell = [[echo "path: $PYTHONPATH"; grep -q REGENGINE_JIT "${PYTHONPATH%%:*}/sitecustomize.py" || exit 1
        echo '{"ran": "f", "at": "x.py:1", "from": "x.py:9"}' >"$REGENGINE_JIT/1.jsonl"]] }, { metric = metric })
  end })
print(series.verdict, series.points[1].value, series.points[1].message)
END
tried=
for runtime in docker podman; do
  [ -n "$(eval "echo \${REGENGINE_TEST_$(echo $runtime | tr a-z A-Z):-}")" ] || { echo "SKIPPED: no $runtime"; continue; }
  tried=1
  "$runtime" pull -q "$REGENGINE_TEST_IMAGE" >/dev/null
  expect 0 --quiet sweep.lua "$runtime" "$REGENGINE_TEST_IMAGE"
  grep -q "^no_change	1" out || fail "$runtime: a tracing was not counted"
  grep -qrF -- "path: /regengine-jit/hook:/own" "$runtime.db.out" || fail "$runtime: another PYTHONPATH"
  [ -z "$(find "$runtime.db.out" -name 'JIT*')" ] || fail "$runtime: the files were kept"
done
[ -n "$tried" ] || skip "neither docker nor podman can be started here"
