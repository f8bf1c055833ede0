"""program.py VARIANT: compiles one function for the CPU. XLA_FLAGS say where its HLO goes; see make."""
import sys

import jax
import jax.numpy as jnp
import numpy as np


def f(x, w):
    if sys.argv[1] == "transpose":
        w = jnp.flip(w.T, 0).T
    return (jnp.tanh(x @ w * 2) + 1).sum(axis=0)


jax.jit(f).lower(np.ones((32, 16), np.float32), np.ones((16, 8), np.float32)).compile()
