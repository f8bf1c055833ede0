#!/bin/sh
# --metric @jit.traces:f and @hlo:fusion of a test in a container: the hook is first on PYTHONPATH there and XLA's dumps are
# asked for beside the image's own flags; what they write comes out. The image has neither, so the test writes it.
. "$(dirname "$0")/lib.sh"
need_images

# ANSWER TEXT FILES: runs ./sweep.lua with docker and with podman. It answers so, its trials print this, and the files that
# the number was counted in are not kept.
in_each_engine() {
  for runtime in $runtimes; do
    rm -rf "$runtime".db*
    "$runtime" pull -q "$REGENGINE_TEST_IMAGE" >/dev/null
    expect 0 --quiet sweep.lua "$runtime" "$REGENGINE_TEST_IMAGE"
    grep -q "^$1" out || fail "$runtime: not counted"
    grep -qrF -- "$2" "$runtime.db.out" || fail "$runtime: no trial printed: $2"
    [ -z "$(find "$runtime.db.out" -name "$3")" ] || fail "$runtime: the files were kept"
  done
}

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

cat >module.txt <<'END'
HloModule jit_f

fused {
  ROOT p = f32[8]{0} parameter(0)
}

ENTRY main {
  x = f32[8]{0} parameter(0)
  f = f32[8]{0} fusion(x), kind=kLoop, calls=fused
  ROOT g = f32[8]{0} fusion(f), kind=kLoop, calls=fused
}
END
cat >sweep.lua <<'END'
local runtime, image = ...
local metric = reg.hlo.count "fusion"
local series = reg.sweep({ "a", "b" }, { into = runtime .. ".db", metric = metric, better = "lower", exact = true,
  measure = function(_, trial)
    return trial:test({ runtime = runtime, image = image, network = "none", env = { XLA_FLAGS = "--xla_a" },
      mounts = { [reg.fs.absolute "module.txt"] = "/module.txt" },
      shell = [[echo "$XLA_FLAGS"; target=${XLA_FLAGS##*--xla_dump_to=}; target=${target%% *}
        cp /module.txt $target/module_0000.jit_f.cpu_after_optimizations.txt]] }, { metric = metric })
  end })
print(series.verdict, series.points[1].value, series.points[1].message)
END
in_each_engine "no_change	2" "--xla_a --xla_dump_to=/regengine-hlo --xla_dump_hlo_as_text" 'HLO*'
