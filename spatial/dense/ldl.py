"""Small symmetric positive definite matrices: ``A = L D L^T``, without exchanges, and what follows from it.

A matrix of n x n is a scalar array of n^2 entries, row by row. No kernel looks for a larger pivot elsewhere, since lanes
would have to agree on one; a positive definite matrix needs none. A pivot that is rounding error is found by comparing it
with what it was subtracted from, and becomes NaN, as does all that is divided by it.

Source: Golub, Van Loan, *Matrix Computations*, section 4.1; the loss of digits in a pivot: Higham, *Accuracy and Stability
of Numerical Algorithms*, section 10.1.
"""

import numpy as np

from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, select, smaller, store

__all__ = ["factorize_ldl", "invert_ldl", "reciprocal", "solve_ldl"]


@kernel
def reciprocal(d, smallest):
    """1 / d, or NaN where there is nothing but rounding error to divide by, and where d overflows"""
    return 1.0 / select(smaller(smallest, d), d, d * np.nan)


@kernel
def factorize_ldl(A, n, epsilon):
    """A = L D L^T in place, L unit lower triangular, 1 / D on the diagonal

    A pivot that is at most ``epsilon`` of its diagonal entry counts as zero. Above the diagonal there is D L^T afterwards.
    """
    for j in range(n):
        d = load(A, j * n + j)
        smallest = epsilon * d
        for k in range(j):
            d = d - load(A, j * n + k) * load(A, k * n + j)
        dj = reciprocal(d, smallest)
        store(A, j * n + j, dj)
        for i in range(j + 1, n):
            x = load(A, i * n + j)
            for k in range(j):
                x = x - load(A, i * n + k) * load(A, k * n + j)
            store(A, j * n + i, x)  # D L^T above the diagonal
            store(A, i * n + j, dj * x)  # L below it


@kernel
def solve_ldl(A, n, x):
    """x from A x = b, with ``b`` in ``x`` and A factorised"""
    for i in range(n):
        for k in range(i):
            store(x, i, load(x, i) - load(A, i * n + k) * load(x, k))
    for i in range(n - 1, -1, -1):
        y = load(A, i * n + i) * load(x, i)
        for k in range(i + 1, n):
            y = y - load(A, k * n + i) * load(x, k)
        store(x, i, y)


@kernel
def invert_ldl(A, n, inverse):
    """The inverse of a factorised matrix, symmetric to the last bit, by its columns from the last

    With Z = A^-1, L^T Z = D^-1 L^-1, of which all above the diagonal is zero: Z_ij = -sum_(k > i) L_ki Z_kj for j > i, and
    Z_ii = 1 / D_i - sum_(k > i) L_ki Z_ki.
    """
    for i in range(n - 1, -1, -1):
        for j in range(n - 1, i - 1, -1):
            z = load(A, i * n + i) if j == i else 0.0 * load(A, i * n + i)
            for k in range(i + 1, n):
                z = z - load(A, k * n + i) * load(inverse, k * n + j)
            store(inverse, i * n + j, z)
            store(inverse, j * n + i, z)
