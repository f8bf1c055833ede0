#!/bin/sh
# tests/scripts/test_why_python.sh REGENGINE: why.lua on causes that are planted around Python programs, each of which is
# large enough for a busy machine.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "python3 is not installed"

# top PATTERN A B: the sentence of A against B.
top() {
  expect 0 why "$2" "$3" --json
  head -n 1 out
  head -n 1 out | grep -E "slower than A: " | grep -Eq "$1" || fail "the sentence of $3"
}

# package VERSION SECONDS: a package whose version says how long its work waits.
package() {
  mkdir -p "site$1/busy" "site$1/busy-$1.dist-info"
  printf 'Metadata-Version: 2.1\nName: busy\nVersion: %s\n' "$1" >"site$1/busy-$1.dist-info/METADATA"
  printf 'import time\ndef work(): time.sleep(%s)\n' "$2" >"site$1/busy/__init__.py"
}
package 1.0 0.1
package 2.0 1.3
echo 'import busy; busy.work()' >job.py
cp job.py job2.py

# A package, alone and beside a command that differs but does the same.
top 'busy 1\.0 -> 2\.0 \(nothing else differs' 'PYTHONPATH=site1.0 python3 job.py' 'PYTHONPATH=site2.0 python3 job.py'
answer 'answer.top.level == "swap" and answer.levels[1].findings[1] ~= nil'
top 'busy 1\.0 -> 2\.0 \([0-9]+ % of it moves with PYTHONPATH' 'PYTHONPATH=site1.0 python3 job.py' \
  'PYTHONPATH=site2.0 python3 job2.py'
answer 'answer.top.share > 0.8'

# Another Python, in which two packages differ: they are named, and that it moves with the Python.
for version in 1.0 2.0; do
  python3 -m venv --without-pip "venv$version"
  for name in busy calm; do
    site=$(echo "venv$version"/lib/python3*/site-packages)
    mkdir -p "$site/$name" "$site/$name-$version.dist-info"
    printf 'Metadata-Version: 2.1\nName: %s\nVersion: %s\n' "$name" "$version" >"$site/$name-$version.dist-info/METADATA"
    echo 'def work(): pass' >"$site/$name/__init__.py"
  done
  cp "site$version/busy/__init__.py" "$site/busy/"
done
top 'busy 1\.0 -> 2\.0; calm 1\.0 -> 2\.0 \([0-9]+ % of it moves with the Python; unexplained: [0-9]+ %\)' \
  'venv1.0/bin/python job.py' 'venv2.0/bin/python job2.py'
answer 'answer.top.kind == "python" and answer.top.share > 0.8 and answer.levels[1].findings[1].package == "busy"'

# What a line runs without a file: the program is not identical.
top 'waits .* s longer' "python3 -c 'import time; time.sleep(0.1)'" "python3 -c 'import time; time.sleep(1.3)'"
grep -q "^  artifact .*the command differs" out || fail "the command that differs"
not_said "The compiled program is identical"

# Threads that wait for each other, by a variable that the program reads.
cat >threads.py <<'END'
import os, threading, time
def work(jobs):
    for _ in range(jobs): time.sleep(0.2)
n = int(os.environ.get("OMP_NUM_THREADS", "8"))
for t in [threading.Thread(target=work, args=(8 // n,)) for _ in range(n)]: t.start()
END
cp threads.py threads2.py
top 'OMP_NUM_THREADS 8 -> 1 \([0-9]+ % of it moves with OMP_NUM_THREADS' 'OMP_NUM_THREADS=8 python3 threads.py' \
  'OMP_NUM_THREADS=1 python3 threads2.py'

# An import that takes long.
mkdir -p quick slow
echo 'x = 1' >quick/heavy.py
printf 'import time\ntime.sleep(1.2)\n' >slow/heavy.py
for kind in quick slow; do
  printf 'import sys\nsys.path.insert(0, "%s")\nimport heavy\n' "$kind" >"import_$kind.py"
done
top 'import takes .* s more, .* s of it in heavy itself' 'python3 -B import_quick.py' 'python3 -B import_slow.py'
answer 'answer.top.level == "host" and answer.top.share > 0.8'

# A script around the program sets a variable: it cannot be exchanged, and is named beside what was measured.
for seconds in 0.1 1.3; do
  printf 'export WAIT=%s\nexec python3 wait.py\n' "$seconds" >"run$seconds.sh"
done
printf 'import os, time\ntime.sleep(float(os.environ["WAIT"]))\n' >wait.py
top '^B is .* slower than A: waits .* s longer \(.*The environment differs: WAIT 0.1 -> 1.3\.$' 'sh run0.1.sh' 'sh run1.3.sh'

echo 'sum(i * i for i in range(5000000))' >plain.py
cp plain.py same.py
# An A/A: the same program in two files. A slowdown by chance has no cause.
status=0
"$engine" why 'python3 plain.py' 'python3 same.py' --json >out 2>err || status=$?
tail -n 1 out >answer.json
[ "$status" = 0 ] || [ "$status" = 3 ] || fail "exit code $status of an A/A"
"$engine" -e 'local answer = reg.json.decode(reg.fs.read "answer.json")
  for _, level in ipairs(answer.levels) do
    for _, finding in ipairs(level.findings) do assert(finding.level ~= "environment", finding.what) end
  end' || fail "an A/A has findings of the environment"
