"""Blocks of 3 by 3 numbers in vectors, in compiled code."""

from __future__ import annotations

from llvmlite import ir
from numba import types

from pluecker.spatial.engine.codegen.lanes import FUSE, INT, LONG, VECTOR
from pluecker.spatial.engine.compiled.numba_internals import check_index, means
from pluecker.spatial.engine.scalars.lanes import WIDTH
from pluecker.spatial.engine.scalars.threes import ENTRIES, subtract_product

INSIDE = 8  # bytes: numbers lie where they happen to be


def chosen(builder, x, entries):
    """Return a vector with these entries of another"""
    return builder.shuffle_vector(x, x, ir.Constant(ir.VectorType(INT, WIDTH), entries))


def assembled(builder, numbers):
    """Make a vector of eight numbers"""
    x = ir.Constant(VECTOR, ir.Undefined)
    for k, number in enumerate(numbers):
        x = builder.insert_element(x, number, INT(k))
    return x


@means(subtract_product)
def _subtract_product(typing, L, a, c, B):
    """Emit C -= A B' by vectors of eight numbers and one more; L is an array of float64 in C order with one axis."""

    def generate(context, builder, signature, arguments):
        array, a, c, B = arguments
        fields = context.make_array(signature.args[0])(context, builder, array)
        a, c = (context.cast(builder, x, kind, types.intp) for x, kind in zip((a, c), signature.args[1:3], strict=True))
        size = builder.extract_value(fields.shape, 0)
        b = [builder.extract_value(B, k) for k in range(ENTRIES)]
        for index in (a, c):
            check_index(context, builder, builder.add(index, LONG(ENTRIES - 1)), size)

        def at(index, k):
            return builder.gep(fields.data, [builder.add(index, LONG(k))], inbounds=True)

        def eight(index, k):
            return builder.bitcast(at(index, k), VECTOR.as_pointer())

        first, second = (builder.load(eight(a, k), align=INSIDE) for k in (0, 1))
        x, last = builder.load(eight(c, 0), align=INSIDE), builder.load(at(c, WIDTH))
        for t in range(3):
            shifted = t // 2  # the last entry of A is in the second vector only
            rows = chosen(builder, (first, second)[shifted], [3 * (k // 3) + t - shifted for k in range(WIDTH)])
            columns = assembled(builder, [b[3 * (k % 3) + t] for k in range(WIDTH)])
            x = builder.fsub(x, builder.fmul(rows, columns, flags=FUSE), flags=FUSE)
            number = builder.extract_element(second, INT(5 + t))
            last = builder.fsub(last, builder.fmul(number, b[6 + t], flags=FUSE), flags=FUSE)
        builder.store(x, eight(c, 0), align=INSIDE)
        builder.store(last, at(c, WIDTH))
        return context.get_dummy_value()

    if isinstance(L, types.Array) and L.layout == "C" and L.ndim == 1 and L.dtype == types.float64:
        return types.none(L, a, c, B), generate
    return None
