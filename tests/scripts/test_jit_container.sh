#!/bin/sh
# --metric @jit.traces:f of a test in a container: the hook is first on PYTHONPATH there, before the image's own, and what
# it writes comes out. The image has no Python, so the test writes what the hook would.
. "$(dirname "$0")/lib.sh"
. "$source_root/tests/scripts/in_each_engine.sh"

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
in_each_engine "no_change	1" "path: /regengine-jit/hook:/own" 'JIT*'
