"""Arrays of NumPy that compiled code makes, and Python's lock, in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import box

from pluecker.spatial.engine.codegen.lanes import INT, LONG
from pluecker.spatial.engine.codegen.objects import PythonObject, python_object
from pluecker.spatial.engine.compiled.numba_internals import cgutils, means
from pluecker.spatial.engine.memory.new_arrays import (
    drop,
    is_missing,
    is_none,
    new_array,
    no_object,
    release_lock,
    take_lock,
)


@box(PythonObject)
def object_from_address(kind: Any, value: Any, c: Any) -> Any:
    """The object that a function gives back, whose reference becomes the caller's; 0 where an exception is set."""
    return c.builder.inttoptr(value, c.pyapi.pyobj)


@means(new_array)
def _new_array(typing, function, class_of_arrays, shape, axes):
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


@means(is_missing)
def _is_missing(typing, value):
    """Return whether an object could not be made: whether its address is 0."""

    def generate(context, builder, signature, arguments):
        return builder.icmp_unsigned("==", arguments[0], LONG(0))

    return types.boolean(python_object), generate


def address_of_none(context: Any, builder: Any) -> Any:
    """Return the address of Python's None."""
    return builder.ptrtoint(context.get_python_api(builder).borrow_none(), LONG)


@means(is_none)
def _is_none(typing, value):
    """Return whether an object is None."""

    def generate(context, builder, signature, arguments):
        return builder.icmp_unsigned("==", arguments[0], address_of_none(context, builder))

    return types.boolean(python_object), generate


@means(no_object)
def _no_object(typing):
    """Return None as an object that the caller owns."""

    def generate(context, builder, signature, arguments):
        return builder.ptrtoint(context.get_python_api(builder).make_none(), LONG)

    return python_object(), generate


@means(drop)
def _drop(typing, value):
    """Release the reference to an object that compiled code has made."""

    def generate(context, builder, signature, arguments):
        api = context.get_python_api(builder)
        api.decref(builder.inttoptr(arguments[0], api.pyobj))
        return context.get_dummy_value()

    return types.none(python_object), generate


@means(release_lock)
def _release_lock(typing, wanted):
    """Release Python's lock (the GIL), if ``wanted``; returns the state that :func:`take_lock` needs, 0 if it was kept."""

    def generate(context, builder, signature, arguments):
        state = cgutils.alloca_once_value(builder, LONG(0))
        with builder.if_then(arguments[0]):
            builder.store(builder.ptrtoint(context.get_python_api(builder).save_thread(), LONG), state)
        return builder.load(state)

    return types.intp(types.boolean), generate


@means(take_lock)
def _take_lock(typing, state):
    """Acquire Python's lock again, if :func:`release_lock` has released it."""

    def generate(context, builder, signature, arguments):
        with builder.if_then(builder.icmp_unsigned("!=", arguments[0], LONG(0))):
            api = context.get_python_api(builder)
            api.restore_thread(builder.inttoptr(arguments[0], api.voidptr))
        return context.get_dummy_value()

    return types.none(types.intp), generate
