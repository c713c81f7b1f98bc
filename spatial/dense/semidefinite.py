"""Small symmetric positive semidefinite matrices: the first rows eliminated, what is left of the others, and redundancy.

A matrix of n x n is a scalar array of n^2 entries, row by row. Its first ``count`` rows B are eliminated, those after them,
C, become the Schur complement:

    A_BB = L D L^T,    S = A_CC - A_CB A_BB^+ A_BC,    x_B = -A_BB^+ (b_B + A_BC x_C)

A pivot that is rounding error belongs to a row that depends on those before it. Nothing branches on it, so that lanes may
have different ranks: its entry of ``1 / D`` is zero, so are its column of L, and its unknown. The combinations of rows that
make nothing, one for each such pivot and zeros for the others, then lead to the unknowns with the least ``sum w_k x_k^2``.

Source: N. J. Higham, *Accuracy and Stability of Numerical Algorithms* (2002), section 10.3; Golub, Van Loan, *Matrix
Computations*, section 5.2, for the orthonormal basis.
"""

from pluecker.spatial.compiled.decorators import kernel
from pluecker.spatial.scalars.operations import accumulate, load, select, smaller, sqrt, store

__all__ = ["eliminate_offset", "eliminate_rows", "least_energy", "null_basis", "recover_rows"]


@kernel
def inverse_or_zero(d, smallest):
    """1 / d, or 0 where d is not above ``smallest``"""
    one = 1.0 + 0.0 * d
    return select(smaller(smallest, d), one / select(smaller(smallest, d), d, one), 0.0 * d)


@kernel
def eliminate_rows(A, n, count, epsilon):
    """L below the diagonal, 1 / D or 0 on it, D L^T above, in the first ``count`` rows and columns; S after them

    A pivot that is at most ``epsilon`` of its diagonal entry counts as zero. Returns how many do.
    """
    zero = 0.0 * load(A, 0)
    dependent = zero
    for j in range(n):
        d = load(A, j * n + j)
        smallest = epsilon * d
        for k in range(min(j, count)):
            d = d - load(A, j * n + k) * load(A, k * n + j)
        dj = inverse_or_zero(d, smallest) if j < count else d
        if j < count:
            dependent = dependent + select(smaller(smallest, d), zero, 1.0 + zero)
        store(A, j * n + j, dj)
        for i in range(j + 1, n):
            x = load(A, i * n + j)
            for k in range(min(j, count)):
                x = x - load(A, i * n + k) * load(A, k * n + j)
            store(A, j * n + i, x)
            store(A, i * n + j, dj * x if j < count else x)
    return dependent


@kernel
def eliminate_offset(A, n, count, b):
    """b_B := L^-1 b_B and b_C := b_C - A_CB A_BB^+ b_B, the offset of the Schur complement"""
    for k in range(count):
        for i in range(k + 1, n):
            accumulate(b, i, -load(A, i * n + k) * load(b, k))


@kernel
def recover_rows(A, n, count, b, x):
    """x_B = -L^-T (D^-1 b_B + L_CB^T x_C), with b from :func:`eliminate_offset` and x_C in x"""
    for i in range(count - 1, -1, -1):
        di = load(A, i * n + i)
        y = -di * load(b, i)
        for k in range(i + 1, n):
            y = y - load(A, k * n + i) * load(x, k)
        store(x, i, y)


@kernel
def null_basis(A, n, count, w, Z):
    """Z, ``count`` x ``count`` row by row: z_j with A_BB z_j = 0 of each dependent row j, orthonormal in w; 0 for others

    z_j is 1 in row j, and of the rows i before it z_i = -sum_(i < k <= j) L_ki z_k, from L^T z = e_j.
    """
    for j in range(count):
        zero = 0.0 * load(A, j * n + j)
        one = 1.0 + zero
        free = select(smaller(zero, load(A, j * n + j)), zero, one)
        for i in range(count - 1, -1, -1):
            z = zero
            if i == j:
                z = free
            elif i < j:
                for k in range(i + 1, j + 1):
                    z = z - load(A, k * n + i) * load(Z, j * count + k)
            store(Z, j * count + i, z)
        for turn in range(2 * j):  # Gram and Schmidt, twice for the digits
            scalar_product_out(Z, count, turn % j, j, w)
        s = zero
        for i in range(count):
            s = s + load(w, i) * load(Z, j * count + i) * load(Z, j * count + i)
        f = inverse_or_zero(sqrt(s), zero)
        for i in range(count):
            store(Z, j * count + i, f * load(Z, j * count + i))


@kernel
def scalar_product_out(Z, count, k, j, w):
    """z_j -= z_k (z_k' w z_j)"""
    s = 0.0 * load(Z, j * count)
    for i in range(count):
        s = s + load(w, i) * load(Z, k * count + i) * load(Z, j * count + i)
    for i in range(count):
        accumulate(Z, j * count + i, -s * load(Z, k * count + i))


@kernel
def least_energy(Z, count, w, x):
    """x_B -= Z Z' w x_B: of all unknowns with the same A_BB x_B those with the least sum of w_k x_k^2"""
    for j in range(count):
        s = 0.0 * load(Z, j * count)
        for i in range(count):
            s = s + load(Z, j * count + i) * load(w, i) * load(x, i)
        for i in range(count):
            accumulate(x, i, -s * load(Z, j * count + i))
