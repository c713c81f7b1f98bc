"""Subspaces of motions and of forces: what a joint or a constraint allows, and how it acts (course, sections 49 to 51).

A constraint leaves a body the velocities of a subspace S of M6. It acts with forces of the complement T in F6, which do no
work on any of these velocities; ``dim S + dim T = 6``. A subspace is given by a matrix of six rows that has it as its range,
a basis vector in each column. The matrix is not unique, the subspace is.

=====================================  =================================================================================
formula                                function
=====================================  =================================================================================
``v = S alpha``                        :func:`motion_subspace`, S of a joint
``S^T T = 0``                          :func:`complement`, T from S and S from T
``A v = 0``                            :func:`subspaces_of_constraints`, S and T from equations
=====================================  =================================================================================
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pluecker.course.screws import twist
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentValueError
from pluecker.spatial.functions.arguments import Array, as_floats, as_option, check_broadcast, composed
from pluecker.spatial.functions.bases import RANK, entry, transposed, unit_columns

__all__ = ["Subspaces", "complement", "motion_subspace", "subspaces_of_constraints"]

AXES = {
    "fixed": 0, "revolute": 1, "continuous": 1, "prismatic": 1, "helical": 1, "cylindrical": 1, "universal": 2, "planar": 1,
    "spherical": 0, "free": 0,
}  # fmt: skip


@by_value()
class Subspaces(NamedTuple):
    """Motion freedom S and constraint forces T of a constraint: ``S^T T = 0``, both with orthonormal columns.

    Attributes:
        S: motion freedom, ``(..., 6, n)``.
        T: constraint forces, ``(..., 6, 6 - n)``.
    """

    S: Array
    T: Array


# ---------------------------------------------------------------------------------------------------------- the arguments


def basis(function: str, name: str, value: ArrayLike) -> Array:
    """A matrix ``(..., 6, n)`` whose columns are linearly independent."""
    B = as_floats(function, name, value, ())
    if B.ndim < 2 or B.shape[-2] != 6 or B.shape[-1] > 6:
        raise ArgumentValueError(
            f"{function}: {name} has shape {B.shape}, expected (..., 6, n), n at most 6: a vector a column"
        )
    if B.shape[-1]:
        values = np.linalg.svd(unit_columns(B), compute_uv=False)
        rank = np.sum(values > RANK * values[..., :1], axis=-1)
        wrong = rank < B.shape[-1]
        if wrong.any():
            raise ArgumentValueError(
                f"{function}: the {B.shape[-1]} columns of {name} are linearly dependent, they span {rank[wrong].flat[0]} "
                f"dimensions{entry(wrong)}"
            )
    return B


# -------------------------------------------------------------------------------------------------------------- subspaces


@composed
def motion_subspace(
    type: str,
    axis: ArrayLike | None = None,
    axis2: ArrayLike | None = None,
    *,
    pitch: ArrayLike | None = None,
    point: ArrayLike = (0.0, 0.0, 0.0),
) -> Array:
    """The motion freedom of a joint, one column for each coordinate of its velocity.

    ===============  ================================================================  =================
    type             coordinates                                                       axes
    ===============  ================================================================  =================
    ``fixed``        none
    ``revolute``     angle; ``continuous`` is the same                                 axis
    ``prismatic``    travel                                                            axis
    ``helical``      angle; travel is ``pitch`` times the angle                        axis
    ``cylindrical``  angle, travel                                                     axis
    ``universal``    two angles                                                        axis, axis2
    ``planar``       travel along axis2, travel along axis x axis2, angle              axis, the normal
    ``spherical``    angular velocity
    ``free``         angular velocity, linear velocity
    ===============  ================================================================  =================

    In coordinates of the body that the joint carries, S is constant, but for ``universal``: its axes are to be given as they
    lie at the moment, in one frame.

    Args:
        type: a name from the table.
        axis: direction of the first axis, of any length, ``(..., 3)``.
        axis2: of ``universal``, the second axis; of ``planar``, the direction of the first travel, of which the part in the
            plane is taken. Left out, that is the coordinate axis x, or where the normal has a part along it, the one that
            the normal leans to least.
        pitch: of ``helical``, travel per angle, ``(...)``; m/rad.
        point: a point of the axis, or the centre of ``universal`` and ``spherical``, ``(..., 3)``; m. Of ``planar`` and
            ``free``, the body-fixed point whose velocity the travels are.

    Returns:
        ``S (..., 6, n)``, motion vectors in the frame of the arguments.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; an unknown type; an axis that is missing,
            zero or superfluous; a pitch of a joint that has none, or a helical joint without one; a second axis along the
            first.

    Source: RBDA section 4.4; course, sections 49 and 50.

    Example:
        >>> motion_subspace("revolute", [0, 0, 2], point=[1, 0, 0])[:, 0]
        array([ 0.,  0.,  1.,  0., -1.,  0.])
    """
    function = "motion_subspace"
    kind = as_option(function, "type", type, AXES)
    given = {"axis": (axis, AXES[kind] > 0), "axis2": (axis2, AXES[kind] > 1), "pitch": (pitch, kind == "helical")}
    for name, (value, needed) in given.items():
        if needed and value is None:
            raise ArgumentValueError(f"{function}: a {kind} joint needs {name}")
        if value is not None and not needed and (kind, name) != ("planar", "axis2"):
            raise ArgumentValueError(f"{function}: a {kind} joint has no {name}")
    P = as_floats(function, "point", point, (3,))
    axes = [direction(function, n, a) for n, a in (("axis", axis), ("axis2", axis2)) if a is not None]
    slide = as_floats(function, "pitch", 0.0 if pitch is None else pitch, ())
    check_broadcast(function, point=(P, 1), pitch=(slide, 0), **{f"axis{i or ''}": (a, 1) for i, a in enumerate(axes)})
    if kind == "planar":
        axes = plane(function, axes)
    if kind == "universal":
        refuse_parallel(function, axes[1] - along(axes[0], axes[1]))
    unit = list(np.eye(3))
    kinds: dict[str, list[tuple[Array, float, ArrayLike]]] = {
        "fixed": [],
        "revolute": [(a, 1.0, 0.0) for a in axes],
        "continuous": [(a, 1.0, 0.0) for a in axes],
        "prismatic": [(a, 0.0, 1.0) for a in axes],
        "helical": [(a, 1.0, slide) for a in axes],
        "cylindrical": [(a, t, 1.0 - t) for a in axes for t in (1.0, 0.0)],
        "universal": [(a, 1.0, 0.0) for a in axes],
        "planar": [(a, t, 1.0 - t) for a, t in zip(axes, (0.0, 0.0, 1.0), strict=False)],
        "spherical": [(e, 1.0, 0.0) for e in unit],
        "free": [(e, t, 1.0 - t) for t in (1.0, 0.0) for e in unit],
    }
    columns = kinds[kind]
    if not columns:
        return np.zeros((*P.shape[:-1], 6, 0))
    return np.stack(np.broadcast_arrays(*(twist(a, P, turn, travel) for a, turn, travel in columns)), axis=-1)


def direction(function: str, name: str, value: ArrayLike) -> Array:
    """Unit vectors along the given ones."""
    a = as_floats(function, name, value, (3,))
    wrong = ~(a != 0.0).any(axis=-1)
    if wrong.any():
        raise ArgumentValueError(f"{function}: {name} is zero, expected the direction of an axis{entry(wrong)}")
    return unit_columns(a[..., None])[..., 0]


def along(u: Array, a: Array) -> Array:
    """The part of ``a`` along the unit vector ``u``"""
    return np.asarray(np.sum(u * a, axis=-1, keepdims=True) * u)


def refuse_parallel(function: str, across: Array) -> None:
    """Refuse a second axis of which nothing is left across the first."""
    wrong = np.linalg.norm(across, axis=-1) <= RANK
    if wrong.any():
        raise ArgumentValueError(f"{function}: axis2 is parallel to axis{entry(wrong)}")


def plane(function: str, axes: list[Array]) -> list[Array]:
    """The directions of both travels of a planar joint, and the normal"""
    u = axes[0]
    least = np.where(np.abs(u[..., 0]) > 1e-9, np.argmin(np.abs(u), axis=-1), 0)
    x = axes[1] if len(axes) > 1 else np.eye(3)[least]
    x = x - along(u, x)
    refuse_parallel(function, x)
    x = unit_columns(x[..., None])[..., 0]
    return [x, np.cross(u, x), u]


@composed
def complement(S: ArrayLike) -> Array:
    """The orthogonal complement in the dual space: T from S, and S from T.

    Args:
        S: a basis of a subspace, one vector a column, ``(..., 6, n)``, n from 0 to 6: motions, or forces.

    Returns:
        ``T (..., 6, 6 - n)`` with ``S^T T = 0``, a basis of all forces that do no work on these motions, or of all motions
        on which these forces do none. Its columns are orthonormal as lists of numbers; which they are depends on rounding,
        the subspace does not.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; columns that are linearly dependent: made
            unit vectors, their smallest singular value is below 1e-10 of the largest.

    Source: RBDA section 3.3; course, sections 49 and 50.

    Example:
        >>> complement(motion_subspace("spherical")).shape  # three forces through the centre
        (6, 3)
    """
    B = basis("complement", "S", S)
    return np.asarray(np.linalg.svd(unit_columns(B))[0][..., B.shape[-1] :])


@composed
def subspaces_of_constraints(A: ArrayLike) -> Subspaces:
    """S and T of a body whose velocity satisfies ``A v = 0``.

    Args:
        A: one equation a row, ``(..., k, 6)``, any number of them; a row is a constraint force. Rows may repeat what others
            say: singular values below 1e-10 of the largest count as zero, with rows made unit vectors.

    Returns:
        ``(S, T)``, orthonormal bases of the motions that are left and of the constraint forces: ``A S = 0``, and T has the
        range of ``A^T``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; a batch whose entries leave different
            degrees of freedom.

    Source: RBDA section 3.3; course, section 51.

    Example:
        >>> in_plane = [[0, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]]  # along x and y, and about z
        >>> S, T = subspaces_of_constraints(in_plane)
        >>> S.shape, T.shape
        ((6, 3), (6, 3))
    """
    A = as_floats("subspaces_of_constraints", "A", A, ())
    if A.ndim < 2 or A.shape[-1] != 6:
        raise ArgumentValueError(
            f"subspaces_of_constraints: A has shape {A.shape}, expected (..., k, 6): an equation a row"
        )
    padded = np.concatenate([transposed(A), np.zeros((*A.shape[:-2], 6, 1))], axis=-1)  # no equation is 0 = 0
    U, values, _ = np.linalg.svd(unit_columns(padded))
    rank = np.sum(values > RANK * values[..., :1], axis=-1)
    ranks = np.unique(rank)
    if len(ranks) > 1:
        raise ArgumentValueError(
            f"subspaces_of_constraints: the entries of A leave different degrees of freedom, {6 - int(ranks[-1])} to "
            f"{6 - int(ranks[0])}; call it for each kind"
        )
    r = int(ranks[0]) if len(ranks) else min(A.shape[-2], 6)
    return Subspaces(U[..., r:], U[..., :r])
