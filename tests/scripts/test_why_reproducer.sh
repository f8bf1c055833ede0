#!/bin/sh
# tests/scripts/test_why_reproducer.sh REGENGINE: the folder that why.lua --reproduce writes, of programs without XLA and of a
# stand-in for jax that dumps protos if its XLA knows the flag.
. "$(dirname "$0")/lib.sh"
folder_said() { grep -qF -- "$1" "$2" || { cat "$2"; fail "$2 does not say: $1"; }; }

for end in fast:0.1 slow:1.5; do
  printf '#!/bin/sh\nsleep "${NAP:-%s}"\n' "${end#*:}" >"${end%:*}"
  chmod +x "${end%:*}"
done
secret=ghp_0123456789abcdefghijABCDEFGHIJ456789

# Both commands with digests, what differs, and nothing secret.
expect 0 why "API_TOKEN=$secret NAP=0.1 ./fast" 'NAP=1.5 ./fast' --reproduce given/new --json
said '"verdict":"found"'
grep -qF "given/new/README.md: how to run it elsewhere; read it before you share it" err || fail "where it is"
folder_said "API_TOKEN=<redacted> NAP=0.1 ./fast" given/new/README.md
folder_said "| \`NAP\` | \`0.1\` | \`1.5\` |" given/new/README.md
folder_said "NAP 0.1 -> 1.5 (" given/new/README.md
folder_said "No module: the command does not import JAX, TensorFlow or PyTorch/XLA." given/new/README.md
folder_said "$(sha256sum fast | cut -d' ' -f1)  the program" given/new/A/files.txt
cmp given/new/A/files.txt given/new/B/files.txt || fail "the same program has another digest"
! grep -rF "$secret" given || fail "the token is in the reproducer"
! grep -q 'REGENGINE_\|`_`' given/new/README.md || fail "a variable of the run itself"
[ ! -e given/new/A/module.hlo.pb ] || fail "a program without a module"

# Only into a new or empty folder, and before anything runs.
for place in given/new fast; do
  printf '#!/bin/sh\ntouch ran\n' >mark && chmod +x mark
  expect 2 why ./mark './mark again' --reproduce $place
  [ ! -e ran ] || fail "it ran before it looked at $place"
done
complained "why: not a folder: 'fast'"
expect 2 why ./fast ./slow --reproduce given/new
complained "why: not an empty folder: 'given/new'"
expect 0 why ./fast ./slow --reproduce planned --dry-run
said "would write a reproducer into planned"
[ ! -e planned ] || fail "a dry run makes the folder"

# Without a difference it stays empty.
echo "step: 100" >one
expect 3 why 'cat one' 'cat ./one' --metric 'step: {number}' --better lower --reproduce empty
[ -d empty ] && [ -z "$(ls -A empty)" ] || fail "a reproducer of equal ends"
grep -qF "empty stays empty: the ends do not differ" err || fail "why it is empty"

# The module of XLA, where both ends know the flag for protos.
command -v python3 >/dev/null || skip "python3 is not installed"
# stand_in FOLDER FLAG...: a jax whose XLA knows these flags and aborts on others. It dumps a module that has another
# fusion if SLOW is set.
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
place = flags.get("--xla_dump_to")
def write(name, text):
    with open(os.path.join(place, "module_0001.jit_f." + name), "w") as file:
        file.write(text)
def module(opcode):
    return """HloModule jit_f, entry_computation_layout={(f32[8]{0})->f32[8]{0}}

ENTRY main {
  x = f32[8]{0} parameter(0), metadata={source_file="/home/somebody/model.py"}
  ROOT y = f32[8]{0} %s(x)
}
""" % opcode
if place:
    opcode = "tanh" if os.environ.get("SLOW") else "negate"
    write("before_optimizations.txt", module("negate"))
    write("cpu_after_optimizations.txt", module(opcode))
    if "--xla_dump_hlo_as_proto" in flags:
        write("before_optimizations.hlo.pb", "proto of " + opcode)
    if "--xla_dump_hlo_pass_re" in flags:
        write("0001.simplification.after_algsimp.before_dce.txt", module("negate"))
        write("0002.simplification.after_layout-assignment.before_end.txt", module(opcode))
END
  printf '__version__ = "0.0"\nimport jaxlib\ndef jit(f): return f\ndef devices(platform): return []\n' >"$into/jax/__init__.py"
}
stand_in site --xla_dump_hlo_as_proto --xla_dump_hlo_pass_re --xla_same
stand_in old --xla_same
cat >train.py <<'END'
import os, time
import jax, jaxlib
time.sleep(1.5 if os.environ.get("SLOW") else 0.1)
END
expect 0 why 'XLA_FLAGS=--xla_same=1 PYTHONPATH=site python3 train.py' \
  'XLA_FLAGS=--xla_same=1 SLOW=1 PYTHONPATH=site python3 train.py' --reproduce module --json
[ "$(cat module/A/module.hlo.pb)" = "proto of negate" ] || fail "the module of A"
[ "$(cat module/B/module.hlo.pb)" = "proto of tanh" ] || fail "the module of B"
folder_said "tanh(x)" module/B/optimized.txt
! grep -q somebody module/B/optimized.txt || fail "a home folder in the optimized text"
folder_said "A  {(f32[8]{0})->f32[8]{0}}" module/README.md
folder_said "run_hlo_module --input_format=pb" module/README.md
folder_said "| \`XLA_FLAGS\` | \`--xla_same=1\` | \`--xla_same=1\` |" module/README.md

# It also says after which pass they differ.
answer 'answer.levels[5].name == "program" and answer.levels[5].findings[1].what:find "after pass layout%-assignment$"'
answer 'answer.collected_runs == 8'

# A flag that one of them does not know is passed to neither.
expect 0 why 'PYTHONPATH=old python3 train.py' 'SLOW=1 PYTHONPATH=site python3 train.py' --reproduce text --json
[ -e text/A/optimized.txt ] && [ ! -e text/B/module.hlo.pb ] || fail "a proto of one end"
folder_said "It was not dumped as a proto: at one of the ends XLA does not know" text/README.md
answer 'answer.levels[5].findings[1].what:find "after pass" == nil'

# An untrusted script writes it only where it says so. What it asks XLA it asks as it runs the ends: in a shell.
"$engine" trust --forget "$folder"
cat >own.lua <<'END'
reg.needs { process = { "sh", "PYTHONPATH=" }, files = ... }
reg.why { commands = { "PYTHONPATH=site python3 train.py", "SLOW=1 PYTHONPATH=site python3 train.py" }, budget = 5,
  reproduce = "from_script", into = "own.db" }
END
sed 's/files = \.\.\./files = "other\/*"/' own.lua >undeclared.lua
sed 's/files = \.\.\./files = "from_script\/*"/' own.lua >declared.lua
expect 1 --allow process=sh --allow process=PYTHONPATH= --allow 'files=other/*' undeclared.lua
grep -q "not permitted: files" err || fail "written where it did not say so"
[ ! -e from_script ] || fail "the folder of an undeclared script"
expect 0 --allow process=sh --allow process=PYTHONPATH= --allow 'files=from_script/*' declared.lua
[ "$(cat from_script/B/module.hlo.pb)" = "proto of tanh" ] || fail "the module of an untrusted script"
