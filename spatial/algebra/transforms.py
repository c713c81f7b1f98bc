"""Pluecker transforms: the coordinates of motion and force vectors in another frame.

A transform ``X = (E, r)`` leads from frame A to frame B: ``E`` rotates A coordinates into B coordinates, and ``r`` is the
origin of B in A coordinates. As 6x6 matrices, angular part first (course, section 35; RBDA section 2.8):

    X  = [   E      0 ]   on motion vectors        X* = [ E   -E r~ ]   on force vectors,  X* = X^-T
         [ -E r~    E ]                                 [ 0      E  ]

where ``r~`` is the matrix of ``r x``. No kernel ever builds these matrices.
"""

from pluecker.spatial.algebra.vectors import add3, add_cross3, load3, multiply3, rotate, rotate_back, store3
from pluecker.spatial.engine.compiled.decorators import kernel

__all__ = [
    "IDENTITY", "compose", "inverse", "inverse_transform_force", "inverse_transform_motion", "load_matrix", "load_transform",
    "store_matrix", "store_transform", "transform_force", "transform_motion", "transpose",
]  # fmt: skip


IDENTITY = ((1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0))


@kernel
def transform_motion(X, m):
    """X m: a motion vector from A to B coordinates"""
    E, r = X
    return (rotate(E, m[0]), rotate(E, add_cross3(m[1], m[0], r)))


@kernel
def inverse_transform_motion(X, m):
    """X^-1 m: a motion vector from B to A coordinates"""
    E, r = X
    w = rotate_back(E, m[0])
    return (w, add_cross3(rotate_back(E, m[1]), r, w))


@kernel
def transform_force(X, f):
    """X* f: a force vector from A to B coordinates"""
    E, r = X
    return (rotate(E, add_cross3(f[0], f[1], r)), rotate(E, f[1]))


@kernel
def inverse_transform_force(X, f):
    """X^T f: a force vector from B to A coordinates, since (X*)^-1 = X^T"""
    E, r = X
    force = rotate_back(E, f[1])
    return (add_cross3(rotate_back(E, f[0]), r, force), force)


@kernel
def compose(X2, X1):
    """X2 X1: first ``X1`` from A to B, then ``X2`` from B to C"""
    return (multiply3(X2[0], X1[0]), add3(X1[1], rotate_back(X1[0], X2[1])))


@kernel
def inverse(X):
    """X^-1: from B to A"""
    E, r = X
    b = rotate(E, r)
    return (transpose(E), (-b[0], -b[1], -b[2]))


@kernel
def transpose(E):
    """E^T"""
    return (E[0], E[3], E[6], E[1], E[4], E[7], E[2], E[5], E[8])


@kernel
def load_matrix(array, k):
    """A 3x3 matrix from nine entries of a scalar array, row by row, from ``k`` on."""
    a, b, c = load3(array, k), load3(array, k + 3), load3(array, k + 6)
    return (a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2])


@kernel
def store_matrix(array, k, E):
    """Write a 3x3 matrix to nine entries of a scalar array, row by row, from ``k`` on."""
    store3(array, k, (E[0], E[1], E[2]))
    store3(array, k + 3, (E[3], E[4], E[5]))
    store3(array, k + 6, (E[6], E[7], E[8]))


@kernel
def load_transform(array, k):
    """A transform from twelve entries of a scalar array: ``E`` row by row, then ``r``."""
    return (load_matrix(array, k), load3(array, k + 9))


@kernel
def store_transform(array, k, X):
    """Write a transform to twelve entries of a scalar array: ``E`` row by row, then ``r``."""
    store_matrix(array, k, X[0])
    store3(array, k + 9, X[1])
