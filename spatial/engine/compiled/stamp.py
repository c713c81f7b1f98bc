"""The stamp of a compiled function: a string that changes when anything changes that its machine code is made of.

Numba stamps a cached function with the date of its own file: it notices no change of what the function calls in another
one. A stamp of the whole package notices every change, and compiles everything anew for any. What machine code is made of
can be told exactly, because Numba starts from the same objects:

- the bytecode of the function and of all compiled functions that it calls, directly or not, with the options of their
  decorators, found as Numba finds them: by global names, in closures, as attributes of modules;
- the values of all else that these functions read, which are frozen into the code: numbers, tuples, arrays, the fields of
  named tuples;
- what the compiler has been taught of scalars, views and shared memory, by ``overload``, ``intrinsic`` and the like. It
  hangs on no name, so the files where it stands belong to every stamp; nothing else in the package teaches the compiler;
- the versions of Numba, llvmlite and NumPy, and whether indices are checked.

Functions are numbered as they are met, and each is described with the numbers of those that it calls: two that change places
change the stamp. What this file does not understand (Numba would not either) puts the whole package into the stamp.
"""

from __future__ import annotations

import enum
import functools
import hashlib
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from pluecker.spatial.engine.compiled.settings import BOUNDSCHECK

__all__ = ["Parts", "shipped_stamp", "source_stamp"]

TOP = Path(__file__).resolve().parents[3]
TEACHING = ("spatial/engine/compiled/*.py", "spatial/engine/codegen/*.py", "contact/codegen/*.py")
PACKAGE = ("spatial/**/*.py", "articulated/**/*.py", "contact/**/*.py")
FOREIGN = ("math", "numpy", "numba", "llvmlite")  # known by their versions
PLAIN = (bool, int, float, complex, str, bytes, np.generic, type(None))


def contents(patterns: Iterable[str]) -> str:
    """Return one digest of all files of the package whose paths match one of the patterns."""
    digest = hashlib.sha256()
    for path in sorted(path for pattern in patterns for path in TOP.glob(pattern)):
        digest.update(str(path.relative_to(TOP)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


TAUGHT = contents(TEACHING)  # now, as these files are imported, and not when they may have been edited


def source_stamp(function: Any) -> str:
    """The stamp of a compiled function, at its first use, when all names that it reads have their values."""
    return stamp_of(function, version("numba"), version("llvmlite"), np.__version__, BOUNDSCHECK)


def shipped_stamp(function: Any) -> str:
    """The stamp of a compiled function without the versions of what compiled it, on which machine code does not depend."""
    return stamp_of(function)


def stamp_of(function: Any, *versions: Any) -> str:
    """Return the digest of versions, of what the compiler was taught, and of what a function is made of."""
    parts = Parts(function)
    text = [repr(versions), TAUGHT, *parts.descriptions, contents(PACKAGE) if parts.strange else ""]
    return hashlib.sha256("\n".join(text).encode(errors="surrogatepass")).hexdigest()


class Parts:
    """The functions and values that a compiled function is made of.

    Attributes:
        functions: it and all that it calls, in the order in which they are met.
        descriptions: of each, its bytecode and what its names stand for.
        strange: names of what has no description.
    """

    def __init__(self, function: Any) -> None:
        self.functions: list[FunctionType] = []
        self.descriptions: list[str] = []
        self.strange: list[str] = []
        self.numbers: dict[FunctionType, int] = {}
        self.descriptions.append(self.value("", function, ()))
        for called in self.functions:  # which grows meanwhile
            self.descriptions.append(self.function(called))

    def function(self, function: FunctionType) -> str:
        """Describe a function: its bytecode, and the values of the names that it reads."""
        text, names = described(function.__code__)
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        read = {
            **{name: function.__globals__[name] for name in names if name in function.__globals__},
            **dict(zip(function.__code__.co_freevars, cells, strict=True)),
            **(function.__kwdefaults__ or {}),
            "the defaults": function.__defaults__,
        }
        return "\n".join([text, *(f"{name}: {self.value(name, value, names)}" for name, value in read.items())])

    def value(self, name: str, value: Any, names: tuple[str, ...]) -> str:
        """Describe the value of a name in a function that reads ``names``; compiled functions are added to the list."""
        called = getattr(value, "py_func", None)
        if isinstance(called, FunctionType):
            if called not in self.numbers:
                self.numbers[called] = len(self.functions)
                self.functions.append(called)
            return f"function {self.numbers[called]} {sorted(value.targetoptions.items())}"
        if isinstance(value, enum.Enum):
            return f"{value!r} of {self.value(name, type(value), names)}"
        if isinstance(value, PLAIN):
            return f"{type(value).__name__} {value!r}"
        if isinstance(value, tuple):
            entries = [self.value(name, entry, names) for entry in value]
            return f"{self.value(name, type(value), names)} {entries}"
        if isinstance(value, np.ndarray) and not value.dtype.hasobject:
            return f"array {value.dtype.descr} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
        if isinstance(value, ModuleType):
            known = {} if of(value.__name__) in FOREIGN else vars(value)
            return f"{value.__name__} {[self.value(key, known[key], names) for key in names if key in known]}"
        if isinstance(value, type):
            members = list(value) if issubclass(value, enum.Enum) else getattr(value, "_fields", None)
            return f"{value.__module__}.{value.__qualname__} {members} {getattr(value, '_field_defaults', None)}"
        if isinstance(value, (FunctionType, BuiltinFunctionType)):  # not compiled: who teaches knows it by its name
            return f"{value.__module__}.{value.__qualname__}"
        if of(type(value).__module__) in FOREIGN:
            return f"{type(value).__name__} {getattr(value, '__name__', value)}"
        self.strange.append(name)
        return f"a {type(value).__name__}"


def of(module: str | None) -> str:
    """Return the top-level package of a module."""
    return (module or "").partition(".")[0]


@functools.cache
def described(code: CodeType) -> tuple[str, tuple[str, ...]]:
    """Describe a code object without debugging information; also return the global names and attributes in it and in those
    nested in it."""
    names, constants = dict.fromkeys(code.co_names), []
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            inner, more = described(constant)
            names.update(dict.fromkeys(more))
            constants.append(inner)
        else:  # the order of a set is another one in every process
            constants.append(str(sorted(map(repr, constant))) if isinstance(constant, frozenset) else repr(constant))
    arguments = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
    variables = code.co_varnames, code.co_freevars, code.co_cellvars, code.co_names
    handlers = getattr(code, "co_exceptiontable", b"")  # from Python 3.11 on
    return f"{code.co_name} {code.co_code.hex()} {arguments} {variables} {handlers!r} {constants}", tuple(names)
