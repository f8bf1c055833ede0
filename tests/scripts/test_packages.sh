#!/bin/sh
# tests/scripts/test_packages.sh REGENGINE: packages.lua and investigate.lua --requirements on an index of this test's own.
. "$(dirname "$0")/lib.sh"
. "$source_root/tests/scripts/wheels.sh"

wheel() { "$source_root/tests/support/wheel" "$folder/wheels" "$@" >/dev/null; }
SLOW='import time; time.sleep(0.3); __version__ = "slow"'
# Of six packages alpha is slow since 1.2; beta 2.0 needs gamma 2.0; delta goes, and epsilon comes.
for version in 1.0 1.1 1.2 1.3 2.0; do
  day=2024-0$(echo "$version" | awk -F. '{ print $1 == 2 ? 5 : $2 + 1 }')-10T12:00:00Z
  case $version in 1.[01]) wheel alpha $version --at "$day" ;; *) wheel alpha $version --code "$SLOW" --at "$day" ;; esac
done
for version in 1.0 2.0; do
  day=2024-0$(echo "$version" | awk '{ print $1 == 2 ? 3 : 1 }')-05T12:00:00Z
  case $version in 1.0) wheel beta $version --at "$day" ;; *) wheel beta $version --requires 'gamma>=2' --at "$day" ;; esac
  for name in gamma delta; do wheel $name $version --at "$day"; done
  wheel zeta $version --claims ${version}0 --at "$day"  # the same version, written in another way
done
wheel epsilon 1.0 --at 2024-01-05T12:00:00Z
serve_by_default wheels

cat >job.py <<'END'
import importlib, time
began = time.perf_counter()
for name in ("alpha", "beta", "gamma", "zeta"):
    importlib.import_module(name)
print("step: %.3f ms" % (100 + 1e3 * (time.perf_counter() - began)))
END
printf '%s\n' alpha==1.0 beta==1.0 gamma==1.0 delta==1.0 zeta==1.0 >good.txt
printf '%s\n' alpha==2.0 beta==2.0 gamma==2.0 epsilon==1.0 zeta==2.0 >bad.txt
numbered alpha 3
for i in 1 2 3; do git -C alpha tag "v1.$((i - 1))" "c$i"; done
packages() { wanted=$1; shift; expect "$wanted" packages --test 'python job.py' --metric 'step: {number} ms' "$@"; }

tells packages 0 "culprit     alpha 1.0 -> 2.0" --good good.txt --bad bad.txt --repo alpha
said "The other 5 together change less than" "first bad   1.2" "last good   1.1"
said "regengine bisect --repo alpha --good v1.1 --bad v1.2"
packages 0 --good good.txt --bad bad.txt --repo alpha --json --quiet
grep -q '"culprits":\[{.*"alpha 1.0 -> 2.0"' out || fail "no JSON of the packages"

# What cannot be installed alone moves with what it needs.
printf '%s\n' beta==1.0 gamma==1.0 >good.txt
printf '%s\n' beta==2.0 gamma==2.0 >bad.txt
echo 'import beta; print("step: %d ms" % (100 if beta.__version__ < "2" else 200))' >job.py
packages 0 --good good.txt --bad bad.txt
said "beta 1.0 -> 2.0 cannot be installed without gamma 2.0, which moved with it."
# And what it needs is the answer, where that alone makes the difference.
sed -i 's/beta/gamma/g' job.py
tells packages 0 "culprit     gamma 1.0 -> 2.0" --good good.txt --bad bad.txt

# Days of a requirements file: the day, its only package, that package's releases.
printf '%s\n' alpha zeta >requirements.txt
echo 'python -c "import alpha; print(\"step: %d ms\" % (100 if alpha.__version__ != \"slow\" else 200))"' >test.sh
expect 0 investigate --requirements requirements.txt --from 2024-02-20 --to 2024-06-01 --test test.sh --metric 'step: {number} ms'
said "first bad   2024-03-10" "last good   2024-03-05" "alpha 1.1 -> 1.2 is the only package that differs."
packages 0 --requirements requirements.txt --good 2024-02-20 --bad 2024-06-01 --test 'bash test.sh'
said "culprit     alpha 1.1 -> 2.0"
expect 0 packages --dry-run --good good.txt --bad bad.txt --test 'python job.py' --metric 'step: {number} ms'

# A wheel for each commit, some of which nobody built.
numbered tool 5
for i in 1 3 4 5; do release "commits/$(id_of tool c$i)" tool 1.0 $((i < 4 ? 100 : 200)); done
(cd commits && exec python3 -u -m http.server --bind 127.0.0.1 0) >served 2>&1 &
at_end="kill $!"
wait_until grep -qs port served
place=http://127.0.0.1:$(sed -n 's/.* port \([0-9]*\).*/\1/p' served)
says 0 "first new   $(id_of tool main~1)" releases --wheel "$place/{commit}/tool-1.0-py3-none-any.whl" --repo tool \
  --from main~4 --to main --test 'python -c "import tool; print(tool.speed)"' --metric '{number}'
said "skipped $(short tool main~3) (could not be built): HTTP status client error (404"

# What scripts call.
printf '%s\n' alpha==1.0 beta==1.0 >old.txt
printf '%s\n' alpha==2.0 beta==1.0 zeta==1.0 >new.txt
cat >own.lua <<END
local python <close> = reg.python.installer { keep = 3 }
local releases = python:subjects { packages = { "alpha" }, from = "1.1", to = "1.3" }
assert(#releases == 3 and releases[1].id == "1.1")
for problem, range in pairs {
  ["not a version or a day: 'x'"] = { from = "x" }, ["not a version or a day: '2024-03-40'"] = { from = "2024-03-40" },
  ["one end is a day"] = { from = "2024-03-01", to = "1.2" }, ["is after the last"] = { from = "1.2", to = "1.0" },
  ["alpha has no release from 3"] = { from = "3" },
} do
  range.packages = { "alpha" }
  local ok, why = pcall(python.subjects, python, range)
  assert(not ok and why.kind == "usage" and why.message:find(problem, 1, true), why.message)
end
local lock, why = python:resolve { packages = { "alpha<1.3" }, at = "2024-02-20" }
assert(lock.versions.alpha == "1.1")
lock, why = python:resolve { packages = { "alpha==9" } }
assert(not lock and why:find "alpha==9")
local both = python:environment { packages = { "beta==2.0" } }
assert(both.modules[1] == "beta" and both.modules[2] == "gamma")
assert(reg.process.run(both.lock:command "python -c 'import gamma; print(gamma.__version__)'").stdout == "2.0\n")
local good = python:environment { lock = "good.txt" }
assert(python:changes(good.lock, both.lock).items[1] == "beta 1.0 -> 2.0")
local list, kind = python:subjects { packages = { "beta", "gamma" }, from = "1.0" }
assert(#list == 2 and kind == "release" and list[1].lock.versions.gamma == "1.0")
assert(#python:subjects { requirements = "alpha", from = "2024-02-20", to = "2024-06-01" } == 4)
local commits = reg.history(reg.git.open "tool", "main~4", "main")
assert(#python:subjects { commits = commits, wheel = "$place/{commit}/tool-1.0-py3-none-any.whl" } == 5)
local versions = python:subjects { packages = { "alpha" }, versions = { "1.1", "1.2" } }
local opt = { test = "python -c 'import alpha; print(len(alpha.__version__))'", metric = "{number}" }
assert(#python:search(versions, opt, { title = "versions" }).changes == 1)
local changes = python:changes("old.txt", "new.txt")
local found, series = changes:stages(opt)
assert(found.culprits[1].items[1] == "alpha 1.0 -> 2.0")
assert(series.changes[1].hi.id == "1.2")
python:close()
END
expect 0 own.lua
[ "$(ls -d .regengine/environments/*/complete | wc -l)" = 3 ] || fail "the limit of the cache"

# Bad input is one line, before anything is installed.
echo 'alpha>=1.0' >range.txt
tells packages 2 "line 1 is not a package with a version: alpha>=1.0" --good range.txt --bad bad.txt
tells packages 2 "both ends have the same packages" --good good.txt --bad good.txt
tells packages 2 "missing.txt" --good good.txt --bad missing.txt
echo 'alpha==9.9' >absent.txt
tells packages 2 "the bad packages cannot be installed" --good good.txt --bad absent.txt
says 2 "from" investigate --requirements requirements.txt --to 2024-06-01 --test test.sh
