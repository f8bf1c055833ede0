#!/bin/sh
# tests/scripts/test_packages.sh REGENGINE: packages.lua and investigate.lua --requirements on an index of this test's own.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "python3 is not installed"
uv=$("$source_root/tests/support/uv") || skip "uv cannot be installed"
PATH=$(dirname "$uv"):$PATH
export UV_CACHE_DIR="$folder/uv" PIP_CONFIG_FILE=/dev/null
unset UV_INDEX UV_INDEX_URL UV_EXTRA_INDEX_URL PIP_INDEX_URL PIP_EXTRA_INDEX_URL 2>/dev/null || :

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
  for name in gamma delta zeta; do wheel $name $version --at "$day"; done
done
wheel epsilon 1.0 --at 2024-01-05T12:00:00Z
"$source_root/tests/support/wheel_index" "$folder/wheels" >url 2>requests &
index=$!
at_end="kill $index"
wait_until [ -s url ]
UV_DEFAULT_INDEX=$(cat url)
export UV_DEFAULT_INDEX

cat >job.py <<'END'
import importlib, time
began = time.perf_counter()
for name in ("alpha", "beta", "gamma", "zeta"):
    importlib.import_module(name)
print("step: %.3f ms" % (100 + 1e3 * (time.perf_counter() - began)))
END
printf '%s\n' alpha==1.0 beta==1.0 gamma==1.0 delta==1.0 zeta==1.0 >good.txt
printf '%s\n' alpha==2.0 beta==2.0 gamma==2.0 epsilon==1.0 zeta==2.0 >bad.txt
git init -q -b main alpha
for version in 1.0 1.1 1.2; do
  echo $version >alpha/number
  commit alpha "alpha $version"
  git -C alpha tag v$version
done
packages() { wanted=$1; shift; expect "$wanted" packages --test 'python job.py' --metric 'step: {number} ms' "$@"; }

packages 0 --good good.txt --bad bad.txt --repo alpha
said "culprit     alpha 1.0 -> 2.0"
said "The other 5 together change less than"
said "first bad   1.2"
said "last good   1.1"
said "regengine bisect --repo alpha --good v1.1 --bad v1.2"
packages 0 --good good.txt --bad bad.txt --repo alpha --json --quiet
grep -q '"culprits":\[{.*"alpha 1.0 -> 2.0"' out || fail "no JSON of the packages"

# What cannot be installed alone moves with what it needs.
printf '%s\n' beta==1.0 gamma==1.0 >good.txt
printf '%s\n' beta==2.0 gamma==2.0 >bad.txt
echo 'import beta; print("step: %d ms" % (100 if beta.__version__ < "2" else 200))' >job.py
packages 0 --good good.txt --bad bad.txt
said "beta 1.0 -> 2.0 cannot be installed without gamma 2.0, which moved with it."

# Days of a requirements file: the day, its only package, that package's releases.
printf '%s\n' alpha zeta >requirements.txt
echo 'python -c "import alpha; print(\"step: %d ms\" % (100 if alpha.__version__ != \"slow\" else 200))"' >test.sh
expect 0 investigate --requirements requirements.txt --from 2024-02-20 --to 2024-06-01 --test test.sh --metric 'step: {number} ms'
said "first bad   2024-03-10"
said "last good   2024-03-05"
said "alpha 1.1 -> 1.2 is the only package that differs."
expect 0 releases --requirements requirements.txt --from 2024-02-20 --to 2024-06-01 --test 'bash test.sh' --metric 'step: {number} ms'
said "On 2024-03-10 alpha 1.1 -> 1.2."
packages 0 --requirements requirements.txt --good 2024-02-20 --bad 2024-06-01 --test 'bash test.sh'
said "culprit     alpha 1.1 -> 2.0"
expect 0 packages --dry-run --good good.txt --bad bad.txt --test 'python job.py' --metric 'step: {number} ms'

# Bad input is one line, before anything is installed.
echo 'alpha>=1.0' >range.txt
packages 2 --good range.txt --bad bad.txt
complained "line 1 is no package with its version: alpha>=1.0"
packages 2 --good good.txt --bad good.txt
complained "both ends have the same packages"
packages 2 --good good.txt --bad missing.txt
complained "missing.txt"
echo 'alpha==9.9' >absent.txt
packages 2 --good good.txt --bad absent.txt
complained "the bad packages cannot be installed"
expect 2 investigate --requirements requirements.txt --to 2024-06-01 --test test.sh
complained "from"
echo "which of the packages, and which release of it"
