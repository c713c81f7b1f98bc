"""Sums of multiples of rows: what dense algebra takes most of its time for.

Of eight states each entry is a vector already. Of one state eight entries that lie side by side are taken together, then
four, then one by one. LLVM would not do so by itself: the row that is written could be one of those that are read. Here it
is none of these. Sums are added up in the order in which they are written, with one rounding for a product and a sum,
whatever is taken together: the numbers are those of a loop over the entries.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic, overload

from pluecker.spatial.engine.compiled.decorators import TAUGHT, kernel
from pluecker.spatial.engine.compiled.numba_internals import check_index
from pluecker.spatial.engine.memory.views import UNALIGNED, parts, scalar_of
from pluecker.spatial.engine.scalars.lanes import DOUBLE, FUSE, INT, LONG
from pluecker.spatial.engine.scalars.operations import accumulate, load, store

__all__ = ["add_multiple", "add_multiples", "store_combination", "taken_together"]


def add_multiple(n, a, x, i, z, k):
    """z += a x, of n entries, x from its entry ``i`` on and z from ``k`` on"""
    for e in range(n):
        accumulate(z, k + e, a * load(x, i + e))


def add_multiples(n, a, x, i, b, y, j, z, k):
    """z += a x + b y, of n entries, each from its own on"""
    for e in range(n):
        accumulate(z, k + e, a * load(x, i + e))
        accumulate(z, k + e, b * load(y, j + e))


def store_combination(n, a, b, c, x, i, j, k, out, m):
    """out = a x + b x + c x, of n entries, x from ``i``, from ``j`` and from ``k`` on, ``out`` from ``m`` on"""
    for e in range(n):
        store(out, m + e, a * load(x, i + e) + b * load(x, j + e) + c * load(x, k + e))


def taken_together(x, n, most):
    """n entries, or up to three more where none is then taken by itself, if these are at most so many"""
    return n


def entries(width: int, context: Any, builder: Any, kind: Any, view: Any, k: Any) -> Any:
    """The address of so many entries of an array of numbers, from ``k`` on."""
    data, size = parts(context, builder, kind, view)
    check_index(context, builder, k, size)
    check_index(context, builder, builder.add(k, LONG(width - 1)), size)
    return builder.bitcast(builder.gep(data, [k], inbounds=True), ir.VectorType(DOUBLE, width).as_pointer())


def spread(width: int, builder: Any, number: Any) -> Any:
    """A vector of one number."""
    nothing = ir.Constant(ir.VectorType(DOUBLE, width), ir.Undefined)
    first = builder.insert_element(nothing, number, INT(0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(INT, width), [0] * width))


def combine(width: int, added: bool) -> Any:
    """An intrinsic for so many entries from number ``e`` on: ``f(e, z, k, (a, b, ...), (x, y, ...), (i, j, ...))``."""

    def generate(context, builder, signature, arguments):
        e, out, first, factors, rows, places = arguments
        _, own, _, _, kinds, _ = signature.args
        place = entries(width, context, builder, own, out, builder.add(first, e))
        total = builder.load(place, align=UNALIGNED) if added else None
        for j, kind in enumerate(kinds):
            factor, where = builder.extract_value(factors, j), builder.add(builder.extract_value(places, j), e)
            row = builder.load(
                entries(width, context, builder, kind, builder.extract_value(rows, j), where), align=UNALIGNED
            )
            term = builder.fmul(spread(width, builder, factor), row, flags=FUSE)
            total = term if total is None else builder.fadd(total, term, flags=FUSE)
        builder.store(total, place, align=UNALIGNED)
        return context.get_dummy_value()

    @intrinsic
    def combined(typing, e, out, first, factors, rows, places):
        n = len(rows)
        own = types.UniTuple(types.float64, n), rows, types.UniTuple(types.intp, n)
        return types.none(types.intp, out, types.intp, *own), generate

    return combined


def combination(added: bool) -> Any:
    """The kernel for all n entries of numbers."""
    eight, four, one = combine(8, added), combine(4, added), combine(1, added)

    def combine_numbers(n, out, first, factors, rows, places):
        e = 0
        while e < n - 7:
            eight(e, out, first, factors, rows, places)
            e += 8
        if e < n - 3:
            four(e, out, first, factors, rows, places)
            e += 4
        while e < n:
            one(e, out, first, factors, rows, places)
            e += 1

    combine_numbers.__name__ += f"_{added:d}"
    return kernel(combine_numbers)


if not config.DISABLE_JIT:
    each, each_of_two, each_of_three = kernel(add_multiple), kernel(add_multiples), kernel(store_combination)
    add_numbers, store_numbers = combination(True), combination(False)

    @overload(add_multiple, jit_options=TAUGHT)
    def _add_multiple(n, a, x, i, z, k):
        if scalar_of(z) == types.float64:
            return lambda n, a, x, i, z, k: add_numbers(n, z, k, (a,), (x,), (i,))
        return lambda n, a, x, i, z, k: each(n, a, x, i, z, k)

    @overload(add_multiples, jit_options=TAUGHT)
    def _add_multiples(n, a, x, i, b, y, j, z, k):
        if scalar_of(z) == types.float64:
            return lambda n, a, x, i, b, y, j, z, k: add_numbers(n, z, k, (a, b), (x, y), (i, j))
        return lambda n, a, x, i, b, y, j, z, k: each_of_two(n, a, x, i, b, y, j, z, k)

    @overload(store_combination, jit_options=TAUGHT)
    def _store_combination(n, a, b, c, x, i, j, k, out, m):
        if scalar_of(out) == types.float64:
            return lambda n, a, b, c, x, i, j, k, out, m: store_numbers(n, out, m, (a, b, c), (x, x, x), (i, j, k))
        return lambda n, a, b, c, x, i, j, k, out, m: each_of_three(n, a, b, c, x, i, j, k, out, m)

    @overload(taken_together, jit_options=TAUGHT)
    def _taken_together(x, n, most):
        if scalar_of(x) == types.float64:
            return lambda x, n, most: n if (n + 3) // 4 * 4 > most else (n + 3) // 4 * 4
        return lambda x, n, most: n
