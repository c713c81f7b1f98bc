"""Stiffness and damping of elements in joint coordinates: the exact derivatives of their joint forces.

With the world wrench F of all elements on the bodies beyond freedom a, and its column J_a, ``tau_a = J_a . F``. Displacing
coordinate c changes it threefold:

- F changes as the elements deform: lines and torsion springs, each in its file;
- J_a turns, if c lies before a: by ``J_c x J_a``;
- forces that keep their direction move with their points, ``p x f`` by ``(v_c + w_c x p) x f``; wrenches that turn with
  their body by ``J_c x* F``, if a lies before c.

The last two are sums over the loads beyond the later of both joints, collected from the leaves to the roots.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from numpy.typing import ArrayLike

from pluecker.articulated.forces.applied_forces import WORK, call_with_elements, coinciding, element_forces
from pluecker.articulated.forces.elements import Element
from pluecker.articulated.forces.lines import add_line_stiffness, add_linear_stiffness
from pluecker.articulated.forces.packing import (
    LINE,
    LINEAR,
    TORSION,
    element_count,
    first_element,
    kind,
    next_element,
    pack_elements,
)
from pluecker.articulated.forces.torsion import add_torsion_stiffness
from pluecker.articulated.forces.world_motion import (
    COLUMN,
    FIXED,
    LOAD,
    MOMENTS,
    TRANSFORM,
    VELOCITY,
    WRENCH,
    WorldState,
    add_moments,
    store_columns,
    subspace_slope,
    world_motion,
)
from pluecker.articulated.model.layout import (
    clear,
    first_freedom,
    first_v,
    freedom_count,
    link_count,
    parent,
    velocity_count,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import Field
from pluecker.spatial.algebra.transforms import inverse_transform_motion, load_matrix, load_transform
from pluecker.spatial.algebra.vectors import (
    add,
    add3,
    add_cross3,
    cross_force,
    cross_motion,
    dot,
    dot3,
    load_vector,
    rotate,
    scale3,
)
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import accumulate, tail
from pluecker.spatial.equality import by_value

__all__ = ["AppliedStiffness", "applied_stiffness"]


@kernel
def applied_stiffness_kernel(m, c, q, v, K, D, ws):
    """Compute K = - dtau/dq and D = - dtau/dv"""
    n, nv = link_count(m), velocity_count(m)
    X = tail(ws, 1)
    V = tail(X, TRANSFORM * (n + 1))
    loads = tail(V, VELOCITY * (n + 1))
    J = tail(loads, LOAD * (n + 1))
    more = tail(J, COLUMN * (first_freedom(m, n) + freedom_count(m, n)))
    world_motion(m, q, v, X, V)
    store_columns(m, q, X, J)
    element_forces(c, X, V, loads, n, ws)
    clear(K, nv * nv)
    clear(D, nv * nv)
    clear(more, nv)
    state, more = WorldState(q, v, X, V, J, more), tail(more, nv)
    r = first_element(c)
    for _ in range(element_count(c)):
        add_element_stiffness(m, c, r, state, more, K, D)
        r = next_element(c, r)
    for i in range(n, 0, -1):
        for k in range(freedom_count(m, i)):
            add_turned_loads(m, i, k, state, loads, K)
        add_moments(loads, i, parent(m, i))


@kernel
def add_element_stiffness(m, c, r, state, more, K, D):
    """Add the stiffness and damping that one element has by its deformation to K and D"""
    if kind(c, r) == LINE:
        add_line_stiffness(m, c, r, state, more, K, D)
    elif kind(c, r) == LINEAR:
        add_linear_stiffness(m, c, r, state.X, state.J, more, K)
    elif kind(c, r) == TORSION:
        add_torsion_stiffness(m, c, r, state, more, K, D)


@kernel
def add_turned_loads(m, i, k, state, loads, K):
    """Add to K the terms of all pairs of freedom k of joint ``i`` and one not beyond it, by the load on all links beyond"""
    q, _, X, _, J, unit = state
    nv, r = velocity_count(m), first_v(m, i) + k
    Ji = load_vector(J, COLUMN * (first_freedom(m, i) + k))
    F, G = load_vector(loads, LOAD * i + WRENCH), load_vector(loads, LOAD * i + FIXED)
    P = load_matrix(loads, LOAD * i + MOMENTS)
    carried, own = cross_force(Ji, G), moved_moment(Ji, F, P)
    j = i
    while j > 0:
        for s in range(freedom_count(m, j)):
            c = first_v(m, j) + s
            Jj = load_vector(J, COLUMN * (first_freedom(m, j) + s))
            accumulate(K, nv * r + c, -dot(cross_motion(Jj, Ji), F) - dot3(Ji[0], moved_moment(Jj, F, P)))
            if j == i:
                slope = inverse_transform_motion(load_transform(X, TRANSFORM * i), subspace_slope(m, i, k, s, q, unit))
                accumulate(K, nv * r + c, -dot(slope, add(F, G)))
            else:
                accumulate(K, nv * c + r, -dot3(Jj[0], own) - dot(Jj, carried))
        j = parent(m, j)


@kernel
def moved_moment(J, F, P):
    """Return the sum of (v + w x p) x f over forces at points: v x f + P w - w tr P with P = sum p f'"""
    Pw = rotate(P, J[0])
    trace = P[0] + P[4] + P[8]
    return add3(add_cross3(Pw, J[1], F[1]), scale3(-trace, J[0]))


APPLIED_STIFFNESS = Algorithm(
    "applied_stiffness",
    applied_stiffness_kernel,
    inputs=("q", "v"),
    outputs=(Field("K", ("nv", "nv")), Field("D", ("nv", "nv"))),
    constants=pack_elements,
    workspace=lambda model, elements: WORK * (model.n_links + 1) + COLUMN * len(model.freedoms) + 7 * model.nv,
    singular=coinciding,
)


@by_value()
class AppliedStiffness(NamedTuple):
    """The derivatives of the joint forces of elements.

    Attributes:
        K: stiffness, ``(..., nv, nv)``.
        D: damping, ``(..., nv, nv)``.
    """

    K: Array
    D: Array


def applied_stiffness(
    model: Model,
    elements: Element | Sequence[Element],
    q: ArrayLike,
    v: ArrayLike,
    *,
    out: tuple[Array, Array] | None = None,
    threads: int | None = None,
) -> AppliedStiffness:
    """Stiffness and damping of elements between bodies, in joint coordinates: ``K = - dtau/dq``, ``D = - dtau/dv``.

    They are the exact derivatives of the joint forces of :func:`applied_forces`, what turns forces and freedoms
    included, so that K is symmetric only where the joint forces are the gradient of an energy in coordinates whose rates
    are v. The derivative by q is one by a displacement in the coordinates of v: ``tau(integrate(q, s d), v) = tau(q, v)
    - s K d + ...``. Where a cable becomes slack they jump.

    Args:
        model: the mechanism.
        elements: :class:`PointWrench`, :class:`PointSpring`, :class:`TorsionSpring`, :class:`Cable`, one or several.
        q: configuration, ``(..., nq)``; rad or m, quaternions ``[w, x, y, z]``.
        v: velocity, ``(..., nv)``.
        out: two arrays that take the results, C-ordered float64 of their shapes.
        threads: how many threads share a batch, at least 1; all cores if None.

    Returns:
        K and D, each ``(..., nv, nv)``; N m/rad and N m s/rad, or N/m and N s/m.

    Raises:
        KeyError, ValueError, TypeError: as :func:`applied_forces`.

    Example:
        >>> from pluecker.articulated import ModelBuilder, PointSpring, applied_stiffness
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0)
        >>> arm.add_joint("slide", "prismatic", parent="world", child="rod", axis=(0, 1, 0))
        >>> spring = PointSpring("rod", ("world", (0.0, 2.0, 0.0)), stiffness=10.0, damping=3.0)
        >>> applied_stiffness(arm.build(), spring, q=[0.0], v=[0.0])
        AppliedStiffness(K=array([[10.]]), D=array([[3.]]))

    Source: derived from RBDA section 2.9 (rates of change of motion and force vectors); the text at the head of the file.
    """
    return AppliedStiffness(*call_with_elements(APPLIED_STIFFNESS, model, elements, q, v, out, threads))
