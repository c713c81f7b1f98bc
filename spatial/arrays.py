"""Scalar arrays in memory: how compiled code reads and writes them.

A scalar array of shape ``(n,)`` holds n numbers, its own entries. One of shape ``(n, 8)``, C-ordered, holds n lanes, its rows.
So the array decides which scalar comes out of it, and an algorithm only ever says ``load(array, k)``.

To an algorithm, arrays are handed as *views*: a pointer and a length, made by :func:`view`. Compiled code passes them on for
nothing, where for each array of NumPy it would copy seven words and count references. The arrays must outlive their views.

An index counts from the beginning and is not checked, unless ``NUMBA_BOUNDSCHECK=1`` asks for it.

:func:`read_states` and :func:`write_states` go between a user's array, which has one state after the other, and lanes.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, lower_builtin, models, overload, register_model, type_callable

from pluecker.spatial.compile import OPTIONS, kernel
from pluecker.spatial.lanes import DOUBLE, INT, LONG, VECTOR, WIDTH, lanes, spread, within
from pluecker.spatial.scalars import load, part, store

__all__ = ["View", "all_finite", "read_states", "view", "write_states"]

ALIGNED = 64  # bytes: of every row of an (n, 8) workspace
UNALIGNED = 8


class View(types.Type):
    """A scalar array that somebody else owns."""

    def __init__(self, scalar: Any) -> None:
        self.scalar = scalar
        super().__init__(f"view({scalar})")


@register_model(View)
class ViewModel(models.StructModel):
    """Where the array begins, and how many scalars it has."""

    def __init__(self, dmm: Any, fe_type: Any) -> None:
        number = types.float64 if fe_type.scalar == lanes else fe_type.scalar
        super().__init__(dmm, fe_type, [("data", types.CPointer(number)), ("size", types.intp)])


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


def step(builder: Any, array_type: Any, data: Any, index: Any) -> Any:
    """The address of scalar ``index``, as a pointer to numbers."""
    count = builder.mul(index, LONG(WIDTH)) if scalar_of(array_type) == lanes else index
    return builder.gep(data, [count], inbounds=True)


def address(context: Any, builder: Any, array_type: Any, array: Any, index_type: Any, index: Any) -> Any:
    """Pointer to scalar ``index`` of a scalar array."""
    data, size = parts(context, builder, array_type, array)
    index = context.cast(builder, index, index_type, types.intp)
    if context.enable_boundscheck:
        cgutils.do_boundscheck(context, builder, index, size, 0)
    pointer = step(builder, array_type, data, index)
    return builder.bitcast(pointer, VECTOR.as_pointer()) if scalar_of(array_type) == lanes else pointer


def read(context: Any, builder: Any, scalar: Any, pointer: Any) -> Any:
    """The scalar at an address."""
    return builder.load(pointer, align=ALIGNED) if scalar == lanes else context.unpack_value(builder, scalar, pointer)


def write(context: Any, builder: Any, scalar: Any, pointer: Any, x_type: Any, x: Any) -> None:
    """Put a scalar, or a number for all lanes, at an address."""
    if scalar == lanes:
        builder.store(spread(context, builder, x_type, x), pointer, align=ALIGNED)
    else:
        context.pack_value(builder, scalar, context.cast(builder, x, x_type, scalar), pointer)


def view(array):
    """A scalar array as algorithms take it; without compilation, the array itself."""
    return array


def make_view(context: Any, builder: Any, result: Any, data: Any, size: Any) -> Any:
    """A view from its parts."""
    fields = cgutils.create_struct_proxy(result)(context, builder)
    fields.data, fields.size = data, size
    return fields._getvalue()


@type_callable(view)
def type_view(context):
    """view(array)"""
    return lambda array: View(scalar_of(array)) if scalar_of(array) is not None else None


@lower_builtin(view, types.Array)
def lower_view(context, builder, signature, arguments):
    """view(array)"""
    return make_view(context, builder, signature.return_type, *parts(context, builder, signature.args[0], *arguments))


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
    data, _ = parts(context, builder, array_type, arguments[0])
    k = context.cast(builder, arguments[1], k_type, types.intp)
    n = context.cast(builder, arguments[2], n_type, types.intp)
    return make_view(context, builder, array_type, step(builder, array_type, data, k), n)


@overload(part, jit_options=OPTIONS)
def _part(array, k, n):
    if isinstance(array, types.Array):
        return lambda array, k, n: array[k : k + n]


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
    pointer = address(context, builder, array_type, arguments[0], index_type, arguments[1])
    return read(context, builder, signature.return_type, pointer)


@type_callable(store)
def type_store(context):
    """store(array, k, x) gives nothing."""

    def typer(array, k, x):
        scalar = scalar_of(array)
        fits = x == lanes if scalar == lanes else scalar is not None and x != lanes
        numbers = isinstance(x, types.Number) and isinstance(k, types.Integer)
        return types.none if scalar is not None and (fits or numbers) else None

    return typer


@lower_builtin(store, types.Array, types.Integer, types.Any)
@lower_builtin(store, View, types.Integer, types.Any)
def lower_store(context, builder, signature, arguments):
    """store(array, k, x)"""
    array_type, index_type, x_type = signature.args
    pointer = address(context, builder, array_type, arguments[0], index_type, arguments[1])
    write(context, builder, scalar_of(array_type), pointer, x_type, arguments[2])
    return context.get_dummy_value()


# ----------------------------------------------------------------------------------------- from states to lanes and back


def row_pointers(context: Any, builder: Any, states_type: Any, states: Any, b: Any, k: Any) -> list[Any]:
    """Pointers to entry ``k`` of the states ``b`` to ``b + 7``; beyond the last state, of the last state again."""
    fields = context.make_array(states_type)(context, builder, states)
    rows, columns = cgutils.unpack_tuple(builder, fields.shape)
    last = builder.sub(rows, LONG(1))
    pointers = []
    for lane in range(WIDTH):
        row = builder.add(b, LONG(lane))
        row = builder.select(builder.icmp_signed("<", row, last), row, last)
        pointers.append(builder.gep(fields.data, [builder.add(builder.mul(row, columns), k)], inbounds=True))
    return pointers


def transpose(builder: Any, rows: list[Any]) -> list[Any]:
    """The columns of eight vectors: swap the off-diagonal halves of ever larger squares."""
    for d in (1, 2, 4):
        upper = [WIDTH + j - d if j & d else j for j in range(WIDTH)]
        lower = [WIDTH + j if j & d else j + d for j in range(WIDTH)]
        orders = [ir.Constant(ir.VectorType(INT, WIDTH), order) for order in (upper, lower)]
        for i in range(WIDTH):
            if not i & d:
                pair = rows[i], rows[i + d]
                rows[i], rows[i + d] = (builder.shuffle_vector(*pair, order) for order in orders)
    return rows


def resized(builder: Any, vector: Any, width: int) -> Any:
    """A vector's first ``width`` entries; if it has fewer, what follows them is undefined."""
    order = [min(k, vector.type.count) for k in range(width)]
    return builder.shuffle_vector(
        vector, ir.Constant(vector.type, ir.Undefined), ir.Constant(ir.VectorType(INT, width), order)
    )


@intrinsic
def read_tile(typing, states, b, k, width, block):
    """Entries ``k`` to ``k + width - 1`` of eight states, from ``b`` on, into the same rows of an array of lanes."""

    def generate(context, builder, signature, arguments):
        states, b, k, _, block = arguments
        row_type = ir.VectorType(DOUBLE, width.literal_value)
        pointers = row_pointers(context, builder, signature.args[0], states, b, k)
        rows = [builder.load(builder.bitcast(p, row_type.as_pointer()), align=UNALIGNED) for p in pointers]
        columns = transpose(builder, [resized(builder, row, WIDTH) for row in rows])
        for j in range(width.literal_value):
            target = address(context, builder, signature.args[4], block, types.intp, builder.add(k, LONG(j)))
            builder.store(columns[j], target, align=ALIGNED)
        return context.get_dummy_value()

    if isinstance(width, types.IntegerLiteral):
        return types.none(states, types.intp, types.intp, width, block), generate
    return None


@intrinsic
def write_tile(typing, states, b, k, width, block):
    """Rows ``k`` to ``k + width - 1`` of an array of lanes into the same entries of eight states, from ``b`` on."""

    def generate(context, builder, signature, arguments):
        states, b, k, _, block = arguments
        row_type = ir.VectorType(DOUBLE, width.literal_value)
        pointers = row_pointers(context, builder, signature.args[0], states, b, k)
        columns = [ir.Constant(VECTOR, ir.Undefined)] * WIDTH
        for j in range(width.literal_value):
            source = address(context, builder, signature.args[4], block, types.intp, builder.add(k, LONG(j)))
            columns[j] = builder.load(source, align=ALIGNED)
        for row, pointer in zip(transpose(builder, columns), pointers, strict=True):
            part = resized(builder, row, width.literal_value)
            builder.store(part, builder.bitcast(pointer, row_type.as_pointer()), align=UNALIGNED)
        return context.get_dummy_value()

    if isinstance(width, types.IntegerLiteral):
        return types.none(states, types.intp, types.intp, width, block), generate
    return None


@intrinsic
def eight(typing, array, k):
    """Entries ``k`` to ``k + 7`` of an array, in its own order, as lanes."""

    def generate(context, builder, signature, arguments):
        fields = context.make_array(signature.args[0])(context, builder, arguments[0])
        pointer = builder.gep(fields.data, [arguments[1]], inbounds=True)
        return builder.load(builder.bitcast(pointer, VECTOR.as_pointer()), align=UNALIGNED)

    return lanes(array, types.intp), generate


@kernel
def read_states(states, b, block):
    """Eight states, from ``b`` on, into an array of lanes. Beyond the last state the last one is taken again.

    Where the entries do not fill the last tile, it covers some of those of the tile before.
    """
    n = states.shape[1]
    if n >= 8:
        for k in range(0, n - 8, 8):
            read_tile(states, b, k, 8, block)
        read_tile(states, b, n - 8, 8, block)
    elif n >= 4:
        read_tile(states, b, 0, 4, block)
        read_tile(states, b, n - 4, 4, block)
    elif n >= 2:
        read_tile(states, b, 0, 2, block)
        read_tile(states, b, n - 2, 2, block)
    elif n == 1:
        read_tile(states, b, 0, 1, block)


@kernel
def write_states(states, b, block):
    """An array of lanes into eight states, from ``b`` on; what is beyond the last state goes to the last one.

    There it is the same: :func:`read_states` has given these lanes the same input.
    """
    n = states.shape[1]
    if n >= 8:
        for k in range(0, n - 8, 8):
            write_tile(states, b, k, 8, block)
        write_tile(states, b, n - 8, 8, block)
    elif n >= 4:
        write_tile(states, b, 0, 4, block)
        write_tile(states, b, n - 4, 4, block)
    elif n >= 2:
        write_tile(states, b, 0, 2, block)
        write_tile(states, b, n - 2, 2, block)
    elif n == 1:
        write_tile(states, b, 0, 1, block)


@kernel
def all_finite(array):
    """Whether no entry of an array is NaN or infinite: 0 x is 0 for every other number."""
    n = array.size
    numbers = array.ravel()
    rest = 0.0
    if n >= WIDTH:
        total = 0.0 * eight(numbers, n - WIDTH)
        for k in range(0, n - WIDTH, WIDTH):
            total = total + 0.0 * eight(numbers, k)
        return within(total, 0.0)
    for k in range(n):
        rest += 0.0 * numbers[k]
    return rest == 0.0
