"""Kernels for matrices in memory: the four 3x3 blocks of a 6x6, and what a good rotation or transform must satisfy.

[ A  B ]
[ C  D ]    stored row by row, 36 numbers
"""

import numpy as np

from pluecker.spatial.algebra.transforms import transpose
from pluecker.spatial.algebra.vectors import cross3, dot3, load3, multiply3, scale3, store3, subtract3
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, select, smaller, store

__all__ = [
    "NEARLY",
    "NOISE",
    "NOTHING",
    "ZERO",
    "add9",
    "full",
    "greater",
    "load_block",
    "load_pluecker",
    "nan_if",
    "nan_unless",
    "negate9",
    "not_orthonormal",
    "not_symmetric",
    "not_symmetric3",
    "packed",
    "positive",
    "scale9",
    "skew9",
    "square_of_skew",
    "squares9",
    "store_block",
    "store_blocks",
    "symmetrize",
]  # fmt: skip

ZERO = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
NEARLY = 1e-6  # how far a rotation, a unit vector or a symmetric matrix may be from what it claims to be
NOTHING = 1e-9  # of its neighbour, a block of a transform that should be zero
NOISE = 1e-12  # of the largest numbers that were added up: what rounding may leave where there should be nothing


@kernel
def add9(A, B):
    """A + B"""
    return (
        A[0] + B[0], A[1] + B[1], A[2] + B[2], A[3] + B[3], A[4] + B[4], A[5] + B[5], A[6] + B[6], A[7] + B[7], A[8] + B[8],
    )  # fmt: skip


@kernel
def negate9(A):
    """-A, and zero where A is zero: -0 would be right, and look odd"""
    return (
        0.0 - A[0], 0.0 - A[1], 0.0 - A[2], 0.0 - A[3], 0.0 - A[4], 0.0 - A[5], 0.0 - A[6], 0.0 - A[7], 0.0 - A[8],
    )  # fmt: skip


@kernel
def skew9(a):
    """a x, the matrix that multiplies by the cross product (course, section 6)"""
    return (0.0, 0.0 - a[2], a[1], a[2], 0.0, 0.0 - a[0], 0.0 - a[1], a[0], 0.0)


@kernel
def scale9(s, A):
    """s A"""
    return (s * A[0], s * A[1], s * A[2], s * A[3], s * A[4], s * A[5], s * A[6], s * A[7], s * A[8])


@kernel
def square_of_skew(a):
    """a~ a~ = a a^T - (a . a) 1"""
    xx, yy, zz = a[0] * a[0], a[1] * a[1], a[2] * a[2]
    xy, xz, yz = a[0] * a[1], a[0] * a[2], a[1] * a[2]
    return (-yy - zz, xy, xz, xy, -xx - zz, yz, xz, yz, -xx - yy)


@kernel
def full(J):
    """A symmetric matrix of six numbers, as nine"""
    return (J[0], J[1], J[2], J[1], J[3], J[4], J[2], J[4], J[5])


@kernel
def packed(A):
    """The symmetric part of a matrix, as six numbers"""
    return (A[0], 0.5 * (A[1] + A[3]), 0.5 * (A[2] + A[6]), A[4], 0.5 * (A[5] + A[7]), A[8])


# ------------------------------------------------------------------------------------------------------------- in memory


@kernel
def load_block(array, k, width):
    """A 3x3 block of a matrix with so many columns, from entry ``k`` on."""
    a, b, c = load3(array, k), load3(array, k + width), load3(array, k + 2 * width)
    return (a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2])


@kernel
def store_block(array, k, width, A):
    """Write a 3x3 block of a matrix with so many columns, from entry ``k`` on."""
    store3(array, k, (A[0], A[1], A[2]))
    store3(array, k + width, (A[3], A[4], A[5]))
    store3(array, k + 2 * width, (A[6], A[7], A[8]))


@kernel
def store_blocks(array, k, A, B, C, D):
    """Write a 6x6 matrix."""
    store_block(array, k, 6, A)
    store_block(array, k + 3, 6, B)
    store_block(array, k + 18, 6, C)
    store_block(array, k + 21, 6, D)


@kernel
def symmetrize(array):
    """(A + A^T) / 2 of a 6x6 matrix, in its place"""
    for i in range(6):
        for j in range(i):
            s = 0.5 * (load(array, 6 * i + j) + load(array, 6 * j + i))
            store(array, 6 * i + j, s)
            store(array, 6 * j + i, s)


# ---------------------------------------------------------------------------------------------------- what is not allowed


@kernel
def nan_unless(condition, like):
    """Zero where the condition holds, else NaN: added to a result, it spoils what was made of an impossible input"""
    return select(condition, 0.0 * like, np.nan + 0.0 * like)


@kernel
def nan_if(condition, like):
    """NaN where the condition holds, else zero"""
    return select(condition, np.nan + 0.0 * like, 0.0 * like)


@kernel
def greater(x, y):
    """The greater of two numbers that are not negative"""
    return select(smaller(x, y), y, x)


@kernel
def positive(x):
    """|x|"""
    return select(smaller(x, 0.0), -x, x)


@kernel
def asymmetry(a, b, p, q, largest):
    """NaN where a and b, entries ij and ji, differ by more than 1e-6 of what ii = p and jj = q allow, and than rounding"""
    d = a - b
    return nan_if(smaller(NEARLY * NEARLY * positive(p) * positive(q) + NOISE * NOISE * largest, d * d), d)


@kernel
def not_symmetric3(A):
    """Zero where a 3x3 matrix is symmetric, else NaN"""
    largest = greater(greater(positive(A[0]), positive(A[4])), positive(A[8]))
    noise = largest * largest
    wrong = asymmetry(A[1], A[3], A[0], A[4], noise) + asymmetry(A[2], A[6], A[0], A[8], noise)
    return wrong + asymmetry(A[5], A[7], A[4], A[8], noise)


@kernel
def not_orthonormal(E):
    """Zero where ``E`` is a rotation, else NaN: rows of unit length, the third the cross product of the two others"""
    x, y, z = (E[0], E[1], E[2]), (E[3], E[4], E[5]), (E[6], E[7], E[8])
    d = subtract3(cross3(x, y), z)
    a, b, c = dot3(x, x) - 1.0, dot3(y, y) - 1.0, dot3(x, y)
    return nan_unless(smaller(a * a + b * b + c * c + dot3(d, d), NEARLY * NEARLY), a)


@kernel
def squares9(A):
    """The sum of the squares of all entries"""
    return (
        A[0] * A[0] + A[1] * A[1] + A[2] * A[2] + A[3] * A[3] + A[4] * A[4] + A[5] * A[5] + A[6] * A[6] + A[7] * A[7]
        + A[8] * A[8]
    )  # fmt: skip


@kernel
def load_pluecker(array, k):
    """``(E, r, spoiled)`` of a 6x6 motion transform: ``C = -E r~`` gives r; ``spoiled`` is zero, NaN where it is none"""
    E, B = load_block(array, k, 6), load_block(array, k + 3, 6)
    C, D = load_block(array, k + 18, 6), load_block(array, k + 21, 6)
    S = multiply3(transpose(E), C)  # -r~
    r = scale3(0.5, (S[5] - S[7], S[6] - S[2], S[1] - S[3]))
    symmetric = add9(S, transpose(S))
    size = 1.0 + squares9(C)
    wrong = squares9(add9(E, negate9(D)))
    wrong = nan_unless(smaller(wrong, NEARLY * NEARLY), wrong) + not_orthonormal(E)
    wrong = wrong + nan_unless(smaller(squares9(symmetric), NEARLY * NEARLY * size), size)
    wrong = wrong + nan_unless(smaller(squares9(B), NOTHING * NOTHING * size), size)
    return E, r, wrong


@kernel
def not_symmetric(array, k):
    """Zero where a 6x6 matrix is symmetric, else NaN; rounding is that of the 3x3 blocks, whose units differ"""
    first, last = 0.0 * load(array, k), 0.0 * load(array, k)
    for i in range(3):
        first = greater(first, positive(load(array, k + 7 * i)))
        last = greater(last, positive(load(array, k + 7 * i + 21)))
    wrong = 0.0 * first
    for i in range(6):
        for j in range(i):
            noise = (first if i < 3 else last) * (first if j < 3 else last)
            a, b = load(array, k + 6 * i + j), load(array, k + 6 * j + i)
            wrong = wrong + asymmetry(a, b, load(array, k + 7 * i), load(array, k + 7 * j), noise)
    return wrong
