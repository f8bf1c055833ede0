-- sitecustomize.py of a folder that is first on PYTHONPATH: Python runs it before the program. When the program imports
-- jax, it wraps what compiles functions, so that each execution of a function's body is counted, whatever the release.
-- Executions are what tracing is: no log of JAX has all of them. A line of JSON for each event is appended to a file of
-- the process in $REGENGINE_JIT, so kill -9 loses none, and a fork begins a file of its own.
--   {"jax": VERSION}                       jax was imported
--   {"variables": {NAME: VALUE}}           those of compilers and libraries that the program had set before that
--   {"jit": NAME, "at": "FILE:LINE"}       a function was passed to jax.jit
--   {"ran": NAME, "at":, "from":, "module":}  its body ran, called from there
--   {"log": TEXT}                          JAX logged it
--   {"problem": TEXT}

return [==[
import functools, importlib.machinery, importlib.util, inspect, json, logging, os, sys, time, types

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.environ.get("REGENGINE_JIT")
EXPLAINS = os.environ.get("REGENGINE_JIT_EXPLAINS") == "1"
READ = ("XLA", "JAX", "TF_", "CUDA", "NVIDIA", "NCCL", "OMP", "MKL", "KMP", "LD_")  # how variables begin
MOST_EXPLAINED = 200  # JAX may compare a call with all before it, and explain it with each of them
KEPT = ("Finished ", "TRACING CACHE MISS", "Persistent compilation cache hit")
MARK = "_regengine_jit"  # on a function and on its wrapper: (function, wrapper)
state = {"pid": None, "fd": None}
STARTED = dict(os.environ)

def write(**event):
    try:
        if state["pid"] != os.getpid():  # also after a fork
            name = "%d-%x.jsonl" % (os.getpid(), time.time_ns() if hasattr(time, "time_ns") else int(time.time() * 1e9))
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
            state.update(pid=os.getpid(), fd=os.open(os.path.join(FOLDER, name), flags, 0o666))
            if "jax" in state:
                write(jax=state["jax"])
        os.write(state["fd"], (json.dumps(event) + "\n").encode("utf-8", "replace"))
    except Exception:
        pass  # the program goes on

def place(code):
    return "%s:%d" % (code.co_filename, code.co_firstlineno)

def name_of(fun):
    return getattr(fun, "__qualname__", None) or getattr(fun, "__name__", None) or type(fun).__qualname__

def note(name, at):
    """The body of a function runs: called from the first frame that is not JAX's."""
    frame = sys._getframe(2)
    while frame and (frame.f_code.co_filename.startswith(state.get("within", ()))
                     or os.path.basename(frame.f_code.co_filename) in ("contextlib.py", "functools.py")):
        frame = frame.f_back
    site = "%s:%d" % (frame.f_code.co_filename, frame.f_lineno) if frame else "?"
    write(ran=name, at=at, **{"from": site})

def counted_function(fun):
    known = fun.__dict__.get(MARK)
    if known and (known[0] is fun or known[1] is fun):
        return known[1]
    if (getattr(fun, "__module__", None) or "").split(".")[0] in ("jax", "jaxlib"):
        return fun
    if inspect.isgeneratorfunction(fun) or inspect.iscoroutinefunction(fun):
        return fun
    name, at = name_of(fun), place(getattr(inspect.unwrap(fun), "__code__", fun.__code__))
    @functools.wraps(fun)
    def wrapper(*args, **kwargs):
        note(name, at)
        return fun(*args, **kwargs)
    code = fun.__code__  # JAX shows where a function's code is: that of the wrapped one
    if hasattr(wrapper.__code__, "replace"):
        wrapper.__code__ = wrapper.__code__.replace(co_filename=code.co_filename, co_firstlineno=code.co_firstlineno,
                                                    co_name=code.co_name)
    # JAX's caches go by the function: one wrapper for each, wherever it is compiled.
    setattr(wrapper, MARK, (fun, wrapper))
    setattr(fun, MARK, (fun, wrapper))
    write(jit=name, at=at)
    return wrapper

class CountedObject:
    """An object that is called, in JAX's caches the same as that object."""

    def __init__(self, wrapped):
        self.__dict__.update(wrapped=wrapped, __wrapped__=wrapped, name=name_of(wrapped),
                             at=place(type(wrapped).__call__.__code__))

    def __call__(self, *args, **kwargs):
        note(self.name, self.at)
        return self.wrapped(*args, **kwargs)

    def __getattr__(self, name):
        return getattr(self.wrapped, name)

    def __hash__(self):
        return hash(self.wrapped)

    def __eq__(self, other):
        return self.wrapped == (other.wrapped if isinstance(other, CountedObject) else other)

def counted(fun):
    if isinstance(fun, types.FunctionType):
        return counted_function(fun)
    if isinstance(fun, types.MethodType):  # equal to another of the same object, as a method is
        return types.MethodType(counted(fun.__func__), fun.__self__)
    if type(fun) is functools.partial:
        known = fun.__dict__.get(MARK)
        if not known or known[0] is not fun:
            known = (fun, functools.partial(counted(fun.func), *fun.args, **fun.keywords))
            setattr(fun, MARK, known)
        return known[1]
    if isinstance(fun, CountedObject) or not isinstance(getattr(type(fun), "__call__", None), types.FunctionType):
        return fun  # what jax.jit returns, and what is not written in Python
    if type(fun).__module__.split(".")[0] in ("jax", "jaxlib"):
        return fun
    made = CountedObject(fun)
    write(jit=made.name, at=made.at)
    return made

def attempt(f, *args):
    try:
        return f(*args)
    except Exception as why:
        write(problem="%s: %r" % (f.__name__, why))
        return args[0] if args else None

def wrapped(compiles):
    """jax.jit or the like, for which functions are counted."""
    @functools.wraps(compiles)
    def jit(*args, **kwargs):
        if args:
            return compiles(attempt(counted, args[0]), *args[1:], **kwargs)
        for name in ("fun", "f"):
            if name in kwargs:
                kwargs[name] = attempt(counted, kwargs[name])
                return compiles(**kwargs)
        decorator = compiles(**kwargs)
        return lambda fun: decorator(attempt(counted, fun))
    setattr(jit, MARK, True)
    return jit

def patch(module, names):
    for name in names:
        compiles = module.__dict__.get(name)
        if callable(compiles) and not hasattr(compiles, MARK):
            setattr(module, name, wrapped(compiles))

def shows_compiles():
    try:
        config = sys.modules["jax._src.config"]
        shows = getattr(config.log_compiles, "value", None)
        return config.config.jax_log_compiles if shows is None else shows
    except Exception:
        return True

class Kept(logging.Filter):
    """Keeps what JAX logs about compiling, and lets through only what is shown without it."""

    def __init__(self, logger):
        logging.Filter.__init__(self)
        self.logger, self.level = logger, logger.level
    def filter(self, record):
        text = ""
        try:
            text = record.getMessage()
            if text.startswith(KEPT):
                is_miss = text.startswith("TRACING CACHE MISS")
                write(log=text[:20000 if is_miss else 2000])
                if EXPLAINS and is_miss:
                    state["explained"] = state.get("explained", 0) + 1
                    if state["explained"] == MOST_EXPLAINED:
                        sys.modules["jax"].config.update("jax_explain_cache_misses", False)
                    return False
        except Exception:
            pass
        if self.logger.level != logging.DEBUG:
            return True  # the program set another level since
        # Releases before 0.4.14 warn of what they would log for debugging.
        level = record.levelno if shows_compiles() else min(record.levelno, logging.DEBUG)
        shown = level if text.startswith("Finished ") else record.levelno
        return shown >= (self.level or self.logger.parent.getEffectiveLevel())

def listen():
    names = ["jax._src." + name for name in ("api", "compiler", "dispatch", "interpreters.mlir", "pjit", "profiler",
                                             "interpreters.partial_eval", "interpreters.pxla", "interpreters.xla")]
    if not any(hasattr(sys.modules.get(name), "logger") for name in names):
        names = ["absl"]  # releases before 0.4
    for name in names:
        logger = logging.getLogger(name)
        logger.addFilter(Kept(logger))
        logger.setLevel(logging.DEBUG)

def guarded(explain):
    @functools.wraps(explain)
    def guarded_explain(*args, **kwargs):
        try:
            explain(*args, **kwargs)
        except Exception as why:
            write(problem="JAX cannot explain a miss of its tracing cache: %r" % why)
    return guarded_explain

def guard_explanations(module):
    """What JAX cannot explain raises in some releases, and would end the program."""
    def guard(make):
        @functools.wraps(make)
        def guarded_make(*args, **kwargs):
            if kwargs.get("explain"):
                kwargs["explain"] = guarded(kwargs["explain"])
            return make(*args, **kwargs)
        return guarded_make
    for name in ("cache", "weakref_lru_cache") if EXPLAINS else ():
        if callable(module.__dict__.get(name)):
            setattr(module, name, guard(module.__dict__[name]))

def on_jax(module):
    folder = os.path.dirname(os.path.abspath(module.__file__))
    state["within"] = (folder + os.sep, os.path.join(os.path.dirname(folder), "jaxlib") + os.sep)
    write(jax=module.__version__)
    if state.get("variables"):
        write(variables=state["variables"])
    state["jax"] = module.__version__  # for files of forks
    patch(module, ("jit", "pmap", "pjit"))
    attempt(listen)

PATCHES = {
    "jax": on_jax,
    "jax._src.linear_util": guard_explanations,
    "jax._src.util": guard_explanations,
    "jax.api": lambda module: patch(module, ("jit", "pmap")),
    "jax.experimental.pjit": lambda module: patch(module, ("pjit",)),
    "jax.experimental.maps": lambda module: patch(module, ("xmap",)),
}

class Finder:
    """Patches a module once it is imported."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in PATCHES:
            return None
        if name == "jax":  # what the program sets before that, jax reads now
            state.setdefault("variables", {key: value for key, value in os.environ.items()
                                           if key.startswith(READ) and STARTED.get(key) != value})
        for finder in sys.meta_path:
            if finder is Finder or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is None:
                continue
            load = getattr(spec.loader, "exec_module", None)
            if load:
                def exec_module(module):
                    load(module)
                    attempt(PATCHES[name], module)
                try:
                    spec.loader.exec_module = exec_module
                except Exception as why:
                    write(problem="%s cannot be patched: %r" % (name, why))
            return spec
        return None

def run_shadowed():
    """Another sitecustomize, which Python would have run."""
    path = [folder for folder in sys.path if os.path.abspath(folder) != HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", path)
    if spec and spec.loader:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)

sys.modules[MARK] = sys.modules[__name__]
if FOLDER:
    sys.meta_path.insert(0, Finder)
run_shadowed()
]==]
