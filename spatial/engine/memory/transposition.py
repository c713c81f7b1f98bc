"""Transposition between a user's array, which has one state after the other, and lanes, which have eight side by side.

:func:`read_states` transposes eight states into an array of lanes and finds out on the way whether all numbers are finite;
:func:`write_states` goes back. Both work on tiles, four entries of eight states: two loads make one vector, eight shuffles
turn four of them around. The whole batch is never transposed at once, so that a block stays in the cache.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.compiled.numba_internals import cgutils
from pluecker.spatial.engine.memory.views import ALIGNED, UNALIGNED, address, parts
from pluecker.spatial.engine.scalars.lanes import (
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
)
from pluecker.spatial.engine.scalars.operations import load, store, within

__all__ = [
    "SIDE", "all_finite", "read_states", "transposed", "write_entry", "write_known_tile", "write_new_tile",
    "write_states",
]  # fmt: skip

SIDE = 4  # entries of a tile
# Prefetched are the same entries of the next eight states; of states with more entries than LONG_STATE, which fill the first
# cache before it comes to these, those so many bytes on. Measured: crba of Panda 23 %, of a chain of 100 12 %.
LONG_STATE, DISTANCE = 1024, 512
QUARTET = ir.VectorType(DOUBLE, SIDE)


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


def prefetch(builder: Any, pointer: Any, distance: Any) -> None:
    """Prefetch the memory ``distance`` bytes behind a pointer, for writing."""
    address = ir.PointerType(ir.IntType(8))
    kind = ir.FunctionType(ir.VoidType(), [address, INT, INT, INT])
    ask = builder.module.declare_intrinsic("llvm.prefetch", [address], kind)
    builder.call(ask, [cgutils.pointer_add(builder, pointer, distance, address), INT(1), INT(3), INT(1)])


def shuffle(builder: Any, x: Any, y: Any, order: list[int]) -> Any:
    """Shuffle the numbers of two vectors, which are counted through."""
    return builder.shuffle_vector(x, y, ir.Constant(ir.VectorType(INT, len(order)), order))


def exchange(builder: Any, rows: list[Any], distances: tuple[int, ...]) -> list[Any]:
    """Exchange the off-diagonal parts of ever larger squares of vectors: with 1, 2 and 4 eight of them are transposed."""
    for d in distances:
        upper = [WIDTH + j - d if j & d else j for j in range(WIDTH)]
        lower = [WIDTH + j if j & d else j + d for j in range(WIDTH)]
        for i in range(len(rows)):
            if not i & d:
                pair = rows[i], rows[i + d]
                rows[i], rows[i + d] = shuffle(builder, *pair, upper), shuffle(builder, *pair, lower)
    return rows


def swap_halves(builder: Any, rows: list[Any]) -> list[Any]:
    """Transpose both 4 x 4 halves of four vectors."""
    return exchange(builder, rows, (1, 2))


@intrinsic
def transposed(typing, a, b, c, d, e, f, g, h):
    """Transpose eight vectors: number j of vector i becomes number i of vector j."""

    def generate(context, builder, signature, arguments):
        return context.make_tuple(builder, signature.return_type, exchange(builder, list(arguments), (1, 2, 4)))

    return types.UniTuple(lanes, WIDTH)(*[lanes] * WIDTH), generate


def spoiled(builder: Any, columns: list[Any]) -> Any:
    """Zero in each lane where all numbers are finite, else NaN."""
    zero = ir.Constant(VECTOR, [0.0] * WIDTH)
    products = [builder.fmul(column, zero) for column in columns]
    while len(products) > 1:
        products = [builder.fadd(*products[k : k + 2], flags=FUSE) for k in range(0, len(products), 2)]
    return products[0]


@intrinsic
def read_tile(typing, states, n, b, k, block):
    """Read entries ``k`` to ``k + 3`` of eight states, from ``b`` on, into the same rows of an array of lanes."""

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


def tile_writer(prefetching: bool) -> Any:
    """Make an intrinsic that writes four rows of an array of lanes into four entries of eight states, from ``b`` on.

    With ``prefetching`` it asks for memory that is written to later, see :func:`prefetch`.
    """

    @intrinsic
    def write_tile(typing, states, n, b, k, block, i0, i1, i2, i3):
        """Write rows ``i0`` to ``i3``; returns zero in each lane where their numbers are finite, else NaN."""

        def generate(context, builder, signature, arguments):
            pointers = row_pointers(builder, context, signature, arguments)
            block_type, block = signature.args[4], arguments[4]
            sources = [address(context, builder, block_type, block, types.intp, index) for index in arguments[5:]]
            columns = [builder.load(source, align=ALIGNED) for source in sources]
            result = spoiled(builder, columns)
            rows = swap_halves(builder, columns)
            if prefetching:
                n = arguments[1]
                is_long = builder.icmp_signed(">", n, LONG(LONG_STATE))
                distance = builder.select(is_long, LONG(DISTANCE), builder.mul(n, LONG(8 * WIDTH)))
                for pointer in pointers:
                    prefetch(builder, pointer, distance)
            for i, pointer in enumerate(pointers):
                half = list(range(4)) if i < 4 else list(range(4, WIDTH))
                builder.store(shuffle(builder, rows[i % 4], rows[i % 4], half), pointer, align=UNALIGNED)
            return result

        return lanes(states, *[types.intp] * 3, block, *[types.intp] * 4), generate

    return write_tile


write_new_tile, write_known_tile = (
    tile_writer(True),
    tile_writer(False),
)  # where memory has not been touched yet, or has


@kernel
def read_states(states, n, b, block):
    """Read eight states, from ``b`` on, into an array of lanes. Beyond the last state the last one is taken again.

    ``states`` is a view of all states, with ``n`` entries each. Four entries go at a time; where they do not come out even,
    the last four cover some of those before. Returns zero for each state whose entries are finite, else NaN.
    """
    if len(states) == n:  # one for all
        return read_for_all(states, n, block)
    if n >= SIDE:
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
def read_for_all(state, n, block):
    """Read one state into all lanes"""
    total = 0.0
    for k in range(n):
        x = load(state, k)
        store(block, k, x)
        total += 0.0 * x
    return everywhere(total)


@kernel
def write_states(states, n, b, block):
    """Write an array of lanes into eight states, from ``b`` on; lanes beyond the last state go to the last one.

    There they are the same: :func:`read_states` has given these lanes the same input. Returns as :func:`read_states`.
    """
    if n >= SIDE:
        total = write_new_tile(states, n, b, n - 4, block, n - 4, n - 3, n - 2, n - 1)
        for k in range(0, n - 4, 4):
            total = total + write_new_tile(states, n, b, k, block, k, k + 1, k + 2, k + 3)
        return total
    total = everywhere(0.0)
    for k in range(n):
        total = total + write_entry(states, n, b, k, load(block, k))
    return total


@kernel
def write_entry(states, n, b, k, x):
    """Write entry ``k`` of eight states, one by one"""
    for lane in range(WIDTH):
        store(states, min((b + lane) * n, len(states) - n) + k, get_lane(x, lane))
    return 0.0 * x


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
    """Return whether no entry of a view is NaN or infinite: 0 x is 0 for every other number."""
    n = len(numbers)
    if n >= WIDTH:
        total, k = 0.0 * eight(numbers, n - WIDTH), 0
        if n > 4 * WIDTH:  # four sums that do not wait for one another
            a, b, c = total, total, total
            while k < n - 4 * WIDTH:
                total = total + 0.0 * eight(numbers, k)
                a = a + 0.0 * eight(numbers, k + WIDTH)
                b = b + 0.0 * eight(numbers, k + 2 * WIDTH)
                c = c + 0.0 * eight(numbers, k + 3 * WIDTH)
                k += 4 * WIDTH
            total = (total + a) + (b + c)
        while k < n - WIDTH:
            total = total + 0.0 * eight(numbers, k)
            k += WIDTH
        return within(total, 0.0)
    rest = 0.0
    for k in range(n):
        rest += 0.0 * load(numbers, k)
    return rest == 0.0
