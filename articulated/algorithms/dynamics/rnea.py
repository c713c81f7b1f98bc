"""Inverse dynamics by the recursive Newton-Euler algorithm (RNEA).

Sources: RBDA section 5.3 and table 5.1; Luh, Walker, Paul (1980); Featherstone's course (source document 001,
docs/sources.md), section 55.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.dynamics.passive import add_armature_force, add_passive_force
from pluecker.articulated.model.joints import add_joint_force, joint_motions, joint_transforms
from pluecker.articulated.model.layout import (
    base_acceleration,
    body,
    clear,
    inertia,
    link_count,
    parent,
    velocity_count,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import LEFT_OUT, Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import Field
from pluecker.spatial.algebra.inertia import rigid_times_motion
from pluecker.spatial.algebra.transforms import inverse_transform_force, load_transform, transform_motion
from pluecker.spatial.algebra.vectors import add, add_cross_force, add_cross_motion, load_vector, store_vector, subtract
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import tail

__all__ = [
    "joint_forces", "move_link", "newton_euler", "pass_force_on", "rnea", "rnea_kernel", "start_from_world",
]  # fmt: skip

# the workspace: for each link its transform, velocity, acceleration and force
X, V, A, F = 0, 12, 18, 24
LINK = 30


@kernel
def newton_euler(m, q, v, a, f_ext, tau, ws):
    """The forces that move the tree as asked, gravity and ``f_ext`` accounted for; joints have no forces of their own."""
    n = link_count(m)
    joint_transforms(m, q, ws, LINK)
    start_from_world(m, ws)
    clear(tau, velocity_count(m))
    for i in range(1, n + 1):
        move_link(m, i, q, v, a, f_ext, ws)
    for i in range(n, 0, -1):
        pass_force_on(m, i, q, tau, ws)


@kernel
def start_from_world(m, ws):
    """Store the world's velocity and acceleration"""
    store_vector(ws, V, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))  # v_0 = 0
    store_vector(ws, A, base_acceleration(m))  # a_0 = -g


@kernel
def move_link(m, i, q, v, a, f_ext, ws):
    """Compute velocity and acceleration of link ``i`` from those of its parent, and the force for them: a step outward"""
    w, p = LINK * i, LINK * parent(m, i)
    Xi = load_transform(ws, w + X)
    vJ, aJ = joint_motions(m, i, q, v, a)  # S qd, S qdd + Sdot qd
    vi = add(transform_motion(Xi, load_vector(ws, p + V)), vJ)  # v_i = X v_p + S qd
    ai = transform_motion(Xi, load_vector(ws, p + A))
    ai = add_cross_motion(add(ai, aJ), vi, vJ)  # a_i = X a_p + S qdd + Sdot qd + v_i x S qd
    Ii = inertia(m, i)
    fi = add_cross_force(rigid_times_motion(Ii, ai), vi, rigid_times_motion(Ii, vi))  # f_i = I a_i + v_i x* I v_i
    if len(f_ext) > 0 and body(m, i) >= 0:
        fi = subtract(fi, load_vector(f_ext, 6 * body(m, i)))
    store_vector(ws, w + V, vi)
    store_vector(ws, w + A, ai)
    store_vector(ws, w + F, fi)


@kernel
def pass_force_on(m, i, q, tau, ws):
    """Add S^T f of the force on link ``i`` to tau, and the whole force to that of its parent: a step inward"""
    w, p = LINK * i, LINK * parent(m, i)
    fi = load_vector(ws, w + F)
    add_joint_force(m, i, q, fi, tau)  # tau_i = S^T f_i
    if p > 0:  # f_p = f_p + X^T f_i
        fp = inverse_transform_force(load_transform(ws, w + X), fi)
        store_vector(ws, p + F, add(load_vector(ws, p + F), fp))


@kernel
def rnea_kernel(m, q, v, a, f_ext, tau, ws):
    """Compute inverse dynamics: the tree's forces, and those that the joints add"""
    newton_euler(m, q, v, a, f_ext, tau, ws)
    add_armature_force(m, a, tau)
    add_passive_force(m, q, v, tau)


@kernel
def joint_forces_kernel(m, q, v, a, f_ext, out, ws):
    """The force f_i through each joint, of the links that are bodies"""
    n = link_count(m)
    newton_euler(m, q, v, a, f_ext, tail(ws, LINK * (n + 1)), ws)
    for i in range(1, n + 1):
        if body(m, i) >= 0:
            store_vector(out, 6 * body(m, i), load_vector(ws, LINK * i + F))


RNEA = Algorithm(
    "rnea",
    rnea_kernel,
    inputs=("q", "v", "a", "f_ext"),
    outputs=("tau",),
    workspace=lambda model: LINK * (model.n_links + 1),
)
JOINT_FORCES = Algorithm(
    "joint_forces",
    joint_forces_kernel,
    inputs=("q", "v", "a", "f_ext"),
    outputs=(Field("forces", ("n_bodies", 6)),),
    workspace=lambda model: LINK * (model.n_links + 1) + model.nv,
)


def rnea(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """Joint forces that make the robot move with acceleration ``a``: inverse dynamics.

    ``tau = (H + diag(armature)) a + c(q, v) + damping v + friction sign(v) + k(q) - J^T f_ext``, gravity included in
    ``c``. Cost is linear in the number of bodies.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``; rad or m, quaternions ``[w, x, y, z]``.
        v: velocity, ``(..., nv)``; rad/s or m/s; of a free joint the body's spatial velocity in its own coordinates,
            angular part first.
        a: acceleration, the derivative of ``v``, ``(..., nv)``.
        f_ext: forces on the bodies from outside, ``(..., n_bodies, 6)``; each ``[n; f]`` in N m and N, in the body's
            coordinates, moment about the body's origin.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an error is raised.
        threads: how many threads share a batch, at least 1; all cores if None.

    Leading axes broadcast.

    Returns:
        tau, ``(..., nv)``; N m or N.

    Raises:
        ValueError: a shape does not fit, an entry is not finite, a quaternion is not of unit length, the result overflows.
        TypeError: something is not an array of real numbers, or no model.

    Example:
        >>> from pluecker.articulated import ModelBuilder, rnea
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0, center_of_mass=(0.5, 0, 0))
        >>> arm.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 1, 0))
        >>> rnea(arm.build(), q=[0.0], v=[0.0], a=[0.0])
        array([-9.81])

    Source: RBDA table 5.1; course, section 55 (source document 001, docs/sources.md).
    """
    return RNEA.call(model, (q, v, a, LEFT_OUT if f_ext is None else f_ext), out, threads)


def joint_forces(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """The spatial force through each joint, from the parent to the body, as inverse dynamics finds it.

    Its components along the joint's freedoms are ``tau`` without armature, damping, friction and springs; the others are
    what the bearings carry.

    Args:
        model, q, v, a, f_ext, out, threads: as for :func:`rnea`.

    Returns:
        ``(..., n_bodies, 6)``, each ``[n; f]`` in N m and N, in the body's coordinates, moment about the body's origin.

    Raises:
        ValueError, TypeError: as :func:`rnea`.

    Source: RBDA table 5.1, ``f_i``; course, section 55.6 (source document 001, docs/sources.md).
    """
    return JOINT_FORCES.call(model, (q, v, a, LEFT_OUT if f_ext is None else f_ext), out, threads)
