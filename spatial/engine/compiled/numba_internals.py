"""All of Numba that is used here and is not in its documented interface, with the reason for each.

A new release of Numba may change any of it: this is the file to look at then. Nothing else in the package imports
``numba.core``; the bounds of the dependency are those between which the tests have run.

===================================  ====================================================================================
private                              why
===================================  ====================================================================================
``CPUDispatcher`` and its options    ``numba.njit`` makes an entrance for Python for each function (twice the time to
                                     compile) and cannot leave out reference counting (``_nrt``): a record of arrays that is
                                     handed on from function to function would count each of its arrays each time
``entry_point``                      the entrance that Numba makes for Python, without the dispatcher before it, which asks
                                     for the type of each argument once more
``overloads``, ``library``,          the address of machine code, for calls from other compiled code; ``numba.cfunc`` gives
``fndesc``                           one too, but compiles its function without a cache of ours and without its options
``call_conv``                        to call such an address as Numba calls its own functions
``JITCodeLibrary``, ``Compiler``,    kernels become parts of what Python enters: to optimise each, with a copy of all that it
``NativeLowering``, ``_dynfunc``     calls, and make machine code of it, takes a third of the time to compile; ``_dynfunc``
                                     makes what Numba's tables know a kernel by
``_finalize_final_module``           functions are numbered anew in each process: what one file of machine code calls must
                                     not be taken from another one, that has the same names
``FunctionCache``, ``_index_key``,   the stamp covers what a function calls (:mod:`.stamp`); a file that was cut off or
``IndexDataCacheFile``               overwritten is one that is not there
``CompileResultCacheImpl``           what a function calls by a name is kept with it, and made before it runs
``populate_array``                   makes an array of compiled code of its parts
``enable_boundscheck``               intrinsics check indices where the rest of the code does
``global_compiler_lock``             held while a process forks; one lock, Numba's, for all that is compiled once
``cgutils``                          the helpers with which Numba's own intrinsics are written, documented by example only
``event``                            to measure how long a call waits for compiled code; in the manual of developers only
``passes``, ``PostProcessor``,       only so that compilation takes less time: see :data:`QUICK`
``get_call_type``, ``ConfigStack``
===================================  ====================================================================================
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import os
import pickle
import stat
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from llvmlite import binding
from numba import _dynfunc, typeof, types
from numba.core import caching, cgutils, event
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import register_pass
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.registry import CPUDispatcher
from numba.core.targetconfig import ConfigStack
from numba.core.transforms import canonicalize_cfg
from numba.core.typed_passes import NativeLowering
from numba.core.typing.templates import infer_global, make_intrinsic_template
from numba.np.arrayobj import populate_array

try:
    from llvmlite.binding import newpassmanagers
except ImportError:  # before Numba 0.61
    newpassmanagers = None

from pluecker.spatial.engine.compiled.settings import INNER
from pluecker.spatial.engine.compiled.stamp import source_stamp
from pluecker.spatial.engine.compiled.symbols import FILLED, SYMBOLS
from pluecker.spatial.properties import cached_property

__all__ = [
    "TAUGHT",
    "EntranceCompiler",
    "Named",
    "Part",
    "PartCompiler",
    "address",
    "call_address",
    "cgutils",
    "check_index",
    "entrance",
    "entry_dispatcher",
    "listen",
    "means",
    "populate_array",
    "types_like",
    "types_of",
]  # fmt: skip

# -------------------------------------------------------------------------------------------------- less time to compile

# Whether Numba is changed so that compilation takes less time, with the same machine code; PLUECKER_PLAIN_NUMBA=1 if not.
QUICK = os.environ.get("PLUECKER_PLAIN_NUMBA", "0") in ("", "0")

# Steps of Numba's compiler for what kernels do not have: closures, comprehensions, arrays in expressions, ``with``; and a
# copy of all that is known of a function, for those who want to read it. With them a first call takes an eighth longer.
LEFT_OUT = (
    "AnnotateTypes",
    "WithLifting", "InlineClosureLikes", "MakeFunctionToJitFunction", "InlineInlinables", "InlineOverloads",
    "FindLiterallyCalls", "LiteralUnroll", "LiteralPropagationSubPipelinePass", "NopythonRewrites", "RewriteDynamicRaises",
)  # fmt: skip
SHIP = os.environ.get("PLUECKER_SHIP", "")  # a folder for machine code of wheels, see shipped.writer
SELDOM = 20_000, 50, 100  # thresholds of garbage collection


class Named(types.Type):
    """A type that its name tells from all others, as Numba tells types of numbers and of arrays."""


PLAIN = (types.Number, types.Boolean, types.Array, Named)  # records are none: Numba does not compare names of fields


@contextlib.contextmanager
def quickened() -> Iterator[None]:
    """Context in which a thread that holds Numba's lock compiles in less time: no other thread meets what is changed.

    ==============================================================  ==================================================
    change                                                          without it a first ``rnea``, ``simulate`` takes
    ==============================================================  ==================================================
    garbage is collected seldom: what compilation makes stays       9 %, 14 % longer
    what an operator on numbers means is asked for once             25 %, 16 %
    so is what a function of numbers, views and arrays means        a step with contacts 11 %
    which variables live at the start of a block is found once,     29 %, 39 %
    at the end, where it is written down, and not after each step
    ==============================================================  ==================================================
    """
    if not QUICK:
        yield
        return
    thresholds, find, process = gc.get_threshold(), types.BaseFunction.get_call_type, PostProcessor.run
    found: dict[Any, Any] = {}
    options: dict[Any, int] = {}
    met: dict[int, tuple[Any, int]] = {}

    def number_of_options() -> int:
        """Number the options of compilation, on which what is found depends: to compare them is most of the search."""
        own = ConfigStack.top_or_none()
        if id(own) not in met:
            met[id(own)] = own, options.setdefault(own, len(options))
        return met[id(own)][1]

    def recall(function: Any, context: Any, arguments: Any, named: Any) -> Any:
        if named or not all(isinstance(kind, PLAIN) for kind in arguments):
            return find(function, context, arguments, named)
        key = function, tuple(arguments), number_of_options()
        if key not in found:
            found[key] = find(function, context, arguments, named)
        return found[key]

    def process_last(processor: Any, emit_dels: bool = False, **options: Any) -> None:
        function = processor.func_ir
        if emit_dels or function.is_generator:
            process(processor, emit_dels, **options)
        else:
            function.blocks = canonicalize_cfg(function.blocks)
            function.variable_lifetime = VariableLifetime(function.blocks)  # computed where somebody asks for it

    if thresholds[0]:  # else no garbage is to be collected at all
        gc.set_threshold(*map(max, thresholds, SELDOM))
    types.BaseFunction.get_call_type, PostProcessor.run = recall, process_last
    try:
        yield
    finally:
        types.BaseFunction.get_call_type, PostProcessor.run = find, process
        gc.set_threshold(*thresholds)


# ------------------------------------------------------------------------------------------------------ parts of functions


class PartLibrary(JITCodeLibrary):
    """The code of a function that only other compiled functions call: in LLVM's language, as it was written.

    Numba optimises each function by itself, and makes machine code of it, with a copy of all that it calls. Where functions
    call one another in ten layers, most of that is done ten times over and thrown away. A part waits for the function that
    Python enters, which links all parts and optimises them as a whole.
    """

    def add_ir_module(self, written: Any) -> None:
        """Set the only module of this library; whoever links it verifies it."""
        self._raise_if_finalized()
        self._final_module = binding.parse_assembly(cgutils.normalize_ir_text(str(written)))
        self._final_module.name = written.name

    def finalize(self) -> None:
        """Keep the code, which may be linked more than once, as bitcode: a tenth of the memory that LLVM's module takes."""
        self._raise_if_finalized()
        self._finalize_dynamic_globals()
        self.code: bytes = self._final_module.as_bitcode()
        self._final_module = None
        self._finalized = True

    @cached_property
    def called(self) -> dict[Any, None]:
        """All parts and libraries that it calls, directly or not, each once."""
        return with_called(self._linking_libraries)

    def _get_module_for_linking(self) -> Any:
        """Return a module of this part with all that it calls."""
        self._ensure_finalized()
        module = united([self, *(library for library in self.called if isinstance(library, PartLibrary))])
        link_others(module, self.called)
        return module


def with_called(libraries: Any) -> dict[Any, None]:
    """Return the libraries and all that they call, directly or not, each once."""
    found: dict[Any, None] = {}
    for library in libraries:
        found.setdefault(library)
        for other in library.called if isinstance(library, PartLibrary) else ():
            found.setdefault(other)
    return found


def link(module: Any, libraries: Any) -> None:
    """Link libraries into a module: of parts only those functions that are called there, directly or not."""
    parts = [library for library in libraries if isinstance(library, PartLibrary)]
    if parts:
        module.link_in(united(parts))
    link_others(module, libraries)


def link_others(module: Any, libraries: Any) -> None:
    """Link copies of those libraries that are no parts into a module."""
    for library in libraries:
        if not isinstance(library, PartLibrary):
            module.link_in(library._get_module_for_linking(), preserve=True)


def united(parts: list[PartLibrary]) -> Any:
    """Link the code of parts into one module, from which whoever links it takes the functions that are called."""
    module = binding.parse_bitcode(parts[0].code)
    for part in parts[1:]:
        module.link_in(binding.parse_bitcode(part.code))
    for function in module.functions:
        if not function.is_declaration and function.linkage == binding.Linkage.external:
            function.linkage = "linkonce_odr"
    return module


@register_pass(mutates_CFG=True, analysis_only=False)
class PartLowering(NativeLowering):
    """Makes LLVM's code of a part, and tells Numba what has to be linked where it is called."""

    _name = "pluecker_part_lowering"

    def run_pass(self, state: Any) -> bool:
        super().run_pass(state)
        library, lowered = state.library, state["cr"]
        library.finalize()
        about, environment = lowered.fndesc, lowered.env
        nowhere = _dynfunc.make_function(about.lookup_module(), about.qualname, about.doc, 0, environment, (library,))
        state.targetctx.insert_user_function(nowhere, about, [library])
        state["cr"] = lowered._replace(cfunc=nowhere)
        about.typemap = about.calltypes = None  # half of the memory; nobody asks for them behind this step
        return True


class PartCompiler(Compiler):
    """Compiler of kernels, which only other compiled functions call: their code is left for the callers to link."""

    def compile_extra(self, function: Any) -> Any:
        self.state.library = PartLibrary(self.state.targetctx.codegen(), function.__qualname__)
        self.state.flags.no_compile = True
        return super().compile_extra(function)

    def define_pipelines(self) -> Any:
        (pipeline,) = super().define_pipelines()
        steps = [(PartLowering if step is NativeLowering else step, text) for step, text in pipeline.passes]
        pipeline.passes = [step for step in steps if not (QUICK and step[0].__name__ in LEFT_OUT)]
        pipeline.finalize()
        return [pipeline]


class Entrance(JITCodeLibrary):
    """The code of a function that Python enters, with all that it calls, which nobody else calls.

    Numba optimises a module twice, so that references that cancel meet. Without references it is done once, and loops are
    not unrolled: kernels are lines of tuples, or loops over blocks, and gain nothing by it (measured: batches of algorithms
    take up to a quarter longer with Numba's own passes, single calls as long), and it is a third of the time to compile.

    Numba numbers functions in the order in which a process compiles them. Of two files that two processes have written the
    first could call what the second one has under the same name and number: variants of a kernel that one function makes,
    or the same kernel, optimised in another way, and rounded in another.
    """

    _linking_libraries: list[Any]
    names: tuple[str, ...] = ()
    counts_references = False

    def finalize(self) -> None:
        """Link each library that is called once, and not once for each caller; set ``names`` to the symbols of
        functions that the code refers to."""
        called = with_called(self._linking_libraries)
        self._linking_libraries.clear()
        for library in called:
            vars(self).get("_reload_init", set()).update(vars(library).get("_reload_init", ()))  # not in old versions
        link(self._final_module, called)
        self.names = tuple(each.name for each in self._final_module.global_variables if each.name in FILLED)
        super().finalize()

    def _finalize_final_module(self) -> None:
        """Make the linked functions internal, at the end: earlier, LLVM would inline each that has only one caller."""
        for function in self._final_module.functions:
            if function.linkage == binding.Linkage.linkonce_odr:
                function.linkage = "internal"
        super()._finalize_final_module()

    def _optimize_functions(self, module: Any) -> None:
        """Optimise single functions only where references are counted, so that those that cancel meet."""
        if self.counts_references:
            super()._optimize_functions(module)

    def _optimize_final_module(self) -> None:
        """Optimise the linked module once, as a whole."""
        if self.counts_references or newpassmanagers is None:
            super()._optimize_final_module()
            return
        options = newpassmanagers.create_pipeline_tuning_options(speed_level=3)
        options.loop_unrolling = options.loop_interleaving = options.slp_vectorization = False
        builder = newpassmanagers.create_pass_builder(self._codegen._tm, options)
        builder.getModulePassManager().run(self._final_module, builder)


declared: set[str] = set()


def declare_symbols() -> None:
    """Tell LLVM where the numbers are that compiled code finds by a name."""
    for name in SYMBOLS.keys() - declared:
        declared.add(name)
        binding.add_symbol(name, SYMBOLS[name].ctypes.data)


def fill_symbols(names: Iterable[str]) -> None:
    """Make the functions that have these names, before the code runs that calls them."""
    for name in names:
        FILLED[name]()


class EntranceCompiler(Compiler):
    """Compiler of the functions that Python enters."""

    def compile_extra(self, function: Any) -> Any:
        self.state.library = Entrance(self.state.targetctx.codegen(), function.__qualname__)
        self.state.library.counts_references = self.state.flags.nrt
        self.state.library.enable_object_caching()
        declare_symbols()
        with quickened():
            compiled = super().compile_extra(function)
        fill_symbols(compiled.library.names)
        return compiled


# ------------------------------------------------------------------------------------------------------------- dispatchers


class Part(CPUDispatcher):
    """Numba's form of a kernel."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions=options, pipeline_class=PartCompiler)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Resolve a call: a kernel has one copy for all integers and truth values, though to Numba each constant is a type
        of its own."""
        return super().get_call_template(tuple(map(types.unliteral, args)), kws)


def entry_dispatcher(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Make Numba's form of an entry point, with a cache on disk."""
    return keep_on_disk(CPUDispatcher(function, targetoptions=options, pipeline_class=EntranceCompiler))


# Of what a scalar can do: parts of the kernels that ask for it.
TAUGHT: dict[str, Any] = {**INNER, "pipeline_class": PartCompiler}


def means(function: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make an intrinsic of a function that compiled code calls by its name: what it is in compiled code.

    The decorated function is as for ``numba.extending.intrinsic``, and has other arguments where the function has others.
    """

    def teach(typing_function: Callable[..., Any]) -> Callable[..., Any]:
        template = make_intrinsic_template(function, typing_function, function.__name__)
        infer_global(function, types.Function(template))
        return typing_function

    return teach


class Hearing(event.Listener):
    """Numba's form of a listener."""

    def __init__(self, listener: Any) -> None:
        self.on_start, self.on_end = listener.on_start, listener.on_end

    on_start = on_end = None


def listen(kinds: Iterable[str], listener: Any) -> Callable[[], None]:
    """Let a listener hear of events of these kinds; returns the function that ends it."""
    hearing = Hearing(listener)
    for kind in kinds:
        event.register(kind, hearing)

    def end() -> None:
        for kind in kinds:
            event.unregister(kind, hearing)

    return end


TYPES: dict[str, Any] = {}  # types by names that Numba does not know


def types_of(signature: Iterable[Any]) -> tuple[Any, ...]:
    """Return Numba's types for those of a signature, which are written as Numba writes them."""
    names = {**vars(types), **TYPES}
    return tuple([eval(kind, names) if isinstance(kind, str) else kind for kind in signature])


def types_like(arguments: Iterable[Any]) -> tuple[Any, ...]:
    """Return Numba's types for these arguments."""
    return tuple(map(typeof, arguments))


# ------------------------------------------------------------------------------------------------ machine code on the disk


class WithNames(caching.CompileResultCacheImpl):
    """Machine code, and the names by which it finds other code."""

    def reduce(self, compiled: Any) -> Any:
        return compiled.library.names, super().reduce(compiled)

    def rebuild(self, context: Any, kept: Any) -> Any:
        names, data = kept
        declare_symbols()
        fill_symbols(names)
        return super().rebuild(context, data)


class SealedFiles(caching.IndexDataCacheFile):
    """The index and the files of machine code of one function, each behind a digest of the stamp and of what follows.

    A file that was cut off, or overwritten, or written under another stamp, is one that is not there: its function is
    compiled anew, and the file is written again. So is one that names a module that is no longer there: the stamp follows
    what functions do, and not where they stand.
    """

    def __init__(self, folder: str, name: str, function: Any) -> None:
        super().__init__(folder, name, None)
        self.function = function

    @cached_property
    def stamp(self) -> bytes:
        """The stamp of the function, computed when it is first used."""
        return f"{source_stamp(self.function)} {QUICK}".encode()

    def write(self, path: str, data: bytes) -> None:
        """Replace the file as a whole by the data, behind their digest."""
        with self._open_for_write(path) as file:
            file.write(hashlib.sha256(self.stamp + data).digest() + data)

    def read(self, path: str) -> bytes:
        """Read the data of a file; OSError where its digest does not fit the data and the stamp."""
        text = Path(path).read_bytes()
        seal, data = text[:32], text[32:]
        if hashlib.sha256(self.stamp + data).digest() != seal:
            raise OSError(f"{path} was damaged, or is not up to date")
        return data

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self.write(self._index_path, self._dump(overloads))

    def _load_index(self) -> dict[Any, str]:
        # AttributeError and ImportError: a class among the types of the arguments that is no longer where it was
        with contextlib.suppress(OSError, AttributeError, ImportError):
            return dict(pickle.loads(self.read(self._index_path)))
        return {}

    def _save_data(self, name: str, data: Any) -> None:
        self.write(self._data_path(name), self._dump(data))

    def _load_data(self, name: str) -> Any:
        data = self.read(self._data_path(name))
        try:
            return pickle.loads(data)
        except (AttributeError, ImportError) as error:
            raise OSError(f"{name} names what is no longer where it was ({error})") from None  # as if it were not there


class StampedCache(caching.FunctionCache):
    """Numba's cache, in the folder that Numba chooses, with files as above."""

    _impl_class = WithNames

    def __init__(self, dispatcher: Any) -> None:
        super().__init__(dispatcher.py_func)
        self._cache_file = SealedFiles(self._cache_path, self._impl.filename_base, dispatcher)

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        """Argument types, processor, and the fields of records; the code itself is what the stamp stands for."""
        return sig, codegen.magic_tuple(), tuple(map(fields, sig if isinstance(sig, tuple) else sig.args))

    def save_overload(self, sig: Any, data: Any) -> None:
        if SHIP:
            import_module("pluecker.spatial.engine.shipped.writer").write(SHIP, self._cache_file.function, data)
        try:
            super().save_overload(sig, data)
        except OSError:  # a folder that was taken away, a full disk: the compiled code is good all the same
            self.disable()


def fields(kind: Any) -> Any:
    """The names of the fields of a record, and of the records in it, which Numba does not compare."""
    return (getattr(kind, "fields", None), *map(fields, kind)) if isinstance(kind, types.BaseTuple) else None


def keep_on_disk(dispatcher: Any) -> Any:
    """Give a dispatcher a cache on disk, where a folder can be written, and not by everybody; returns it."""
    with contextlib.suppress(RuntimeError):
        cache = StampedCache(dispatcher)
        if not open_to_everybody(cache.cache_path):
            dispatcher._cache = cache
    return dispatcher


def open_to_everybody(folder: str) -> bool:
    """Return whether every user of this machine may write into a folder: what is loaded from there is run."""
    try:
        return os.name == "posix" and bool(os.stat(folder).st_mode & stat.S_IWOTH)
    except OSError:
        return False


# ---------------------------------------------------------------------------------------------------------- machine code


@functools.cache
def address(function: Any) -> int:
    """Return the address of the machine code of a function with one signature; the function must outlive all calls by it."""
    compiled = function.overloads[function.signatures[0]]
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


def entrance(function: Any) -> Callable[..., Any]:
    """Return the function by which Python enters code that was compiled for one signature, without the dispatcher before it,
    which would ask for the types of the arguments; those of the signature have to take any object."""
    (compiled,) = function.overloads.values()
    enter: Callable[..., Any] = compiled.entry_point
    return enter


def call_address(
    context: Any, builder: Any, function: Any, result: Any, takes: tuple[Any, ...], values: Any, passes_on: bool = False
) -> Any:
    """Emit a call of the function at an address; returns whether it raised an exception, and its result, as LLVM values.

    With ``passes_on``, an exception is propagated to the caller of the function that is compiled.
    """
    kind = context.call_conv.get_function_type(result, takes)
    pointer = builder.inttoptr(function, kind.as_pointer())
    status, value = context.call_conv.call_function(builder, pointer, result, takes, values)
    if passes_on:
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
    return status.is_error, value


def check_index(context: Any, builder: Any, index: Any, size: Any) -> None:
    """Emit an IndexError for an index outside of ``size``, where indices are checked."""
    if context.enable_boundscheck:
        cgutils.do_boundscheck(context, builder, index, size, 0)
