#!/bin/sh
# tests/scripts/test_why_python.sh REGENGINE: why.lua on causes that are planted around Python programs and in XLA's
# flags. Most print the number that got worse: what is exchanged moves it exactly, however busy the machine is.
. "$(dirname "$0")/lib.sh"
need python3

# top PATTERN A B OPTIONS...: the sentence of A against B.
top() {
  pattern=$1; shift
  expect 0 why "$@" --json
  head -n 1 out
  head -n 1 out | grep -E "(slower|worse) than A" | grep -Eq "$pattern" || fail "the sentence of $2"
}
of_step() { top "$@" --metric 'step: {number}' --better lower; }

# package FOLDER NAME VERSION STEP: a package whose version says how long a step takes.
package() {
  mkdir -p "$1/$2" "$1/$2-$3.dist-info"
  printf 'Metadata-Version: 2.1\nName: %s\nVersion: %s\n' "$2" "$3" >"$1/$2-$3.dist-info/METADATA"
  printf 'def work(): print("step: %s")\n' "$4" >"$1/$2/__init__.py"
}
package site1.0 busy 1.0 100
package site2.0 busy 2.0 150
echo 'import busy; busy.work()' >job.py
cp job.py job2.py

# A package, alone and beside a command that differs but does the same.
of_step 'busy 1\.0 -> 2\.0 \(nothing else differs' 'PYTHONPATH=site1.0 python3 job.py' 'PYTHONPATH=site2.0 python3 job.py'
answer 'answer.top.level == "swap" and answer.levels[1].findings[1] ~= nil'
of_step 'busy 1\.0 -> 2\.0 \([0-9]+ % of it moves with PYTHONPATH' 'PYTHONPATH=site1.0 python3 job.py' \
  'PYTHONPATH=site2.0 python3 job2.py'
answer 'answer.top.share > 0.8'

# Another Python, in which two packages differ: they are named, and that it moves with the Python.
for version in 1.0:100 2.0:150; do
  python3 -m venv --without-pip "venv${version%:*}"
  site=$(echo "venv${version%:*}"/lib/python3*/site-packages)
  for name in busy calm; do package "$site" $name "${version%:*}" "${version#*:}"; done
done
of_step 'busy 1\.0 -> 2\.0; calm 1\.0 -> 2\.0 \([0-9]+ % of it moves with the Python; unexplained: [0-9]+ %\)' \
  'venv1.0/bin/python job.py' 'venv2.0/bin/python job2.py'
answer 'answer.top.kind == "python" and answer.top.share > 0.8 and answer.levels[1].findings[1].package == "busy"'

# What a line runs without a file: the program is not identical.
why_differ "python3 -c 'print(\"step: 100\")'" "python3 -c 'print(\"step: 150\")'" --metric 'step: {number}' --better lower
grep -q "^  artifact .*the command differs" out || fail "the command that differs"
not_said "The compiled program is identical"

# An import that takes long, where a script around the program sets a variable: it cannot be exchanged, and is named beside
# what was measured.
mkdir -p quick slow
echo 'x = 1' >quick/heavy.py
printf 'import time\ntime.sleep(1.2)\n' >slow/heavy.py
echo 'import os, sys; sys.path.insert(0, os.environ["WHERE"]); import heavy' >where.py
for kind in quick slow; do printf 'export WHERE=%s\nexec python3 -B where.py\n' "$kind" >"run_$kind.sh"; done
top 'import takes .* s more, .* s of it in heavy itself \(.*The environment differs: WHERE quick -> slow\.$' \
  'sh run_quick.sh' 'sh run_slow.sh'
answer 'answer.top.level == "host" and answer.top.share > 0.8'

echo 'sum(i * i for i in range(2000000))' >plain.py
cp plain.py same.py
# An A/A: the same program in two files. A slowdown by chance has no cause.
"$engine" why 'python3 plain.py' 'python3 same.py' --json >out 2>err || [ $? = 3 ] || fail "an A/A"
answer '#(answer.levels[1] or { findings = {} }).findings == 0'

# --- A stand-in for jax that knows some flags of XLA and writes dumps.
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

# Flags are exchanged one at a time.
of_step ': XLA_FLAGS --xla_slow=100 -> --xla_slow=150 \([0-9]+ % of it moves with --xla_slow' \
  'XLA_FLAGS="--xla_slow=100 --xla_same=1" PYTHONPATH=old python3 train.py' \
  'XLA_FLAGS="--xla_slow=150 --xla_same=2" PYTHONPATH=old python3 train.py'
answer '#answer.swaps == 2 and answer.swaps[1].share > 0.8 and answer.swaps[2].name == "--xla_same"'

# A flag that the other XLA does not know is not exchanged.
of_step . 'XLA_FLAGS=--xla_slow=100 PYTHONPATH=old python3 train.py' \
  'XLA_FLAGS="--xla_slow=150 --xla_new=1" PYTHONPATH=new python3 train.py'
said "XLA does not know all flags of A with --xla_new of B: --xla_slow=100 --xla_new=1."
answer 'answer.top.name == "--xla_slow" and answer.top.share > 0.8'

# The first pass after which the ends differ, where XLA knows the flag that dumps passes; one that does not is not given it.
of_step . 'PYTHONPATH=passes python3 train.py' 'SLOW=150 PYTHONPATH=passes python3 train.py'
answer 'answer.levels[4].name == "program" and answer.levels[4].findings[1].what:find "after pass layout%-assignment$"'
of_step . 'PYTHONPATH=old python3 train.py' 'SLOW=150 PYTHONPATH=old python3 train.py'
answer '#answer.levels[4].findings > 0 and answer.levels[4].findings[1].what:find "after pass" == nil'
