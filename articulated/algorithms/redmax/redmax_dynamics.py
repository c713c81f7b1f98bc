"""Reduced dynamics from maximal coordinates: the equations of all bodies, multiplied by their Jacobian.

With the Jacobian J of the twists ``phi = J qd`` of all bodies and their inertias M,

    J' M J qdd = - J' M Jdot qd + J' f

where f are the wrenches on the bodies, velocity terms included. Here these matrices are really made: it takes longer than
:func:`crba` and :func:`rnea`, shares no recursion with them, and finds the same.

Sources: Wang et al. (2019), section 4; source document 002, section 4.2 (docs/sources.md).
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.dynamics.passive import add_passive_force
from pluecker.articulated.algorithms.frames.jacobian_rows import (
    COLUMN,
    column_count,
    first_column,
    jacobian_and_rate_rows,
    own_column,
    row_table,
    shares_columns,
)
from pluecker.articulated.model.layout import (
    ARMATURE,
    body,
    clear,
    first_v,
    freedom_count,
    gravity,
    inertia,
    link_count,
    parent,
    velocity_count,
    velocity_table,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import LEFT_OUT, Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import Field
from pluecker.spatial.algebra.inertia import rigid_times_motion
from pluecker.spatial.algebra.transforms import load_transform
from pluecker.spatial.algebra.vectors import (
    add,
    cross_force,
    dot,
    load3,
    load_vector,
    rotate,
    scale,
    scale3,
    store3,
    subtract,
)
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load, store, tail

__all__ = ["redmax_dynamics"]

TRANSFORM, WEIGHT = 12, 3  # the workspace: of each link its transform; its gravity; then all rows of J, and of Jdot


@kernel
def redmax_dynamics_kernel(m, c, q, v, f_ext, H, forces, ws):
    """H = J' M J + diag(armature) and - J' M Jdot qd + J' f - passive forces"""
    n, nv = link_count(m), velocity_count(m)
    down = tail(ws, TRANSFORM * (n + 1))
    J = tail(down, WEIGHT * (n + 1))
    Jdot = tail(J, first_column(c, n) + COLUMN * column_count(c, n))
    jacobian_and_rate_rows(m, c, q, v, J, Jdot, ws)
    clear(H, nv * nv)
    clear(forces, nv)
    add_passive_force(m, q, v, forces)
    for k in range(nv):
        store(forces, k, -load(forces, k))
        accumulate(H, nv * k + k, velocity_table(m, ARMATURE, k))
    store3(down, 0, gravity(m))
    for i in range(1, n + 1):
        g = rotate(load_transform(ws, TRANSFORM * i)[0], load3(down, WEIGHT * parent(m, i)))
        store3(down, WEIGHT * i, g)
        if body(m, i) >= 0:
            Mi = inertia(m, i)
            add_reduced_inertia(m, c, i, Mi, J, H)
            phi, rate = row_times(m, c, i, J, v), row_times(m, c, i, Jdot, v)
            f = subtract(rigid_times_motion(Mi, subtract((scale3(0.0, g), g), rate)), momentum_rate(Mi, phi))
            if len(f_ext) > 0:
                f = add(f, load_vector(f_ext, 6 * body(m, i)))
            add_row_force(m, c, i, J, f, forces)  # J_i' (f_i - M_i Jdot_i qd)


@kernel
def momentum_rate(Mi, phi):
    """phi x* M phi, which the axes of the body cause by turning"""
    return cross_force(phi, rigid_times_motion(Mi, phi))


@kernel
def row_times(m, c, i, J, x):
    """J_i x"""
    row = first_column(c, i)
    result = scale(0.0 * load(x, 0), load_vector(J, row))
    a = i
    while a > 0:
        if not shares_columns(m, c, a):
            for k in range(freedom_count(m, a)):
                column = load_vector(J, row + COLUMN * (own_column(c, a) + k))
                result = add(result, scale(load(x, first_v(m, a) + k), column))
        a = parent(m, a)
    return result


@kernel
def add_row_force(m, c, i, J, f, forces):
    """forces += J_i' f"""
    row = first_column(c, i)
    a = i
    while a > 0:
        if not shares_columns(m, c, a):
            for k in range(freedom_count(m, a)):
                column = load_vector(J, row + COLUMN * (own_column(c, a) + k))
                accumulate(forces, first_v(m, a) + k, dot(column, f))
        a = parent(m, a)


@kernel
def add_reduced_inertia(m, c, i, Mi, J, H):
    """H += J_i' M_i J_i"""
    row = first_column(c, i)
    a = i
    while a > 0:
        if not shares_columns(m, c, a):
            for k in range(freedom_count(m, a)):
                F = rigid_times_motion(Mi, load_vector(J, row + COLUMN * (own_column(c, a) + k)))
                add_reduced_row(m, c, row, a, k, F, J, H)
        a = parent(m, a)


@kernel
def add_reduced_row(m, c, row, a, k, F, J, H):
    """H_rs and H_sr += J_s' F for the column r that F comes from, and every s between it and the world"""
    nv, r = velocity_count(m), first_v(m, a) + k
    count = k + 1
    while a > 0:
        if not shares_columns(m, c, a):
            for j in range(count):
                s = first_v(m, a) + j
                x = dot(load_vector(J, row + COLUMN * (own_column(c, a) + j)), F)
                accumulate(H, nv * r + s, x)
                if s != r:
                    accumulate(H, nv * s + r, x)
        a = parent(m, a)
        count = freedom_count(m, a)


REDMAX_DYNAMICS = Algorithm(
    "redmax_dynamics",
    redmax_dynamics_kernel,
    inputs=("q", "v", "f_ext"),
    outputs=(Field("H", ("nv", "nv")), Field("force", ("nv",))),
    constants=lambda model: row_table(model).packed,
    workspace=lambda model: (TRANSFORM + WEIGHT) * (model.n_links + 1) + 2 * row_table(model).size,
)


def redmax_dynamics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    out: tuple[Array, Array] | None = None,
    threads: int | None = None,
) -> tuple[Array, Array]:
    """The equations of motion, assembled from the Jacobian of all bodies and its rate: ``H a = tau + force``.

    ``H = J' M J`` and ``force = - J' M Jdot v + J' f``, with the inertias M of the bodies and the wrenches f on them:
    gravity, gyroscopic terms, ``f_ext``. Armature counts in H; damping, friction and springs count in the force. So H is
    that of :func:`crba`, and the force is minus that of :func:`bias_force`, found by another way. The cost grows with the
    square of the depth of the tree.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``.
        v: velocity, ``(..., nv)``.
        f_ext: forces on the bodies from outside, ``(..., n_bodies, 6)``, in body coordinates.
        out: two arrays that take the results, C-ordered float64 of their shapes.
        threads: how many threads share a batch, at least 1; all cores if None.

    Returns:
        H, ``(..., nv, nv)``, and the force, ``(..., nv)``; N m or N.

    Raises:
        ValueError, TypeError: as :func:`rnea`.

    Example:
        >>> from pluecker.articulated import ModelBuilder, redmax_dynamics
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0, center_of_mass=(0.5, 0, 0))
        >>> arm.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 1, 0))
        >>> H, force = redmax_dynamics(arm.build(), q=[0.0], v=[0.0])
        >>> H, force
        (array([[0.5]]), array([9.81]))

    Source: Wang et al. (2019), section 4; source document 002, equation (28) (docs/sources.md).
    """
    return REDMAX_DYNAMICS.call(model, (q, v, LEFT_OUT if f_ext is None else f_ext), out, threads)
