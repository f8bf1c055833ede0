#!/bin/sh
# tests/scripts/test_why_xla.sh REGENGINE: why.lua with XLA's flags and autotuner, of a stand-in for jax that knows some flags
# and writes the results of a file.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "python3 is not installed"
export REGENGINE_NVML="$REGENGINE_FAKES/nvml.so" REGENGINE_FAKE_NVML="$folder/nvml"
: >nvml

# stand_in FOLDER FLAG...: a jax whose XLA knows these flags and aborts on others.
stand_in() {
  mkdir -p "$1/jax" "$1/jaxlib"
  into=$1
  shift
  cat >"$into/jaxlib/__init__.py" <<END
import os, sys
flags = dict(flag.partition("=")[::2] for flag in os.environ.get("XLA_FLAGS", "").split())
for flag in flags:
    if flag not in "--xla_dump_to --xla_dump_hlo_as_text $*".split():
        sys.exit("Unknown flag in XLA_FLAGS: " + flag)
END
  cat >"$into/jax/__init__.py" <<'END'
__version__ = "0.0"
import jaxlib
def jit(f): return f
def devices(platform): return []
END
}
stand_in site --xla_gpu_dump_autotune_results_to --xla_slow --xla_same
stand_in old --xla_slow --xla_same
cat >train.py <<'END'
import shutil, sys, time
import jax, jaxlib
time.sleep(0.1 + float(jaxlib.flags.get("--xla_slow", "0")) + float(sys.argv[2]))
path = jaxlib.flags.get("--xla_gpu_dump_autotune_results_to", "/dev/null")
if path != "/dev/null": shutil.copy(sys.argv[1], path)
END
cp "$source_root/tests/data/autotune/before.txt" "$source_root/tests/data/autotune/after.txt" .

# What the autotuner chose.
expect 0 why 'PYTHONPATH=site python3 train.py before.txt 0' 'PYTHONPATH=site python3 train.py after.txt 1.5' --json
head -n 1 out | grep -qF ': gemm 1 chose cuBLAS algorithm 7, before Triton block 64x64x32 (' || fail "$(head -n 1 out)"
answer 'answer.top.level == "autotune" and answer.collected_runs == 8'

# An XLA that does not know the flag is not given it.
expect 0 why 'PYTHONPATH=old python3 train.py before.txt 0' 'PYTHONPATH=old python3 train.py after.txt 1.5' --json
said "Not compared: autotune: the XLA of A does not know --xla_gpu_dump_autotune_results_to."

# Without a GPU nothing is tuned.
REGENGINE_NVML=/nonexistent/nvml.so "$engine" why 'PYTHONPATH=site python3 train.py before.txt 0' \
  'PYTHONPATH=site python3 train.py after.txt 1.5' >out 2>err || [ $? = 3 ] || fail "without a GPU"
said "Not compared: autotune: XLA tunes programs for GPUs, and "

# Flags are exchanged one at a time.
expect 0 why 'XLA_FLAGS="--xla_slow=0 --xla_same=1" PYTHONPATH=site python3 train.py before.txt 0' \
  'XLA_FLAGS="--xla_slow=1.2 --xla_same=2" PYTHONPATH=site python3 train.py before.txt 0' --json
head -n 1 out | grep -Eq ': XLA_FLAGS --xla_slow=0 -> --xla_slow=1.2 \([0-9]+ % of it moves with --xla_slow' ||
  fail "$(head -n 1 out)"
answer '#answer.swaps == 2 and answer.swaps[1].share > 0.8 and answer.swaps[2].name == "--xla_same"'

# A flag that the other XLA does not know is not exchanged.
stand_in new --xla_slow --xla_new
expect 0 why 'XLA_FLAGS=--xla_slow=0 PYTHONPATH=old python3 train.py before.txt 0' \
  'XLA_FLAGS="--xla_slow=1.2 --xla_new=1" PYTHONPATH=new python3 train.py before.txt 0' --json
said "XLA does not know all flags of A with --xla_new of B: --xla_slow=0 --xla_new=1."
answer 'answer.top.name == "--xla_slow" and answer.top.share > 0.8'

# The first pass after which the ends differ, where both know the flag that dumps passes.
cat >dumping.py <<'END'
place = flags.get("--xla_dump_to")
def write(name, opcode):
    with open(os.path.join(place, "module_0001.jit_f." + name), "w") as file:
        file.write("HloModule jit_f\n\nENTRY main {\n  x = f32[8]{0} parameter(0)\n  ROOT y = f32[8]{0} %s(x)\n}\n" % opcode)
if place:
    opcode = "tanh" if os.environ.get("SLOW") else "negate"
    write("before_optimizations.txt", "negate")
    write("cpu_after_optimizations.txt", opcode)
    if "--xla_dump_hlo_pass_re" in flags:
        write("0001.simplification.after_algsimp.before_dce.txt", "negate")
        write("0002.simplification.after_layout-assignment.before_end.txt", opcode)
END
for end in passes:--xla_dump_hlo_pass_re plain:; do
  stand_in "${end%:*}" ${end#*:}
  cat dumping.py >>"${end%:*}/jaxlib/__init__.py"
  echo '__version__ = "0.0"' >>"${end%:*}/jaxlib/__init__.py"
done
cat >compiled.py <<'END'
import os, time
import jax, jaxlib
time.sleep(1.5 if os.environ.get("SLOW") else 0.1)
END
expect 0 why 'PYTHONPATH=passes python3 compiled.py' 'SLOW=1 PYTHONPATH=passes python3 compiled.py' --json
answer 'answer.levels[5].name == "program" and answer.levels[5].findings[1].what:find "after pass layout%-assignment$"'
expect 0 why 'PYTHONPATH=plain python3 compiled.py' 'SLOW=1 PYTHONPATH=passes python3 compiled.py' --json
answer 'answer.levels[5].findings[1].what:find "after pass" == nil'
