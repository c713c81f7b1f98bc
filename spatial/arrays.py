"""Scalar arrays in memory: how compiled code reads and writes them.

A scalar array of shape ``(n,)`` holds n numbers, its own entries. One of shape ``(n, 8)``, C-ordered, holds n lanes, its
rows. So the array decides which scalar comes out of it, and an algorithm only ever says ``load(array, k)``.

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
from pluecker.spatial.lanes import (
    DOUBLE,
    FUSE,
    INT,
    LONG,
    VECTOR,
    WIDTH,
    everywhere,
    get_lane,
    lanes,
    set_lane,
    spread,
)  # fmt: skip
from pluecker.spatial.scalars import load, load_integer, part, store, within

__all__ = ["View", "all_finite", "flat", "read_states", "view", "write_states"]

ALIGNED = 64  # bytes: of every row of an (n, 8) workspace
UNALIGNED = 8
QUARTET = ir.VectorType(DOUBLE, 4)


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


@intrinsic
def flat(typing, array):
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
    data, _ = parts(context, builder, array_type, arguments[0])
    k = context.cast(builder, arguments[1], k_type, types.intp)
    n = context.cast(builder, arguments[2], n_type, types.intp)
    return make_view(context, builder, array_type, step(builder, array_type, data, k), n)


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
    pointer = address(context, builder, array_type, arguments[0], index_type, arguments[1])
    return read(context, builder, signature.return_type, pointer)


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


def row_pointers(builder: Any, context: Any, signature: Any, arguments: Any) -> list[Any]:
    """Pointers to four entries of eight states; beyond the last state, to those of the last state again."""
    states, n, b, k = arguments[:4]
    data, size = parts(context, builder, signature.args[0], states)
    last = builder.sub(builder.sdiv(size, n), LONG(1))
    pointers = []
    for lane in range(WIDTH):
        row = builder.add(b, LONG(lane))
        row = builder.select(builder.icmp_signed("<", row, last), row, last)
        entry = builder.gep(data, [builder.add(builder.mul(row, n), k)], inbounds=True)
        pointers.append(builder.bitcast(entry, QUARTET.as_pointer()))
    return pointers


def expect(builder: Any, pointers: list[Any], n: Any) -> None:
    """Ask for the places of the next eight states, so that they have come when they are written to."""
    address = ir.PointerType(ir.IntType(8))
    kind = ir.FunctionType(ir.VoidType(), [address, INT, INT, INT])
    prefetch = builder.module.declare_intrinsic("llvm.prefetch", [address], kind)
    distance = builder.mul(n, LONG(8 * WIDTH))
    for pointer in pointers:
        there = cgutils.pointer_add(builder, pointer, distance, address)
        builder.call(prefetch, [there, INT(1), INT(3), INT(1)])


def shuffle(builder: Any, x: Any, y: Any, order: list[int]) -> Any:
    """The numbers of two vectors, counted through, in another order."""
    return builder.shuffle_vector(x, y, ir.Constant(ir.VectorType(INT, len(order)), order))


def swap_halves(builder: Any, rows: list[Any]) -> list[Any]:
    """Transpose both 4 x 4 halves of four vectors: exchange the off-diagonal parts of ever larger squares."""
    for d in (1, 2):
        upper = [WIDTH + j - d if j & d else j for j in range(WIDTH)]
        lower = [WIDTH + j if j & d else j + d for j in range(WIDTH)]
        for i in range(4):
            if not i & d:
                pair = rows[i], rows[i + d]
                rows[i], rows[i + d] = shuffle(builder, *pair, upper), shuffle(builder, *pair, lower)
    return rows


def spoiled(builder: Any, columns: list[Any]) -> Any:
    """Zero in each lane where all numbers are finite, else NaN."""
    zero = ir.Constant(VECTOR, [0.0] * WIDTH)
    products = [builder.fmul(column, zero) for column in columns]
    while len(products) > 1:
        products = [builder.fadd(*products[k : k + 2], flags=FUSE) for k in range(0, len(products), 2)]
    return products[0]


@intrinsic
def read_tile(typing, states, n, b, k, block):
    """Entries ``k`` to ``k + 3`` of eight states, from ``b`` on, into the same rows of an array of lanes."""

    def generate(context, builder, signature, arguments):
        pointers = row_pointers(builder, context, signature, arguments)
        rows = [builder.load(pointer, align=UNALIGNED) for pointer in pointers]
        columns = swap_halves(builder, [shuffle(builder, rows[i], rows[i + 4], list(range(WIDTH))) for i in range(4)])
        for j, column in enumerate(columns):
            index = builder.add(arguments[3], LONG(j))
            target = address(context, builder, signature.args[4], arguments[4], types.intp, index)
            builder.store(column, target, align=ALIGNED)
        return spoiled(builder, columns)

    return lanes(states, types.intp, types.intp, types.intp, block), generate


@intrinsic
def write_tile(typing, states, n, b, k, block, i0, i1, i2, i3):
    """Four rows of an array of lanes into the entries ``k`` to ``k + 3`` of eight states, from ``b`` on."""

    def generate(context, builder, signature, arguments):
        pointers = row_pointers(builder, context, signature, arguments)
        block_type, block = signature.args[4], arguments[4]
        sources = [address(context, builder, block_type, block, types.intp, index) for index in arguments[5:]]
        columns = [builder.load(source, align=ALIGNED) for source in sources]
        result = spoiled(builder, columns)
        rows = swap_halves(builder, columns)
        expect(builder, pointers, arguments[1])
        for i, pointer in enumerate(pointers):
            half = list(range(4)) if i < 4 else list(range(4, WIDTH))
            builder.store(shuffle(builder, rows[i % 4], rows[i % 4], half), pointer, align=UNALIGNED)
        return result

    return lanes(states, *[types.intp] * 3, block, *[types.intp] * 4), generate


@kernel
def read_states(states, n, b, block):
    """Eight states, from ``b`` on, into an array of lanes. Beyond the last state the last one is taken again.

    ``states`` is a view of all states, with ``n`` entries each. Four entries go at a time; where they do not come out even,
    the last four cover some of those before. Returns zero for each state whose entries are finite, else NaN.
    """
    if n >= 4:
        total = read_tile(states, n, b, n - 4, block)
        for k in range(0, n - 4, 4):
            total = total + read_tile(states, n, b, k, block)
        return total
    total = everywhere(0.0)
    for k in range(n):
        x = everywhere(0.0)
        for lane in range(WIDTH):
            x = set_lane(x, lane, load(states, min((b + lane) * n, len(states) - n) + k))
        store(block, k, x)
        total = total + 0.0 * x
    return total


@kernel
def write_states(states, n, b, block, order):
    """An array of lanes into eight states, from ``b`` on; what is beyond the last state goes to the last one.

    There it is the same: :func:`read_states` has given these lanes the same input. Entry ``k`` of a state is row
    ``order[k]`` of the block; or row ``k``, if ``order`` is empty. Returns as :func:`read_states`.
    """
    if n >= 4:
        total = write_four(states, n, b, n - 4, block, order)
        for k in range(0, n - 4, 4):
            total = total + write_four(states, n, b, k, block, order)
        return total
    total = everywhere(0.0)
    for k in range(n):
        x = load(block, source(order, k))
        for lane in range(WIDTH):
            store(states, min((b + lane) * n, len(states) - n) + k, get_lane(x, lane))
        total = total + 0.0 * x
    return total


@kernel
def write_four(states, n, b, k, block, order):
    """Four entries of eight states"""
    i0, i1, i2, i3 = source(order, k), source(order, k + 1), source(order, k + 2), source(order, k + 3)
    return write_tile(states, n, b, k, block, i0, i1, i2, i3)


@kernel
def source(order, k):
    """The row of the block that holds entry ``k``"""
    return load_integer(order, k) if len(order) > 0 else k


@intrinsic
def eight(typing, numbers, k):
    """Entries ``k`` to ``k + 7`` of a view of numbers, in their order, as lanes."""

    def generate(context, builder, signature, arguments):
        data, _ = parts(context, builder, signature.args[0], arguments[0])
        pointer = builder.gep(data, [arguments[1]], inbounds=True)
        return builder.load(builder.bitcast(pointer, VECTOR.as_pointer()), align=UNALIGNED)

    return lanes(numbers, types.intp), generate


@kernel
def all_finite(numbers):
    """Whether no entry of a view is NaN or infinite: 0 x is 0 for every other number."""
    n = len(numbers)
    if n >= WIDTH:
        total = 0.0 * eight(numbers, n - WIDTH)
        for k in range(0, n - WIDTH, WIDTH):
            total = total + 0.0 * eight(numbers, k)
        return within(total, 0.0)
    rest = 0.0
    for k in range(n):
        rest += 0.0 * load(numbers, k)
    return rest == 0.0
