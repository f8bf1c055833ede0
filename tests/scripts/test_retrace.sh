#!/bin/sh
# retrace.lua: the release from which a function is traced less often, with a stand-in for JAX. tests/jax/run has the real
# one.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "python3 is not installed"

# Each environment's Python says how many types of arguments the function gets.
cat >install <<'EOF'
#!/bin/sh
mkdir -p "$ENVIRONMENT/bin"
case $RELEASE in 4 | 5 | 6) calls=1 ;; *) calls=3 ;; esac
printf '#!/bin/sh\nCALLS=%s exec python3 -B "$@"\n' "$calls" >"$ENVIRONMENT/bin/python"
chmod +x "$ENVIRONMENT/bin/python"
echo "$RELEASE $PACKAGE" >>installed
EOF
chmod +x install
cat >program.py <<'EOF'
import os
import jax


@jax.jit
def inner(x):
    return x


for x in (1, 1.0, "")[: int(os.environ["CALLS"])]:
    inner(x)
EOF
PYTHONPATH=$source_root/tests/data/jit/fake
export PYTHONPATH

expect 0 retrace 1 2 3 4 5 6 --function inner --install ./install --test 'python program.py' --quiet
grep -q 'inner traces 3 -> 1' out || fail "no change is reported"
grep -q 'first new *4' out || fail "the release is not named"
grep -q '^4 jax$' installed || fail "the install command has not seen the release"
expect 0 retrace 4 5 6 --function inner --install ./install --test 'python program.py' --quiet --json
grep -q '"verdict":"no_change"' out || fail "releases that count alike are a change"
expect 0 retrace 1 4 --count compiles --function inner --install ./install --test 'python program.py' --quiet
grep -q 'inner compiles 3 -> 1' out || fail "compilations are not counted"
expect 3 retrace 1 4 --function nonsense --install ./install --test 'python program.py' --quiet
grep -q "no function 'nonsense' was compiled" err out || fail "the reason is not given"
