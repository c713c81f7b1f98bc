"""The forces of elements between bodies: as joint forces, as wrenches on bodies, and their energy.

Sources: the power of a wrench, RBDA section 2.4, and with it ``tau = J' f``; for springs of several kinds between bodies and
for cables over via points, the tendons of MuJoCo, and Sherman, Seth, Delp (2013), "What is a moment arm?".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from numpy.typing import ArrayLike

from pluecker.articulated.errors import SingularInertiaError
from pluecker.articulated.forces.elements import Element
from pluecker.articulated.forces.lines import add_line_forces, linear_forces, pull
from pluecker.articulated.forces.packing import (
    LINE,
    LINEAR,
    LINK,
    MOMENT,
    POINT,
    TORSION,
    TURNS,
    as_elements,
    element_count,
    first_element,
    kind,
    next_element,
    pack_elements,
)
from pluecker.articulated.forces.torsion import torsion_forces
from pluecker.articulated.forces.world_motion import (
    FIXED,
    LOAD,
    TRANSFORM,
    VELOCITY,
    WRENCH,
    add_load,
    add_moments,
    add_wrench,
    world_motion,
    world_point,
)
from pluecker.articulated.model.joints import add_joint_force
from pluecker.articulated.model.layout import body, clear, link_count, parent, velocity_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array, as_model
from pluecker.articulated.running.fields import Field
from pluecker.spatial.algebra.transforms import load_transform, transform_force
from pluecker.spatial.algebra.vectors import add, add_cross3, load3, load_vector, rotate_back, store_vector
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, load_integer, select, smaller, store, tail
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentValueError, PlueckerError

__all__ = ["AppliedForces", "applied_forces", "element_forces", "mark_short"]

SMALLEST_SQUARED_LENGTH = 1e-300  # of the square of a length: shorter ones have no direction
# the workspace: which element is too short; then of each link its transform, velocity and load
WORK = 1 + TRANSFORM + VELOCITY + LOAD


@kernel
def applied_forces_kernel(m, c, q, v, joint_force, wrenches, energy, ws):
    """Loads of all links, in their own coordinates; then tau = S' f from the leaves to the roots"""
    n = link_count(m)
    X = tail(ws, 1)
    V = tail(X, TRANSFORM * (n + 1))
    loads = tail(V, VELOCITY * (n + 1))
    world_motion(m, q, v, X, V)
    store(energy, 0, element_forces(c, X, V, loads, n, ws))
    clear(joint_force, velocity_count(m))
    for i in range(1, n + 1):
        if body(m, i) >= 0:
            store_vector(wrenches, 6 * body(m, i), link_wrench(i, X, loads))
    for i in range(n, 0, -1):
        add_joint_force(m, i, q, link_wrench(i, X, loads), joint_force)
        add_moments(loads, i, parent(m, i))


@kernel
def link_wrench(i, X, loads):
    """The whole wrench on link ``i``, in its coordinates"""
    f = add(load_vector(loads, LOAD * i + WRENCH), load_vector(loads, LOAD * i + FIXED))
    return transform_force(load_transform(X, TRANSFORM * i), f)


@kernel
def element_forces(c, X, V, loads, n, ws):
    """Compute the loads of ``n`` links from all elements; returns their energy"""
    store(ws, 0, 0.0)
    clear(loads, LOAD * (n + 1))
    energy = 0.0 * load(X, 0)
    r = first_element(c)
    for e in range(element_count(c)):
        energy = energy + element_force(c, r, e, X, V, loads, ws)
        r = next_element(c, r)
    return energy


@kernel
def element_force(c, r, e, X, V, loads, ws):
    """Add the forces of one element to the loads; returns its energy"""
    if kind(c, r) == LINE:
        tension, _, _, energy, shortest = pull(c, r, X, V)
        mark_short(e, shortest, ws)
        add_line_forces(c, r, X, V, tension, loads)
        return energy
    if kind(c, r) == LINEAR:
        return linear_forces(c, r, X, V, loads)
    if kind(c, r) == TORSION:
        return torsion_forces(c, r, X, V, loads)
    add_point_wrench(c, r, X, loads)
    return 0.0 * load(X, 0)


@kernel
def mark_short(e, y, ws):
    """Record that points of element ``e`` coincide, if ``y``, the least square of the length of a piece, is below SHORT"""
    store(ws, 0, select(smaller(y, SMALLEST_SQUARED_LENGTH), 0.0 * y + (e + 1.0), load(ws, 0)))


@kernel
def add_point_wrench(c, r, X, loads):
    """Add a moment and a force at a point, given in the axes of the link or of the world"""
    i = load_integer(c, r + LINK)
    p = world_point(X, i, load3(c, r + POINT))
    n, f = load_vector(c, r + MOMENT)
    if load_integer(c, r + TURNS) != 0:
        E, _ = load_transform(X, TRANSFORM * i)
        f = rotate_back(E, f)
        add_wrench(loads, i, FIXED, (add_cross3(rotate_back(E, n), p, f), f))
    else:
        zero = 0.0 * p[0]
        add_load(loads, i, p, (f[0] + zero, f[1] + zero, f[2] + zero))
        add_wrench(loads, i, WRENCH, ((n[0] + zero, n[1] + zero, n[2] + zero), (zero, zero, zero)))


def coinciding(model: Model, ws: Array) -> str | None:
    """Describe the element whose points coincide, for a message; None if there is none."""
    e = int(ws[0]) - 1
    return None if e < 0 else f"element {e}: two of its points coincide, so that the line between them has no direction"


APPLIED_FORCES = Algorithm(
    "applied_forces",
    applied_forces_kernel,
    inputs=("q", "v"),
    outputs=(Field("joint_force", ("nv",)), Field("wrenches", ("n_bodies", 6)), Field("energy", ())),
    constants=pack_elements,
    workspace=lambda model, elements: WORK * (model.n_links + 1),
    singular=coinciding,
)


@by_value()
class AppliedForces(NamedTuple):
    """Forces and energy of elements, in one state, or in each state of a batch.

    Attributes:
        joint_force: the joint forces that do the same work, ``(..., nv)``; N m or N.
        wrenches: on the bodies, ``(..., n_bodies, 6)``, as ``f_ext`` of all algorithms: ``[n; f]`` in body coordinates.
        energy: what is stored in springs and cables, ``(...)``; J.
    """

    joint_force: Array
    wrenches: Array
    energy: Array


def applied_forces(
    model: Model,
    elements: Element | Sequence[Element],
    q: ArrayLike,
    v: ArrayLike,
    *,
    out: tuple[Array, Array, Array] | None = None,
    threads: int | None = None,
) -> AppliedForces:
    """The forces of springs, dampers, cables and wrenches between bodies.

    ``joint_force`` is ``J' wrenches``, with the Jacobian of all bodies. Either may be given to the algorithms: the
    wrenches as their ``f_ext``, or the joint forces added to ``tau``. Energy is stored by springs and cables; its rate
    is what they take from the bodies, less what dampers lose.

    Args:
        model: the mechanism.
        elements: :class:`PointWrench`, :class:`PointSpring`, :class:`TorsionSpring`, :class:`Cable`, one or several.
        q: configuration, ``(..., nq)``; rad or m, quaternions ``[w, x, y, z]``.
        v: velocity, ``(..., nv)``.
        out: three arrays that take the results, C-ordered float64 of their shapes.
        threads: how many threads share a batch, at least 1; all cores if None.

    Returns:
        joint_force, ``(..., nv)``; wrenches, ``(..., n_bodies, 6)``; energy, ``(...)``.

    Raises:
        KeyError: there is no frame of that name.
        ValueError: points of a line coincide, a shape does not fit, an entry is not finite, a quaternion is not of unit
            length, the result overflows.
        TypeError: something is no element, not an array of real numbers, or no model.

    Example:
        >>> from pluecker.articulated import ModelBuilder, PointSpring, applied_forces
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0)
        >>> arm.add_joint("slide", "prismatic", parent="world", child="rod", axis=(0, 1, 0))
        >>> spring = PointSpring("rod", ("world", (0.0, 2.0, 0.0)), stiffness=10.0, rest_length=1.5)
        >>> forces = applied_forces(arm.build(), spring, q=[0.0], v=[0.0])
        >>> print(forces.joint_force, forces.energy)
        [5.] 1.25

    Source: RBDA section 2.4; for cables, Sherman, Seth, Delp (2013).
    """
    return AppliedForces(*call_with_elements(APPLIED_FORCES, model, elements, q, v, out, threads))


def call_with_elements(
    algorithm: Algorithm, model: Model, elements: object, q: ArrayLike, v: ArrayLike, out: object, threads: int | None
) -> tuple[Array, ...]:
    """Call an algorithm whose key is the tuple of elements."""
    name = algorithm.name
    key = (as_elements(name, elements),)
    model = as_model(name, model)
    if (algorithm, key) not in model.plans:
        try:
            algorithm.plan(model, key)
        except PlueckerError as error:
            raise type(error)(f"{name}: {error}") from None
    try:
        result: tuple[Array, ...] = algorithm.call(model, (q, v), out, threads, key)
    except SingularInertiaError as error:  # no inertia is
        raise ArgumentValueError(str(error)) from None
    return result
