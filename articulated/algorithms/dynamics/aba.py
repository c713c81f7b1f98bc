"""Forward dynamics by the articulated-body algorithm (ABA).

A joint of several freedoms yields to the force on its body one freedom after another: eliminating them in turn, each by
a rank-1 update, gives the same articulated inertia as the block formula of the book, and one loop serves every joint.

Mimic joints make several joints share a coordinate. Then the inertia that a coordinate moves is spread over the tree, and
no recursion from body to body can eliminate it; such models are solved by :func:`solve_kernel` with the factors of the
inertia matrix.

Sources: RBDA section 7.3 and table 7.1; Featherstone (1983).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.dynamics.passive import add_passive_force
from pluecker.articulated.algorithms.dynamics.rnea import RNEA, rnea_kernel
from pluecker.articulated.algorithms.inertia.inertia_factor import (
    factor_numbers,
    factor_workspace,
    factorize_trees,
    refused_coordinate,
    solve_factorized,
)
from pluecker.articulated.model import layout
from pluecker.articulated.model.joints import add_subspace_rate, joint_motion, joint_transforms, subspace
from pluecker.articulated.model.layout import (
    ARMATURE,
    base_acceleration,
    body,
    clear,
    factor_size,
    first_freedom,
    first_v,
    freedom_count,
    inertia,
    link_count,
    parent,
    threshold,
    velocity_count,
    velocity_table,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import LEFT_OUT, Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.spatial.algebra.inertia import (
    add_articulated,
    articulated_from_rigid,
    articulated_times_motion,
    inverse_transform_articulated,
    load_articulated,
    rank1_downdate,
    rigid_times_motion,
    store_articulated,
)
from pluecker.spatial.algebra.matrices import greater
from pluecker.spatial.algebra.transforms import inverse_transform_force, load_transform, transform_motion
from pluecker.spatial.algebra.vectors import (
    add,
    cross_force,
    cross_motion,
    dot,
    load_vector,
    scale,
    store_vector,
    subtract,
)
from pluecker.spatial.dense.ldl import reciprocal
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, store, tail

__all__ = ["aba", "aba_kernel"]

# the workspace: for each link its transform, velocity, bias acceleration, articulated inertia, bias force, acceleration, and
# the largest moment of inertia met beyond; then for each freedom U, 1 / D and u
X, V, C, IA, PA, A, MOMENT = 0, 12, 18, 24, 45, 51, 57
LINK = 58
U, D, TAU = 0, 6, 7
FREEDOM = 8
NEARLY = 0.5  # of 1 / D, how near to what is refused


@kernel
def aba_kernel(m, q, v, tau, f_ext, qdd, ws):
    """Forward dynamics in three sweeps over the tree"""
    clear(qdd, velocity_count(m))
    add_passive_force(m, q, v, qdd)  # kept there until the second sweep has used it
    sweep_velocities(m, q, v, f_ext, ws)
    sweep_inertias(m, q, tau, qdd, ws)
    sweep_accelerations(m, q, qdd, ws)


@kernel
def sweep_velocities(m, q, v, f_ext, ws):
    """Sweep outward: velocities, and each body's own inertia and bias force"""
    joint_transforms(m, q, ws, LINK)
    store_vector(ws, V, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    for i in range(1, link_count(m) + 1):
        w, p = LINK * i, LINK * parent(m, i)
        Xi = load_transform(ws, w + X)
        vJ = joint_motion(m, i, q, v)
        vi = add(transform_motion(Xi, load_vector(ws, p + V)), vJ)  # v_i = X v_p + S qd
        Ii = inertia(m, i)
        pA = cross_force(vi, rigid_times_motion(Ii, vi))  # pA_i = v_i x* I v_i
        if len(f_ext) > 0 and body(m, i) >= 0:
            pA = subtract(pA, load_vector(f_ext, 6 * body(m, i)))
        store_vector(ws, w + V, vi)
        store_vector(ws, w + C, add_subspace_rate(cross_motion(vi, vJ), m, i, q, v))  # c_i = v_i x S qd + Sdot qd
        store_articulated(ws, w + IA, articulated_from_rigid(Ii))
        store_vector(ws, w + PA, pA)
        store(ws, w + MOMENT, 0.0)


@kernel
def sweep_inertias(m, q, tau, passive, ws):
    """Sweep inward: the articulated inertia and bias force of the tree beyond each joint"""
    n = link_count(m)
    for i in range(n, 0, -1):
        w, p = LINK * i, LINK * parent(m, i)
        Ia, pa = load_articulated(ws, w + IA), load_vector(ws, w + PA)
        moment = greater(Ia[0][0] + Ia[0][3] + Ia[0][5], load(ws, w + MOMENT))
        for k in range(freedom_count(m, i)):
            j, s = first_v(m, i) + k, LINK * (n + 1) + FREEDOM * (first_freedom(m, i) + k)
            S = subspace(m, i, k, q)
            Uk = articulated_times_motion(Ia, S)  # U = IA S
            dk = dot(S, Uk) + velocity_table(m, ARMATURE, j)  # D = S^T U
            Dk = reciprocal(dk, threshold(m, i, k, moment))
            uk = load(tau, j) - load(passive, j) - dot(S, pa)  # u = tau - S^T pA
            Ia = rank1_downdate(Ia, Uk, Dk)  # Ia = IA - U D^-1 U^T
            pa = add(pa, scale(Dk * uk, Uk))  # pa = pA + U D^-1 u
            store_vector(ws, s + U, Uk)
            store(ws, s + D, Dk)
            store(ws, s + TAU, uk)
        if p > 0:
            Xi = load_transform(ws, w + X)
            pa = add(pa, articulated_times_motion(Ia, load_vector(ws, w + C)))  # pa = pa + Ia c
            Ip = add_articulated(load_articulated(ws, p + IA), inverse_transform_articulated(Xi, Ia))
            store_articulated(ws, p + IA, Ip)  # IA_p = IA_p + X^T Ia X
            store_vector(ws, p + PA, add(load_vector(ws, p + PA), inverse_transform_force(Xi, pa)))
            store(ws, p + MOMENT, greater(load(ws, p + MOMENT), moment))


@kernel
def sweep_accelerations(m, q, qdd, ws):
    """Sweep outward: the acceleration of each freedom, qdd = D^-1 (u - U^T a'), given that of the parent"""
    n = link_count(m)
    store_vector(ws, A, base_acceleration(m))  # a_0 = -g
    for i in range(1, n + 1):
        w, p = LINK * i, LINK * parent(m, i)
        a = transform_motion(load_transform(ws, w + X), load_vector(ws, p + A))
        a = add(a, load_vector(ws, w + C))  # a' = X a_p + c
        for k in range(freedom_count(m, i) - 1, -1, -1):
            s = LINK * (n + 1) + FREEDOM * (first_freedom(m, i) + k)
            x = load(ws, s + D) * (load(ws, s + TAU) - dot(a, load_vector(ws, s + U)))  # qdd = D^-1 (u - U^T a')
            store(qdd, first_v(m, i) + k, x)
            a = add(a, scale(x, subspace(m, i, k, q)))  # a = a' + S qdd
        store_vector(ws, w + A, a)


def refused_freedom(model: Model, ws: Array) -> int | None:
    """The velocity coordinate whose pivot was refused, from the workspace; None where numbers overflow instead.

    Eight states at a time are rounded otherwise than one, so that a pivot counts as refused here that is nearly so.
    """
    for i in range(model.n_links, 0, -1):
        first, count, iv = (int(model.links[i, k]) for k in (layout.FIRST, layout.COUNT, layout.IV))
        J, beyond = ws[LINK * i + IA : LINK * i + IA + 6], ws[LINK * i + MOMENT]
        moment = max(J[0] + J[3] + J[5], beyond)
        for k in range(count):
            s, record = LINK * (model.n_links + 1) + FREEDOM * (first + k), model.freedoms[first + k]
            if not np.isfinite([*ws[s : s + D], moment]).all():
                return None
            if not ws[s + D] * (record[layout.THRESHOLD] + record[layout.WEIGHT] * moment) < NEARLY:
                return iv + k
    return None


# ------------------------------------------------------------------------------------------- models with mimic joints


@kernel
def solve_kernel(m, q, v, tau, f_ext, qdd, ws):
    """qdd from H qdd = tau - C, by the factors of the inertia matrix"""
    nv = velocity_count(m)
    pivots, factor, rest = ws, tail(ws, 2 * nv), tail(ws, 2 * nv + factor_size(m))
    clear(ws, nv)
    rnea_kernel(m, q, v, ws, f_ext, qdd, rest)  # C: what is needed for no acceleration
    for k in range(nv):
        store(qdd, k, load(tau, k) - load(qdd, k))
    factorize_trees(m, q, factor, pivots, rest)
    solve_factorized(m, factor, qdd, rest)


ABA_WITH_MIMIC = Algorithm(
    "aba",
    solve_kernel,
    inputs=("q", "v", "tau", "f_ext"),
    outputs=("a",),
    workspace=lambda model: factor_numbers(model) + max(2 * model.nv + RNEA.workspace(model), factor_workspace(model)),
    singular=refused_coordinate,
)
ABA = Algorithm(
    "aba",
    aba_kernel,
    inputs=("q", "v", "tau", "f_ext"),
    outputs=("a",),
    workspace=lambda model: LINK * (model.n_links + 1) + FREEDOM * model.nv,
    singular=refused_freedom,
    with_mimic=ABA_WITH_MIMIC,
)


def aba(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """Acceleration of the robot under the joint forces ``tau``: forward dynamics, the inverse of :func:`rnea`.

    Armature, damping, friction, springs and gravity count as in :func:`rnea`. Cost is linear in the number of bodies; with
    mimic joints it grows as that of :func:`factorize`.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``; rad or m, quaternions ``[w, x, y, z]``.
        v: velocity, ``(..., nv)``; of a free joint the body's spatial velocity in its own coordinates, angular part first.
        tau: joint forces, ``(..., nv)``; N m or N.
        f_ext: forces on the bodies from outside, ``(..., n_bodies, 6)``; each ``[n; f]`` in the body's coordinates, moment
            about the body's origin.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an error is raised.
        threads: how many threads share a batch, at least 1; all cores if None.

    Leading axes broadcast.

    Returns:
        The derivative of ``v``, ``(..., nv)``; rad/s^2 or m/s^2.

    Raises:
        ValueError: a shape does not fit, an entry is not finite, a quaternion is not of unit length, the result overflows.
        TypeError: something is not an array of real numbers, or no model.
        SingularInertiaError: a joint moves no inertia, so that its acceleration is not determined; the joint is named. Euler
            angles in gimbal lock and exponential coordinates of a full turn are such joints.

    Example:
        >>> from pluecker.articulated import ModelBuilder, aba
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0, center_of_mass=(0.5, 0, 0))
        >>> arm.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 1, 0))
        >>> aba(arm.build(), q=[0.0], v=[0.0], tau=[-9.81])
        array([0.])

    Source: RBDA table 7.1.
    """
    return ABA.call(model, (q, v, tau, LEFT_OUT if f_ext is None else f_ext), out, threads)
