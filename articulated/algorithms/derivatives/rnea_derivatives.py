"""Derivatives of inverse dynamics by configuration, velocity and acceleration, on dual numbers.

A step of a coordinate moves what it carries, and changes forces there and on the way to the world: nothing else is computed
for it. On the way to the world, where nothing moves, forces change as they are handed on: that is linear and takes lanes
alone. Eight directions go at a time, four coordinates by q and v:
:mod:`~pluecker.articulated.algorithms.redmax.column_blocks`.

Sources: RBDA section 5.3 and table 5.1; Griewank, Walther, *Evaluating Derivatives* (2008), chapter 3. Checked against
Carpentier, Mansard, "Analytical derivatives of rigid body dynamics algorithms" (2018), in Pinocchio.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.dynamics.rnea import LINK, F, V, X, move_link, pass_force_on, start_from_world
from pluecker.articulated.algorithms.inertia import crba
from pluecker.articulated.algorithms.inertia.crba import crba_packed_kernel
from pluecker.articulated.algorithms.redmax.column_blocks import (
    AMONG,
    BESIDE,
    CARRIED,
    COORDINATES,
    MOVED,
    ROWS,
    block,
    block_count,
    entry,
    length,
    plan_blocks,
)
from pluecker.articulated.model.joints import (
    add_joint_force,
    joint_transform,
    joint_transforms,
    rate_joint,
    spring_joint,
)
from pluecker.articulated.model.layout import (
    DAMPING,
    clear,
    configuration_count,
    has_losses,
    has_springs,
    link_count,
    owns_coordinates,
    parent,
    row_coordinate,
    row_depth,
    row_parent,
    row_place,
    velocity_count,
    velocity_table,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import LEFT_OUT, Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import Field
from pluecker.spatial.algebra.transforms import inverse_transform_force, load_transform, store_transform
from pluecker.spatial.algebra.vectors import add, load_vector, store_vector
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.memory.arrays import aligned
from pluecker.spatial.engine.memory.joined import as_rows, join
from pluecker.spatial.engine.scalars.lanes import WIDTH
from pluecker.spatial.engine.scalars.operations import accumulate, load, part, store, tail

__all__ = ["differentiate_rnea", "move_links", "rnea_derivatives", "rnea_derivatives_kernel", "rnea_workspace"]


@kernel
def rnea_derivatives_kernel(m, c, q, v, a, f_ext, dq, dv, da, ws):
    """Compute dtau/dq and dtau/dv on dual numbers, and dtau/da, the inertia matrix"""
    differentiate_rnea(m, c, q, v, a, f_ext, dq, dv, ws)
    store_full_inertia_matrix(m, q, da, ws)


@kernel
def differentiate_rnea(m, c, q, v, a, f_ext, dq, dv, ws):
    """Compute dtau/dq and dtau/dv, block by block"""
    n, nq, nv = link_count(m), configuration_count(m), velocity_count(m)
    numbers = aligned(ws)
    count = nq + 4 * nv + LINK * (n + 1)
    rows, values = as_rows(part(numbers, 0, WIDTH * count)), tail(numbers, WIDTH * count)
    links, tau = part(values, 0, LINK * (n + 1)), tail(values, LINK * (n + 1))
    q1, steps, v1, a1, tau1 = (
        rows,
        tail(rows, nq),
        tail(rows, nq + nv),
        tail(rows, nq + 2 * nv),
        tail(rows, nq + 3 * nv),
    )
    links1 = tail(rows, nq + 4 * nv)
    move_links(m, q, v, a, f_ext, links)
    clear(rows, nq + 3 * nv)
    for i in range(n + 1):
        clear(part(links1, LINK * i + X, V - X), V - X)
    clear(dq, nv * nv)
    clear(dv, nv * nv)
    Q, Qd, Qdd, T, L = join(q, q1), join(v, v1), join(a, a1), join(tau, tau1), join(links, links1)
    for b in range(block_count(c)):
        plan = block(c, b)
        start_steps(m, plan, q, numbers, q1, steps, 1.0)
        clear_block(plan, tau1, links1)
        differentiate_block(m, plan, Q, Qd, Qdd, f_ext, T, L)
        hand_forces_on(m, plan, q, tau1, links, links1)
        store_columns(m, plan, tail(numbers, WIDTH * (nq + 3 * nv)), dq, dv)
        start_steps(m, plan, q, numbers, q1, steps, 0.0)
        for k in range(length(plan, MOVED)):
            clear(tail(links1, LINK * entry(plan, MOVED, k) + X), V - X)
    if has_losses(m):  # dry friction is constant where the velocity is not zero
        for k in range(nv):
            accumulate(dv, k * nv + k, velocity_table(m, DAMPING, k))


@called_kernel
def move_links(m, q, v, a, f_ext, ws):
    """Run the outward sweep of inverse dynamics, on numbers"""
    joint_transforms(m, q, ws, LINK)
    start_from_world(m, ws)
    for i in range(1, link_count(m) + 1):
        move_link(m, i, q, v, a, f_ext, ws)


@kernel
def start_steps(m, plan, q, numbers, q1, steps, size):
    """Set directions to steps of ``size``, 1 or 0: the first of the block's coordinates, the others of their velocities"""
    nq, nv, n = configuration_count(m), velocity_count(m), length(plan, COORDINATES)
    for k in range(n):
        j = entry(plan, COORDINATES, k)
        store(numbers, WIDTH * (nq + j) + k, size)
        store(numbers, WIDTH * (nq + nv + j) + n + k, size)
    for k in range(length(plan, MOVED)):
        i = entry(plan, MOVED, k)
        if owns_coordinates(m, i):
            rate_joint(m, i, q, steps, q1)


@kernel
def clear_block(plan, tau1, links1):
    """Clear derivatives: of the motion of links that carry the moved ones, and of forces and joint forces to the world"""
    for k in range(length(plan, ROWS)):
        store(tau1, entry(plan, ROWS, k), 0.0)
    for k in range(length(plan, BESIDE)):
        clear(tail(links1, LINK * entry(plan, BESIDE, k) + V), F - V)
    for k in range(length(plan, AMONG)):
        clear(tail(links1, LINK * entry(plan, AMONG, k) + F), LINK - F)


@kernel
def differentiate_block(m, plan, q, v, a, f_ext, tau, ws):
    """Run both sweeps of inverse dynamics over the links that the block's joints carry"""
    for k in range(length(plan, MOVED)):
        i = entry(plan, MOVED, k)
        store_transform(ws, LINK * i + X, joint_transform(m, i, q))
    for k in range(length(plan, CARRIED)):
        move_link(m, entry(plan, CARRIED, k), q, v, a, f_ext, ws)
    for k in range(length(plan, CARRIED) - 1, -1, -1):
        pass_force_on(m, entry(plan, CARRIED, k), q, tau, ws)
    if has_springs(m):
        for k in range(length(plan, MOVED)):
            i = entry(plan, MOVED, k)
            if owns_coordinates(m, i):
                spring_joint(m, i, q, tau)


@kernel
def hand_forces_on(m, plan, q, tau1, links, links1):
    """Propagate derivatives of forces from the carried links to the world: joints and transforms there do not change"""
    for k in range(length(plan, AMONG)):
        i = entry(plan, AMONG, k)
        w, p = LINK * i, LINK * parent(m, i)
        f = load_vector(links1, w + F)
        add_joint_force(m, i, q, f, tau1)
        if p > 0:
            handed_on = inverse_transform_force(load_transform(links, w + X), f)
            store_vector(links1, p + F, add(load_vector(links1, p + F), handed_on))


@kernel
def store_columns(m, plan, tau1, dq, dv):
    """Store the columns of a block, whose numbers are in ``tau1``"""
    nv, n = velocity_count(m), length(plan, COORDINATES)
    for k in range(length(plan, ROWS)):
        r = entry(plan, ROWS, k)
        for e in range(n):
            j = entry(plan, COORDINATES, e)
            store(dq, nv * r + j, load(tau1, WIDTH * r + e))
            store(dv, nv * r + j, load(tau1, WIDTH * r + n + e))


@kernel
def store_full_inertia_matrix(m, q, H, ws):
    """Compute the packed inertia matrix, and spread it over the full matrix"""
    nv = velocity_count(m)
    n = row_place(m, nv - 1) + row_depth(m, nv - 1) + 1
    crba_packed_kernel(m, q, ws, tail(ws, n))
    clear(H, nv * nv)
    for r in range(nv):
        place, v, i = row_place(m, r), row_coordinate(m, r), r
        for a in range(row_depth(m, r), -1, -1):
            x, c = load(ws, place + a), row_coordinate(m, i)
            store(H, nv * v + c, x)
            store(H, nv * c + v, x)
            i = row_parent(m, i)


def rnea_workspace(model: Model) -> int:
    """Return the size of the workspace of :func:`differentiate_rnea`, in numbers"""
    tau = model.nv
    links = LINK * (model.n_links + 1)
    return WIDTH * (model.nq + 3 * model.nv + tau + links + 1) + tau + links


RNEA_DERIVATIVES = Algorithm(
    "rnea_derivatives",
    rnea_derivatives_kernel,
    inputs=("q", "v", "a", "f_ext"),
    outputs=(Field("dtau_dq", ("nv", "nv")), Field("dtau_dv", ("nv", "nv")), Field("dtau_da", ("nv", "nv"))),
    constants=plan_blocks,
    workspace=lambda model: max(rnea_workspace(model), crba.workspace(model) + model.coordinate_tree.pairs),
    lanes=False,
)


def rnea_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    out: tuple[Array, Array, Array] | None = None,
    threads: int | None = None,
) -> tuple[Array, Array, Array]:
    """The derivatives of inverse dynamics, exact to rounding: how joint forces change with configuration, velocity and
    acceleration.

    The configuration is displaced in v's coordinates: column j of ``dtau_dq`` is the derivative of
    ``rnea(model, integrate(model, q, t e_j), v, a, f_ext)`` at ``t = 0``; of a free joint the displacement is a twist in
    the body's coordinates, angular part first. Armature, damping, springs and mimic joints count as in :func:`rnea`; dry
    friction counts as constant. Forces from outside stay what they are in body coordinates.

    Args:
        model, q, v, a, f_ext: as for :func:`rnea`.
        out: three arrays that take the results, C-ordered float64; untouched where an argument is refused.
        threads: how many threads share a batch, at least 1; all cores if None.

    Leading axes broadcast.

    Returns:
        ``(dtau_dq, dtau_dv, dtau_da)``, each ``(..., nv, nv)``: row i is the joint force i. The last is the inertia matrix.

    Raises:
        ValueError, TypeError: as :func:`rnea`.

    Example:
        >>> from pluecker.articulated import ModelBuilder, rnea_derivatives
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0, center_of_mass=(0.5, 0, 0))
        >>> arm.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 1, 0), damping=0.1)
        >>> rnea_derivatives(arm.build(), q=[0.0], v=[0.0], a=[3.0])
        (array([[0.]]), array([[0.1]]), array([[0.5]]))

    Source: RBDA table 5.1, on dual numbers (Griewank, Walther, *Evaluating Derivatives* (2008), chapter 3).
    """
    result: tuple[Array, Array, Array]
    result = RNEA_DERIVATIVES.call(model, (q, v, a, LEFT_OUT if f_ext is None else f_ext), out, threads)
    return result
