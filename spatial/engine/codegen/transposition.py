"""Transposition between states and lanes, in compiled code: tiles of four entries of eight states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types

from pluecker.spatial.engine.codegen.lanes import DOUBLE, FUSE, INT, LONG, VECTOR, lanes
from pluecker.spatial.engine.codegen.views import ALIGNED, UNALIGNED, address, parts
from pluecker.spatial.engine.compiled.numba_internals import cgutils, means
from pluecker.spatial.engine.memory.transposition import (
    LONG_STATE,
    SIDE,
    eight,
    read_tile,
    transposed,
    write_known_tile,
    write_new_tile,
)
from pluecker.spatial.engine.scalars.lanes import WIDTH

# Prefetched are the same entries of the next eight states; of states with more entries than LONG_STATE those so many bytes
# on. Measured: crba of Panda 23 %, of a chain of 100 12 %.
DISTANCE = 512
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


@means(transposed)
def _transposed(typing, a, b, c, d, e, f, g, h):
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


@means(read_tile)
def _read_tile(typing, states, n, b, k, block):
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


def tile_writer(function: Callable[..., Any], prefetching: bool) -> None:
    """Make a function write four rows of an array of lanes into four entries of eight states, from ``b`` on.

    With ``prefetching`` it asks for memory that is written to later, see :func:`prefetch`.
    """

    @means(function)
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


tile_writer(write_new_tile, True)  # where memory has not been touched yet
tile_writer(write_known_tile, False)


@means(eight)
def _eight(typing, numbers, k):
    """Entries ``k`` to ``k + 7`` of a view of numbers, in their order, as lanes."""

    def generate(context, builder, signature, arguments):
        data, _ = parts(context, builder, signature.args[0], arguments[0])
        pointer = builder.gep(data, [arguments[1]], inbounds=True)
        return builder.load(builder.bitcast(pointer, VECTOR.as_pointer()), align=UNALIGNED)

    return lanes(numbers, types.intp), generate
