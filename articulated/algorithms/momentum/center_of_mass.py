"""The centre of mass, of the whole mechanism or of a body with all that it carries: where it is, and how it moves.

Its velocity and its acceleration are the linear momentum and its rate, divided by the mass. A column of its Jacobian is the
velocity that a joint gives to the mass beyond it, in proportion: ``J_i = (m v + w x h) / M`` with ``m`` and ``h`` mass and
first moment of what the joint carries. These are gathered from the tips of the tree to the world, in each link's own axes.

Sources: RBDA section 2.12; Orin, Goswami, Lee (2013), "Centroidal dynamics of a humanoid robot", section 2.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.frames.subtree import (
    carried,
    carried_mass,
    check_subtree,
    list_column,
    list_length,
    list_link,
    list_parent,
    listed_transforms,
    shares_column,
    subtree_columns,
    subtree_constants,
    total_mass,
)
from pluecker.articulated.algorithms.momentum.momentum import LINK as SUMS
from pluecker.articulated.algorithms.momentum.momentum import sum_momenta, sum_momentum_rates
from pluecker.articulated.model.joints import subspace
from pluecker.articulated.model.layout import freedom_count, inertia
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import Field
from pluecker.spatial.algebra.transforms import load_matrix, load_transform, store_matrix
from pluecker.spatial.algebra.vectors import (
    add3,
    add_cross3,
    load3,
    multiply3,
    rotate_back,
    scale3,
    store3,
    subtract3,
)
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import store, tail

__all__ = [
    "center_of_mass", "center_of_mass_acceleration", "center_of_mass_jacobian", "center_of_mass_velocity",
]  # fmt: skip

# the workspace: for each link of the list the transform of its joint, or the rotation from the world's axes, and the first
# moment of what it carries, in its own axes about its own origin
X, FIRST_MOMENT, LINK = 0, 12, 15


@kernel
def own_moments(m, c, ws):
    """Store h_i = m_i c_i for each link of the subtree"""
    store3(ws, FIRST_MOMENT, (0.0, 0.0, 0.0))
    for k in range(1, list_length(c) + 1):
        if carried(c, k):
            store3(ws, LINK * k + FIRST_MOMENT, inertia(m, list_link(c, k))[1])
        else:
            store3(ws, LINK * k + FIRST_MOMENT, (0.0, 0.0, 0.0))


@kernel
def add_moment(c, k, X, ws):
    """Add the first moment of a link to its parent's: h_p = h_p + E^T h_i + M_i r, with the mass M_i that link i carries"""
    w, p = LINK * k + FIRST_MOMENT, LINK * list_parent(c, k) + FIRST_MOMENT
    moved = add3(rotate_back(X[0], load3(ws, w)), scale3(carried_mass(c, k), X[1]))
    store3(ws, p, add3(load3(ws, p), moved))


@kernel
def center_of_mass_kernel(m, c, q, out, ws):
    """Compute c = h / M, with the first moment h of all links, summed from the tips to the world"""
    origin = listed_transforms(m, c, q, ws, LINK)
    own_moments(m, c, ws)
    for k in range(list_length(c), 0, -1):
        E, r = load_transform(ws, LINK * k + X)
        if list_parent(c, k) == 0:
            r = subtract3(r, origin)  # there numbers are as small as the mechanism, wherever in the world it is
        add_moment(c, k, (E, r), ws)
    store3(out, 0, add3(origin, scale3(1.0 / total_mass(c), load3(ws, FIRST_MOMENT))))


@kernel
def center_of_mass_velocity_kernel(m, c, q, v, out, ws):
    """Compute the linear momentum, divided by the mass"""
    h, _, _ = sum_momenta(m, c, q, v, ws)
    store3(out, 0, scale3(1.0 / total_mass(c), h[1]))


@kernel
def center_of_mass_acceleration_kernel(m, c, q, v, a, out, ws):
    """Compute the rate of the linear momentum, divided by the mass"""
    f, _, _ = sum_momentum_rates(m, c, q, v, a, ws)
    store3(out, 0, scale3(1.0 / total_mass(c), f[1]))


@kernel
def center_of_mass_jacobian_kernel(m, c, q, numbers, ws):
    """Compute J_i = E^T (M_i v + w x h_i) / M for each freedom (w, v), from all links that its joint carries, in world axes

    Three numbers a column; the first number of all is zero.
    """
    listed_transforms(m, c, q, ws, LINK)
    own_moments(m, c, ws)
    store(numbers, 0, 0.0)
    J, n, share = tail(numbers, 1), list_length(c), 1.0 / total_mass(c)
    for k in range(n, 0, -1):
        add_moment(c, k, load_transform(ws, LINK * k + X), ws)
    for k in range(1, n + 1):
        p = list_parent(c, k)
        if p > 0:
            store_matrix(ws, LINK * k + X, multiply3(load_matrix(ws, LINK * k + X), load_matrix(ws, LINK * p + X)))
    for k in range(n, 0, -1):
        i, mass, E, h = (
            list_link(c, k),
            carried_mass(c, k),
            load_matrix(ws, LINK * k + X),
            load3(ws, LINK * k + FIRST_MOMENT),
        )
        for j in range(freedom_count(m, i)):
            S = subspace(m, i, j, q)
            x = scale3(share, rotate_back(E, add_cross3(scale3(mass, S[1]), S[0], h)))
            place = 3 * list_column(c, k, j)
            store3(J, place, add3(x, load3(J, place)) if shares_column(c, k) else x)


def workspace(model: Model, subtree: str | None) -> int:
    """Return the size of the workspace of all four kernels, in numbers"""
    return max(LINK, SUMS) * (model.n_links + 1)


def record(name: str, kernel: Callable[..., None], inputs: tuple[str, ...]) -> Algorithm:
    """The record of three numbers that belong to the centre of mass; its key is the subtree."""
    field = Field(name, (3,))
    return Algorithm(name, kernel, inputs, (field,), workspace, constants=partial(subtree_constants, name))


CENTER_OF_MASS = record("center_of_mass", center_of_mass_kernel, ("q",))
VELOCITY = record("center_of_mass_velocity", center_of_mass_velocity_kernel, ("q", "v"))
ACCELERATION = record("center_of_mass_acceleration", center_of_mass_acceleration_kernel, ("q", "v", "a"))
JACOBIAN = Algorithm(
    "center_of_mass_jacobian",
    center_of_mass_jacobian_kernel,
    inputs=("q",),
    outputs=(Field("J", (3, "nv")),),
    workspace=workspace,
    constants=partial(subtree_constants, "center_of_mass_jacobian"),
    order=partial(subtree_columns, rows=3),
)


def center_of_mass(
    model: Model,
    q: ArrayLike,
    subtree: str | None = None,
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """The centre of mass of all moving bodies, or of a body and all that it carries.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``; rad or m, quaternions ``[w, x, y, z]``.
        subtree: the name of a body, for it and all that it carries; all bodies if None.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an argument is refused.
        threads: how many threads share a batch, at least 1; all cores if None.

    Returns:
        ``(..., 3)``, in world coordinates; m.

    Raises:
        KeyError: there is no moving body of that name.
        ValueError: there is no mass; a shape does not fit, an entry is not finite, a quaternion is not of unit length, the
            result overflows.
        TypeError: something is not an array of real numbers, or no name, or no model.

    Example:
        >>> from pluecker.articulated import ModelBuilder, center_of_mass
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0, center_of_mass=(0.5, 0, 0))
        >>> arm.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 1, 0), position=(0, 0, 1))
        >>> center_of_mass(arm.build(), [0.0])
        array([0.5, 0. , 1. ])

    Source: RBDA section 2.12.
    """
    if subtree is not None:
        check_subtree("center_of_mass", subtree)
    return CENTER_OF_MASS.call(model, (q,), out, threads, (subtree,))


def center_of_mass_velocity(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    subtree: str | None = None,
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """Velocity of the centre of mass: the linear momentum, divided by the mass.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``.
        v: velocity, ``(..., nv)``.
        subtree, out, threads: as for :func:`center_of_mass`.

    Returns:
        ``(..., 3)``, in the world's axes; m/s.

    Raises:
        KeyError, ValueError, TypeError: as :func:`center_of_mass`.

    Source: RBDA section 2.12.
    """
    if subtree is not None:
        check_subtree("center_of_mass_velocity", subtree)
    return VELOCITY.call(model, (q, v), out, threads, (subtree,))


def center_of_mass_acceleration(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    subtree: str | None = None,
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """Acceleration of the centre of mass, without gravity: the second derivative of its position.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``.
        v: velocity, ``(..., nv)``.
        a: acceleration, ``(..., nv)``.
        subtree, out, threads: as for :func:`center_of_mass`.

    Returns:
        ``(..., 3)``, in the world's axes; m/s^2.

    Raises:
        KeyError, ValueError, TypeError: as :func:`center_of_mass`.

    Source: RBDA sections 2.12 and 2.14.
    """
    if subtree is not None:
        check_subtree("center_of_mass_acceleration", subtree)
    return ACCELERATION.call(model, (q, v, a), out, threads, (subtree,))


def center_of_mass_jacobian(
    model: Model,
    q: ArrayLike,
    subtree: str | None = None,
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """The Jacobian of the centre of mass: ``J v`` is its velocity.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``.
        subtree, out, threads: as for :func:`center_of_mass`.

    Returns:
        J, ``(..., 3, nv)``, in the world's axes.

    Raises:
        KeyError, ValueError, TypeError: as :func:`center_of_mass`.

    Source: Orin, Goswami, Lee (2013), "Centroidal dynamics of a humanoid robot", section 2.
    """
    if subtree is not None:
        check_subtree("center_of_mass_jacobian", subtree)
    return JACOBIAN.call(model, (q,), out, threads, (subtree,))
