"""Machine code that comes with the package, if it does, and is made of the same functions.

An extension module has the code for each level of processors, and an index says of which functions: each with its stamp
(:func:`~pluecker.spatial.engine.compiled.stamp.shipped_stamp`), so that code of another version, or of a function that was
edited, is not there. ``PLUECKER_SHIPPED=0`` leaves all of it aside; ``PLUECKER_SHIPPED=v3`` takes that level.
"""

from __future__ import annotations

import ctypes
import functools
import json
import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.spatial.engine.compiled.settings import BOUNDSCHECK, DISABLE_JIT

__all__ = ["entrances", "is_shipped", "level", "shipped_number"]

INDEX = Path(__file__).resolve().parent / "index.json"


@functools.cache
def code() -> Any:
    """The extension module, or None."""
    wanted = os.environ.get("PLUECKER_SHIPPED", "")
    if wanted == "0" or DISABLE_JIT or BOUNDSCHECK:
        return None
    try:
        found: Any = import_module("pluecker.spatial.engine.shipped.code_of_levels")
    except ImportError:
        return None
    return found if found.choose(wanted or None, np.ndarray) is not None else None


def level() -> str | None:
    """Return the level of processors whose code is used, None if there is none."""
    wanted = os.environ.get("PLUECKER_SHIPPED", "")
    return None if code() is None else str(code().choose(wanted or None, np.ndarray))


def shipped_number(name: str) -> NDArray[np.int64] | None:
    """Return the integer that shipped code knows by a name, as an array; None if it knows none."""
    place = None if code() is None else code().number(name)
    return None if place is None else np.ctypeslib.as_array((ctypes.c_int64 * 1).from_address(place))


@functools.cache
def index() -> dict[str, list[list[Any]]]:
    """The index: of each function its pieces of code: stamp, arguments, results, name, and what they call by names."""
    try:
        found: dict[str, list[list[Any]]] = json.loads(INDEX.read_text()) if code() is not None else {}
    except (OSError, ValueError):
        return {}
    return found


def is_shipped(function: Any) -> bool:
    """Return whether an entrance is one of shipped code."""
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
    pieces = index().get(f"{function.__module__}.{function.__qualname__}")
    if not pieces:
        return None
    own, found, names = stamp(), otherwise, []
    for stamped, takes, gives, name, filled in pieces:
        if stamped == own:
            found = code().entrance(name, takes, gives, holds_lock, found)
            names += filled
    return None if found is otherwise else (found, tuple(names))
