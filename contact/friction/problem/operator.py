"""The operator of a friction problem, N = J M^-1 J' + compliance, in two forms that can be exchanged.

*Assembled*: the matrix N itself. *Factored*: the Jacobian J and ``T = J M^-1``, so that ``N x = J (T' x)``. Which one is
faster depends on how many contacts a body has: a contact meets all other contacts of its two bodies in N, but only the two
bodies in J. Both are :class:`~pluecker.contact.friction.sparse.blocks.BlockMatrix`, whose columns are in the factored form
those of the velocities; whoever has another M^-1, an articulated tree for example, brings it as T.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pluecker.contact.friction.sparse.blocks import (
    BlockMatrix,
    Indices,
    add_dot,
    diagonal,
    empty_blocks,
    multiply_any,
    multiply_any_transposed,
    multiply_row,
    multiply_row_transposed,
    to_scipy,
)
from pluecker.spatial.engine.compiled.decorators import called_kernel, entry_point, kernel, positive
from pluecker.spatial.engine.parallel.interruption import answering
from pluecker.spatial.engine.parallel.threads import map_in_threads
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.lazily import scipy

__all__ = [
    "Operator", "apply", "apply_once", "assemble", "assembled", "contiguous", "diagonal_of", "factored", "plain",
    "prefers_matrix", "to_matrix",
]  # fmt: skip

FLOAT, INT = np.dtype(np.float64), np.dtype(np.int64)


class Operator(NamedTuple):
    """N, in one of its two forms.

    Attributes:
        is_factored: 1 for the factored form, 0 for the assembled one.
        N: the matrix, where it is assembled, without the compliance; also beside factors, where both are wanted.
        J: the Jacobian, where it is factored.
        T: J M^-1, where it is factored.
        G: where it is factored and one is known, a matrix with G G' = J M^-1 J', of the same pattern; otherwise without
            entries. Solvers take it in place of J and T: it is half of what a product has to read.
        compliance: a diagonal that is added, ``(m,)``, in m/s per N s; zero for rigid contact.
        velocity: a place for as many numbers as J has columns, changed by every product.
        is_soft: 1 if a compliance is not zero; it is not read otherwise.
    """

    is_factored: int
    N: BlockMatrix
    J: BlockMatrix
    T: BlockMatrix
    G: BlockMatrix
    compliance: Array
    velocity: Array
    is_soft: int


def assembled(N: BlockMatrix, compliance: Array) -> Operator:
    """Make the operator in its assembled form."""
    none = empty_blocks()
    return Operator(0, N, none, none, none, compliance, np.zeros(0), int(compliance.any()))


def factored(J: BlockMatrix, T: BlockMatrix, compliance: Array, G: BlockMatrix | None = None) -> Operator:
    """Make the operator J T' + compliance in its factored form, where J T' = G G'."""
    none, velocity = empty_blocks(), np.zeros(int(J.columns[-1]))
    return Operator(1, none, J, T, none if G is None else G, compliance, velocity, int(compliance.any()))


def assemble(operator: Operator, threads: int = 1) -> Operator:
    """Return the operator in its assembled form; itself if it is assembled already."""
    if not operator.is_factored:
        return operator
    return assembled(multiply_factors(operator.J, operator.T, threads), operator.compliance)


def contiguous(operator: Operator) -> Operator:
    """Return the operator with all arrays as compiled code takes them; those that are so already are not copied."""
    N, J, T, G = (
        B if B is empty_blocks() else BlockMatrix(*(plain(a, a.dtype.kind) for a in B)) for B in operator[1:5]
    )
    compliance, velocity = plain(operator.compliance, "f"), plain(operator.velocity, "f")
    return Operator(int(operator.is_factored), N, J, T, G, compliance, velocity, int(operator.is_soft))


def plain(array: Array | Indices, kind: str) -> Any:
    """Return an array of float64 or int64, aligned, contiguous, writeable; itself if it is so already."""
    dtype = FLOAT if kind == "f" else INT
    flags = array.flags
    if array.dtype == dtype and flags.carray:
        return array
    return np.array(array, dtype, order="C")


def prefers_matrix(operator: Operator) -> bool:
    """Return whether a product with the matrix takes no more operations than one with the factors."""
    if not operator.is_factored:
        return True
    B = operator.J
    meeting = np.bincount(B.column, minlength=len(B.columns) - 1)  # blocks that each body has
    height = np.diff(B.rows).mean() if len(B.rows) > 1 else 0.0
    return bool((meeting.astype(float) ** 2).sum() * height**2 <= len(B.data) + len(operator.T.data))


def to_matrix(operator: Operator) -> scipy.sparse.csr_matrix:
    """Convert N to a matrix of SciPy, the compliance included."""
    N = to_scipy(assemble(operator).N)
    return scipy.sparse.csr_matrix(N + scipy.sparse.diags(operator.compliance))


# --------------------------------------------------------------------------------------------------------------- kernels


@kernel
def clear(A, left, right):
    """Set the velocities from ``left`` to ``right`` to zero, before :func:`push`"""
    for j in range(left, right):
        A.velocity[j] = 0.0


@kernel
def push(A, i, x):
    """Add T' x of block row i to the velocities; do nothing for an assembled operator"""
    if A.is_factored == 1:
        multiply_row_transposed(A.T, i, x, A.velocity)


@kernel
def pull(A, i, x, y):
    """Compute the rows of y = N x in block row i, after all rows that share a body with it were pushed"""
    if A.is_factored == 1:
        multiply_row(A.J, i, A.velocity, y)
        top, bottom = A.J.rows[i], A.J.rows[i + 1]
    else:
        multiply_row(A.N, i, x, y)
        top, bottom = A.N.rows[i], A.N.rows[i + 1]
    if A.is_soft == 1:
        for k in range(top, bottom):
            y[k] += A.compliance[k] * x[k]


@called_kernel
def apply(A, x, y, first, last, left, right):
    """y = N x in the block rows from ``first`` to ``last``, with x zero elsewhere

    ``left`` and ``right`` are the velocities that these rows touch; those between are set to zero first.
    """
    clear(A, left, right)
    for i in range(first, last):
        push(A, i, x)
    for i in range(first, last):
        pull(A, i, x, y)


@called_kernel
def apply_once(A, x, y):
    """y = N x as a whole, for callers that need one product: without loops for frequent blocks it compiles faster"""
    for j in range(len(A.velocity)):
        A.velocity[j] = 0.0
    if A.is_factored == 1:
        for i in range(len(A.T.rows) - 1):
            multiply_any_transposed(A.T, i, x, A.velocity)
        for i in range(len(A.J.rows) - 1):
            multiply_any(A.J, i, A.velocity, y)
    else:
        for i in range(len(A.N.rows) - 1):
            multiply_any(A.N, i, x, y)
    if A.is_soft == 1:
        for k in range(len(y)):
            y[k] += A.compliance[k] * x[k]


def diagonal_of(A, out):
    """Compute the diagonal of N"""
    if A.is_factored == 1:
        J, T = A.J, A.T
        for i in range(len(J.rows) - 1):
            for r in range(J.rows[i], J.rows[i + 1]):
                out[r] = A.compliance[r]
            for k in range(J.first[i], J.first[i + 1]):
                width = J.columns[J.column[k] + 1] - J.columns[J.column[k]]
                for m in range(T.first[i], T.first[i + 1]):
                    if T.column[m] == J.column[k]:
                        for r in range(J.rows[i + 1] - J.rows[i]):
                            at, p, q = J.rows[i] + r, J.place[k] + r * width, T.place[m] + r * width
                            out[at] = add_dot(out[at], J.data, p, T.data, q, width)
    else:
        diagonal(A.N, out)
        for k in range(len(out)):
            out[k] += A.compliance[k]


def multiply_factors(J: BlockMatrix, T: BlockMatrix, threads: int = 1) -> BlockMatrix:
    """Compute J T', symmetric to the last bit; threads share the work where J and T are one array."""
    R, C, blocks, shares = len(J.rows) - 1, len(J.columns) - 1, len(T.column), threads if J is T else 1
    first, begin, width = np.zeros(C + 1, np.int64), np.zeros(R + 1, np.int64), np.empty(R, np.int64)
    np.cumsum(np.bincount(T.column, minlength=C), out=first[1:])
    many = int(np.diff(first)[J.column].sum())  # blocks that there may be
    column, place, seen = np.empty(many, np.int64), np.empty(many, np.int64), np.empty(R, np.int64)
    where, row_of, free = np.empty(blocks, np.int64), np.empty(blocks, np.int64), first[:-1].copy()
    found, size = answering(find_products, J, T, first, free, where, row_of, seen, begin, column, place, width)
    N = BlockMatrix(J.rows, J.rows, begin, column[:found].copy(), place[:found].copy(), np.zeros(size), width)

    def add(share: int) -> None:
        mine = share * R // shares, (share + 1) * R // shares
        answering(add_products, J, T, J is T, first, where, row_of, N, *mine, np.empty((2, R), np.int64))

    if shares == 1:  # to ask others takes as long as a few contacts
        add(0)
    else:
        map_in_threads(add, range(shares), shares)
    return N


def find_products(J, T, first, free, where, row_of, seen, begin, column, place, shape):
    """Find the pattern of N = J T'; return how many blocks it has, and how many numbers these have

    Writes where the blocks of each block row start to ``begin``, their block columns, ascending in each row, to ``column``,
    where each block starts among the numbers, one after the other, to ``place``, and to ``shape`` 3 for rows whose blocks
    are all 3 by 3, 0 for others.

    ``first``: where the blocks of each column of T begin in ``where``, which becomes their places; ``row_of`` becomes the
    block row of each block of T. ``free``, ``seen``: workspace, at first a copy of ``first``, of columns and of rows.
    """
    R, size, found = len(J.rows) - 1, 0, 0
    for i in range(R):
        seen[i] = -1
        for k in range(T.first[i], T.first[i + 1]):
            where[free[T.column[k]]], row_of[k] = k, i
            free[T.column[k]] += 1
    for i in range(R):
        top, height = found, J.rows[i + 1] - J.rows[i]
        for k in range(J.first[i], J.first[i + 1]):
            for m in range(first[J.column[k]], first[J.column[k] + 1]):
                j, at = row_of[where[m]], found
                if seen[j] == i:
                    continue
                seen[j] = i
                while at > top and column[at - 1] > j:
                    column[at] = column[at - 1]
                    at -= 1
                column[at] = j
                found += 1
        begin[i + 1], shape[i] = found, 3 if height == 3 else 0
        for n in range(top, found):
            across, place[n] = J.rows[column[n] + 1] - J.rows[column[n]], size
            size += height * across
            if across != 3:
                shape[i] = 0
    return found, size


@kernel
def add_six(total, x, p, y, q):
    """Add as :func:`~pluecker.contact.friction.sparse.blocks.add_dot` does, for six numbers"""
    total = total + x[p] * y[q] + x[p + 1] * y[q + 1] + x[p + 2] * y[q + 2]
    return total + x[p + 3] * y[q + 3] + x[p + 4] * y[q + 4] + x[p + 5] * y[q + 5]


def add_products(J, T, same, first, where, row_of, N, top, bottom, scratch):
    """Compute the blocks of N = J T', whose numbers are zero before

    Where J and T are the ``same``, those in the rows from ``top`` to ``bottom``, this one not included, from the diagonal
    on, and below it what mirrors them; otherwise all, and N becomes (N + N') / 2. ``scratch``: two rows of integers, as
    many as N has rows.
    """
    free, slot = scratch[0], scratch[1]
    if same:
        for j in range(top, len(J.rows) - 1):
            free[j] = N.first[j]
            while free[j] < N.first[j + 1] and N.column[free[j]] < top:
                free[j] += 1
    for i in range(top, bottom):
        height = J.rows[i + 1] - J.rows[i]
        for n in range(N.first[i], N.first[i + 1]):
            slot[N.column[n]] = N.place[n]
        for k in range(J.first[i], J.first[i + 1]):
            c = J.column[k]
            width, q = J.columns[c + 1] - J.columns[c], positive(J.place[k])
            for m in range(first[c], first[c + 1]):
                j, t = row_of[where[m]], positive(T.place[where[m]])
                across, s = J.rows[j + 1] - J.rows[j], positive(slot[j])
                if same and j < i:
                    continue
                if height == 3 and across == 3 and width == 6:
                    for a in range(3):
                        for b in range(3):
                            N.data[s + 3 * a + b] += add_six(0.0, J.data, q + 6 * a, T.data, t + 6 * b)
                    continue
                for a in range(height):
                    for b in range(across):
                        x = add_dot(0.0, J.data, q + a * width, T.data, t + b * width, width)
                        N.data[s + a * across + b] += x
        if same:
            mirror(N, i, free)
    if not same:
        symmetrise(N)


@kernel
def mirror(N, i, free):
    """Copy the blocks of block row i right of the diagonal, transposed, to their places below it; rows come in order

    The pattern is symmetric. ``free``: the next block of each row that is below the diagonal.
    """
    rows, data = N.rows, N.data
    for n in range(N.first[i], N.first[i + 1]):
        j = N.column[n]
        if j > i:
            height, width, p, q = rows[i + 1] - rows[i], rows[j + 1] - rows[j], N.place[n], N.place[free[j]]
            p, q = positive(p), positive(q)
            free[j] += 1
            if height == 3 and width == 3:
                for a in range(3):
                    for b in range(3):
                        data[q + 3 * b + a] = data[p + 3 * a + b]
                continue
            for a in range(height):
                for b in range(width):
                    data[q + b * height + a] = data[p + a * width + b]


@kernel
def symmetrise(N):
    """(N + N') / 2 in place; the pattern is symmetric"""
    rows, first, column, place, data = N.rows, N.first, N.column, N.place, N.data
    for i in range(len(rows) - 1):
        height = rows[i + 1] - rows[i]
        for k in range(first[i], first[i + 1]):
            j = column[k]
            if j >= i:
                low, high = first[j], first[j + 1] - 1
                while low < high:
                    middle = (low + high) // 2
                    if column[middle] < i:
                        low = middle + 1
                    else:
                        high = middle
                width = rows[j + 1] - rows[j]
                if column[low] == i:
                    for a in range(height):
                        for b in range(width):
                            p, q = place[k] + a * width + b, place[low] + b * height + a
                            mean = 0.5 * (data[p] + data[q])
                            data[p], data[q] = mean, mean


diagonal_of = entry_point(diagonal_of)
find_products, add_products = entry_point(find_products), entry_point(add_products)
