"""Machine code that comes with the package, if it does, and is made of the same functions.

An extension module has the code for each level of processors, and an index says of which functions: each with its stamp
(:func:`~pluecker.spatial.engine.compiled.stamp.shipped_stamp`), so that code of another version, or of a function that was
edited, is not there. Nor is a library whose digest is not that of the index: one that was cut off would end the process.

=======================  ============================================================================================
variable                 what it does
=======================  ============================================================================================
``PLUECKER_SHIPPED=0``   all of it is left aside, and compiled on this machine
``PLUECKER_SHIPPED=v3``  code of that level is taken, if the processor has its instructions
=======================  ============================================================================================
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import json
import os
from collections.abc import Callable
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pluecker.spatial.engine.compiled.settings import BOUNDSCHECK, DISABLE_JIT

__all__ = ["Shipped", "entrances", "is_shipped", "name_of", "shipped", "shipped_number"]

HERE = Path(__file__).resolve().parent.parent / "shipped"
LIBRARY = HERE / f"code_of_levels{EXTENSION_SUFFIXES[0]}"
INDEX = HERE / "index.json"
WANTED = os.environ.get("PLUECKER_SHIPPED", "")


class Shipped(NamedTuple):
    """Machine code that came with the package.

    Attributes:
        code: the extension module, None if it is not used.
        level: the processors for which its code is, None if it is not used.
        functions: of each function its pieces of code: stamp, arguments, results, name, and what they call by names.
        reason: why it is not used.
    """

    code: Any
    level: str | None
    functions: dict[str, list[list[Any]]]
    reason: str


@functools.cache
def shipped() -> Shipped:
    """Find the machine code that came with the package, once."""
    nothing = functools.partial(Shipped, None, None, {})
    if not INDEX.exists() or not LIBRARY.exists():
        return nothing("this installation brought none for this Python")
    if DISABLE_JIT:
        return nothing("NUMBA_DISABLE_JIT is set")
    if BOUNDSCHECK:
        return nothing("NUMBA_BOUNDSCHECK is set")
    if WANTED == "0":
        return nothing("PLUECKER_SHIPPED is 0")
    try:
        index = json.loads(INDEX.read_text())
        if hashlib.sha256(LIBRARY.read_bytes()).hexdigest() != index["library"]:
            return nothing(f"{LIBRARY} is damaged, or not the one of its index")
        code: Any = import_module("pluecker.spatial.engine.shipped.code_of_levels")
        level = code.choose(WANTED or None, np.ndarray, np.empty)
    except (OSError, ValueError, KeyError, TypeError, ImportError) as error:
        return nothing(f"{LIBRARY.name} cannot be used ({type(error).__name__}: {error})")
    if level is None:
        return nothing(f"the processor has none of the levels {WANTED or 'that came'}")
    return Shipped(code, level, index["functions"], "")


def shipped_number(name: str) -> NDArray[np.int64] | None:
    """Return the integer that shipped code knows by a name, as an array; None if it knows none."""
    place = None if shipped().code is None else shipped().code.number(name)
    return None if place is None else np.ctypeslib.as_array((ctypes.c_int64 * 1).from_address(place))


def name_of(stamp: str, takes: str, gives: str) -> str:
    """Return the name of a piece of code: another one for other arguments or results."""
    return "pl_" + hashlib.sha256(f"{stamp} {takes} {gives}".encode()).hexdigest()[:24]


def is_shipped(function: Any) -> bool:
    """Return whether a function enters shipped code."""
    return type(function).__name__ == "Entrance"


def entrances(
    function: Callable[..., Any], stamp: Callable[[], str], holds_lock: bool, otherwise: Callable[..., Any]
) -> tuple[Any, tuple[str, ...]] | None:
    """Return what calls the shipped code of a function, and names that this code calls by; None if there is none.

    Args:
        function: in Python.
        stamp: returns its stamp.
        holds_lock: whether Python's lock is held in calls.
        otherwise: is called where arguments have other types.
    """
    code, _, functions, _ = shipped()
    pieces = functions.get(f"{function.__module__}.{function.__qualname__}")
    if not pieces:
        return None
    own, found, names = stamp(), otherwise, []
    for stamped, takes, gives, name, filled in pieces:
        known = stamped == own and name == name_of(stamped, takes, gives)
        entrance = code.entrance(name, takes, gives, holds_lock, found) if known else None
        if entrance is not None:
            found = entrance
            names += filled
    return None if found is otherwise else (found, tuple(names))
