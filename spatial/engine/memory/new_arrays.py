"""Arrays of NumPy that compiled code makes, and Python's lock, which it holds meanwhile.

``numpy.empty`` takes 70 ns, and more where other calls come between; NumPy's C function behind it takes 40, and the Jacobian
of a leg 100. So compiled code calls that function itself, whose place in NumPy's table of such functions the binary
interface lays down. Whoever makes objects holds Python's lock (the GIL), and so does whoever is called by Python in the
first place. To let it go and to get it back takes 40 ns too: that pays only where the work takes much longer.
"""

from __future__ import annotations

import ctypes
from importlib import import_module
from typing import Any

__all__ = ["NEW_ARRAY", "drop", "is_missing", "is_none", "new_array", "no_object", "release_lock", "take_lock"]

PYARRAY_NEW = 93  # its place in the table


def address_in_numpy(place: int) -> int:
    """Return the address at an index of the table of NumPy's C functions."""
    try:
        numpy_in_c: Any = import_module("numpy._core._multiarray_umath")
    except ImportError:  # before NumPy 1.26
        numpy_in_c = import_module("numpy.core._multiarray_umath")
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(pointer(numpy_in_c._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
    return int(table[place] or 0)


# Like the class of arrays, it is elsewhere in each process, and callers hand it in.
NEW_ARRAY = address_in_numpy(PYARRAY_NEW)


def new_array(function, class_of_arrays, shape, axes):
    """Make an array of float64 whose shape is given by ``axes`` integers at the address ``shape``; entries are not set.

    The result is 0, with an exception set, where there is no memory. ``function`` is :data:`NEW_ARRAY`.
    """
    raise NotImplementedError


def is_missing(value):
    """Return whether an object could not be made: whether its address is 0."""
    raise NotImplementedError


def is_none(value):
    """Return whether an object is None."""
    raise NotImplementedError


def no_object():
    """Return None as an object that the caller owns."""
    raise NotImplementedError


def drop(value):
    """Release the reference to an object that compiled code has made."""
    raise NotImplementedError


def release_lock(wanted):
    """Release Python's lock (the GIL), if ``wanted``; returns the state that :func:`take_lock` needs, 0 if it was kept."""
    raise NotImplementedError


def take_lock(state):
    """Acquire Python's lock again, if :func:`release_lock` has released it."""
    raise NotImplementedError
