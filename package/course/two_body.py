"""Two bodies joined by a revolute joint, at rest, one of them pushed: solved twice (course, sections 57 and 58).

Bodies B1 and B2, with centres of mass C1 and C2, turn against one another about an axis through the point P. A force acts on
B1. How do they accelerate? :func:`two_body_3d` answers with 3D vectors, equations (A1) to (A32), :func:`two_body_6d` with
spatial vectors, (B1) to (B7). The answers are the same:

=====================================================  ==================================================================
3D, about C1                                           6D, in any frame; here in one with the origin C1
=====================================================  ==================================================================
``m1, I1``                                             ``spatial_inertia(m1, 0, I1)``
``m2, I2, r1 = C1P, r2 = C2P``                         ``spatial_inertia(m2, r1 - r2, I2)``
axis ``s`` through P                                   ``twist(s, r1)``; with ``|s| = 1``, ``[s; r1 x s]``
force ``f`` in a line through C1, couple ``n``         ``[n; f]``
``a1``, ``dw1``                                        ``[dw1; a1]``
``[A, B; C, D]`` of (A27)                              ``[D, C; B, A]``, the matrix of (B7)
=====================================================  ==================================================================
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pluecker.course.constrained import factor, solve
from pluecker.spatial.errors import ArgumentValueError
from pluecker.spatial.functions.arguments import Array, as_floats, check_broadcast, composed, finite, naming
from pluecker.spatial.functions.bases import entry, transposed
from pluecker.spatial.functions.products import skew
from pluecker.spatial.functions.rigid_body import body_momentum, shift_inertia

__all__ = ["TwoBody3D", "TwoBody6D", "two_body_3d", "two_body_6d"]

ROUNDING = 64.0 * float(np.finfo(float).eps)


class TwoBody3D(NamedTuple):
    """The equation ``[f; n] = [A, B; C, D] [a1; dw1]`` (A27) of the body that is pushed.

    Attributes:
        A: (A28), ``(..., 3, 3)``; kg.
        B: (A29), ``(..., 3, 3)``; kg m.
        C: (A30), ``(..., 3, 3)``; kg m; the transpose of B.
        D: (A31), ``(..., 3, 3)``; kg m^2.
        joint_row: ``(..., 6)``, with ``alpha = joint_row . [a1; dw1]`` (A25).
    """

    A: Array
    B: Array
    C: Array
    D: Array
    joint_row: Array

    @property
    def matrix(self) -> Array:
        """``[A, B; C, D]``, ``(..., 6, 6)``, symmetric and positive definite."""
        return np.concatenate(
            [np.concatenate([self.A, self.B], axis=-1), np.concatenate([self.C, self.D], axis=-1)], axis=-2
        )

    def solve(self, f: ArrayLike, n: ArrayLike) -> tuple[Array, Array, Array]:
        """The accelerations that a force gives: ``[a1; dw1] = [A, B; C, D]^-1 [f; n]`` (A32).

        Args:
            f: the force on B1 in a line through C1, ``(..., 3)``; N.
            n: the couple on B1, ``(..., 3)``; N m.

        Returns:
            ``a1``, the acceleration of C1, ``(..., 3)``; m/s^2. ``dw1``, the angular acceleration of B1, ``(..., 3)``;
            rad/s^2. ``alpha``, that of the joint, ``dw2 = dw1 + s alpha``, ``(...)``; rad/s^2 for ``s`` of unit length.

        Raises:
            TypeError, ValueError: not arrays of finite real numbers of these shapes.
        """
        function = "two_body_3d.solve"
        with naming(function):
            f, n = as_floats(function, "f", f, (3,)), as_floats(function, "n", n, (3,))
            check_broadcast(function, f=(f, 1), n=(n, 1), A=(self.A, 2))
            force = np.concatenate(np.broadcast_arrays(f, n), axis=-1)
            x = accelerated(function, self.matrix, force)  # (A32)
            alpha = np.asarray(np.sum(self.joint_row * x, axis=-1))  # (A25)
            return finite(function, (x[..., :3], x[..., 3:], alpha))


class TwoBody6D(NamedTuple):
    """The accelerations of both bodies, and what passes through the joint.

    Attributes:
        acceleration1: a1, ``(..., 6)``; rad/s^2, m/s^2.
        acceleration2: a2 = a1 + s alpha (B3), ``(..., 6)``.
        joint_acceleration: alpha (B6), ``(...)``; rad/s^2.
        joint_force: f_J, from B1 on B2 (B5), ``(..., 6)``; N m, N.
        inertia: the matrix of (B7), ``(..., 6, 6)``: ``f = inertia a1``. It is the articulated inertia of B1 (RBDA
            section 7.1).
    """

    acceleration1: Array
    acceleration2: Array
    joint_acceleration: Array
    joint_force: Array
    inertia: Array


def body_inertia(function: str, name: str, value: ArrayLike, size: int) -> Array:
    """A symmetric matrix without negative eigenvalues, ``(..., size, size)``; zero is allowed"""
    A = as_floats(function, name, value, (size, size))
    factor(function, name, A, singular=True)
    return 0.5 * (A + transposed(A))


def yielding(function: str, s: Array, J: Array) -> Array:
    """s^T J s, the inertia of body 2 about the joint's axis, by which there is to be divided"""
    value = np.einsum("...i,...ij,...j->...", s, J, s)
    wrong = value <= ROUNDING * np.einsum("...i,...ij,...j->...", np.abs(s), np.abs(J), np.abs(s))
    if wrong.any():
        raise ArgumentValueError(
            f"{function}: body 2 has no inertia about the axis s, its acceleration is not defined{entry(wrong)}"
        )
    return np.asarray(value)


def accelerated(function: str, A: Array, force: Array) -> Array:
    """A^-1 f, with the inertia that both bodies have together"""
    factor(function, "the inertia of both bodies together", A, singular=False)
    return solve(A, force[..., None])[..., 0]


@composed
def two_body_3d(
    m1: ArrayLike, I1: ArrayLike, m2: ArrayLike, I2: ArrayLike, r1: ArrayLike, r2: ArrayLike, s: ArrayLike
) -> TwoBody3D:
    """The two-body problem with 3D vectors: the equation of motion of the body that is pushed.

    Args:
        m1, m2: masses, ``(...)``, positive; kg.
        I1, I2: rotational inertias about the centres of mass C1 and C2, ``(..., 3, 3)``; kg m^2.
        r1, r2: from C1 and from C2 to a point P of the joint's axis, ``(..., 3)``; m.
        s: direction of the axis, ``(..., 3)``, not zero. All in axes of one direction; both bodies are at rest.

    Returns:
        ``(A, B, C, D, joint_row)``, with the property ``matrix`` and the method ``solve(f, n)``.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; a mass that is not positive; an inertia
            that is not symmetric or not positive semidefinite; an axis of length zero; a body 2 without inertia about the
            axis.

    Source: RBDA section 7.1; course, section 57, equations (A1) to (A32). In (A22) and (A28) the factor of
        ``r2~ s s^T r2~`` is ``m2^2``.

    Example:
        >>> pair = two_body_3d(1.0, np.eye(3), 2.0, np.eye(3), [0.5, 0, 0], [-0.5, 0, 0], [0, 0, 1])
        >>> pair.solve([3.0, 0, 0], [0, 0, 0])[0]  # both centres and the joint lie on the line of the force
        array([1., 0., 0.])
    """
    function = "two_body_3d"
    masses = [as_floats(function, name, m, ()) for name, m in (("m1", m1), ("m2", m2))]
    for name, m in zip(("m1", "m2"), masses, strict=True):
        if not (m > 0.0).all():
            raise ArgumentValueError(f"{function}: {name} is {m[~(m > 0.0)].flat[0]}, expected a positive number of kg")
    J1, J2 = (body_inertia(function, name, J, 3) for name, J in (("I1", I1), ("I2", I2)))
    p1, p2, axis = (as_floats(function, name, a, (3,)) for name, a in (("r1", r1), ("r2", r2), ("s", s)))
    wrong = ~(axis != 0.0).any(axis=-1)
    if wrong.any():
        raise ArgumentValueError(f"{function}: s is zero, expected the direction of an axis{entry(wrong)}")
    check_broadcast(
        function, m1=(masses[0], 0), I1=(J1, 2), m2=(masses[1], 0), I2=(J2, 2), r1=(p1, 1), r2=(p2, 1), s=(axis, 1)
    )
    m1, m2 = masses[0][..., None, None], masses[1][..., None, None]
    x1, x2, u = skew(p1), skew(p2), axis[..., None]  # r1 x, r2 x, and s as a column
    J = shift_inertia(masses[1], J2, p2)  # J = I2 - m2 r2~ r2~  (A20)
    between = x1 - x2  # C1C2 x
    K = J2 + m2 * between @ x2  # (A24)
    d = yielding(function, axis, J)[..., None, None]  # s^T J s, the denominator of (A19)
    xs, Ks = x2 @ u, K @ u
    A = (m1 + m2) * np.eye(3) - m2**2 * xs @ transposed(xs) / d  # (A28), r2~^T = -r2~
    B = -m2 * between - m2 * xs @ transposed(Ks) / d  # (A29)
    C = m2 * between - m2 * Ks @ transposed(xs) / d  # (A30)
    D = J1 + shift_inertia(masses[1], J2, p1 - p2) - Ks @ transposed(Ks) / d  # (A31)
    to_a1, to_dw1 = np.broadcast_arrays(-m2 * transposed(xs) / d, -transposed(Ks) / d)  # (A25)
    A, B, C, D = (np.array(block) for block in np.broadcast_arrays(A, B, C, D))
    row = np.concatenate([to_a1, to_dw1], axis=-1)[..., 0, :]
    return TwoBody3D(A, B, C, D, np.broadcast_to(row, (*A.shape[:-2], 6)).copy())


@composed
def two_body_6d(I1: ArrayLike, I2: ArrayLike, s: ArrayLike, f: ArrayLike) -> TwoBody6D:
    """The two-body problem with spatial vectors: the accelerations that a force on body 1 gives.

    Args:
        I1, I2: inertias of the bodies, ``(..., 6, 6)``; of articulated bodies, too.
        s: the axis of the joint, a motion vector of one degree of freedom of any kind, ``(..., 6)``.
        f: the force on body 1, ``(..., 6)``; N m, N. All in one frame; both bodies are at rest.

    Returns:
        ``(acceleration1, acceleration2, joint_acceleration, joint_force, inertia)``.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; an inertia that is not symmetric or not
            positive semidefinite; a body 2 without inertia about the axis; both together without inertia in some direction.

    Source: RBDA section 7.1; course, section 58, equations (B1) to (B7).

    Example:
        >>> from pluecker.course import twist
        >>> from pluecker.spatial.functions.shapes import box
        >>> first, second = box(1.0, [1, 1, 1]), box(2.0, [1, 1, 1])  # both about one centre
        >>> two_body_6d(first, second, twist([0, 0, 1], [0, 0, 0]), [0, 0, 0, 6.0, 0, 0]).acceleration1
        array([0., 0., 0., 2., 0., 0.])
    """
    function = "two_body_6d"
    A1, A2 = (body_inertia(function, name, I, 6) for name, I in (("I1", I1), ("I2", I2)))
    s, f = as_floats(function, "s", s, (6,)), as_floats(function, "f", f, (6,))
    check_broadcast(function, I1=(A1, 2), I2=(A2, 2), s=(s, 1), f=(f, 1))
    U = body_momentum(A2, s)  # I2 s
    d = yielding(function, s, A2)  # s^T I2 s
    inertia = A1 + A2 - U[..., :, None] * U[..., None, :] / d[..., None, None]
    a1 = accelerated(function, inertia, f)  # (B7)
    alpha = -np.sum(U * a1, axis=-1) / d  # (B6)
    a2 = a1 + s * alpha[..., None]  # (B3)
    return TwoBody6D(a1, a2, alpha, body_momentum(A2, a2), inertia)  # (B5)
