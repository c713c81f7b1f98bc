"""Products with the Jacobian of all bodies and with its rate, in one walk over the tree and without a matrix.

The product ``J x`` itself is :func:`~pluecker.articulated.algorithms.frames.forward_kinematics.body_velocities`.

Sources: RBDA sections 4.4 and 5.3; Wang et al. (2019); source document 002, section 4 (docs/sources.md).
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from pluecker.articulated.model.joints import (
    add_joint_force,
    joint_motion,
    joint_transform,
    joint_transforms,
    subspace_rate,
)
from pluecker.articulated.model.layout import body, clear, first_v, freedom_count, link_count, parent, velocity_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import Field
from pluecker.spatial.algebra.transforms import inverse_transform_force, load_transform, transform_motion
from pluecker.spatial.algebra.vectors import add, add_cross_motion, load_vector, scale, store_vector
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load

__all__ = ["body_jacobian_dot_times", "body_jacobian_transpose_times"]

X, F = 0, 12  # the workspace of J' f: of each link its transform and its force
LINK = 18
RATE = 12  # the workspace of Jdot x: of each link u = J x and its rate
ZERO = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@kernel
def transpose_times_kernel(m, q, f_ext, tau, ws):
    """tau_i = S_i' F_i with F_i = f_i + sum of X_j' F_j over the children j: J' f"""
    n = link_count(m)
    joint_transforms(m, q, ws, LINK)
    clear(tau, velocity_count(m))
    for i in range(1, n + 1):
        store_vector(ws, LINK * i + F, ZERO)
        if body(m, i) >= 0:
            store_vector(ws, LINK * i + F, load_vector(f_ext, 6 * body(m, i)))
    for i in range(n, 0, -1):
        w, p = LINK * i, LINK * parent(m, i)
        Fi = load_vector(ws, w + F)
        add_joint_force(m, i, q, Fi, tau)
        if p > 0:
            Fp = inverse_transform_force(load_transform(ws, w + X), Fi)
            store_vector(ws, p + F, add(load_vector(ws, p + F), Fp))


@kernel
def dot_times_kernel(m, q, v, x, y, ws):
    """The rate of u_i = X_i u_p + S x while x stays the same: udot_i = X_i udot_p + (X_i u_p) x vJ + Sdot x"""
    store_vector(ws, 0, ZERO)
    store_vector(ws, 6, ZERO)
    for i in range(1, link_count(m) + 1):
        w, p = RATE * i, RATE * parent(m, i)
        Xi, vJ = joint_transform(m, i, q), joint_motion(m, i, q, v)
        carried = transform_motion(Xi, load_vector(ws, p))
        rate = add_cross_motion(transform_motion(Xi, load_vector(ws, p + 6)), carried, vJ)
        for k in range(freedom_count(m, i)):
            rate = add(rate, scale(load(x, first_v(m, i) + k), subspace_rate(m, i, k, q, v)))
        store_vector(ws, w, add(carried, joint_motion(m, i, q, x)))
        store_vector(ws, w + 6, rate)
        if body(m, i) >= 0:
            store_vector(y, 6 * body(m, i), rate)


TRANSPOSE_TIMES = Algorithm(
    "body_jacobian_transpose_times",
    transpose_times_kernel,
    inputs=("q", Field("f_ext", ("n_bodies", 6))),
    outputs=("tau",),
    workspace=lambda model: LINK * (model.n_links + 1),
)
DOT_TIMES = Algorithm(
    "body_jacobian_dot_times",
    dot_times_kernel,
    inputs=("q", "v", Field("x", ("nv",))),
    outputs=(Field("y", ("n_bodies", 6)),),
    workspace=lambda model: RATE * (model.n_links + 1),
)


def body_jacobian_transpose_times(
    model: Model, q: ArrayLike, f_ext: ArrayLike, *, out: Array | None = None, threads: int | None = None
) -> Array:
    """``J' f_ext``: the joint forces that do the same work as the wrenches ``f_ext`` on the bodies.

    J is :func:`body_jacobian`, which is not made: the cost is linear in the number of bodies. The power is the same on both
    sides, ``tau . v = sum of f_ext_k . phi_k`` with the velocities ``phi = J v`` of :func:`body_velocities`.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``; rad or m, quaternions ``[w, x, y, z]``.
        f_ext: wrenches on the bodies, ``(..., n_bodies, 6)``; each ``[n; f]`` in N m and N, in the body's coordinates,
            moment about the body's origin.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an error is raised.
        threads: how many threads share a batch, at least 1; all cores if None.

    Returns:
        tau, ``(..., nv)``; N m or N.

    Raises:
        ValueError: a shape does not fit, an entry is not finite, a quaternion is not of unit length, the result overflows.
        TypeError: something is not an array of real numbers, or no model.

    Example:
        >>> from pluecker.articulated import ModelBuilder, body_jacobian_transpose_times
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0)
        >>> arm.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 1, 0))
        >>> body_jacobian_transpose_times(arm.build(), q=[0.3], f_ext=[[1, 2, 3, 4, 5, 6]])
        array([2.])

    Source: RBDA section 4.4; Wang et al. (2019); source document 002, equation (28) (docs/sources.md).
    """
    return TRANSPOSE_TIMES.call(model, (q, f_ext), out, threads)


def body_jacobian_dot_times(
    model: Model, q: ArrayLike, v: ArrayLike, x: ArrayLike, *, out: Array | None = None, threads: int | None = None
) -> Array:
    """``Jdot x``: the rate of change of ``J x`` while the mechanism moves with velocity ``v`` and ``x`` stays the same.

    Jdot is :func:`body_jacobian_dot`, which is not made: the cost is linear in the number of bodies. With ``x = v`` it is
    what :func:`body_accelerations` finds without accelerations of the joints.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``.
        v: velocity, ``(..., nv)``.
        x: what Jdot is multiplied by, ``(..., nv)``.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an argument is refused.
            Where the result of a batch overflows, what it holds is not defined.
        threads: how many threads share a batch, at least 1; all cores if None.

    Returns:
        ``(..., n_bodies, 6)``, angular part first, in body coordinates.

    Raises:
        ValueError, TypeError: as :func:`body_jacobian_transpose_times`.

    Source: RBDA section 5.3; Wang et al. (2019); source document 002, algorithm 2 (docs/sources.md).
    """
    return DOT_TIMES.call(model, (q, v, x), out, threads)
