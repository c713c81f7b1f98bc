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

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import box, intrinsic

from pluecker.spatial.engine.compiled.numba_internals import cgutils
from pluecker.spatial.engine.memory.objects import PythonObject, python_object
from pluecker.spatial.engine.scalars.lanes import INT, LONG

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


@box(PythonObject)
def object_from_address(kind: Any, value: Any, c: Any) -> Any:
    """The object that a function gives back, whose reference becomes the caller's; 0 where an exception is set."""
    return c.builder.inttoptr(value, c.pyapi.pyobj)


@intrinsic
def new_array(typing, function, class_of_arrays, shape, axes):
    """Make an array of float64 whose shape is given by ``axes`` integers at the address ``shape``; entries are not set.

    The result is 0, with an exception set, where there is no memory. ``function`` is :data:`NEW_ARRAY`.
    """

    def generate(context, builder, signature, arguments):
        function, class_of_arrays, shape, axes = arguments
        kind = ir.FunctionType(LONG, [LONG, INT, LONG, INT, LONG, LONG, INT, INT, LONG])
        pointer = builder.inttoptr(function, kind.as_pointer())
        number = INT(np.dtype(np.float64).num)
        axes = builder.trunc(axes, INT)
        # no strides and no data: in C order, in memory of its own
        nothing, none = LONG(0), INT(0)
        return builder.call(pointer, [class_of_arrays, axes, shape, number, nothing, nothing, none, none, nothing])

    return python_object(*[types.intp] * 4), generate


@intrinsic
def is_missing(typing, value):
    """Return whether an object could not be made: whether its address is 0."""

    def generate(context, builder, signature, arguments):
        return builder.icmp_unsigned("==", arguments[0], LONG(0))

    return types.boolean(python_object), generate


def address_of_none(context: Any, builder: Any) -> Any:
    """Return the address of Python's None."""
    return builder.ptrtoint(context.get_python_api(builder).borrow_none(), LONG)


@intrinsic
def is_none(typing, value):
    """Return whether an object is None."""

    def generate(context, builder, signature, arguments):
        return builder.icmp_unsigned("==", arguments[0], address_of_none(context, builder))

    return types.boolean(python_object), generate


@intrinsic
def no_object(typing):
    """Return None as an object that the caller owns."""

    def generate(context, builder, signature, arguments):
        return builder.ptrtoint(context.get_python_api(builder).make_none(), LONG)

    return python_object(), generate


@intrinsic
def drop(typing, value):
    """Release the reference to an object that compiled code has made."""

    def generate(context, builder, signature, arguments):
        api = context.get_python_api(builder)
        api.decref(builder.inttoptr(arguments[0], api.pyobj))
        return context.get_dummy_value()

    return types.none(python_object), generate


@intrinsic
def release_lock(typing, wanted):
    """Release Python's lock (the GIL), if ``wanted``; returns the state that :func:`take_lock` needs, 0 if it was kept."""

    def generate(context, builder, signature, arguments):
        state = cgutils.alloca_once_value(builder, LONG(0))
        with builder.if_then(arguments[0]):
            builder.store(builder.ptrtoint(context.get_python_api(builder).save_thread(), LONG), state)
        return builder.load(state)

    return types.intp(types.boolean), generate


@intrinsic
def take_lock(typing, state):
    """Acquire Python's lock again, if :func:`release_lock` has released it."""

    def generate(context, builder, signature, arguments):
        with builder.if_then(builder.icmp_unsigned("!=", arguments[0], LONG(0))):
            api = context.get_python_api(builder)
            api.restore_thread(builder.inttoptr(arguments[0], api.voidptr))
        return context.get_dummy_value()

    return types.none(types.intp), generate
