"""Inertias that a rigid body can have: physical consistency, the pseudo-inertia matrix, principal axes.

A symmetric matrix of the right form is not yet the inertia of a body. With S, the integral of ``(x - c)(x - c)^T`` over the
mass, every density that is nowhere negative satisfies:

==============================================  ===============================================  ====================
formula                                         what it says                                     function
==============================================  ===============================================  ====================
``I = [J, h~; h~^T, m 1]``, ``I = I^T``         the form: ten numbers                            :func:`check_consistent`
``m > 0``                                       mass is not negative                             :func:`is_consistent`
``A, B, C >= 0``                                nor is a principal moment of ``I_C``
``C <= A + B``                                  triangle inequality: nor is an eigenvalue of S
``S = 1/2 tr(J) 1 - J``, ``J = tr(S) 1 - S``    the same, about the same point
``P = [S, h; h^T, m]``, P >= 0                  all of these at once, about any origin           :func:`pseudo_inertia`,
                                                                                                 :func:`from_pseudo_inertia`
``I_C = R diag(A, B, C) R^T``                   principal axes                                   :func:`principal_axes`
==============================================  ===============================================  ====================

Principal moments are sums of two eigenvalues of S, ``A = s2 + s3``, and ``s1 = (B + C - A) / 2``: a triangle inequality that
fails is a negative eigenvalue of S. A point, a rod and a plate are limits of bodies; they are consistent, with P only
semidefinite.

Sources: RBDA section 2.13; course, sections 45 and 46; S. Traversaro et al., "Identification of fully physical consistent
inertial parameters using optimization on manifolds" (IROS 2016); P. M. Wensing, S. Kim, J.-J. Slotine, "Linear matrix
inequalities for physically consistent inertial parameter identification" (IEEE RA-L 3, 2018).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentValueError
from pluecker.spatial.functions.arguments import Array, as_floats, composed
from pluecker.spatial.functions.bases import entry, transposed
from pluecker.spatial.functions.products import skew
from pluecker.spatial.functions.rigid_body import shift_inertia

__all__ = [
    "PrincipalAxes", "check_consistent", "from_pseudo_inertia", "is_consistent", "principal_axes", "pseudo_inertia",
]  # fmt: skip

RELATIVE_SLACK = 1e-6  # of the largest principal moment: files are rounded
ROUNDING = 64.0 * float(
    np.finfo(float).eps
)  # of the moments about the origin, from which those about c are a difference
FARTHEST_CENTER = 1e150  # m: a centre of mass beyond has no square


@by_value()
class PrincipalAxes(NamedTuple):
    """Principal axes of a body, in which its inertia is diagonal.

    Attributes:
        moments: the principal moments about the centre of mass, ascending, ``(..., 3)``; kg m^2.
        axes: R, ``(..., 3, 3)``: its columns are the principal axes, right-handed, in the order of the moments.
        center_of_mass: in the frame of the inertia, ``(..., 3)``; m.
    """

    moments: Array
    axes: Array
    center_of_mass: Array


class Flaw(NamedTuple):
    """A law that some entries of a batch break, and the words for one of them."""

    broken: NDArray[np.bool_]
    words: Callable[[tuple[int, ...]], str]


# -------------------------------------------------------------------------------------------------------- second moments


def rotational_inertia(S: Array) -> Array:
    """``J = tr(S) 1 - S``, with the diagonal as sums, so that nothing cancels where S is nearly flat"""
    J = -S
    for i in range(3):
        J[..., i, i] = S[..., i - 1, i - 1] + S[..., i - 2, i - 2]
    return J


def second_moments(J: Array) -> Array:
    """``S = 1/2 tr(J) 1 - J``: the inverse of :func:`rotational_inertia`"""
    S = -J
    for i in range(3):
        S[..., i, i] = 0.5 * (J[..., i - 1, i - 1] + J[..., i - 2, i - 2] - J[..., i, i])
    return S


# ------------------------------------------------------------------------------------------------------- what can be wrong


def largest(A: Array) -> Array:
    """The largest entry of each matrix, without its sign"""
    return np.asarray(np.abs(A).max(axis=(-1, -2)))


def moment_slack(B: Array, m: Array, J: Array) -> Array:
    """Return the tolerance of ``m c~``, in kg m: relative to their size, and to what shifts of the origin leave"""
    return RELATIVE_SLACK * (largest(B) + np.sqrt(np.abs(m)) * np.sqrt(largest(J)))


def flaws_of_form(I: Array) -> list[Flaw]:
    """Find what keeps 6x6 matrices from having the form [J, h~; h~^T, m 1]."""
    J, B, C, D = I[..., :3, :3], I[..., :3, 3:], I[..., 3:, :3], I[..., 3:, 3:]
    m = D[..., 0, 0]
    slack = moment_slack(np.concatenate([B, C], axis=-1), m, J)
    skewed = (
        (largest(J - transposed(J)) > RELATIVE_SLACK * largest(J))
        | (largest(B - transposed(C)) > slack)
        | (largest(D - transposed(D)) > RELATIVE_SLACK * largest(D))
    )

    def of_symmetry(k: tuple[int, ...]) -> str:
        A = I[k]
        i, j = np.unravel_index(np.argmax(np.abs(A - A.T)), (6, 6))
        return f"an inertia is symmetric, but I[{i}, {j}] is {A[i, j]:.6g} and I[{j}, {i}] is {A[j, i]:.6g}"

    def of_mass(k: tuple[int, ...]) -> str:
        return f"the lower right block must be the mass times the unit matrix, it is {D[k].tolist()}"

    def of_moment(k: tuple[int, ...]) -> str:
        return f"the upper right block must be skew-symmetric, m c~ with the centre of mass c, it is {B[k].tolist()}"

    return [
        Flaw(skewed, of_symmetry),
        Flaw(largest(D - m[..., None, None] * np.eye(3)) > RELATIVE_SLACK * largest(D), of_mass),
        Flaw(largest(B + transposed(B)) > slack, of_moment),
    ]


def ten_numbers(I: Array) -> tuple[Array, Array, Array]:
    """Return mass m, first moment h and rotational inertia J about the origin, of matrices that have the form"""
    B = 0.5 * (I[..., :3, 3:] + transposed(I[..., 3:, :3]))
    h = 0.5 * np.stack([B[..., 2, 1] - B[..., 1, 2], B[..., 0, 2] - B[..., 2, 0], B[..., 1, 0] - B[..., 0, 1]], axis=-1)
    m = np.trace(I[..., 3:, 3:], axis1=-1, axis2=-2) / 3.0
    return m, h, 0.5 * (I[..., :3, :3] + transposed(I[..., :3, :3]))


def about_center(m: Array, h: Array, J: Array) -> tuple[Array, Array]:
    """c = h / m and I_C = J + m c~ c~; where there is no such point, J about the origin"""
    placed = np.linalg.norm(h, axis=-1) < FARTHEST_CENTER * np.abs(m)
    c = np.where(placed[..., None], h, 0.0) / np.where(placed, m, 1.0)[..., None]
    return c, shift_inertia(np.where(placed, -m, 0.0), J, c)


def flaws_of_content(I: Array, definite: bool) -> list[Flaw]:
    """Find what no distribution of mass can have, in matrices of the form; if ``definite``, also mere semidefiniteness."""
    m, h, J = ten_numbers(I)
    J_C = about_center(m, h, J)[1]
    moments = np.linalg.eigvalsh(J_C)
    a, b, top = moments[..., 0], moments[..., 1], moments[..., 2]
    rounding = ROUNDING * largest(J)
    slack = RELATIVE_SLACK * largest(J_C) + rounding
    first = np.linalg.norm(h, axis=-1)
    nowhere = np.where(m == 0.0, (first > 0.0) | (largest(J) > 0.0), first >= FARTHEST_CENTER * np.abs(m))

    def listed(k: tuple[int, ...]) -> str:
        return f"the principal moments about the centre of mass are {a[k]:.6g}, {b[k]:.6g}, {top[k]:.6g} kg m^2: "

    def of_sign(k: tuple[int, ...]) -> str:
        return f"the mass is {m[k]:.6g} kg: it cannot be negative"

    def of_no_mass(k: tuple[int, ...]) -> str:
        return (
            f"the mass is {m[k]:.6g} kg, with a first moment of {first[k]:.6g} kg m and moments of inertia up to "
            f"{largest(J)[k]:.6g} kg m^2: without mass there is none of these"
        )

    def of_moments(k: tuple[int, ...]) -> str:
        return listed(k) + "none can be negative"

    def of_triangle(k: tuple[int, ...]) -> str:
        excess = top[k] - a[k] - b[k]
        return (
            f"{listed(k)}the largest exceeds the sum of the two others by {excess:.6g} kg m^2, which it cannot: the mean "
            f"square distance of the mass from the centre along that axis would be {-0.5 * excess / m[k]:.6g} m^2"
        )

    def of_definiteness(k: tuple[int, ...]) -> str:
        text = f"the mass is {m[k]:.6g} kg; " if m[k] <= 0.0 else ""
        return f"{text}{listed(k)}the inertia is not positive definite, there is motion without kinetic energy"

    result = [
        Flaw(m < 0.0, of_sign),
        Flaw(nowhere, of_no_mass),
        Flaw(a < -slack, of_moments),
        Flaw(top > a + b + slack, of_triangle),
    ]
    return [*result, Flaw((m <= 0.0) | (a <= rounding), of_definiteness)] if definite else result


def refuse(function: str, flaws: list[Flaw]) -> None:
    """Raise the error of the first flaw that there is."""
    for flaw in flaws:
        if flaw.broken.any():
            index = tuple(int(n) for n in np.argwhere(flaw.broken)[0])
            raise ArgumentValueError(f"{function}: {flaw.words(index)}{entry(flaw.broken)}")


# ------------------------------------------------------------------------------------------------------- public functions


@composed
def check_consistent(I: ArrayLike, *, definite: bool = False) -> None:
    """Refuse an inertia that no rigid body has, and say what is impossible.

    Inequalities may fail by 1e-6 of the largest principal moment, since files are rounded, and by what rounding leaves of
    moments about an origin that is far away.

    Args:
        I: inertias in any frame, ``(..., 6, 6)``.
        definite: refuse also what is only semidefinite: no mass, or a moment of zero, as a point and a rod have it.
            Equations of motion of a free body cannot be solved then.

    Raises:
        TypeError: not an array of real numbers.
        ValueError: not finite, not of that shape; not symmetric; not of the form ``[J, h~; h~^T, m 1]``; a negative mass; no
            mass with inertia; a negative principal moment; a principal moment greater than the sum of the two others.

    Source: RBDA section 2.13; course, sections 45 and 46; Traversaro et al. 2016.

    Example:
        >>> from pluecker.spatial import check_consistent, spatial_inertia
        >>> check_consistent(spatial_inertia(-2.0, [0, 0, 0.5], np.eye(3)))
        Traceback (most recent call last):
            ...
        pluecker.spatial.errors.ArgumentValueError: check_consistent: the mass is -2 kg: it cannot be negative
    """
    I = as_floats("check_consistent", "I", I, (6, 6))
    refuse("check_consistent", flaws_of_form(I))
    refuse("check_consistent", flaws_of_content(I, definite))


@composed
def is_consistent(I: ArrayLike, *, definite: bool = False) -> NDArray[np.bool_]:
    """Return whether a rigid body can have the inertia: true where :func:`check_consistent` raises nothing.

    Args:
        I: matrices, ``(..., 6, 6)``.
        definite: ask for a positive definite matrix.

    Returns:
        ``(...)``, bool.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape.

    Source: RBDA section 2.13; course, sections 45 and 46.
    """
    I = as_floats("is_consistent", "I", I, (6, 6))
    flaws = [*flaws_of_form(I), *flaws_of_content(I, definite)]
    return np.asarray(~np.logical_or.reduce([flaw.broken for flaw in flaws]))


@composed
def pseudo_inertia(I: ArrayLike) -> Array:
    """``P = [S, h; h^T, m]``: the integral of ``[x; 1] [x; 1]^T`` over the mass, about the origin of the frame.

    It holds the same ten numbers. A density that is nowhere negative gives a positive semidefinite matrix, and each such
    matrix belongs to one, so that one condition says all. With the placement T of a frame, ``P' = T P T^T``.

    Args:
        I: inertias of rigid bodies, ``(..., 6, 6)``.

    Returns:
        ``(..., 4, 4)``, symmetric, with ``S = 1/2 tr(J) 1 - J`` of the inertia ``J`` about the origin; kg m^2, kg m, kg.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; not of the form ``[J, h~; h~^T, m 1]``.

    Source: Wensing, Kim, Slotine 2018.
    """
    I = as_floats("pseudo_inertia", "I", I, (6, 6))
    refuse("pseudo_inertia", flaws_of_form(I))
    m, h, J = ten_numbers(I)
    P = np.empty((*I.shape[:-2], 4, 4))
    P[..., :3, :3], P[..., :3, 3], P[..., 3, :3], P[..., 3, 3] = second_moments(J), h, h, m
    return P


@composed
def from_pseudo_inertia(P: ArrayLike) -> Array:
    """The spatial inertia with that pseudo-inertia: the inverse of :func:`pseudo_inertia`.

    Args:
        P: ``[S, h; h^T, m]``, symmetric, ``(..., 4, 4)``; kg m^2, kg m, kg. Any positive semidefinite matrix gives the
            inertia of a possible body.

    Returns:
        ``(..., 6, 6)``, about the origin of the same frame.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; not symmetric.

    Source: Wensing, Kim, Slotine 2018.
    """
    P = as_floats("from_pseudo_inertia", "P", P, (4, 4))
    S, m = P[..., :3, :3], P[..., 3, 3]
    column, row = P[..., :3, 3:], P[..., 3:, :3]
    skewed = largest(S - transposed(S)) > RELATIVE_SLACK * largest(S)
    skewed |= largest(column - transposed(row)) > moment_slack(column, m, S)
    refuse("from_pseudo_inertia", [Flaw(skewed, lambda k: f"P must be symmetric, it is {P[k].tolist()}")])
    H = skew(0.5 * (P[..., :3, 3] + P[..., 3, :3]))
    I = np.empty((*P.shape[:-2], 6, 6))
    I[..., :3, :3], I[..., 3:, 3:] = rotational_inertia(0.5 * (S + transposed(S))), m[..., None, None] * np.eye(3)
    I[..., :3, 3:], I[..., 3:, :3] = H, -H
    return I


@composed
def principal_axes(I: ArrayLike) -> PrincipalAxes:
    """The frame in which the inertia of a rigid body is diagonal, ``diag(A, B, C, m, m, m)``.

    Args:
        I: inertias of rigid bodies, ``(..., 6, 6)``.

    Returns:
        ``(moments, axes, center_of_mass)``. The transform to that frame is ``pluecker_transform(axes^T, center_of_mass)``.
        The largest entry of the first and of the second axis is positive. Axes of equal moments are one choice of many.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; not of the form ``[J, h~; h~^T, m 1]``;
            no mass.

    Source: RBDA section 2.13; course, section 45.

    Example:
        >>> from pluecker.spatial import principal_axes
        >>> from pluecker.spatial.functions.shapes import box
        >>> principal_axes(box(12.0, [3.0, 2.0, 1.0])).moments
        array([ 5., 10., 13.])
    """
    I = as_floats("principal_axes", "I", I, (6, 6))
    refuse("principal_axes", flaws_of_form(I))
    m, h, J = ten_numbers(I)
    nowhere = ~(np.linalg.norm(h, axis=-1) < FARTHEST_CENTER * np.abs(m))
    refuse("principal_axes", [Flaw(nowhere, lambda k: f"the mass is {m[k]:.6g} kg: there is no centre of mass")])
    center, J_C = about_center(m, h, J)
    moments, axes = np.linalg.eigh(J_C)
    strongest = np.take_along_axis(axes, np.argmax(np.abs(axes), axis=-2, keepdims=True), axis=-2)
    axes = np.where(strongest < 0.0, -axes, axes)
    axes[..., 2] = np.cross(axes[..., 0], axes[..., 1])
    return PrincipalAxes(moments, axes, center)
