"""Factors of ``A + J' D J`` over the nodes of an island: an order of elimination, the pattern, and the numbers.

The matrix has a dense block for each pair of nodes that a block row ties. In an order of least degree chains, stacks and
trees have no fill at all. The pattern is a table of pairs, so that finding it takes microseconds for the tens of nodes that
islands mostly have; it grows with their square. Factors are ``L U`` without pivots: blocks of L are in ``low``, those of U
transposed in ``high``, and where D is symmetric both are one, Cholesky's factor.

Source: A. George and J. W. H. Liu, "The evolution of the minimum degree ordering algorithm" (1989); G. H. Golub and C. F.
Van Loan, "Matrix computations", section 4.2, for ``L U`` without pivots.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.velocities.island import (
    BEGIN,
    BELOW,
    BLOCKS,
    DEGREE,
    HIGH,
    INVERSE,
    LOW,
    MASS,
    NEEDED,
    NODES,
    ORDER,
    PLACE,
    RANK,
    SQUARE,
)
from pluecker.spatial.engine.compiled.decorators import allocation_free_kernel, called_kernel

__all__ = ["assemble", "factorise", "find_pattern", "invert_masses", "solve_factored"]

LOST = 1e-13  # of a diagonal entry, what elimination may leave of it: less is rounding


@called_kernel
def find_pattern(I):
    """Find an order of least degree, and the places of all blocks; the number of their entries is ``count[NEEDED]``"""
    n, at = I.counts[NODES], I.J.columns
    for k in range(n * n):
        I.pairs[PLACE, k] = -1
    for i in range(n):
        I.pairs[PLACE, i * n + i], I.numbers[RANK, i], I.numbers[DEGREE, i] = 0, -1, at[i + 1] - at[i]
    for i in range(I.counts[BLOCKS]):
        for k in range(I.J.first[i], I.J.first[i + 1]):
            for e in range(I.J.first[i], k):
                tie(I, n, I.J.column[k], I.J.column[e])
    top = 0
    for k in range(n):
        p, least = -1, 0
        for i in range(n):
            if I.numbers[RANK, i] < 0 and (p < 0 or I.numbers[DEGREE, i] < least):
                p, least = i, I.numbers[DEGREE, i]
        I.numbers[ORDER, k], I.numbers[RANK, p], I.numbers[BEGIN, k] = p, k, top
        for i in range(n):
            if I.numbers[RANK, i] < 0 and I.pairs[PLACE, p * n + i] >= 0:
                I.pairs[BELOW, top] = i
                top += 1
                I.numbers[DEGREE, i] -= at[p + 1] - at[p]
        for a in range(I.numbers[BEGIN, k], top):
            for b in range(I.numbers[BEGIN, k], a):
                tie(I, n, I.pairs[BELOW, a], I.pairs[BELOW, b])
    I.numbers[BEGIN, n] = top
    numbers = 0
    for k in range(n):
        p = I.numbers[ORDER, k]
        width = at[p + 1] - at[p]
        I.pairs[PLACE, p * n + p] = numbers
        numbers += width * width
        for a in range(I.numbers[BEGIN, k], I.numbers[BEGIN, k + 1]):
            # in the order of elimination, by insertion
            i, b = I.pairs[BELOW, a], a
            while b > I.numbers[BEGIN, k] and I.numbers[RANK, I.pairs[BELOW, b - 1]] > I.numbers[RANK, i]:
                I.pairs[BELOW, b] = I.pairs[BELOW, b - 1]
                b -= 1
            I.pairs[BELOW, b] = i
            I.pairs[PLACE, p * n + i], I.pairs[PLACE, i * n + p] = numbers, numbers
            numbers += width * (at[i + 1] - at[i])
    I.counts[NEEDED] = numbers


@allocation_free_kernel
def tie(I, n, i, j):
    """Note that two nodes have a block, unless that is known"""
    if I.pairs[PLACE, i * n + j] < 0:
        at = I.J.columns
        I.pairs[PLACE, i * n + j], I.pairs[PLACE, j * n + i] = 0, 0
        I.numbers[DEGREE, i] += at[j + 1] - at[j]
        I.numbers[DEGREE, j] += at[i + 1] - at[i]


@called_kernel
def invert_masses(I):
    """Compute A of each node from A^-1, by Gauss and Jordan's elimination"""
    a = I.matrices[MASS]
    for t in range(I.counts[NODES]):
        n, q = I.J.columns[t + 1] - I.J.columns[t], I.numbers[SQUARE, t]
        for e in range(n * n):
            a[q + e] = I.matrices[INVERSE, q + e]
        for k in range(n):
            row = q + k * n
            pivot = 1.0 / a[row + k]
            a[row + k] = 1.0
            for c in range(n):
                a[row + c] *= pivot
            for i in range(n):
                if i != k:
                    f = a[q + i * n + k]
                    a[q + i * n + k] = 0.0
                    for c in range(n):
                        a[q + i * n + c] -= f * a[row + c]


@allocation_free_kernel
def add_product(data, p, height, width, line, across, out, q):
    """Add J_f' T to the block at q, with J_f from p on in ``data``, and T in ``line``, ``(height, across)``"""
    if height == 3 and width == 6 and across == 6:
        for a in range(6):
            x, y, z = data[p + a], data[p + 6 + a], data[p + 12 + a]
            for c in range(6):
                out[q + 6 * a + c] += x * line[c] + y * line[6 + c] + z * line[12 + c]
        return
    for h in range(height):
        for a in range(width):
            x = data[p + h * width + a]
            if x != 0.0:
                for c in range(across):
                    out[q + a * across + c] += x * line[h * across + c]


@called_kernel
def assemble(I, both):
    """Write ``A + J' D J`` to ``LOW``; with ``both`` its transpose to ``HIGH``

    Of a pair of nodes the one that is eliminated later has the rows. Most blocks of D are symmetric: they are added first.
    """
    n, low, high = I.counts[NODES], I.factors[LOW], I.factors[HIGH]
    for k in range(I.counts[NEEDED]):
        low[k] = 0.0
    for t in range(n):
        p, q = I.pairs[PLACE, t * n + t], I.numbers[SQUARE, t]
        for e in range(I.numbers[SQUARE, t + 1] - q):
            low[p + e] = I.matrices[MASS, q + e]
    for i in range(I.counts[BLOCKS]):
        kind = symmetry(I, i)
        if kind == 1 or (kind == 2 and not both):
            add_block(I, i, n, 0, low)
    if both:
        for k in range(I.counts[NEEDED]):
            high[k] = low[k]
        for i in range(I.counts[BLOCKS]):
            if symmetry(I, i) == 2:
                add_block(I, i, n, 0, low)
                add_block(I, i, n, 1, high)


@called_kernel
def add_block(I, i, n, side, out):
    """Add ``J_i' D_i J_i`` to the blocks of all pairs of nodes that block i meets; with side 1 that of D'"""
    J, top, height = I.J, I.K.start[i], I.K.start[i + 1] - I.K.start[i]
    for k in range(J.first[i], J.first[i + 1]):
        e = J.column[k]
        across = J.columns[e + 1] - J.columns[e]
        times_block(I, top, height, side, J.place[k], across)
        for m in range(J.first[i], J.first[i + 1]):
            f = J.column[m]
            if I.numbers[RANK, f] >= I.numbers[RANK, e]:
                width, q = J.columns[f + 1] - J.columns[f], I.pairs[PLACE, f * n + e]
                add_product(J.data, J.place[m], height, width, I.line, across, out, q)


@allocation_free_kernel
def symmetry(I, i):
    """Return 0 for a block of D that is zero, 1 for one that is symmetric, 2 for others"""
    top, n, kind = I.K.start[i], I.K.start[i + 1] - I.K.start[i], 0
    for a in range(n):
        for b in range(n):
            if I.D[top + a, b] != 0.0:
                kind = max(kind, 1)
            if I.D[top + a, b] != I.D[top + b, a]:
                return 2
    return kind


@allocation_free_kernel
def times_block(I, top, height, side, p, width):
    """Write D J_e, or D' J_e, to ``line``"""
    for a in range(height):
        for c in range(width):
            I.line[a * width + c] = 0.0
        for b in range(height):
            x = I.D[top + a, b] if side == 0 else I.D[top + b, a]
            if x != 0.0:
                for c in range(width):
                    I.line[a * width + c] += x * I.J.data[p + b * width + c]


@allocation_free_kernel
def dot(x, p, y, q, n):
    """x[p : p + n] . y[q : q + n]"""
    if n == 6:
        near = x[p] * y[q] + x[p + 1] * y[q + 1] + x[p + 2] * y[q + 2]
        return near + (x[p + 3] * y[q + 3] + x[p + 4] * y[q + 4] + x[p + 5] * y[q + 5])
    total = 0.0
    for k in range(n):
        total += x[p + k] * y[q + k]
    return total


@allocation_free_kernel
def split(low, high, p, n, both):
    """Factorise a diagonal block in place, ``H = L U``, with diagonals of L and U that are alike up to a sign"""
    for i in range(n):
        r = p + i * n
        whole = low[r + i]
        for j in range(i):
            c = p + j * n
            x, y = low[r + j], high[r + j]
            for k in range(j):
                x -= low[r + k] * high[c + k]
            if both:
                for k in range(j):
                    y -= high[r + k] * low[c + k]
                high[r + j] = y / low[c + j]
            low[r + j] = x / high[c + j]
        d = whole
        for k in range(i):
            d -= low[r + k] * high[r + k]
        if not abs(d) > LOST * abs(whole) or (d < 0.0 and not both):
            return False
        size = np.sqrt(abs(d))
        low[r + i] = size
        if both:
            high[r + i] = size if d > 0.0 else -size
    return True


@called_kernel
def divide(low, p, count, triangle, q, n):
    """X <- X V^-T for a block X of so many rows, with V in the lower triangle of the block at q"""
    for a in range(count):
        r = p + a * n
        for k in range(n):
            x = low[r + k]
            for m in range(k):
                x -= low[r + m] * triangle[q + k * n + m]
            low[r + k] = x / triangle[q + k * n + k]


@called_kernel
def subtract(out, p, rows, columns, left, q, right, t, n):
    """H <- H - B C'"""
    for a in range(rows):
        for b in range(columns):
            out[p + a * columns + b] -= dot(left, q + a * n, right, t + b * n, n)


@called_kernel
def eliminate(I, low, high, both):
    """Factorise what :func:`assemble` wrote, in place; return whether all pivots are good"""
    n, at = I.counts[NODES], I.J.columns
    for k in range(n):
        p = I.numbers[ORDER, k]
        width, pivot = at[p + 1] - at[p], I.pairs[PLACE, p * n + p]
        if not split(low, high, pivot, width, both):
            return False
        for a in range(I.numbers[BEGIN, k], I.numbers[BEGIN, k + 1]):
            i = I.pairs[BELOW, a]
            divide(low, I.pairs[PLACE, p * n + i], at[i + 1] - at[i], high, pivot, width)
            if both:
                divide(high, I.pairs[PLACE, p * n + i], at[i + 1] - at[i], low, pivot, width)
        for a in range(I.numbers[BEGIN, k], I.numbers[BEGIN, k + 1]):
            i = I.pairs[BELOW, a]
            rows, left = at[i + 1] - at[i], I.pairs[PLACE, p * n + i]
            for b in range(I.numbers[BEGIN, k], a + 1):
                j = I.pairs[BELOW, b]
                columns, right, q = at[j + 1] - at[j], I.pairs[PLACE, p * n + j], I.pairs[PLACE, i * n + j]
                subtract(low, q, rows, columns, low, left, high, right, width)
                if both:
                    subtract(high, q, rows, columns, high, left, low, right, width)
    return True


@allocation_free_kernel
def factorise(I, both):
    """Assemble and factorise; without ``both`` D is symmetric"""
    assemble(I, both)
    return eliminate(I, I.factors[LOW], I.factors[HIGH] if both else I.factors[LOW], both)


@called_kernel
def substitute(I, low, high, x):
    """Solve with the factors, in place"""
    n, at = I.counts[NODES], I.J.columns
    for k in range(n):
        p = I.numbers[ORDER, k]
        top, width, pivot = at[p], at[p + 1] - at[p], I.pairs[PLACE, p * n + p]
        for a in range(width):
            y = x[top + a]
            for b in range(a):
                y -= low[pivot + a * width + b] * x[top + b]
            x[top + a] = y / low[pivot + a * width + a]
        for e in range(I.numbers[BEGIN, k], I.numbers[BEGIN, k + 1]):
            i = I.pairs[BELOW, e]
            q = I.pairs[PLACE, p * n + i]
            for a in range(at[i + 1] - at[i]):
                x[at[i] + a] -= dot(low, q + a * width, x, top, width)
    for k in range(n - 1, -1, -1):
        p = I.numbers[ORDER, k]
        top, width, pivot = at[p], at[p + 1] - at[p], I.pairs[PLACE, p * n + p]
        for e in range(I.numbers[BEGIN, k], I.numbers[BEGIN, k + 1]):
            i = I.pairs[BELOW, e]
            q = I.pairs[PLACE, p * n + i]
            for a in range(at[i + 1] - at[i]):
                f = x[at[i] + a]
                for b in range(width):
                    x[top + b] -= high[q + a * width + b] * f
        for a in range(width - 1, -1, -1):
            y = x[top + a]
            for b in range(a + 1, width):
                y -= high[pivot + b * width + a] * x[top + b]
            x[top + a] = y / high[pivot + a * width + a]


@allocation_free_kernel
def solve_factored(I, both, x):
    """Solve with the factors, in place"""
    substitute(I, I.factors[LOW], I.factors[HIGH] if both else I.factors[LOW], x)
