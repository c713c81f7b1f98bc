"""The Coriolis matrix, and the rate of change of the joint-space inertia matrix.

``C v`` is the part of the bias force that velocities cause, and ``Hdot = C + C^T``, so that ``Hdot - 2 C`` is skew. Many
matrices do the first; this one is made of Christoffel's symbols: with ``B = (Idot + (I v) x~*) / 2`` of each body,

    C = sum J^T (I Jdot + B J)

where ``f x~* m = m x* f``. Of B twelve numbers are needed, and they add up over the bodies that a joint carries: with ``p``
and ``n`` the linear and the angular momentum, ``B (w, v) = ((Jdot w - n x w) / 2, - p x w)``.

Sources: Echeandia, Wensing (2021), "Numerical methods to compute the Coriolis matrix and Christoffel symbols for rigid-body
systems"; RBDA sections 2.14 and 6.2.
"""

from __future__ import annotations

from collections.abc import Callable

from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.frames.subtree import list_length, list_link, list_parent, subtree_constants
from pluecker.articulated.algorithms.inertia.composite import (
    ANGULAR,
    COMPOSITE,
    LINK,
    RATE,
    VELOCITY,
    X,
    composite_inertias,
    composite_rates,
    load_rate,
)
from pluecker.articulated.model.joints import subspace, subspace_rate
from pluecker.articulated.model.layout import clear, first_v, freedom_count, velocity_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import Field
from pluecker.spatial.algebra.inertia import load_rigid, rigid_times_motion, symmetric_times
from pluecker.spatial.algebra.transforms import inverse_transform_motion, load_transform
from pluecker.spatial.algebra.vectors import (
    add,
    add_cross3,
    add_cross_motion,
    cross3,
    dot,
    load3,
    load_vector,
    scale3,
    store_vector,
    subtract3,
)
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load, store, tail

__all__ = ["coriolis_matrix", "inertia_matrix_rate"]

# the workspace, behind that of the composite inertias: for each place of the list six freedoms at most, each with S and Sdot
FREEDOM = 12
FREEDOMS = 6 * FREEDOM


@kernel
def b_times(rate, n, S):
    """B S = ((Jdot w - n x w) / 2, - p x w), with p the rate of the first moment"""
    p, J = rate
    w = S[0]
    return (scale3(0.5, add_cross3(symmetric_times(J, w), w, n)), cross3(w, p))


@kernel
def b_transpose_times(rate, n, S):
    """B^T S = ((Jdot w + n x w) / 2 + p x v, 0)"""
    p, J = rate
    w, v = S
    zero = 0.0 * w[0]
    return (add_cross3(scale3(0.5, subtract3(symmetric_times(J, w), cross3(w, n))), p, v), (zero, zero, zero))


@kernel
def freedoms_of_list(m, c, q, v, S, ws):
    """S and its rate v_i x S + Sdot of all freedoms, about the origin"""
    for k in range(1, list_length(c) + 1):
        i, X0, vi = list_link(c, k), load_transform(ws, LINK * k + X), load_vector(ws, LINK * k + VELOCITY)
        for j in range(freedom_count(m, i)):
            place = FREEDOMS * k + FREEDOM * j
            Sj = inverse_transform_motion(X0, subspace(m, i, j, q))
            rate = inverse_transform_motion(X0, subspace_rate(m, i, j, q, v))
            store_vector(S, place, Sj)
            store_vector(S, place + 6, add_cross_motion(rate, vi, Sj))


@kernel
def coriolis_kernel(m, c, q, v, C, ws):
    """C_ij = S_i^T F1 and C_ji = Sdot_i^T F2 + S_i^T F3 for each joint i that carries joint j

    F1 = Ic Sdot_j + Bc S_j, F2 = Ic S_j, F3 = Bc^T S_j.
    """
    nv, S = velocity_count(m), tail(ws, LINK * (list_length(c) + 1))
    composite_inertias(m, c, q, ws)
    composite_rates(m, c, q, v, ws)
    freedoms_of_list(m, c, q, v, S, ws)
    clear(C, nv * nv)
    for k in range(1, list_length(c) + 1):
        i, w = list_link(c, k), LINK * k
        Ic, rate, n = load_rigid(ws, w + COMPOSITE), load_rate(ws, w + RATE), load3(ws, w + ANGULAR)
        for j in range(freedom_count(m, i)):
            Sj, Sdot = load_vector(S, FREEDOMS * k + FREEDOM * j), load_vector(S, FREEDOMS * k + FREEDOM * j + 6)
            F1 = add(rigid_times_motion(Ic, Sdot), b_times(rate, n, Sj))
            F2, F3 = rigid_times_motion(Ic, Sj), b_transpose_times(rate, n, Sj)
            add_column(m, c, k, first_v(m, i) + j, F1, F2, F3, S, C, nv)


@kernel
def add_column(m, c, k, column, F1, F2, F3, S, C, nv):
    """Add the entries of one freedom of the joint at place ``k`` with those of the same joint and of all that carry it"""
    i = list_link(c, k)
    for j in range(freedom_count(m, i)):
        accumulate(C, (first_v(m, i) + j) * nv + column, dot(load_vector(S, FREEDOMS * k + FREEDOM * j), F1))
    k = list_parent(c, k)
    while k > 0:
        i = list_link(c, k)
        for j in range(freedom_count(m, i)):
            r, place = first_v(m, i) + j, FREEDOMS * k + FREEDOM * j
            Si, Sdot = load_vector(S, place), load_vector(S, place + 6)
            accumulate(C, r * nv + column, dot(Si, F1))
            accumulate(C, column * nv + r, dot(Sdot, F2) + dot(Si, F3))
        k = list_parent(c, k)


@kernel
def inertia_rate_kernel(m, c, q, v, H, ws):
    """Hdot = C + C^T"""
    nv = velocity_count(m)
    coriolis_kernel(m, c, q, v, H, ws)
    for r in range(nv):
        for k in range(r + 1):
            x = load(H, r * nv + k) + load(H, k * nv + r)
            store(H, r * nv + k, x)
            store(H, k * nv + r, x)


def workspace(model: Model) -> int:
    """Return the size of the workspace of both kernels, in numbers"""
    return (LINK + FREEDOMS) * (model.n_links + 1)


def record(name: str, kernel: Callable[..., None], output: str) -> Algorithm:
    """The record of a matrix over all joints; the list of links is that of the whole mechanism."""
    return Algorithm(
        name,
        kernel,
        inputs=("q", "v"),
        outputs=(Field(output, ("nv", "nv")),),
        constants=lambda model: subtree_constants(name, model, None, mass=False),
        workspace=workspace,
    )


CORIOLIS_MATRIX = record("coriolis_matrix", coriolis_kernel, "C")
INERTIA_MATRIX_RATE = record("inertia_matrix_rate", inertia_rate_kernel, "Hdot")


def coriolis_matrix(
    model: Model, q: ArrayLike, v: ArrayLike, *, out: Array | None = None, threads: int | None = None
) -> Array:
    """The Coriolis matrix of Christoffel's symbols: ``C v`` are the Coriolis and centrifugal forces, ``Hdot - 2 C`` is skew.

    Its joint forces are those of :func:`bias_force` without gravity, springs, damping and friction.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``; rad or m, quaternions ``[w, x, y, z]``.
        v: velocity, ``(..., nv)``.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an argument is refused.
            Where the result of a batch overflows, what it holds is not defined.
        threads: how many threads share a batch, at least 1; all cores if None.

    Returns:
        C, ``(..., nv, nv)``.

    Raises:
        ValueError: a shape does not fit, an entry is not finite, a quaternion is not of unit length, the result overflows.
        TypeError: something is not an array of real numbers, or no model.

    Example:
        >>> from pluecker.articulated import ModelBuilder, coriolis_matrix
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0, center_of_mass=(0.5, 0, 0))
        >>> arm.add_body("bead", mass=1.0)
        >>> arm.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 0, 1))
        >>> arm.add_joint("slide", "prismatic", parent="rod", child="bead", axis=(1, 0, 0))
        >>> coriolis_matrix(arm.build(), [0.0, 0.4], [3.0, 0.5])
        array([[ 0.2,  1.2],
               [-1.2,  0. ]])

    Source: Echeandia, Wensing (2021), "Numerical methods to compute the Coriolis matrix and Christoffel symbols for
    rigid-body systems".
    """
    return CORIOLIS_MATRIX.call(model, (q, v), out, threads)


def inertia_matrix_rate(
    model: Model, q: ArrayLike, v: ArrayLike, *, out: Array | None = None, threads: int | None = None
) -> Array:
    """The rate of change of the joint-space inertia matrix :func:`crba` while the robot moves with velocity ``v``.

    Args:
        model, q, v, out, threads: as for :func:`coriolis_matrix`.

    Returns:
        dH/dt, ``(..., nv, nv)``, symmetric.

    Raises:
        ValueError, TypeError: as :func:`coriolis_matrix`.

    Source: ``Hdot = C + C^T``; Echeandia, Wensing (2021), "Numerical methods to compute the Coriolis matrix and Christoffel
    symbols for rigid-body systems".
    """
    return INERTIA_MATRIX_RATE.call(model, (q, v), out, threads)
