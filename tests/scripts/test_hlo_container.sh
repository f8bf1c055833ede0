#!/bin/sh
# --metric @hlo:fusion of a test in a container: XLA's dumps come out of it, and the image's own XLA_FLAGS stay.
. "$(dirname "$0")/lib.sh"
. "$source_root/tests/scripts/in_each_engine.sh"

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
