#!/bin/sh
# tests/scripts/test_why_jax.sh REGENGINE: why.lua on causes that are planted in programs of the real JAX, on the CPU.
# REGENGINE_TEST_JAX names a Python that has jax.
. "$(dirname "$0")/lib.sh"
[ -n "${REGENGINE_TEST_JAX:-}" ] || skip "REGENGINE_TEST_JAX is not set; name a Python that has jax"
python=$REGENGINE_TEST_JAX

# program NAME BODY [TYPE]: steps of a function with this body, in a process of its own.
program() {
  cat >"$1.py" <<END
import os
import jax, jax.numpy as jnp
jax.config.update("jax_enable_x64", True)
def f(x, y):
$2
step = jax.jit(f${3:-})
x = jnp.full((1000, 1000), 0.001, jnp.float32)
y = jnp.ones((1000, 1000), jnp.float32)
for i in range(${STEPS:-40}):
    x = step(x, y)${4:-}
x.block_until_ready()
END
}
plain='    return jnp.tanh(x + y) * 0.5'
program plain "$plain"
program plain2 "$plain"
echo "# the same" >>plain2.py

# found LEVEL PATTERN NAME: the first finding of plain.py against NAME.py.
found() {
  expect 0 why "$python plain.py" "$python $3.py" --budget 6 --json
  tail -n 1 out >answer.json
  top=$("$engine" -e 'local a = reg.json.decode(reg.fs.read "answer.json") print(a.top and a.top.level, a.top and a.top.what)')
  printf '%s\n' "$top" | grep -Eq "^$1.*($2)" || fail "$3: the first finding is $top"
  echo "$3: $top"
}

program transposed '    z = x
    for _ in range(8):
        z = jax.lax.optimization_barrier(z.T)
    return jnp.tanh(z + y) * 0.5'
found program 'transpose' transposed

program barrier '    z = x + y
    for _ in range(8):
        z = jax.lax.optimization_barrier(z * 1.001)
    return jnp.tanh(z) * 0.5'
found program 'fusion|multipl|loop' barrier

program promoted '    return (jnp.tanh(x + y * jnp.float64(1.0).reshape(1)) * 0.5).astype(jnp.float32)'
found program 'f64' promoted

# An A/A of the same program in two files.
expect_silent() {
  status=0
  "$engine" why "$python plain.py" "$python plain2.py" --budget 6 --json >out 2>err || status=$?
  tail -n 1 out >answer.json
  "$engine" -e 'local a = reg.json.decode(reg.fs.read "answer.json")
    for _, level in ipairs(a.levels) do
      for _, f in ipairs(level.findings) do assert(f.what == "the program differs", level.name .. ": " .. f.what) end
    end' || fail "an A/A has findings"
}
expect_silent
