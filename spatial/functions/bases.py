"""Vectors in any basis: reciprocal bases, changes of basis, coordinates in the basis of a subspace (course, 7 and 28 to 33).

======================================  ===============================================================  =======
formula                                 function                                                         section
======================================  ===============================================================  =======
``a = sum_j x_j d_j``                   :func:`coordinates_in`                                           7
columns of X: old basis in new          :func:`change_of_basis`                                          28
``d_i . e_j = 1 if i = j else 0``       :func:`reciprocal_basis`                                         30, 33
======================================  ===============================================================  =======

A basis is a matrix with one vector in each column. :func:`~pluecker.spatial.functions.coordinates.dual` transforms
coordinates in reciprocal bases.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.spatial.errors import ArgumentValueError
from pluecker.spatial.functions.arguments import Array, as_floats, check_broadcast, composed

__all__ = ["change_of_basis", "coordinates_in", "reciprocal_basis"]

OUTSIDE = 1e-9  # of the length of a vector: a part outside a subspace that is more than rounding
RANK = 1e-10  # of the largest singular value, with columns of unit length: a smaller one counts as zero


def transposed(A: Any) -> Array:
    """A^T"""
    return np.asarray(np.swapaxes(A, -1, -2), dtype=np.float64)


def unit_columns(B: Array) -> Array:
    """The columns with unit length; zero stays zero"""
    largest = np.abs(B).max(axis=-2, keepdims=True, initial=0.0)
    B = B / np.where(largest > 0.0, largest, 1.0)
    length = np.sqrt(np.sum(B * B, axis=-2, keepdims=True))
    return B / np.where(length > 0.0, length, 1.0)


def entry(wrong: Any) -> str:
    """Return the index of the first wrong entry of a batch, for a message; empty if there is no batch."""
    index = np.argwhere(wrong)[0]
    return f" (entry {', '.join(map(str, index))})" if len(index) else ""


def as_square(function: str, name: str, value: ArrayLike) -> Array:
    """A matrix ``(..., n, n)``, n at least 1."""
    B = as_floats(function, name, value, ())
    if B.ndim < 2 or B.shape[-1] != B.shape[-2] or not B.shape[-1]:
        raise ArgumentValueError(
            f"{function}: {name} has shape {B.shape}, expected (..., n, n): one vector in each column"
        )
    return B


def inverse_of_basis(function: str, name: str, basis: ArrayLike) -> Array:
    """The inverse of a square matrix, whose columns must be linearly independent."""
    B = as_square(function, name, basis)
    rank = np.linalg.matrix_rank(unit_columns(B))
    if (rank < B.shape[-1]).any():
        raise ArgumentValueError(
            f"{function}: the vectors of {name} are linearly dependent, they span {int(rank.min())} dimensions"
        )
    return np.asarray(np.linalg.inv(B), dtype=np.float64)


@composed
def reciprocal_basis(D: ArrayLike) -> Array:
    """The basis ``e_j`` of the dual space with ``d_i . e_j = 1`` if i = j and 0 otherwise.

    Args:
        D: the basis vectors in any coordinates, one in each column, ``(..., n, n)``.

    Returns:
        The reciprocal basis in the coordinates dual to these, one vector in each column, ``(..., n, n)``: ``E = D^-T``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers, not square, or the vectors depend on one another.

    Source: RBDA sections 2.1 and 2.4 (dual coordinates); course, sections 30 and 33, exercises A5 (section 8) and A1
        (section 36).
    """
    return np.swapaxes(inverse_of_basis("reciprocal_basis", "D", D), -1, -2)


@composed
def change_of_basis(old: ArrayLike, new: ArrayLike) -> Array:
    """The transform from coordinates in one basis to coordinates in another: columns old in new.

    Args:
        old: the basis vectors in any coordinates, one in each column, ``(..., n, n)``.
        new: those of the other basis, in the same coordinates, ``(..., n, n)``.

    Returns:
        ``X`` with ``u_new = X u_old``, ``(..., n, n)``: its columns are the old basis vectors in new coordinates.
        Coordinates in the reciprocal bases change by ``X^-T``.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers, not square, or a basis whose vectors depend on one another.

    Source: RBDA section 2.8; course, sections 28 and 31.
    """
    first = as_square("change_of_basis", "old", old)
    inverse_of_basis("change_of_basis", "old", first)
    inverse = inverse_of_basis("change_of_basis", "new", new)
    try:
        return np.asarray(inverse @ first)
    except ValueError:
        shapes = f"old {first.shape}, new {inverse.shape}"
        raise ArgumentValueError(f"change_of_basis: the bases do not go together: {shapes}") from None


@composed
def coordinates_in(basis: ArrayLike, a: ArrayLike) -> Array:
    """The coordinates ``x`` of a vector in a basis of a space or of a subspace, ``a = sum_j x_j d_j``.

    Args:
        basis: the vectors ``d_j`` in any coordinates, one in each column, ``(..., n, m)`` with m from 1 to n.
        a: vectors of the subspace that they span, in the same coordinates, ``(..., n)``.

    Returns:
        ``x``, ``(..., m)``.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; vectors that depend on one another (made
            unit vectors, their smallest singular value is below 1e-10 of the largest); a vector that lies outside the
            subspace: the part of it that no coordinates give is longer than 1e-9 of its length.

    Source: RBDA section 2.1; course, section 7.

    Example:
        >>> coordinates_in([[1, 1], [0, 1], [0, 0]], [3, 2, 0])  # 1 (1, 0, 0) + 2 (1, 1, 0)
        array([1., 2.])
    """
    function = "coordinates_in"
    B, vector = as_floats(function, "basis", basis, ()), as_floats(function, "a", a, ())
    if B.ndim < 2 or not 1 <= B.shape[-1] <= B.shape[-2]:
        raise ArgumentValueError(
            f"{function}: basis has shape {B.shape}, expected (..., n, m), m from 1 to n: one vector in each column"
        )
    if vector.shape[-1:] != B.shape[-2:-1]:
        raise ArgumentValueError(f"{function}: a has shape {vector.shape}, expected (..., {B.shape[-2]})")
    values = np.linalg.svd(unit_columns(B), compute_uv=False)
    wrong = values[..., -1] <= RANK * values[..., 0]
    if wrong.any():
        raise ArgumentValueError(f"{function}: the vectors of basis are linearly dependent{entry(wrong)}")
    batch = check_broadcast(function, basis=(B, 2), a=(vector, 1))
    size = np.abs(vector).max(axis=-1, keepdims=True)  # so that no square overflows
    unit = np.broadcast_to(vector / np.where(size > 0.0, size, 1.0), batch + vector.shape[-1:])
    length = np.abs(B).max(axis=-2, keepdims=True)
    D = B / length
    Q, R = np.linalg.qr(D)
    R = np.broadcast_to(R, batch + R.shape[-2:])
    x = np.linalg.solve(R, transposed(Q) @ unit[..., None])
    outside = np.linalg.norm((unit[..., None] - D @ x)[..., 0], axis=-1)
    wrong = outside > OUTSIDE * np.linalg.norm(unit, axis=-1)
    if wrong.any():
        share = np.max(outside / np.maximum(np.linalg.norm(unit, axis=-1), np.finfo(float).tiny))
        raise ArgumentValueError(
            f"{function}: a is not in the span of the basis: {share:.2g} of its length is outside{entry(wrong)}"
        )
    return np.asarray(x[..., 0] / length[..., 0, :] * size)
