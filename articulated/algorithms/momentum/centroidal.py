"""The centroidal momentum matrix, and its rate: which momentum about the centre of mass each joint gives to the mechanism.

A column is the momentum of all that the joint carries, moved rigidly by the joint: ``A_i = Ic_i S_i`` with the composite
inertia of the composite-rigid-body algorithm, here in the world's axes. Its rate needs that of the composite inertia,
``Idot = v x* I - I v x``, which has the form of a rigid-body inertia without mass, and sums up like one.

Sources: Orin, Goswami, Lee (2013), "Centroidal dynamics of a humanoid robot"; Wensing, Orin (2016), "Improved computation of
the humanoid centroidal dynamics"; RBDA section 6.2, and section 2.14 for the rate of an inertia.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.frames.subtree import (
    check_subtree,
    list_length,
    list_link,
    put_listed,
    subtree_columns,
    subtree_constants,
    total_mass,
)
from pluecker.articulated.algorithms.inertia.composite import (
    COMPOSITE,
    LINK,
    RATE,
    VELOCITY,
    X,
    collect,
    composite_inertias,
    composite_rates,
    inertia_rate_times,
    load_rate,
    own_inertias,
)
from pluecker.articulated.model.joints import moves_freely, subspace, subspace_rate
from pluecker.articulated.model.layout import freedom_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import Field
from pluecker.spatial.algebra.inertia import load_rigid, rigid_times_motion
from pluecker.spatial.algebra.transforms import inverse_transform_motion, load_transform
from pluecker.spatial.algebra.vectors import add, add_cross3, add_cross_motion, cross3, load3, load_vector, scale3
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import store, tail

__all__ = ["centroidal_momentum_matrix", "centroidal_momentum_matrix_dot"]


@kernel
def about_center(f, center):
    """Move a force vector from the origin to the centre of mass: n - c x f"""
    return (add_cross3(f[0], f[1], center), f[1])


@kernel
def put_free_columns(c, k, X, I, center, A):
    """The columns of a free joint, whose S is the identity: momenta of turns about its axes and of shifts along them"""
    E, r = X
    mass, h, _ = I
    x, y, z = (E[0], E[1], E[2]), (E[3], E[4], E[5]), (E[6], E[7], E[8])
    put_listed(c, k, 0, about_center(rigid_times_motion(I, (x, cross3(r, x))), center), A)
    put_listed(c, k, 1, about_center(rigid_times_motion(I, (y, cross3(r, y))), center), A)
    put_listed(c, k, 2, about_center(rigid_times_motion(I, (z, cross3(r, z))), center), A)
    put_listed(c, k, 3, about_center((cross3(h, x), scale3(mass, x)), center), A)
    put_listed(c, k, 4, about_center((cross3(h, y), scale3(mass, y)), center), A)
    put_listed(c, k, 5, about_center((cross3(h, z), scale3(mass, z)), center), A)


@kernel
def centroidal_kernel(m, c, q, numbers, ws):
    """A_i = Ic_i S_i, about the centre of mass; the first number is zero"""
    center = scale3(1.0 / total_mass(c), own_inertias(m, c, q, ws))
    store(numbers, 0, 0.0)
    A = tail(numbers, 1)
    for k in range(list_length(c), 0, -1):
        i, Xk, Ic = list_link(c, k), load_transform(ws, LINK * k + X), collect(c, k, ws)
        if moves_freely(m, i):
            put_free_columns(c, k, Xk, Ic, center, A)
        else:
            for j in range(freedom_count(m, i)):
                F = rigid_times_motion(Ic, inverse_transform_motion(Xk, subspace(m, i, j, q)))
                put_listed(c, k, j, about_center(F, center), A)


@kernel
def centroidal_dot_kernel(m, c, q, v, numbers, ws):
    """Adot_i = Ic (v_i x S_i + Sdot_i) + Icdot S_i, about the centre of mass, which moves: - cdot x f"""
    share = 1.0 / total_mass(c)
    center = scale3(share, composite_inertias(m, c, q, ws))
    composite_rates(m, c, q, v, ws)
    speed = scale3(share, load3(ws, RATE))
    store(numbers, 0, 0.0)
    A = tail(numbers, 1)
    for k in range(list_length(c), 0, -1):
        i, w = list_link(c, k), LINK * k
        Xk, Ic, rate = load_transform(ws, w + X), load_rigid(ws, w + COMPOSITE), load_rate(ws, w + RATE)
        for j in range(freedom_count(m, i)):
            S = inverse_transform_motion(Xk, subspace(m, i, j, q))
            Sdot = inverse_transform_motion(Xk, subspace_rate(m, i, j, q, v))
            Sdot = add_cross_motion(Sdot, load_vector(ws, w + VELOCITY), S)
            F = add(rigid_times_motion(Ic, Sdot), inertia_rate_times(rate, S))
            f = rigid_times_motion(Ic, S)[1]
            n, _ = about_center(F, center)
            put_listed(c, k, j, (add_cross3(n, f, speed), F[1]), A)


def workspace(model: Model, subtree: str | None) -> int:
    """Return the size of the workspace of both kernels, in numbers"""
    return LINK * (model.n_links + 1)


def record(name: str, kernel: Callable[..., None], inputs: tuple[str, ...]) -> Algorithm:
    """The record of a matrix with a column for each velocity coordinate; its key is the subtree."""
    return Algorithm(
        name,
        kernel,
        inputs=inputs,
        outputs=(Field("A", (6, "nv")),),
        constants=partial(subtree_constants, name),
        workspace=workspace,
        order=partial(subtree_columns, rows=6),
    )


CENTROIDAL = record("centroidal_momentum_matrix", centroidal_kernel, ("q",))
CENTROIDAL_DOT = record("centroidal_momentum_matrix_dot", centroidal_dot_kernel, ("q", "v"))


def centroidal_momentum_matrix(
    model: Model,
    q: ArrayLike,
    subtree: str | None = None,
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """The centroidal momentum matrix: ``A v = momentum(model, q, v, subtree, centroidal=True)``.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``; rad or m, quaternions ``[w, x, y, z]``.
        subtree: the name of a body, for it and all that it carries; all bodies if None.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an argument is refused.
            Where the result of a batch overflows, what it holds is not defined.
        threads: how many threads share a batch, at least 1; all cores if None.

    Returns:
        A, ``(..., 6, nv)``, in the world's axes, about the centre of mass: rows of the angular momentum first.

    Raises:
        KeyError: there is no moving body of that name.
        ValueError: there is no mass; a shape does not fit, an entry is not finite, a quaternion is not of unit length, the
            result overflows.
        TypeError: something is not an array of real numbers, or no name, or no model.

    Example:
        >>> from pluecker.articulated import ModelBuilder, centroidal_momentum_matrix
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0, center_of_mass=(0.5, 0, 0), inertia=(0.1, 0.2, 0.3))
        >>> arm.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 0, 1))
        >>> centroidal_momentum_matrix(arm.build(), [0.0])[:, 0]
        array([0. , 0. , 0.3, 0. , 1. , 0. ])

    Source: Orin, Goswami, Lee (2013), "Centroidal dynamics of a humanoid robot".
    """
    if subtree is not None:
        check_subtree("centroidal_momentum_matrix", subtree)
    return CENTROIDAL.call(model, (q,), out, threads, (subtree,))


def centroidal_momentum_matrix_dot(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    subtree: str | None = None,
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """The rate of change of :func:`centroidal_momentum_matrix`: ``A a + Adot v`` is the rate of the centroidal momentum.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``.
        v: velocity, ``(..., nv)``.
        subtree, out, threads: as for :func:`centroidal_momentum_matrix`.

    Returns:
        dA/dt, ``(..., 6, nv)``, in the world's axes.

    Raises:
        KeyError, ValueError, TypeError: as :func:`centroidal_momentum_matrix`.

    Source: Wensing, Orin (2016), "Improved computation of the humanoid centroidal dynamics".
    """
    if subtree is not None:
        check_subtree("centroidal_momentum_matrix_dot", subtree)
    return CENTROIDAL_DOT.call(model, (q, v), out, threads, (subtree,))
