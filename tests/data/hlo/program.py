"""program.py VARIANT: compiles one function for the CPU. XLA_FLAGS say where its HLO goes; see make."""
import sys

import jax
import jax.numpy as jnp
import numpy as np

variant = sys.argv[1]


def attention(x, w):
    return jax.nn.softmax(jnp.tanh(x @ w * 2) + 1, axis=-1).sum(axis=0)


def transpose(x, w):
    return jax.nn.softmax(jnp.tanh(x @ jnp.flip(w.T, 0).T * 2) + 1, axis=-1).sum(axis=0)


function = attention if variant == "base" else transpose
function.__name__ = "f"
x, w = np.ones((32, 16), np.float32), np.ones((16, 8), np.float32)
jax.jit(function).lower(x, w).compile()
