#!/bin/sh
# tests/scripts/test_why_jax.sh REGENGINE: why.lua on causes that are planted in programs of the real JAX, on the CPU.
# REGENGINE_TEST_JAX names a Python that has jax.
. "$(dirname "$0")/lib.sh"
[ -n "${REGENGINE_TEST_JAX:-}" ] || skip "REGENGINE_TEST_JAX is not set; name a Python that has jax"
python=$REGENGINE_TEST_JAX

# program NAME BODY [JIT-OPTIONS] [NEXT]: prints the seconds of some steps of a function with this body.
program() {
  cat >"$1.py" <<END
import time
import jax, jax.numpy as jnp
jax.config.update("jax_enable_x64", True)
def f(x, y):
$2
step = jax.jit(f${3:-})
x = jnp.full((1000, 1000), 0.001, jnp.float32)
y = jnp.ones((1000, 1000), jnp.float32)
x = step(x, y).block_until_ready()
begin = time.perf_counter()
for i in range(30):
    ${4:-x = step(x, y)}
x.block_until_ready()
print("steps:", time.perf_counter() - begin)
END
}
plain='    return jnp.tanh(x + y) * 0.5'
program plain "$plain"
program plain2 "$plain"
echo "# the same" >>plain2.py

why() {
  status=0
  "$engine" why "$python $1.py" "$python $2.py" --metric 'steps: {number}' --better lower --budget 5 --json \
    >out 2>err || status=$?
  case $status in 0 | 3) ;; *) fail "exit code $status of $1 against $2" ;; esac
  tail -n 1 out >answer.json
}

# found PATTERN NAME [BASE]: the first finding of plain.py, or of BASE.py, against NAME.py is of the program and says this.
found() {
  why "${3:-plain}" "$2"
  top=$("$engine" -e 'local top = reg.json.decode(reg.fs.read "answer.json").top or { level = "none", what = "none" }
    print(top.level .. ": " .. top.what)')
  echo "$2: $top"
  printf '%s\n' "$top" | grep -Eq "^program: .*($1)" || fail "the first finding of $2 is $top"
}

program transposed '    z = x
    for _ in range(8):
        z = jax.lax.optimization_barrier(z.T)
    return jnp.tanh(z + y) * 0.5'
found 'transpose|cop(y|ies)' transposed

program barrier '    z = x + y
    for _ in range(8):
        z = jax.lax.optimization_barrier(z * 1.001)
    return jnp.tanh(z) * 0.5'
program whole '    z = x + y
    for _ in range(8):
        z = z * 1.001
    return jnp.tanh(z) * 0.5'
found 'fusion|computation|split|multipl' barrier whole

program promoted '    return (jnp.tanh(x + y * jnp.ones((1,), jnp.float64)) * 0.5).astype(jnp.float32)'
found 'f64' promoted

program donated "$plain" ', donate_argnums=0'
program kept "$plain"
found 'donat' kept donated

# Each step has another shape: a module for each of them.
program shapes "$plain" '' 'x = step(x[: 1000 - i], y[: 1000 - i])'
found 'module' shapes

# An A/A: the same program in two files.
why plain plain2
"$engine" -e 'for _, level in ipairs(reg.json.decode(reg.fs.read "answer.json").levels) do
  for _, finding in ipairs(level.findings) do
    assert(finding.what == "the program differs", level.name .. ": " .. finding.what)
  end
end' || fail "an A/A has findings"
