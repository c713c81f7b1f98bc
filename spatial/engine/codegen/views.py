"""Scalar arrays in memory: how compiled code reads and writes them.

A scalar array of shape ``(n,)`` holds n numbers, its own entries. One of shape ``(n, 8)``, C-ordered, holds n lanes, its
rows. So the array decides which scalar comes out of it, and an algorithm only ever says ``load(array, k)``. The
coefficients of dual numbers lie in arrays of their own, of numbers or lanes, for whoever makes or takes values or
derivatives alone; :func:`~pluecker.spatial.engine.memory.joined.join` makes one view of them.

To an algorithm, arrays are handed as *views*: a pointer and a length, made by :func:`view`. Compiled code passes them on for
nothing, where for each array of NumPy it would copy seven words and count references. The arrays must outlive their views.

An index counts from the beginning and is not checked, unless ``NUMBA_BOUNDSCHECK=1`` asks for it.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from numba import types
from numba.extending import lower_builtin, models, overload, register_model, type_callable

from pluecker.spatial.engine.codegen.duals import Duals, assemble, coefficients, filled
from pluecker.spatial.engine.codegen.lanes import LONG, VECTOR, lanes, spread
from pluecker.spatial.engine.compiled.numba_internals import TAUGHT, Named, cgutils, check_index, means
from pluecker.spatial.engine.compiled.settings import OPTIONS
from pluecker.spatial.engine.memory.views import flat, view
from pluecker.spatial.engine.scalars.lanes import WIDTH
from pluecker.spatial.engine.scalars.operations import load, load_integer, part, store

__all__ = ["ALIGNED", "UNALIGNED", "View", "address", "make_view", "number_of", "parts", "scalar_of"]

ALIGNED = 64  # bytes: of every row of an (n, 8) workspace
UNALIGNED = 8


class View(Named):
    """A scalar array that somebody else owns."""

    def __init__(self, scalar: Any) -> None:
        self.scalar = scalar
        super().__init__(f"view({scalar})")


@register_model(View)
class ViewModel(models.StructModel):
    """Representation of a view: the address of its first scalar (of dual numbers, of each coefficient), and its length."""

    def __init__(self, dmm: Any, fe_type: Any) -> None:
        number = number_of(fe_type.scalar)
        names = [f"data{m}" for m in range(1, len(kinds(fe_type.scalar)))]
        pointers = [(name, types.CPointer(number)) for name in ("data", *names)]
        super().__init__(dmm, fe_type, [*pointers, ("size", types.intp)])


def number_of(scalar: Any) -> Any:
    """The type of the numbers that a scalar is made of."""
    return types.float64 if scalar == lanes or isinstance(scalar, Duals) else scalar


def kinds(scalar: Any) -> list[Any]:
    """The types of what a scalar is made of."""
    return scalar.kinds if isinstance(scalar, Duals) else [scalar]


def scalar_of(array: Any) -> Any:
    """The type of the scalars in an array or a view; None where it is not a scalar array."""
    if isinstance(array, View):
        return array.scalar
    if isinstance(array, types.Array) and array.layout == "C":
        if array.ndim == 1:
            return array.dtype
        if array.ndim == 2 and array.dtype == types.float64:
            return lanes
    return None


def parts(context: Any, builder: Any, array_type: Any, array: Any) -> tuple[Any, Any]:
    """The first address of an array or a view, and its length."""
    if isinstance(array_type, View):
        fields = cgutils.create_struct_proxy(array_type)(context, builder, array)
        return fields.data, fields.size
    fields = context.make_array(array_type)(context, builder, array)
    return fields.data, cgutils.unpack_tuple(builder, fields.shape)[0]


def pointers(context: Any, builder: Any, array_type: Any, array: Any) -> list[Any]:
    """Return a pointer to the first of each kind of coefficient; ordinary scalars are their only coefficient."""
    count = len(kinds(scalar_of(array_type)))
    if count == 1:
        return [parts(context, builder, array_type, array)[0]]
    fields = cgutils.create_struct_proxy(array_type)(context, builder, array)
    return [fields.data, *(getattr(fields, f"data{m}") for m in range(1, count))]


def step(builder: Any, kind: Any, data: Any, index: Any) -> Any:
    """The address of number or lanes ``index``, as a pointer to numbers."""
    return builder.gep(data, [builder.mul(index, LONG(WIDTH)) if kind == lanes else index], inbounds=True)


def addresses(context: Any, builder: Any, array_type: Any, array: Any, index_type: Any, index: Any) -> list[Any]:
    """Pointers to the coefficients of scalar ``index``."""
    index = context.cast(builder, index, index_type, types.intp)
    check_index(context, builder, index, parts(context, builder, array_type, array)[1])
    found = []
    data = pointers(context, builder, array_type, array)
    for kind, pointer in zip(kinds(scalar_of(array_type)), data, strict=True):
        there = step(builder, kind, pointer, index)
        found.append(builder.bitcast(there, VECTOR.as_pointer()) if kind == lanes else there)
    return found


def address(context: Any, builder: Any, array_type: Any, array: Any, index_type: Any, index: Any) -> Any:
    """Pointer to scalar ``index`` of a scalar array, or to its value."""
    return addresses(context, builder, array_type, array, index_type, index)[0]


def read(context: Any, builder: Any, kind: Any, pointer: Any) -> Any:
    """The number or lanes at an address."""
    return builder.load(pointer, align=ALIGNED) if kind == lanes else context.unpack_value(builder, kind, pointer)


def write(context: Any, builder: Any, kind: Any, pointer: Any, x_type: Any, x: Any) -> None:
    """Put a number or lanes, or a number for all lanes, at an address."""
    if kind == lanes:
        builder.store(spread(context, builder, x_type, x), pointer, align=ALIGNED)
    else:
        context.pack_value(builder, kind, context.cast(builder, x, x_type, kind), pointer)


def make_view(context: Any, builder: Any, result: Any, data: Any, size: Any, others: Sequence[Any] = ()) -> Any:
    """Make a view of its parts; of dual numbers, ``others`` are the pointers to all coefficients but the first."""
    fields = cgutils.create_struct_proxy(result)(context, builder)
    fields.data, fields.size = data, size
    for m, pointer in enumerate(others, 1):
        setattr(fields, f"data{m}", pointer)
    return fields._getvalue()


@type_callable(view)
def type_view(context):
    """view(array)"""
    return lambda array: View(scalar_of(array)) if scalar_of(array) is not None else None


@lower_builtin(view, types.Array)
def lower_view(context, builder, signature, arguments):
    """view(array)"""
    return make_view(context, builder, signature.return_type, *parts(context, builder, signature.args[0], *arguments))


@means(flat)
def _flat(typing, array):
    """The entries of an array of NumPy in C order, whatever its axes, as a view."""

    def generate(context, builder, signature, arguments):
        fields = context.make_array(signature.args[0])(context, builder, arguments[0])
        return make_view(context, builder, signature.return_type, fields.data, fields.nitems)

    if isinstance(array, types.Array) and array.layout == "C":
        return View(array.dtype)(array), generate
    return None


@type_callable(len)
def type_len(context):
    """len(view)"""
    return lambda array: types.intp if isinstance(array, View) else None


@lower_builtin(len, View)
def lower_len(context, builder, signature, arguments):
    """len(view)"""
    return parts(context, builder, *signature.args, *arguments)[1]


@type_callable(part)
def type_part(context):
    """part(view, k, n)"""

    def typer(array, k, n):
        return array if isinstance(array, View) and isinstance(k, types.Integer) else None

    return typer


@lower_builtin(part, View, types.Integer, types.Integer)
def lower_part(context, builder, signature, arguments):
    """part(view, k, n)"""
    array_type, k_type, n_type = signature.args
    k = context.cast(builder, arguments[1], k_type, types.intp)
    n = context.cast(builder, arguments[2], n_type, types.intp)
    data = pointers(context, builder, array_type, arguments[0])
    first, *others = [step(builder, *pair, k) for pair in zip(kinds(scalar_of(array_type)), data, strict=True)]
    return make_view(context, builder, array_type, first, n, others)


@overload(part, jit_options=OPTIONS)
def _part(array, k, n):
    if isinstance(array, types.Array):
        return lambda array, k, n: array[k : k + n]
    return None


@type_callable(load)
def type_load(context):
    """load(array, k) gives the array's scalar."""

    def typer(array, k):
        return scalar_of(array) if isinstance(k, types.Integer) else None

    return typer


@lower_builtin(load, types.Array, types.Integer)
@lower_builtin(load, View, types.Integer)
def lower_load(context, builder, signature, arguments):
    """load(array, k)"""
    array_type, index_type = signature.args
    scalar = scalar_of(array_type)
    places = addresses(context, builder, array_type, arguments[0], index_type, arguments[1])
    found = [read(context, builder, kind, pointer) for kind, pointer in zip(kinds(scalar), places, strict=True)]
    return assemble(context, builder, scalar, found) if isinstance(scalar, Duals) else found[0]


@type_callable(load_integer)
def type_load_integer(context):
    """load_integer(array, k), of an array of floats"""

    def typer(array, k):
        return types.intp if scalar_of(array) == types.float64 and isinstance(k, types.Integer) else None

    return typer


@lower_builtin(load_integer, types.Array, types.Integer)
@lower_builtin(load_integer, View, types.Integer)
def lower_load_integer(context, builder, signature, arguments):
    """load_integer(array, k)"""
    pointer = address(context, builder, signature.args[0], arguments[0], signature.args[1], arguments[1])
    return builder.load(builder.bitcast(pointer, LONG.as_pointer()), align=UNALIGNED)


@type_callable(store)
def type_store(context):
    """store(array, k, x) gives nothing."""

    def typer(array, k, x):
        scalar = scalar_of(array)
        own = scalar == lanes or isinstance(scalar, Duals)
        fits = x == scalar if own else scalar is not None and x != lanes and not isinstance(x, Duals)
        numbers = isinstance(x, types.Number) and isinstance(k, types.Integer)
        return types.none if scalar is not None and (fits or numbers) else None

    return typer


@lower_builtin(store, types.Array, types.Integer, types.Any)
@lower_builtin(store, View, types.Integer, types.Any)
def lower_store(context, builder, signature, arguments):
    """store(array, k, x)"""
    array_type, index_type, x_type = signature.args
    scalar = scalar_of(array_type)
    places = addresses(context, builder, array_type, arguments[0], index_type, arguments[1])
    given, found = [x_type], [arguments[2]]
    if isinstance(scalar, Duals):
        given, found = scalar.kinds, filled(scalar, coefficients(context, builder, x_type, arguments[2]))
    for kind, pointer, own, x in zip(kinds(scalar), places, given, found, strict=True):
        write(context, builder, kind, pointer, own, x)
    return context.get_dummy_value()


@overload(operator.getitem, jit_options=TAUGHT)
def _getitem(array, k):
    if isinstance(array, View) and isinstance(k, types.Integer):
        return lambda array, k: load(array, k)
    return None


@overload(operator.setitem, jit_options=TAUGHT)
def _setitem(array, k, x):
    if isinstance(array, View) and isinstance(k, types.Integer):
        return lambda array, k, x: store(array, k, x)
    return None
