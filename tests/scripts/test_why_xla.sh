#!/bin/sh
# why.lua with XLA's flags, of a stand-in for jax that knows some flags and writes dumps.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "python3 is not installed"

# stand_in FOLDER FLAG...: a jax whose XLA knows these flags and aborts on others. It dumps one module.
stand_in() {
  mkdir -p "$1/jax" "$1/jaxlib"
  into=$1
  shift
  cat >"$into/jaxlib/__init__.py" <<END
import os, sys
__version__ = "0.0"
flags = dict(flag.partition("=")[::2] for flag in os.environ.get("XLA_FLAGS", "").split())
for flag in flags:
    if flag not in "--xla_dump_to --xla_dump_hlo_as_text $*".split():
        sys.exit("Unknown flag in XLA_FLAGS: " + flag)
END
  cat >>"$into/jaxlib/__init__.py" <<'END'
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
  cat >"$into/jax/__init__.py" <<'END'
__version__ = "0.0"
import jaxlib
def jit(f): return f
def devices(platform): return []
END
}
stand_in old --xla_slow --xla_same
stand_in new --xla_slow --xla_new
stand_in passes --xla_dump_hlo_pass_re
cat >train.py <<'END'
import os
import jax, jaxlib
print("step:", jaxlib.flags.get("--xla_slow", os.environ.get("SLOW", "100")))
END

of_step() { expect 0 why "$@" --metric 'step: {number}' --better lower --json; }

# Flags are exchanged one at a time.
of_step 'XLA_FLAGS="--xla_slow=100 --xla_same=1" PYTHONPATH=old python3 train.py' \
  'XLA_FLAGS="--xla_slow=150 --xla_same=2" PYTHONPATH=old python3 train.py'
first_line ': XLA_FLAGS --xla_slow=100 -> --xla_slow=150 \([0-9]+ % of it moves with --xla_slow'
answer '#answer.swaps == 2 and answer.swaps[1].share > 0.8 and answer.swaps[2].name == "--xla_same"'

# A flag that the other XLA does not know is not exchanged.
of_step 'XLA_FLAGS=--xla_slow=100 PYTHONPATH=old python3 train.py' \
  'XLA_FLAGS="--xla_slow=150 --xla_new=1" PYTHONPATH=new python3 train.py'
said "XLA does not know all flags of A with --xla_new of B: --xla_slow=100 --xla_new=1."
answer 'answer.top.name == "--xla_slow" and answer.top.share > 0.8'

# The first pass after which the ends differ, where XLA knows the flag that dumps passes; one that does not is not given it.
of_step 'PYTHONPATH=passes python3 train.py' 'SLOW=150 PYTHONPATH=passes python3 train.py'
answer 'answer.levels[4].name == "program" and answer.levels[4].findings[1].what:find "after pass layout%-assignment$"'
of_step 'PYTHONPATH=old python3 train.py' 'SLOW=150 PYTHONPATH=old python3 train.py'
answer '#answer.levels[4].findings > 0 and answer.levels[4].findings[1].what:find "after pass" == nil'
