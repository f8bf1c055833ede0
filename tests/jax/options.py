"""options.py N: shifts the columns and then the diagonals of a 4x4 matrix, 7 times, with the diagonals made columns by
1 a gather, 2 take, 3 indices into the flat matrix, 4 not at all. Which of them XLA fuses differs."""
import sys

import jax
import jax.numpy as jnp
import numpy as np

OPTION = int(sys.argv[1])
ROWS = np.arange(4).repeat(4).reshape(4, 4)
DIAGONALS = np.stack([ROWS, (ROWS + ROWS.T) % 4], axis=-1)
FLAT = DIAGONALS[..., 0] * 4 + DIAGONALS[..., 1]


def shifted(column):
    for _ in range(3):
        column = column << 7
    return column


def diagonals(m):
    if OPTION == 1:
        numbers = jax.lax.GatherDimensionNumbers(offset_dims=(), collapsed_slice_dims=(0, 1), start_index_map=(0, 1))
        return jax.lax.gather(m, jnp.asarray(DIAGONALS), numbers, slice_sizes=(1, 1), unique_indices=True)
    if OPTION == 2:
        return jnp.take(m, FLAT)
    if OPTION == 3:
        return m.ravel()[FLAT]
    return m


@jax.jit
def inner(m):
    columns = jax.vmap(shifted, in_axes=1, out_axes=1)
    return columns(diagonals(columns(m)))


@jax.jit
def outer(m):
    before = m
    for _ in range(7):
        m = inner(m)
    return m + before


m = np.arange(16, dtype=np.int32).reshape(4, 4)
if "trace" in sys.argv:
    jax.make_jaxpr(outer)(m)
else:
    outer(m).block_until_ready()
