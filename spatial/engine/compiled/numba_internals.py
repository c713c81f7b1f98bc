"""All of Numba that is used here and is not in its documented interface, with the reason for each.

A new release of Numba may change any of it: this is the file to look at then, with
:mod:`~pluecker.spatial.engine.compiled.numba_passes`, the steps of its compiler,
:mod:`~pluecker.spatial.engine.compiled.numba_quickened`, what is left out meanwhile, and
:mod:`~pluecker.spatial.engine.compiled.numba_cache`, what is kept on disk. Nothing else in the package imports
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
``get_python_api``                   Python's C functions and None, for compiled code that makes objects
``JITCodeLibrary``, ``Compiler``,    kernels become parts of what Python enters: to optimise each, with a copy of all that it
``NativeLowering``, ``_dynfunc``     calls, and make machine code of it, takes a third of the time to compile; ``_dynfunc``
                                     makes what Numba's tables know a kernel by. The steps of Numba's compiler that kernels
                                     do not need are left out, and what has no references is optimised once, not twice
``_finalize_final_module``           functions are numbered anew in each process: what one file of machine code calls must
                                     not be taken from another one, that has the same names
``Flags``                            options are compared and listed 20,000 times for a first call, each time from scratch: a
                                     tenth of the time to compile
``_ENFORCING``, ``IRProcessing``,    where each variable lives is found once for a kernel, not five times; what an operator
``ReconstructSSA``,                  on numbers means is asked for once in an entry point, not thousands of times: together
``PreLowerStripPhis``,               an eighth of the time to compile
``get_call_type``
``Lower``, ``CompileResult``,        what only debuggers and annotations want is neither computed nor kept: the sizes of
``fndesc``, ``compile``              variables, types of all expressions, timers for each function
``_rec_list_vars``                   a quarter of a million lists of the variables in an instruction, most of them empty
``peep_hole_...``, ``pysignature``,  each function is searched for what kernels do not have, signatures of Numba's own
``new_error_context``,               functions are found 16,000 times, each expression and each call of LLVM is told to
``WarningsFixer``, ``start_event``   those who sort warnings, explain errors, measure times: a twelfth of the time
``populate_array``                   makes an array of compiled code of its parts
``enable_boundscheck``               intrinsics check indices where the rest of the code does
``global_compiler_lock``             held while a process forks; one lock, Numba's, for all that is compiled once
``cgutils``                          the helpers with which Numba's own intrinsics are written, documented by example only
``event``                            to measure how long a call waits for compiled code; in the manual of developers only
===================================  ====================================================================================
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable
from typing import Any

from llvmlite import binding
from numba.core import cgutils, event, sigutils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.np.arrayobj import populate_array

try:
    from llvmlite.binding import newpassmanagers
except ImportError:  # before Numba 0.61
    newpassmanagers = None

from pluecker.spatial.engine.compiled.numba_passes import settled, shorten
from pluecker.spatial.engine.compiled.numba_quickened import quickened
from pluecker.spatial.properties import cached_property

__all__ = [
    "AWAITED",
    "NAMED",
    "WITHOUT_REFERENCES",
    "CPUDispatcher",
    "EntranceCompiler",
    "PartCompiler",
    "ScalarCompiler",
    "WholeCompiler",
    "address",
    "call_address",
    "cgutils",
    "check_index",
    "compile_part",
    "compiling",
    "entrance",
    "event",
    "make_named",
    "once",
    "populate_array",
]  # fmt: skip

# What allocates nothing need not count references: a record of arrays is then as cheap as the arrays.
WITHOUT_REFERENCES: dict[str, Any] = {"_nrt": False}

# ------------------------------------------------------------------------------------------------------ for one thread only

# Whoever compiles holds this lock. So does a process that forks: otherwise its child could find the lock, and all that
# Numba and LLVM are in the middle of, held by a thread that it does not have. It waits until nobody compiles.
compiling = global_compiler_lock

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=compiling.acquire, after_in_parent=compiling.release, after_in_child=compiling.release)


class once:
    """A cached property that compiles something: the second of two threads waits for the first."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function, self.name, self.__doc__ = function, function.__name__, function.__doc__

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        with compiling:
            if self.name not in vars(instance):
                vars(instance)[self.name] = self.function(instance)
        return vars(instance)[self.name]


# ------------------------------------------------------------------------------------------------------ parts of functions


class Part(JITCodeLibrary):
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
        module = united([self, *(library for library in self.called if isinstance(library, Part))])
        link_others(module, self.called)
        return module


def with_called(libraries: Any) -> dict[Any, None]:
    """Return the libraries and all that they call, directly or not, each once."""
    found: dict[Any, None] = {}
    for library in libraries:
        found.setdefault(library)
        for other in library.called if isinstance(library, Part) else ():
            found.setdefault(other)
    return found


def link(module: Any, libraries: Any) -> None:
    """Link libraries into a module: of parts only those functions that are called there, directly or not."""
    parts = [library for library in libraries if isinstance(library, Part)]
    if parts:
        module.link_in(united(parts))
    link_others(module, libraries)


def link_others(module: Any, libraries: Any) -> None:
    """Link copies of those libraries that are no parts into a module."""
    for library in libraries:
        if not isinstance(library, Part):
            module.link_in(library._get_module_for_linking(), preserve=True)


def united(parts: list[Part]) -> Any:
    """Link the code of parts into one module, from which whoever links it takes the functions that are called.

    Two by two, and these two by two again: LLVM's linker looks through all of the module that it adds to, each time, so that
    one after the other takes time in proportion to the square of their number, a twentieth of the time to compile.
    """
    modules = [binding.parse_bitcode(part.code) for part in parts]
    while len(modules) > 1:
        for first, second in zip(modules[::2], modules[1::2], strict=False):
            first.link_in(second)
        modules = modules[::2]
    for function in modules[0].functions:
        if not function.is_declaration and function.linkage == binding.Linkage.external:
            function.linkage = "linkonce_odr"
    return modules[0]


class PartCompiler(Compiler):
    """Compiler of kernels, which only other compiled functions call: their code is left for the callers to link."""

    def compile_extra(self, function: Any) -> Any:
        self.state.library = Part(self.state.targetctx.codegen(), function.__qualname__)
        self.state.flags.no_compile = True
        self.state.flags = settled(self.state.flags)
        return super().compile_extra(function)

    def define_pipelines(self) -> Any:
        (pipeline,) = super().define_pipelines()
        shorten(pipeline)
        return [pipeline]


def compile_part(kernel: Any, signature: Any) -> None:
    """Compile a kernel for some types, unless it was.

    Numba's own method installs timers for each function. They stay while it compiles those that this one calls, and each is
    told of all that happens in these.
    """
    with compiling:
        arguments, result = sigutils.normalize_signature(signature)
        if tuple(arguments) not in kernel.overloads:
            kernel.add_overload(kernel._compiler.compile(arguments, result))


class Entrance(JITCodeLibrary):
    """The code of a function that Python enters, with all that it calls, which nobody else calls.

    Numba numbers functions in the order in which a process compiles them. Of two files that two processes have written the
    first could call what the second one has under the same name and number: variants of a kernel that one function makes,
    or the same kernel, optimised in another way, and rounded in another.
    """

    _linking_libraries: list[Any]
    names: tuple[str, ...] = ()

    def finalize(self) -> None:
        """Link each library that is called once, and not once for each caller; set ``names`` to the symbols of
        :data:`NAMED` that the code refers to."""
        called = with_called(self._linking_libraries)
        self._linking_libraries.clear()
        for library in called:
            vars(self).get("_reload_init", set()).update(vars(library).get("_reload_init", ()))  # not in old versions
        link(self._final_module, called)
        self.names = tuple(each.name for each in self._final_module.global_variables if each.name in NAMED)
        super().finalize()

    def _finalize_final_module(self) -> None:
        """Make the linked functions internal, at the end: earlier, LLVM would inline each that has only one caller."""
        for function in self._final_module.functions:
            if function.linkage == binding.Linkage.linkonce_odr:
                function.linkage = "internal"
        super()._finalize_final_module()


class Whole(Entrance):
    """The code of an entrance, for functions that count no references.

    Numba optimises a module twice, so that references that cancel meet. Here it is done once. Loops are not unrolled: no
    solver gains by it (measured: full matrices of 3 to 69 rows, sparse ones of 60 and 200 contacts), and it is a third of
    the time to compile.
    """

    vectorised = True

    def _optimize_functions(self, module: Any) -> None:
        """Skip the optimisation of single functions: all is optimised once it is linked."""

    def _optimize_final_module(self) -> None:
        """Optimise the linked module once, as a whole."""
        if newpassmanagers is None:
            super()._optimize_final_module()
            return
        options = newpassmanagers.create_pipeline_tuning_options(speed_level=3)
        options.loop_unrolling = options.loop_interleaving = options.slp_vectorization = False
        options.loop_vectorization = self.vectorised
        builder = newpassmanagers.create_pass_builder(self._codegen._tm, options)
        builder.getModulePassManager().run(self._final_module, builder)


NAMED: dict[str, Callable[[], None]] = {}  # what compiled code finds by a name that LLVM knows, and how that is made


AWAITED: list[Callable[[str], None]] = []  # they wait for what has a name, if another process makes it


def make_named(names: Iterable[str]) -> None:
    """Make what has these names, before the code runs that calls it."""
    for name in names:
        for wait in tuple(AWAITED):
            wait(name)
        NAMED[name]()


class EntranceCompiler(Compiler):
    """Compiler of the functions that Python enters."""

    library: type[Entrance] = Entrance

    def compile_extra(self, function: Any) -> Any:
        self.state.library = self.library(self.state.targetctx.codegen(), function.__qualname__)
        self.state.library.enable_object_caching()
        self.state.flags = settled(self.state.flags)
        with quickened():
            compiled = super().compile_extra(function)
        make_named(compiled.library.names)
        return compiled


class WholeCompiler(EntranceCompiler):
    """Compiler of functions that Python enters and that count no references."""

    library = Whole


class OfScalars(Whole):
    """The code of an entrance that is long and has short loops: these are neither unrolled nor vectorised."""

    vectorised = False


class ScalarCompiler(EntranceCompiler):
    """Compiler of long functions with short loops that Python enters; see :class:`OfScalars`."""

    library = OfScalars


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
