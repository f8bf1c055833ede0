-- The program that compiles and times a module of the reproducer.

return [[
# python run.py FOLDER: compiles FOLDER/module.hlo.pb, what XLA was given, with the jaxlib of this Python, and times it
# on the first device: floating-point inputs are random, others 0.
import os
import statistics
import sys
import time

import jax
import jaxlib
import numpy
from jax._src import xla_bridge
from jaxlib import xla_client

RUNS = 20


def module_in(proto):
    """The bytes of the module, the first field of an HloProto."""
    size, shift, at = 0, 0, 1
    while True:
        byte = proto[at]
        size, shift, at = size | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return proto[at : at + size]


def input_of(shape, random):
    kind = numpy.dtype(shape.numpy_dtype())
    if kind.kind in "biu":
        return numpy.zeros(shape.dimensions(), kind)
    return random.standard_normal(shape.dimensions()).astype(kind)


def compiled(computation):
    backend, options = xla_bridge.get_backend(), xla_client.CompileOptions()
    text = xla_client._xla.mlir.xla_computation_to_mlir_module(computation)
    if hasattr(backend, "compile_and_load"):
        return backend.compile_and_load(text, backend.local_devices()[:1], options)
    return backend.compile(text, options)


def seconds_of(program, values):
    inputs = jax.block_until_ready([jax.device_put(value) for value in values])  # a run may reuse their memory
    begin = time.perf_counter()
    jax.block_until_ready(program.execute(inputs))
    return time.perf_counter() - begin


with open(os.path.join(sys.argv[1], "module.hlo.pb"), "rb") as file:
    computation = xla_client.XlaComputation(module_in(file.read()))
begin = time.perf_counter()
program = compiled(computation)
seconds = time.perf_counter() - begin
random = numpy.random.default_rng(0)
values = [input_of(shape, random) for shape in computation.program_shape().parameter_shapes()]
seconds_of(program, values)
times = [seconds_of(program, values) for _ in range(RUNS)]
print(f"jaxlib {jaxlib.__version__}: compiled in {seconds:.4g} s, runs in {1e3 * statistics.median(times):.4g} ms")
]]
