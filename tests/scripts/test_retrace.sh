#!/bin/sh
# retrace.lua: the release from which a function is traced less often, with a stand-in for JAX and wheels of our own.
# tests/jax/run has the real one.
. "$(dirname "$0")/lib.sh"
. "$source_root/tests/scripts/wheels.sh"

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
serve wheels
set -- --package model --index "$url" --test 'python -B program.py' --quiet

says 0 'inner traces 3 -> 1' retrace 1 2 3 4 5 6 --function inner "$@"
grep -q 'first new *4' out || fail "the release is not named"
# The strategy that it is a short form of asks the same question.
says 0 'stored results' releases --from 1 --to 6 --metric @jit.traces:inner "$@"
grep -q 'first new *4' out || fail "the release is not named by releases"
says 0 '"verdict":"no_change"' retrace 4 5 6 --function inner "$@" --json
says 0 'inner compiles 3 -> 1' retrace 1 4 --count compiles --function inner "$@"
expect 3 retrace 1 4 --function nonsense "$@"
grep -q "no function 'nonsense' was compiled" err out || fail "the reason is not given"

# A further requirement is in each environment, and a release that the index lacks is skipped with the resolver's reason.
says 0 'there is no version of model==3.5' retrace 1 3.5 4 6 --with 'extra==1' --function inner --package model \
  --index "$url" --keep 2 --quiet --explain --test 'python -B -c "import extra" && python -B program.py'
said 'one of      these 2 releases'
says 0 'python program.py' retrace 1 4 --function inner --test 'python program.py' --dry-run
