"""Coordinates of arrays of vectors and inertias in another frame (course, sections 28 to 35 and 46).

A transform leads from frame A to frame B. Its matrix ``X`` acts on motion vectors, ``X* = X^-T`` on force vectors. It is
made from ``E``, which rotates A coordinates into B coordinates, and ``r``, the origin of B in A coordinates.

======================================  ===============================================================  =======
formula                                 function                                                         section
======================================  ===============================================================  =======
``X* = X^-T``                           :func:`dual`                                                     31
``X = [E, 0; -E r~, E]``                :func:`pluecker_transform`, back :func:`transform_parameters`    35
``X* = [E, -E r~; 0, E]``               :func:`force_transform`                                          35
``X^-1``, ``X2 X1``                     :func:`invert`, :func:`compose`                                  35
``X m``, ``X* f``                       :func:`transform_motion`, :func:`transform_force`                35
``X* I X^-1``                           :func:`transform_inertia`                                        46
======================================  ===============================================================  =======
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pluecker.spatial.algebra import transforms
from pluecker.spatial.algebra.matrices import (
    NEARLY,
    NOTHING,
    ZERO,
    add9,
    load_block,
    load_pluecker,
    nan_unless,
    negate9,
    not_orthonormal,
    not_symmetric,
    scale9,
    skew9,
    squares9,
    store_block,
    store_blocks,
    symmetrize,
)
from pluecker.spatial.algebra.transforms import store_matrix, transpose
from pluecker.spatial.algebra.vectors import load3, load_vector, multiply3, store3, store_vector
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, select, smaller, store
from pluecker.spatial.errors import ArgumentValueError
from pluecker.spatial.functions.arguments import Array, finite, naming
from pluecker.spatial.functions.bases import inverse_of_basis
from pluecker.spatial.functions.elementwise import Elementwise

__all__ = [
    "compose", "dual", "force_transform", "invert", "placement", "pluecker_transform", "transform_force",
    "transform_from_placement", "transform_inertia", "transform_motion", "transform_parameters",
]  # fmt: skip

NO_ROTATION = "E is not a rotation matrix: E E^T = 1 and det E = 1 are expected, within 1e-6"
NO_TRANSFORM = (
    "X is not a Pluecker transform of motion vectors: [E, 0; -E r~, E] with a rotation E is expected, within 1e-6"
)
NEITHER = (
    "a matrix is no Pluecker transform: [E, 0; -E r~, E] or [E, -E r~; 0, E] is expected, E a rotation within 1e-6"
)


# --------------------------------------------------------------------------------------------------------------- kernels


@kernel
def spoil9(A, nan):
    """A + nan, where that is zero or NaN"""
    return (A[0] + nan, A[1], A[2], A[3], A[4], A[5], A[6], A[7], A[8])


@kernel
def pluecker_kernel(x, out):
    """X from E and r"""
    E = load_block(x, 0, 3)
    E = spoil9(E, not_orthonormal(E))
    store_blocks(out, 0, E, ZERO, negate9(multiply3(E, skew9(load3(x, 9)))), E)


@kernel
def force_kernel(x, out):
    """X* from E and r"""
    E = load_block(x, 0, 3)
    E = spoil9(E, not_orthonormal(E))
    store_blocks(out, 0, E, negate9(multiply3(E, skew9(load3(x, 9)))), ZERO, E)


@kernel
def parameters_kernel(x, out):
    """E and r from X"""
    E, r, spoiled = load_pluecker(x, 0)
    store_matrix(out, 0, spoil9(E, spoiled))
    store3(out, 9, r)


@kernel
def lesser(x, y):
    """The smaller of two numbers"""
    return select(smaller(x, y), x, y)


@kernel
def offset(E, B, C):
    """r from -E r~, wherever it stands"""
    S = multiply3(transpose(E), add9(B, C))
    return (0.5 * (S[5] - S[7]), 0.5 * (S[6] - S[2]), 0.5 * (S[1] - S[3]))


@kernel
def load_either(x, k):
    """``(E, B, C, spoiled)`` of a transform of motion (``B`` is zero) or of force vectors (``C`` is zero)"""
    E, B = load_block(x, k, 6), load_block(x, k + 3, 6)
    C, D = load_block(x, k + 18, 6), load_block(x, k + 21, 6)
    S = multiply3(transpose(E), add9(B, C))
    b, c = squares9(B), squares9(C)
    size = 1.0 + b + c
    wrong = squares9(add9(E, negate9(D)))
    wrong = nan_unless(smaller(wrong, NEARLY * NEARLY), wrong) + not_orthonormal(E)
    wrong = wrong + nan_unless(smaller(squares9(add9(S, transpose(S))), NEARLY * NEARLY * size), size)
    wrong = wrong + nan_unless(smaller(lesser(b, c), NOTHING * NOTHING * size), size)
    return E, B, C, wrong


@kernel
def dual_kernel(x, out):
    """X^-T: the blocks off the diagonal change places"""
    E, B, C, spoiled = load_either(x, 0)
    store_blocks(out, 0, spoil9(E, spoiled), C, B, E)


@kernel
def invert_kernel(x, out):
    """X^-1: every block is transposed in its place"""
    E, B, C, spoiled = load_either(x, 0)
    E = transpose(spoil9(E, spoiled))
    store_blocks(out, 0, E, transpose(B), transpose(C), E)


@kernel
def compose_kernel(x, out):
    """X2 X1, where both act on motion vectors, or both on force vectors"""
    E2, B2, C2, spoiled2 = load_either(x, 0)
    E1, B1, C1, spoiled1 = load_either(x, 36)
    b, c = squares9(B2) + squares9(B1), squares9(C2) + squares9(C1)
    mixed = nan_unless(smaller(lesser(b, c), NOTHING * NOTHING * (1.0 + b + c)), b)
    E, r = transforms.compose((E2, offset(E2, B2, C2)), (E1, offset(E1, B1, C1)))
    E, S = spoil9(E, spoiled1 + spoiled2 + mixed), negate9(multiply3(E, skew9(r)))
    of_motion = select(smaller(b, c), 0.0 * b + 1.0, 0.0 * b)
    store_blocks(out, 0, E, scale9(1.0 - of_motion, S), scale9(of_motion, S), E)


@kernel
def transform_motion_kernel(x, out):
    """X m"""
    E, r, spoiled = load_pluecker(x, 0)
    store_vector(out, 0, transforms.transform_motion((spoil9(E, spoiled), r), load_vector(x, 36)))


@kernel
def transform_force_kernel(x, out):
    """X* f"""
    E, r, spoiled = load_pluecker(x, 0)
    store_vector(out, 0, transforms.transform_force((spoil9(E, spoiled), r), load_vector(x, 36)))


@kernel
def inertia_kernel(x, out):
    """X* I X^-1 = (X* (X* I)^T)^T: each column of a symmetric matrix is a force vector"""
    E, r, spoiled = load_pluecker(x, 0)
    X = (spoil9(E, spoiled + not_symmetric(x, 36)), r)
    f0, f1, f2 = column(x, 36, X), column(x, 37, X), column(x, 38, X)
    f3, f4, f5 = column(x, 39, X), column(x, 40, X), column(x, 41, X)
    for i in range(3):
        a = transforms.transform_force(X, ((f0[0][i], f1[0][i], f2[0][i]), (f3[0][i], f4[0][i], f5[0][i])))
        b = transforms.transform_force(X, ((f0[1][i], f1[1][i], f2[1][i]), (f3[1][i], f4[1][i], f5[1][i])))
        store_vector(out, 6 * i, a)
        store_vector(out, 6 * i + 18, b)
    symmetrize(out)


@kernel
def column(x, k, X):
    """X* times a column of a 6x6 matrix"""
    f = load_column(x, k), load_column(x, k + 18)
    return transforms.transform_force(X, f)


@kernel
def load_column(x, k):
    """Load three entries of a column of a matrix with six columns"""
    return (load(x, k), load(x, k + 6), load(x, k + 12))


@kernel
def placement_kernel(x, out):
    """T = [E^T, r; 0, 1] from X"""
    E, r, spoiled = load_pluecker(x, 0)
    R = transpose(spoil9(E, spoiled))
    store_block(out, 0, 4, R)
    for i in range(3):
        store(out, 4 * i + 3, r[i])
        store(out, 12 + i, 0.0)
    store(out, 15, 1.0)


@kernel
def from_placement_kernel(x, out):
    """X from T = [R, p; 0, 1]"""
    E = transpose(load_block(x, 0, 4))
    r, last, d = (load(x, 3), load(x, 7), load(x, 11)), load3(x, 12), load(x, 15) - 1.0
    wrong = last[0] * last[0] + last[1] * last[1] + last[2] * last[2] + d * d
    E = spoil9(E, not_orthonormal(E) + nan_unless(smaller(wrong, NEARLY * NEARLY), wrong))
    store_blocks(out, 0, E, ZERO, negate9(multiply3(E, skew9(r))), E)


X6 = (6, 6)
PLUECKER = Elementwise("pluecker_transform", pluecker_kernel, {"E": (3, 3), "r": (3,)}, X6, NO_ROTATION)
FORCE = Elementwise("force_transform", force_kernel, {"E": (3, 3), "r": (3,)}, X6, NO_ROTATION)
PARAMETERS = Elementwise("transform_parameters", parameters_kernel, {"X": X6}, (12,), NO_TRANSFORM)
DUAL = Elementwise("dual", dual_kernel, {"X": X6}, X6, NEITHER)
INVERT = Elementwise("invert", invert_kernel, {"X": X6}, X6, NEITHER)
COMPOSE = Elementwise("compose", compose_kernel, {"X2": X6, "X1": X6}, X6, NEITHER + "; both of the same kind")
MOTION = Elementwise("transform_motion", transform_motion_kernel, {"X": X6, "m": (6,)}, (6,), NO_TRANSFORM)
FORCES = Elementwise("transform_force", transform_force_kernel, {"X": X6, "f": (6,)}, (6,), NO_TRANSFORM)
INERTIA = Elementwise(
    "transform_inertia", inertia_kernel, {"X": X6, "I": X6}, X6, f"{NO_TRANSFORM}; or I is not symmetric, within 1e-6"
)
PLACEMENT = Elementwise("placement", placement_kernel, {"X": X6}, (4, 4), NO_TRANSFORM)
FROM_PLACEMENT = Elementwise(
    "transform_from_placement", from_placement_kernel, {"T": (4, 4)}, X6,
    "T is not a placement: [R, p; 0 0 0 1] with a rotation R is expected, within 1e-6",
)  # fmt: skip


def pluecker_transform(E: ArrayLike, r: ArrayLike) -> Array:
    """The transform of motion vectors from A to B coordinates.

    Args:
        E: rotations, ``(..., 3, 3)``: ``E a`` are the B coordinates of the vector with the A coordinates ``a``.
        r: the origin of B in A coordinates, ``(..., 3)``; m.

    Returns:
        ``X = [E, 0; -E r~, E]``, ``(..., 6, 6)``.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; E is not a rotation.

    Source: RBDA section 2.8; course, section 35.
    """
    return PLUECKER(E, r)


def force_transform(E: ArrayLike, r: ArrayLike) -> Array:
    """The transform of force vectors from A to B coordinates.

    Args:
        E: rotations, ``(..., 3, 3)``: ``E a`` are the B coordinates of the vector with the A coordinates ``a``.
        r: the origin of B in A coordinates, ``(..., 3)``; m.

    Returns:
        ``X* = [E, -E r~; 0, E]``, ``(..., 6, 6)``; the inverse transpose of :func:`pluecker_transform`.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; E is not a rotation.

    Source: RBDA section 2.8; course, section 35.
    """
    return FORCE(E, r)


def transform_parameters(X: ArrayLike) -> tuple[Array, Array]:
    """``E`` and ``r`` of a transform of motion vectors: the inverse of :func:`pluecker_transform`.

    Args:
        X: ``(..., 6, 6)``.

    Returns:
        ``E``, ``(..., 3, 3)``, and ``r``, ``(..., 3)``; m.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; not a transform of motion vectors.

    Source: RBDA section 2.8; course, section 35.
    """
    result = PARAMETERS(X)
    return result[..., :9].reshape(*result.shape[:-1], 3, 3), result[..., 9:]


def dual(X: ArrayLike) -> Array:
    """``X* = X^-T``: from the transform of motion vectors that of force vectors, and back.

    Args:
        X: transforms of coordinates in any basis, ``(..., n, n)``; of motion vectors, or of the vectors dual to them.

    Returns:
        ``(..., n, n)``: the transform of the coordinates in the reciprocal bases. That of a Pluecker transform is exact,
        its blocks change places; others are inverted.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; not invertible.

    Source: RBDA section 2.8; course, section 31.
    """
    try:
        return DUAL(X)
    except ArgumentValueError:  # no Pluecker transform
        with naming("dual"):
            return finite("dual", np.swapaxes(inverse_of_basis("dual", "X", X), -1, -2))


def invert(X: ArrayLike) -> Array:
    """``X^-1``, from B to A coordinates, exactly: every 3x3 block is transposed.

    Args:
        X: transforms of motion or of force vectors, ``(..., 6, 6)``.

    Returns:
        ``(..., 6, 6)``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; not a transform.

    Source: RBDA section 2.8; course, section 35.
    """
    return INVERT(X)


def compose(X2: ArrayLike, X1: ArrayLike) -> Array:
    """``X2 X1``: first ``X1`` from A to B, then ``X2`` from B to C.

    Args:
        X2: transforms, ``(..., 6, 6)``.
        X1: transforms of the same kind, both of motion or both of force vectors, ``(..., 6, 6)``.

    Returns:
        ``(..., 6, 6)``.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; not transforms of one kind.

    Source: RBDA section 2.8; course, section 35.
    """
    return COMPOSE(X2, X1)


def transform_motion(X: ArrayLike, m: ArrayLike) -> Array:
    """``X m``: motion vectors in B coordinates.

    Args:
        X: transforms of motion vectors, ``(..., 6, 6)``.
        m: motion vectors in A coordinates, ``(..., 6)``.

    Returns:
        ``(..., 6)``.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; X is not a transform of motion vectors.

    Source: RBDA section 2.8; course, section 35.
    """
    return MOTION(X, m)


def transform_force(X: ArrayLike, f: ArrayLike) -> Array:
    """``X* f``: force vectors in B coordinates.

    Args:
        X: transforms of motion vectors, ``(..., 6, 6)``: the same X as for motions.
        f: force vectors in A coordinates, ``(..., 6)``.

    Returns:
        ``(..., 6)``.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; X is not a transform of motion vectors.

    Source: RBDA section 2.8; course, section 35.
    """
    return FORCES(X, f)


def transform_inertia(X: ArrayLike, I: ArrayLike) -> Array:
    """``X* I X^-1``: inertias in B coordinates. A congruence: it keeps symmetry and positive definiteness.

    Args:
        X: transforms of motion vectors, ``(..., 6, 6)``.
        I: inertias in A coordinates, rigid or articulated, symmetric, ``(..., 6, 6)``.

    Returns:
        ``(..., 6, 6)``, symmetric.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; X is not a transform of motion vectors;
            I is not symmetric.

    Source: RBDA section 2.13; course, section 46.
    """
    return INERTIA(X, I)


def placement(X: ArrayLike) -> Array:
    """Frame B as seen from frame A, as a homogeneous matrix.

    Args:
        X: transforms of motion vectors from A to B, ``(..., 6, 6)``.

    Returns:
        ``T = [R, p; 0 0 0 1]``, ``(..., 4, 4)``, with ``R = E^T`` (its columns are the axes of B) and ``p = r``; m.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; not a transform of motion vectors.

    Source: RBDA section 2.8; course, section 35.
    """
    return PLACEMENT(X)


def transform_from_placement(T: ArrayLike) -> Array:
    """The transform of motion vectors from A to B, from the placement of B in A: the inverse of :func:`placement`.

    Args:
        T: ``[R, p; 0 0 0 1]``, ``(..., 4, 4)``.

    Returns:
        ``X``, ``(..., 6, 6)``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; not a placement.

    Source: RBDA section 2.8; course, section 35.
    """
    return FROM_PLACEMENT(T)
