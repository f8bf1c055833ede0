#!/bin/sh
# The release from which a function is traced less often, with a stand-in for JAX and wheels of our own.
# tests/jax/run counts the traces of the real one.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "python3 is not installed"
uv=$("$source_root/tests/support/uv") || skip "uv cannot be installed"
PATH=$(dirname "$uv"):$PATH
export UV_CACHE_DIR="$folder/uv"

# Each release of the package says how many types of arguments the function gets.
for version in 1 2 3 4 5 6; do
  calls=3
  [ "$version" -lt 4 ] || calls=1
  "$source_root/tests/support/wheel" wheels model $version --code "calls = $calls"
done
"$source_root/tests/support/wheel" wheels extra 1
cat >program.py <<'EOT'
import jax
import model


@jax.jit
def inner(x):
    return x


for x in (1, 1.0, "")[: model.calls]:
    inner(x)
EOT
PYTHONPATH=$source_root/tests/data/jit/fake
export PYTHONPATH
"$source_root/tests/support/wheel_index" wheels >url 2>requests &
wait_until there url
url=$(cat url)
set -- --package model --index "$url" --test 'python -B program.py' --quiet

expect 0 releases --from 1 --to 6 --metric @jit.traces:inner "$@"
grep -q 'inner traces 3 -> 1' out || fail "no change is reported"
grep -q 'first new *4' out || fail "the release is not named"
expect 0 releases --from 4 --to 6 --metric @jit.traces:inner "$@" --json
grep -q '"verdict":"no_change"' out || fail "releases that count alike are a change"
expect 0 releases --from 1 --to 4 --metric @jit.compiles:inner "$@"
grep -q 'inner compiles 3 -> 1' out || fail "compilations are not counted"
expect 3 releases --from 1 --to 4 --metric @jit.traces:nonsense "$@"
grep -q "no function 'nonsense' was compiled" err out || fail "the reason is not given"

# A further requirement is in each environment.
expect 0 releases --from 1 --to 6 --with 'extra==1' --metric @jit.traces:inner --package model --index "$url" --keep 2 --quiet \
  --test 'python -B -c "import extra" && python -B program.py'
grep -q 'first new *4' out || fail "the release is not named"
