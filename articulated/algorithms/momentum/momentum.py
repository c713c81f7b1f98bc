"""Momentum and its rate, of the whole mechanism or of a body with all that it carries.

``h = sum I_i v_i``: all six components, the moment about one point and the linear momentum, in the world's axes. The sums go
over a list of links, in whose recursion each link's velocity is its parent's and its joint's.

Sources: Featherstone's course, section 56 (source document 001, docs/sources.md), exercise C1 (b); RBDA section 2.12; Orin,
Goswami, Lee (2013), "Centroidal dynamics of a humanoid robot".
"""

from __future__ import annotations

from functools import partial
from typing import Any

from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.frames.subtree import (
    carried,
    check_subtree,
    from_origin,
    is_centroidal,
    list_length,
    list_link,
    list_parent,
    subtree_constants,
    total_mass,
)
from pluecker.articulated.model.joints import add_subspace_rate, joint_motion
from pluecker.articulated.model.layout import inertia
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import Field
from pluecker.spatial.algebra.inertia import rigid_times_motion
from pluecker.spatial.algebra.transforms import (
    inverse_transform_force,
    inverse_transform_motion,
    load_transform,
    transform_motion,
)
from pluecker.spatial.algebra.vectors import (
    add,
    add3,
    add_cross3,
    add_cross_force,
    add_cross_motion,
    load_vector,
    rotate_back,
    scale3,
    store_vector,
)
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.errors import ArgumentTypeError, shown

__all__ = ["first_moment", "momentum", "momentum_rate", "sum_momenta", "sum_momentum_rates"]

# the workspace: for each link of the list its transform, velocity and acceleration, in link coordinates
X, V, A = 0, 12, 18
LINK = 24


@kernel
def first_moment(m, i, X0):
    """Return m c of a link, in the coordinates from which ``X0`` leads to it"""
    mass, h, _ = inertia(m, i)
    return add3(rotate_back(X0[0], h), scale3(mass, X0[1]))


@kernel
def sum_momenta(m, c, q, v, ws):
    """Return h = sum I_i v_i about the origin, with the first moment of the same bodies, and the place of the origin

    In one system of coordinates the recursion is v_i = v_p + S qd.
    """
    origin = from_origin(m, c, q, ws, LINK)
    store_vector(ws, V, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    h = load_vector(ws, V)
    moment = h[0]
    for k in range(1, list_length(c) + 1):
        i, w, p = list_link(c, k), LINK * k, LINK * list_parent(c, k)
        X0 = load_transform(ws, w + X)
        vi = add(load_vector(ws, p + V), inverse_transform_motion(X0, joint_motion(m, i, q, v)))
        store_vector(ws, w + V, vi)
        if carried(c, k):
            h = add(h, inverse_transform_force(X0, rigid_times_motion(inertia(m, i), transform_motion(X0, vi))))
            moment = add3(moment, first_moment(m, i, X0))
    return h, moment, origin


@kernel
def sum_momentum_rates(m, c, q, v, a, ws):
    """Return f = sum I_i a_i + v_i x* I_i v_i about the origin, the first moment of the bodies, and the place of the origin

    a_i = a_p + S qdd + Sdot qd + v_i x S qd; gravity is no part of it.
    """
    origin = from_origin(m, c, q, ws, LINK)
    store_vector(ws, V, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    store_vector(ws, A, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    f = load_vector(ws, V)
    moment = f[0]
    for k in range(1, list_length(c) + 1):
        i, w, p = list_link(c, k), LINK * k, LINK * list_parent(c, k)
        X0 = load_transform(ws, w + X)
        vJ = inverse_transform_motion(X0, joint_motion(m, i, q, v))
        aJ = inverse_transform_motion(X0, add_subspace_rate(joint_motion(m, i, q, a), m, i, q, v))
        vi = add(load_vector(ws, p + V), vJ)
        ai = add_cross_motion(add(load_vector(ws, p + A), aJ), vi, vJ)
        store_vector(ws, w + V, vi)
        store_vector(ws, w + A, ai)
        if carried(c, k):
            I, vB = inertia(m, i), transform_motion(X0, vi)
            fi = add_cross_force(rigid_times_motion(I, transform_motion(X0, ai)), vB, rigid_times_motion(I, vB))
            f = add(f, inverse_transform_force(X0, fi))
            moment = add3(moment, first_moment(m, i, X0))
    return f, moment, origin


@kernel
def at_its_point(c, f, moment, origin):
    """Move a force vector, or a momentum, from the origin to the centre of mass, or to the world's origin"""
    if is_centroidal(c):
        x = scale3(-1.0 / total_mass(c), moment)
    else:
        x = origin
    return (add_cross3(f[0], x, f[1]), f[1])


@kernel
def momentum_kernel(m, c, q, v, out, ws):
    """h = sum I_i v_i"""
    h, moment, origin = sum_momenta(m, c, q, v, ws)
    store_vector(out, 0, at_its_point(c, h, moment, origin))


@kernel
def momentum_rate_kernel(m, c, q, v, a, out, ws):
    """dh/dt = sum I_i a_i + v_i x* I_i v_i

    About the centre of mass, too: that moves with the velocity to which the linear momentum is parallel.
    """
    f, moment, origin = sum_momentum_rates(m, c, q, v, a, ws)
    store_vector(out, 0, at_its_point(c, f, moment, origin))


def workspace(model: Model, subtree: str | None, centroidal: bool = False) -> int:
    """Return the size of the workspace of the sums, in numbers"""
    return LINK * (model.n_links + 1)


def constants(function: str, model: Model, subtree: str | None, centroidal: bool) -> Array:
    """Make the constants of a subtree, which needs a mass only where its momentum is about the centre of mass"""
    return subtree_constants(function, model, subtree, centroidal, mass=centroidal)


MOMENTUM = Algorithm(
    "momentum",
    momentum_kernel,
    inputs=("q", "v"),
    outputs=(Field("momentum", (6,)),),
    constants=partial(constants, "momentum"),
    workspace=workspace,
)
MOMENTUM_RATE = Algorithm(
    "momentum_rate",
    momentum_rate_kernel,
    inputs=("q", "v", "a"),
    outputs=(Field("momentum_rate", (6,)),),
    constants=partial(constants, "momentum_rate"),
    workspace=workspace,
)


def check_centroidal(function: str, centroidal: Any) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(centroidal, bool):
        raise ArgumentTypeError(f"{function}: centroidal is {shown(centroidal)}, expected True or False")


def momentum(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    subtree: str | None = None,
    *,
    centroidal: bool = False,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """Momentum of all moving bodies, or of a body and all that it carries; rotors (``armature``) do not count.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``; rad or m, quaternions ``[w, x, y, z]``.
        v: velocity, ``(..., nv)``.
        subtree: the name of a body, for it and all that it carries; all bodies if None.
        centroidal: True for the moment about the centre of mass (of the subtree), False for that about the world's origin.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an argument is refused.
        threads: how many threads share a batch, at least 1; all cores if None.

    Returns:
        ``[n; f]``, ``(..., 6)``, in the world's axes: angular momentum in kg m^2/s, linear momentum in kg m/s.

    Raises:
        KeyError: there is no moving body of that name.
        ValueError: there is no mass, where ``centroidal`` asks for its centre; a shape does not fit, an entry is not finite,
            a quaternion is not of unit length, the result overflows.
        TypeError: something is not an array of real numbers, or no name, or no model.

    Example:
        >>> from pluecker.articulated import ModelBuilder, momentum
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0, center_of_mass=(0.5, 0, 0))
        >>> arm.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 0, 1))
        >>> momentum(arm.build(), [0.0], [3.0])
        array([0. , 0. , 1.5, 0. , 3. , 0. ])

    Source: course, section 56, exercise C1 (b) (source document 001, docs/sources.md); RBDA section 2.12.
    """
    if subtree is not None:
        check_subtree("momentum", subtree)
    check_centroidal("momentum", centroidal)
    return MOMENTUM.call(model, (q, v), out, threads, (subtree, centroidal))


def momentum_rate(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    subtree: str | None = None,
    *,
    centroidal: bool = False,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """The rate of change of :func:`momentum`: the force that all that is outside exerts, gravity included.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``.
        v: velocity, ``(..., nv)``.
        a: acceleration, ``(..., nv)``.
        subtree, centroidal, out, threads: as for :func:`momentum`.

    Returns:
        ``[n; f]``, ``(..., 6)``, in the world's axes; N m and N.

    Raises:
        KeyError, ValueError, TypeError: as :func:`momentum`.

    Source: RBDA sections 2.12 and 2.14; course, section 56 (source document 001, docs/sources.md).
    """
    if subtree is not None:
        check_subtree("momentum_rate", subtree)
    check_centroidal("momentum_rate", centroidal)
    return MOMENTUM_RATE.call(model, (q, v, a), out, threads, (subtree, centroidal))
