"""Constrained motion of one rigid body: how it accelerates when its velocity is bound to a subspace (course, 52 and 53).

S is the motion freedom and T the constraint forces, ``S^T T = 0``; :mod:`~pluecker.course.subspaces` makes
them. Either leads to the acceleration. A prime is a derivative with respect to time; ``W = I^-1``.

=====================================================  =====================================================  ==========
formula                                                function                                               section
=====================================================  =====================================================  ==========
``Phi = S (S^T I S)^-1 S^T``                           :func:`apparent_inverse_inertia_from_S`                52, 53.1
``Phi = W - W T (T^T W T)^-1 T^T W``                   :func:`apparent_inverse_inertia_from_T`                52
``b = S' alpha - Phi (I S' alpha + v x* I v)``         :func:`bias_acceleration_from_S`                       53.1
``b = -Phi v x* I v - W T (T^T W T)^-1 T'^T v``        :func:`bias_acceleration_from_T`                       see below
``a = Phi f + b``, ``f_c = I a + v x* I v - f``        :func:`constrained_acceleration_from_S`                52, 53.1
``a = Phi f + b``, ``f_c = T lambda``                  :func:`constrained_acceleration_from_T`                52
``lambda``                                             :func:`constraint_multipliers`                         52
``H = S^T I S``, ``C = S^T (I S' alpha + v x* I v)``   :func:`joint_space`                                    53.3, 53.4
=====================================================  =====================================================  ==========

The derivative of the constraint, ``T^T a + T'^T v = 0``, and the equation of motion, ``I a + v x* I v = f + T lambda``, have
the solution

    lambda = -(T^T W T)^-1 (T^T W (f - v x* I v) + T'^T v).

A basis that a body carries along has ``S' = v x S``; then ``S' alpha = v x v = 0`` and ``T'^T v = 0`` (section 53.2).

Both ways work on the columns of ``F S`` and of ``F^-T T``, where ``F^T F = I``. Squares of their entries are energies, so
that metres and radians are never compared, and orthogonal bases of them do not square the condition number.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pluecker.course.subspaces import basis
from pluecker.spatial.algebra.matrices import NEARLY
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentValueError
from pluecker.spatial.functions.arguments import Array, as_floats, check_broadcast, composed
from pluecker.spatial.functions.bases import entry, transposed, unit_columns
from pluecker.spatial.functions.products import cross_force
from pluecker.spatial.functions.rigid_body import body_momentum, check_symmetric, net_force

__all__ = [
    "ConstrainedMotion", "JointSpace", "apparent_inverse_inertia_from_S", "apparent_inverse_inertia_from_T",
    "bias_acceleration_from_S", "bias_acceleration_from_T", "constrained_acceleration_from_S",
    "constrained_acceleration_from_T", "constraint_multipliers", "joint_space",
]  # fmt: skip

DEFINITE = 1e-14  # of the largest eigenvalue, with a unit diagonal: a smaller one is rounding
VANISHING = 1e-13  # of the size of F S without cancellation: a smaller singular value is rounding


@by_value()
class ConstrainedMotion(NamedTuple):
    """Acceleration of a constrained body, ``a = Phi f + b``, and the force of its constraint.

    Attributes:
        acceleration: a, spatial, ``(..., 6)``; rad/s^2, m/s^2.
        constraint_force: f_c, by which the constraint acts on the body, ``(..., 6)``; N m, N.
        apparent_inverse_inertia: Phi, ``(..., 6, 6)``.
        bias: b, the acceleration without applied force, ``(..., 6)``; rad/s^2, m/s^2.
    """

    acceleration: Array
    constraint_force: Array
    apparent_inverse_inertia: Array
    bias: Array


@by_value()
class JointSpace(NamedTuple):
    """The equation of motion in the coordinates of S: ``tau = H alpha' + C`` with ``tau = S^T f``.

    Attributes:
        H: generalised inertia, ``(..., n, n)``. The kinetic energy is ``1/2 alpha^T H alpha``.
        C: generalised bias force, ``(..., n)``.
    """

    H: Array
    C: Array


# ---------------------------------------------------------------------------------------------------------- the arguments


def times(A: Array, x: Array) -> Array:
    """A x, matrix and vector"""
    return np.asarray((A @ x[..., None])[..., 0])


def solve(A: Array, B: Array) -> Array:
    """A^-1 B, both matrices"""
    batch = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    A, B = (np.broadcast_to(matrix, batch + matrix.shape[-2:]) for matrix in (A, B))
    return np.asarray(np.linalg.solve(A, B))


def factor(function: str, name: str, I: Array, singular: bool) -> Array:
    """F with ``F^T F = I``, by way of the eigenvectors of the inertia scaled to a unit diagonal"""
    scale = np.sqrt(np.abs(np.diagonal(I, axis1=-2, axis2=-1)))
    scale = np.where(scale > 0.0, scale, 1.0)
    C = I / scale[..., :, None] / scale[..., None, :]
    wrong = np.abs(C - transposed(C)).max(axis=(-1, -2)) > NEARLY
    if wrong.any():
        raise ArgumentValueError(f"{function}: {name} is not symmetric, within 1e-6 of its size{entry(wrong)}")
    values, vectors = np.linalg.eigh(0.5 * (C + transposed(C)))
    slack = DEFINITE * values[..., -1:]
    wrong = (values < -slack).any(axis=-1) if singular else (values <= slack).any(axis=-1)
    if wrong.any():
        kind = "positive semidefinite" if singular else "positive definite"
        raise ArgumentValueError(f"{function}: {name} is not {kind}, beyond rounding{entry(wrong)}")
    values = np.where(values > slack, values, 0.0)
    return np.asarray(np.sqrt(values)[..., :, None] * transposed(vectors) * scale[..., None, :])


# ----------------------------------------------------------------------------------------------------------- acceleration


def triangle(A: Array) -> Array:
    """R of A = Q R, with which A^T A = R^T R"""
    R: Any = np.linalg.qr(A, mode="r")
    return np.asarray(R)


def inverse_roots_of_S(function: str, I: Array, S: Array) -> Array:
    """G with ``G G^T = S (S^T I S)^-1 S^T``: with F S = Q R, S^T I S = R^T R and G = S R^-1"""
    S = unit_columns(S)  # no overflow
    F = factor(function, "I", I, singular=True)
    A = F @ S
    if S.shape[-1]:
        size = np.linalg.norm(np.abs(F) @ np.abs(S), axis=-2, keepdims=True)  # of what the columns are rounded by
        wrong = np.linalg.svd(A / np.where(size > 0.0, size, 1.0), compute_uv=False)[..., -1] <= VANISHING
        if wrong.any():
            raise ArgumentValueError(
                f"{function}: S^T I S is singular, the body moves along S without kinetic energy{entry(wrong)}"
            )
    R = triangle(A)
    return transposed(solve(transposed(R), transposed(S)))


def inverse_roots_of_T(function: str, I: Array, T: Array) -> tuple[Array, Array, Array]:
    """W = I^-1, and K, R with ``K K^T = W T (T^T W T)^-1 T^T W``: with F^-T T = Q R, T^T W T = R^T R and K = W T R^-1"""
    inverse = solve(factor(function, "I", I, singular=False), np.eye(6))
    W = inverse @ transposed(inverse)
    R = triangle(transposed(inverse) @ T)
    return W, transposed(solve(transposed(R), transposed(W @ T))), R


def from_S(
    function: str, I: ArrayLike, S: ArrayLike, alpha: ArrayLike | None, S_rate: ArrayLike | None
) -> tuple[Array, ...]:
    """I, S, alpha, S' alpha, v, Phi"""
    I, S = as_floats(function, "I", I, (6, 6)), basis(function, "S", S)
    n = S.shape[-1]
    alpha = as_floats(function, "alpha", np.zeros(n) if alpha is None else alpha, (n,))
    rate = as_floats(function, "S_rate", np.zeros((6, n)) if S_rate is None else S_rate, (6, n))
    check_broadcast(function, I=(I, 2), S=(S, 2), alpha=(alpha, 1), S_rate=(rate, 2))
    return I, S, alpha, times(rate, alpha), times(S, alpha)


@composed
def apparent_inverse_inertia_from_S(I: ArrayLike, S: ArrayLike) -> Array:
    """``Phi = S (S^T I S)^-1 S^T``, which maps an applied force to the acceleration of the constrained body.

    Args:
        I: inertias, symmetric, ``(..., 6, 6)``; singular ones too, as long as no motion in S is without kinetic energy.
        S: motion freedom, ``(..., 6, n)``.

    Returns:
        ``(..., 6, 6)``, symmetric and positive semidefinite, of rank n; its range is S.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; an inertia that is not symmetric or not
            positive semidefinite; columns of S that are linearly dependent; ``S^T I S`` singular.

    Source: RBDA section 3.6; course, sections 52 and 53.1.
    """
    function = "apparent_inverse_inertia_from_S"
    I, S, *_ = from_S(function, I, S, None, None)
    G = inverse_roots_of_S(function, I, S)
    return np.asarray(G @ transposed(G))


@composed
def apparent_inverse_inertia_from_T(I: ArrayLike, T: ArrayLike) -> Array:
    """``Phi = I^-1 - I^-1 T (T^T I^-1 T)^-1 T^T I^-1``: the same matrix, from the constraint forces.

    Args:
        I: inertias, symmetric and positive definite, ``(..., 6, 6)``.
        T: constraint forces, ``(..., 6, 6 - n)``.

    Returns:
        ``(..., 6, 6)``, symmetric, of rank n.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; an inertia that is not symmetric or not
            positive definite; columns of T that are linearly dependent.

    Source: RBDA section 3.6; course, section 52.
    """
    return constrained_from_T("apparent_inverse_inertia_from_T", I, T, np.zeros(6), None, None)[
        0
    ].apparent_inverse_inertia


@composed
def bias_acceleration_from_S(I: ArrayLike, S: ArrayLike, alpha: ArrayLike, S_rate: ArrayLike | None = None) -> Array:
    """``b = S' alpha - Phi (I S' alpha + v x* I v)``: the acceleration of the constrained body without applied force.

    Args:
        I: inertias, symmetric, ``(..., 6, 6)``.
        S: motion freedom, ``(..., 6, n)``.
        alpha: velocity in the coordinates of S, ``v = S alpha``, ``(..., n)``.
        S_rate: the derivative ``S'`` of the vectors in S, ``(..., 6, n)``; zero unless given. In moving coordinates, see
            :func:`~pluecker.spatial.functions.rates.derivative_of_motion`.

    Returns:
        Motion vectors, ``(..., 6)``; rad/s^2, m/s^2.

    Raises:
        TypeError, ValueError: as :func:`apparent_inverse_inertia_from_S`.

    Source: RBDA section 3.6; course, section 53.1.
    """
    return constrained_from_S("bias_acceleration_from_S", I, S, np.zeros(6), alpha, S_rate).bias


@composed
def bias_acceleration_from_T(I: ArrayLike, T: ArrayLike, v: ArrayLike, T_rate: ArrayLike | None = None) -> Array:
    """``b = -Phi v x* I v - I^-1 T (T^T I^-1 T)^-1 T'^T v``: the same acceleration, from the constraint forces.

    Args:
        I: inertias, symmetric and positive definite, ``(..., 6, 6)``.
        T: constraint forces, ``(..., 6, 6 - n)``.
        v: velocity, ``(..., 6)``, which the constraint allows, ``T^T v = 0``; rad/s, m/s.
        T_rate: the derivative ``T'`` of the vectors in T, ``(..., 6, 6 - n)``; zero unless given.

    Returns:
        Motion vectors, ``(..., 6)``; rad/s^2, m/s^2.

    Raises:
        TypeError, ValueError: as :func:`apparent_inverse_inertia_from_T`; a velocity that the constraint does not allow.

    Source: ``T^T a + T'^T v = 0`` (RBDA section 3.6; course, section 52), solved with the equation of motion.
    """
    return constrained_from_T("bias_acceleration_from_T", I, T, np.zeros(6), v, T_rate)[0].bias


@composed
def constrained_acceleration_from_S(
    I: ArrayLike, S: ArrayLike, f: ArrayLike, alpha: ArrayLike | None = None, S_rate: ArrayLike | None = None
) -> ConstrainedMotion:
    """The acceleration ``a = Phi f + b`` of a body with the motion freedom S, and the force of its constraint.

    Args:
        I: inertias, symmetric, ``(..., 6, 6)``.
        S: motion freedom, ``(..., 6, n)``.
        f: applied forces, all but that of the constraint, ``(..., 6)``; N m, N.
        alpha: velocity in the coordinates of S, ``v = S alpha``, ``(..., n)``; at rest unless given.
        S_rate: the derivative ``S'`` of the vectors in S, ``(..., 6, n)``; zero unless given.

    Returns:
        ``(acceleration, constraint_force, apparent_inverse_inertia, bias)``, with ``f_c = I a + v x* I v - f``.

    Raises:
        TypeError, ValueError: as :func:`apparent_inverse_inertia_from_S`.

    Source: RBDA section 3.6; course, sections 52 and 53.1.
    """
    return constrained_from_S("constrained_acceleration_from_S", I, S, f, alpha, S_rate)


@composed
def constrained_acceleration_from_T(
    I: ArrayLike, T: ArrayLike, f: ArrayLike, v: ArrayLike | None = None, T_rate: ArrayLike | None = None
) -> ConstrainedMotion:
    """The acceleration ``a = Phi f + b`` of a body under constraint forces ``f_c = T lambda``, given T, and that force.

    Args:
        I: inertias, symmetric and positive definite, ``(..., 6, 6)``.
        T: constraint forces, ``(..., 6, 6 - n)``.
        f: applied forces, all but that of the constraint, ``(..., 6)``; N m, N.
        v: velocity, ``(..., 6)``, which the constraint allows, ``T^T v = 0``; at rest unless given; rad/s, m/s.
        T_rate: the derivative ``T'`` of the vectors in T, ``(..., 6, 6 - n)``; zero unless given.

    Returns:
        ``(acceleration, constraint_force, apparent_inverse_inertia, bias)``.

    Raises:
        TypeError, ValueError: as :func:`apparent_inverse_inertia_from_T`; a velocity that the constraint does not allow.

    Source: RBDA section 3.6; course, section 52, where the factor f is missing in ``lambda = -D T^T I^-1 f``, and the body
        is at rest.
    """
    return constrained_from_T("constrained_acceleration_from_T", I, T, f, v, T_rate)[0]


@composed
def constraint_multipliers(
    I: ArrayLike, T: ArrayLike, f: ArrayLike, v: ArrayLike | None = None, T_rate: ArrayLike | None = None
) -> Array:
    """The multipliers ``lambda = -(T^T W T)^-1 (T^T W (f - v x* I v) + T'^T v)`` of the constraint force ``T lambda``.

    Args:
        I: inertias, symmetric and positive definite, ``(..., 6, 6)``.
        T: constraint forces, ``(..., 6, 6 - n)``.
        f: applied forces, all but that of the constraint, ``(..., 6)``; N m, N.
        v: velocity, ``(..., 6)``, which the constraint allows, ``T^T v = 0``; at rest unless given; rad/s, m/s.
        T_rate: the derivative ``T'`` of the vectors in T, ``(..., 6, 6 - n)``; zero unless given.

    Returns:
        ``(..., 6 - n)``, one for each column of T, in its unit: N of a unit force along a line, N m of a unit couple.

    Raises:
        TypeError, ValueError: as :func:`constrained_acceleration_from_T`.

    Source: RBDA section 3.6; course, section 52.

    Example:
        >>> from pluecker.course import constraint_multipliers
        >>> floor = np.eye(6)[:, 5:]  # a unit force upwards
        >>> constraint_multipliers(2.0 * np.eye(6), floor, [0, 0, 0, 0, 0, -19.62])
        array([19.62])
    """
    return constrained_from_T("constraint_multipliers", I, T, f, v, T_rate)[1]


def constrained_from_S(
    function: str, I: ArrayLike, S: ArrayLike, f: ArrayLike, alpha: ArrayLike | None, S_rate: ArrayLike | None
) -> ConstrainedMotion:
    """Everything by way of S."""
    I, S, alpha, drift, v = from_S(function, I, S, alpha, S_rate)
    f = as_floats(function, "f", f, (6,))
    check_broadcast(function, I=(I, 2), S=(S, 2), v=(v, 1), drift=(drift, 1), f=(f, 1))
    G = inverse_roots_of_S(function, I, S)
    Phi = G @ transposed(G)
    b = drift - times(Phi, net_force(I, v, drift))
    a = times(Phi, f) + b
    return ConstrainedMotion(a, net_force(I, v, a) - f, Phi, b)


def constrained_from_T(
    function: str, I: ArrayLike, T: ArrayLike, f: ArrayLike, v: ArrayLike | None, T_rate: ArrayLike | None
) -> tuple[ConstrainedMotion, Array]:
    """Everything by way of T, and the multipliers."""
    I, T = as_floats(function, "I", I, (6, 6)), basis(function, "T", T)
    k = T.shape[-1]
    f = as_floats(function, "f", f, (6,))
    v = as_floats(function, "v", np.zeros(6) if v is None else v, (6,))
    rate = as_floats(function, "T_rate", np.zeros((6, k)) if T_rate is None else T_rate, (6, k))
    check_broadcast(function, I=(I, 2), T=(T, 2), f=(f, 1), v=(v, 1), T_rate=(rate, 2))
    power = np.abs(times(transposed(T), v))
    wrong = (power > NEARLY * times(transposed(np.abs(T)), np.abs(v))).any(axis=-1)
    if wrong.any():
        raise ArgumentValueError(
            f"{function}: v is not allowed by the constraint, T^T v = 0 within 1e-6 of its size{entry(wrong)}"
        )
    W, K, R = inverse_roots_of_T(function, I, T)
    Phi = W - K @ transposed(K)
    gyroscopic = cross_force(v, body_momentum(I, v))
    drift = solve(transposed(R), times(transposed(rate), v)[..., None])[..., 0]  # R^-T T'^T v
    b = -times(Phi, gyroscopic) - times(K, drift)
    a = times(Phi, f) + b
    reduced = times(transposed(K), f - gyroscopic) + drift  # R^-T (T^T W (f - v x* I v) + T'^T v)
    multipliers = -solve(R, reduced[..., None])[..., 0]
    return ConstrainedMotion(a, times(T, multipliers), Phi, b), multipliers


@composed
def joint_space(
    I: ArrayLike, S: ArrayLike, alpha: ArrayLike | None = None, S_rate: ArrayLike | None = None
) -> JointSpace:
    """``H = S^T I S`` and ``C = S^T (I S' alpha + v x* I v)``: the equation of motion in the coordinates of S.

    Args:
        I: inertias, symmetric, ``(..., 6, 6)``.
        S: motion freedom, ``(..., 6, n)``.
        alpha: velocity in the coordinates of S, ``(..., n)``; at rest unless given.
        S_rate: the derivative ``S'`` of the vectors in S, ``(..., 6, n)``; zero unless given.

    Returns:
        ``(H, C)``, ``(..., n, n)`` and ``(..., n)``, of ``S^T f = H alpha' + C``.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; columns of S that are linearly dependent.

    Source: RBDA section 3.6; course, sections 53.3 and 53.4.

    Example:
        >>> from pluecker.course import joint_space, motion_subspace
        >>> from pluecker.spatial import pluecker_transform, transform_inertia
        >>> from pluecker.spatial.functions.shapes import rod
        >>> pendulum = transform_inertia(pluecker_transform(np.eye(3), [0, 0, 0.5]), rod(3.0, 1.0))  # about its end
        >>> joint_space(pendulum, motion_subspace("revolute", [0, 1, 0])).H  # m l^2 / 3
        array([[1.]])
    """
    I, S, _, drift, v = from_S("joint_space", I, S, alpha, S_rate)
    check_symmetric("joint_space", "I", I)
    return JointSpace(np.asarray(transposed(S) @ I @ S), times(transposed(S), net_force(I, v, drift)))
