#!/bin/sh
# tests/scripts/test_why_python.sh REGENGINE: why.lua on causes that are planted around Python programs. Most print the number
# that got worse: what is exchanged moves it exactly, however busy the machine is.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "python3 is not installed"

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
