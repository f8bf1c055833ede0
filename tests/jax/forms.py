"""The ways in which a program gets at jax.jit, each with a function whose body is to be counted exactly."""
import functools
import warnings

import jax
import numpy as np
from jax import jit

warnings.simplefilter("ignore")
ONE = np.ones(4, np.float32)


@jit
def from_import(x):
    return x + 1


@functools.partial(jax.jit, static_argnums=(1,))
def static(x, n):
    return x * n


@functools.partial(jax.jit, static_argnames="n")
def named(x, n=2):
    return x * n


class Model:
    @jax.jit
    def decorated(x):
        return x + 2

    @functools.partial(jax.jit, static_argnums=0)
    def method(self, x):
        return x + 3

    def bound(self, x):
        return x + 4

    def __call__(self, x):
        return x + 5


def again(x):
    return x + 6


def mapped(x):
    return x + 7


def shadowed(x):
    return x + 8


def partially(x, y):
    return x + y


def run(function, *arguments, **named_arguments):
    """Traced as a part of another function: all releases can, also where jaxlib is a stand-in."""
    jax.make_jaxpr(lambda *given: function(*given, **named_arguments))(*arguments)


model = Model()
run(from_import, ONE)
run(lambda x: static(x, 3), ONE)
run(named, ONE, n=3)
run(Model.decorated, ONE)
run(model.method, ONE)
run(jax.jit(model.bound), ONE)
run(jax.jit(model), ONE)
run(jax.jit(jax.vmap(mapped)), ONE)
run(jax.jit(functools.partial(partially, 1)), ONE)
run(jit(again), ONE)
print(shadowed(1), static.__name__, named.__wrapped__.__name__)
