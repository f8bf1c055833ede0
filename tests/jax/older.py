"""Lets a release of jax before 0.4.13 trace functions: the index has no jaxlib for it, and tracing needs little of jaxlib.

tests/jax/run copies it into the jaxlib 0.4.13 of such a release's environment. The Python code of jax, which is what
traces, is the release's own; what jaxlib lacks is replaced by empty stand-ins, so that nothing can be compiled."""
import functools
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types

GONE = ("jaxlib.pocketfft", "jaxlib.mlir.dialects.std", "jaxlib.cuda_linalg", "jaxlib.cuda_prng", "jaxlib.cusolver",
        "jaxlib.cusparse")
made = {}


class Plain:
    __slots__ = ()


class Missing(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: None


def missing(name):
    if name.startswith("__"):
        raise AttributeError(name)
    if name not in made:
        made[name] = Missing(name, (Plain,), {"__slots__": (), "__init__": lambda self, *args, **kwargs: None})
    return made[name]


class State:
    """What jaxlib keeps of jax's settings, with those that it no longer has."""

    def __init__(self, get, **more):
        self.__dict__.update(more, get=get)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.get(), name)

    def __setattr__(self, name, value):
        try:
            setattr(self.get(), name, value)
        except (AttributeError, TypeError):
            self.__dict__[name] = value


class Jitted:
    def __init__(self, fun, cache_miss, *args, **kwargs):
        self.cache_miss = cache_miss
        functools.update_wrapper(self, fun)

    def __call__(self, *args, **kwargs):
        return self.cache_miss(*args, **kwargs)[0]

    def __get__(self, instance, kind=None):
        return self if instance is None else types.MethodType(self, instance)


class Cache:
    DEFAULT_SIZE = 4096

    def __init__(self, *args):
        pass

    clear_all = staticmethod(lambda: None)


class Empty(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """A module that jaxlib no longer has."""

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name in GONE else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.__getattr__ = missing


def begin(version):
    import jaxlib
    import jaxlib.version
    jaxlib.__version__ = jaxlib.version.__version__ = jaxlib.version._version = version
    import jaxlib.lapack
    import jaxlib.mlir.dialects.builtin
    import jaxlib.mlir.dialects.chlo
    import jaxlib.mlir.dialects.mhlo
    import jaxlib.xla_client as client
    import jaxlib.xla_extension as extension
    real = extension.jax_jit
    jax_jit = types.ModuleType("jaxlib.xla_extension.jax_jit")
    jax_jit.__dict__.update((name, value) for name, value in vars(real).items() if not name.startswith("__"))
    real.set_thread_local_state_initialization_callback(lambda: None)
    everywhere, here = State(real.global_state, jax_array=True), State(real.thread_local_state, jax_array=None)
    jax_jit.global_state, jax_jit.thread_local_state = lambda: everywhere, lambda: here
    jax_jit.CompiledFunctionCache, jax_jit.jit = Cache, Jitted
    extension.jax_jit = client.jax_jit = sys.modules["jaxlib.xla_extension.jax_jit"] = jax_jit
    dialects = jaxlib.mlir.dialects
    modules = [jaxlib.lapack, dialects.builtin, dialects.chlo, dialects.mhlo, client, extension]
    modules += [one for one in vars(extension).values() if isinstance(one, types.ModuleType)]
    for module in modules:
        module.__getattr__ = missing
    sys.meta_path.append(Empty())
