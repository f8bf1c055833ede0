# A program whose tracing cache has misses that JAX fails to explain: in some releases that raises, and ends the program.
import importlib

import jax
import jax.numpy as jnp


def broken(*args, **kwargs):
    raise ValueError("no explanation")


for name in ("jax._src.pjit", "jax._src.interpreters.partial_eval"):
    module = importlib.import_module(name)
    explain = getattr(module, "explain_tracing_cache_miss", None) or getattr(module, "explain", None)
    if explain:
        explain.__code__, explain.__defaults__ = broken.__code__, None


@jax.jit
def f(x):
    return x + 1


for size in (2, 3, 4):
    f(jnp.ones(size))
