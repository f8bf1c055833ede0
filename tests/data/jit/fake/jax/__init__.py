"""Stands in for JAX: a compiled function runs its body for each new type of its arguments."""
import functools

__version__ = "0.0.1"
from jax._src.dispatch import logger
traced = {}

def jit(fun, static_argnums=()):
    @functools.wraps(fun)
    def call(*args):
        key = (fun, tuple(type(argument) for argument in args))
        if key not in traced:
            traced[key] = fun(*args)
            logger.debug("Finished XLA compilation of jit(%s) in 0.5 sec", getattr(fun, "__name__", "?"))
        return traced[key]
    return call

def pmap(fun):
    return jit(fun)
