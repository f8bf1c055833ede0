"""An inner function that is compiled, called 10 times by an outer one: how often is its body traced?"""
import sys

import jax
import jax.numpy as jnp
import numpy as np
from functools import partial


@partial(jax.jit, inline=True) if "inline" in sys.argv else jax.jit
def inner(state):
    return 2 * state


@jax.jit
def outer(x):
    y = x
    for _ in range(10):
        y = inner(y)
    return y + x


if "trace" in sys.argv:
    jax.make_jaxpr(outer)(np.arange(5, dtype=np.uint32))
    print("traced")
else:
    result = outer(jnp.arange(5, dtype=jnp.uint32)).block_until_ready()
    print("the result is", result.tolist())
