"""Hypothesis strategies for the 6D algebra: vectors, rotations, transforms, inertias, and the samples that break code.

    from hypothesis import given
    from pluecker.spatial import strategies, transform_motion

    @given(strategies.transforms(), strategies.motion_vectors())
    def test_my_robot_moves_as_it_should(X, v): ...

Every strategy gives arrays of NumPy; ``strategies.motion_vectors().map(MotionVector)`` gives typed ones. Among the samples
are those on which formulas lose digits: no rotation at all, angles of 1e-160 and 1e-8, half a turn and 1e-9 less, offsets of
1e-6 to 1e6, rods and plates and points whose inertia is only just possible. All shrink towards zero, the identity or a unit.

======================================  ================================================================================
strategy                                gives
======================================  ================================================================================
:func:`sizes`                           positive numbers over many orders of magnitude
:func:`angles`                          from 0 to pi, next to both ends too
:func:`directions`, :func:`vectors`     unit vectors; vectors of any size
:func:`rotation_vectors`                axis times angle, ``(3,)``
:func:`rotations`, :func:`quaternions`  ``(3, 3)``; ``(4,)``, of unit length
:func:`motion_vectors`                  ``(6,)``: general, rotations about a line, translations, zero
:func:`force_vectors`                   ``(6,)``: general, forces along a line, couples, zero
:func:`transforms`, :func:`placements`  ``(6, 6)``; ``(4, 4)``
:func:`rigid_inertias`                  ``(6, 6)``, of bodies with extent in all directions
:func:`barely_consistent_inertias`      ``(6, 6)``, of rods, plates and points, or of what is nearly one
:func:`articulated_inertias`            ``(6, 6)``, symmetric and positive definite, of no rigid body
:func:`batches`                         several samples of a strategy in one array
======================================  ================================================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pluecker.spatial.errors import ArgumentValueError, shown
from pluecker.spatial.extras import require
from pluecker.spatial.functions.arguments import Array, as_floats, as_integer, composed
from pluecker.spatial.functions.coordinates import pluecker_transform, transform_inertia
from pluecker.spatial.functions.lie import exp3
from pluecker.spatial.functions.quaternions import quaternion_exp
from pluecker.spatial.functions.rigid_body import spatial_inertia

st = require("hypothesis.strategies", "testing", "pluecker.spatial.strategies")

__all__ = [
    "angles", "articulated_inertias", "barely_consistent_inertias", "batches", "directions", "force_vectors",
    "motion_vectors", "placements", "quaternions", "rigid_inertias", "rotation_vectors", "rotations", "sizes", "transforms",
    "vectors",
]  # fmt: skip

DIFFICULT = [0.0, 1e-160, 1e-8, np.pi - 1e-9, np.pi]
AXES = [sign * axis for axis in np.eye(3) for sign in (1.0, -1.0)]
Strategy = Any  # of Hypothesis, which need not be installed


def bounds(function: str, smallest: float, largest: float) -> tuple[float, float]:
    """The ends of a range of positive numbers."""
    low, high = (as_floats(function, *end, ()) for end in (("smallest", smallest), ("largest", largest)))
    if low.ndim or high.ndim or not 0.0 < low <= high:
        raise ArgumentValueError(
            f"{function}: smallest is {shown(smallest)} and largest is {shown(largest)}, expected 0 < smallest <= largest"
        )
    return float(low), float(high)


def sizes(smallest: float = 1e-6, largest: float = 1e6) -> Strategy:
    """Positive numbers, evenly over the orders of magnitude, both ends and 1 more often.

    Args:
        smallest: greater than zero.
        largest: not less.
    """
    smallest, largest = bounds("sizes", smallest, largest)
    ends = [x for x in (1.0, smallest, largest) if smallest <= x <= largest]
    return st.sampled_from(ends) | st.floats(np.log10(smallest), np.log10(largest)).map(
        lambda x: min(max(10.0**x, smallest), largest)
    )


def angles() -> Strategy:
    """Angles from 0 to pi, rad: those that are difficult, and any."""
    return st.sampled_from(DIFFICULT) | st.floats(0.0, np.pi)


def directions() -> Strategy:
    """Unit vectors, ``(3,)``: along the axes, and any."""
    entries = st.tuples(*[st.floats(-1.0, 1.0)] * 3).map(np.array)
    return st.sampled_from(AXES).map(np.copy) | entries.filter(lambda a: a @ a > 1e-3).map(
        lambda a: a / np.linalg.norm(a)
    )


@composed
def vectors(smallest: float = 1e-6, largest: float = 1e6) -> Strategy:
    """3D vectors, ``(3,)``: zero, and any with a length in the range.

    Args:
        smallest: greater than zero.
        largest: not less.
    """
    return st.just(0.0).map(lambda _: np.zeros(3)) | st.builds(np.multiply, sizes(smallest, largest), directions())


def rotation_vectors() -> Strategy:
    """Axis times angle, ``(3,)``; rad."""
    return st.builds(np.multiply, angles(), directions())


def rotations() -> Strategy:
    """Rotation matrices, ``(3, 3)``."""
    return rotation_vectors().map(exp3)


def quaternions() -> Strategy:
    """Unit quaternions ``[w, x, y, z]``, ``(4,)``, also with negative ``w``."""
    return st.builds(np.multiply, st.sampled_from([1.0, -1.0]), rotation_vectors().map(quaternion_exp))


@composed
def motion_vectors(smallest: float = 1e-6, largest: float = 1e6) -> Strategy:
    """Motion vectors ``[w, v]``, ``(6,)``; either part may be zero.

    Args:
        smallest: of the length of either part, greater than zero.
        largest: not less.
    """
    part = vectors(smallest, largest)
    return st.builds(lambda a, b: np.concatenate([a, b]), part, part)


@composed
def force_vectors(smallest: float = 1e-6, largest: float = 1e6) -> Strategy:
    """Force vectors ``[n, f]``, ``(6,)``; either part may be zero.

    Args:
        smallest: of the length of either part, greater than zero.
        largest: not less.
    """
    return motion_vectors(smallest, largest)


@composed
def transforms(smallest: float = 1e-6, largest: float = 1e6) -> Strategy:
    """Transforms of motion vectors, ``(6, 6)``: the identity, pure turns, pure shifts, and any.

    Args:
        smallest: of the offset, m, where it is not zero.
        largest: not less.
    """
    return st.builds(pluecker_transform, rotations(), vectors(smallest, largest))


@composed
def placements(smallest: float = 1e-6, largest: float = 1e6) -> Strategy:
    """Homogeneous matrices ``[R, p; 0 0 0 1]``, ``(4, 4)``.

    Args:
        smallest: of the offset, m, where it is not zero.
        largest: not less.
    """

    def build(R: Array, p: Array) -> Array:
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = R, p
        return T

    return st.builds(build, rotations(), vectors(smallest, largest))


def body(mass: float, extents: tuple[float, ...], turn: Array, center: Array) -> Array:
    """The inertia of a body with these radii of gyration in three directions: possible whatever they are."""
    a, b, c = (x * x for x in extents)
    return spatial_inertia(mass, center, turn @ np.diag(mass * np.array([b + c, a + c, a + b])) @ turn.T)


def bodies(extents: Strategy, largest: float) -> Strategy:
    """Bodies of any mass, in any orientation, with their centre anywhere."""
    return st.builds(body, sizes(1e-3, 1e3), extents, rotations(), vectors(1e-6, largest))


@composed
def rigid_inertias(largest: float = 10.0) -> Strategy:
    """Inertias of rigid bodies, ``(6, 6)``: masses of 1 g to 1 t, extents of 1 cm to 10 m, as different as 1 to 100.

    Args:
        largest: distance of the centre of mass from the origin; m.
    """
    extent = st.builds(lambda s, k: tuple(s * x for x in k), sizes(0.1, 10.0), st.tuples(*[sizes(0.1, 1.0)] * 3))
    return bodies(extent, largest)


@composed
def barely_consistent_inertias(largest: float = 10.0) -> Strategy:
    """Inertias at the border of what a body can have, ``(6, 6)``: points, rods and plates, exactly or nearly so.

    In exact arithmetic all are positive semidefinite and satisfy the triangle inequalities, with equality or within 1e-12.

    Args:
        largest: distance of the centre of mass from the origin; m.
    """
    extent = st.tuples(*[st.sampled_from([0.0, 1e-6]) | sizes(0.01, 10.0)] * 2, st.sampled_from([0.0, 1e-6]))
    return bodies(extent.flatmap(st.permutations).map(tuple), largest)


@composed
def articulated_inertias(largest: float = 1e3) -> Strategy:
    """Articulated-body inertias, ``(6, 6)``: symmetric and positive definite, any.

    Args:
        largest: ratio of the largest to the smallest factor of the Cholesky decomposition that they are made of.
    """
    low = st.tuples(*[st.floats(-1.0, 1.0)] * 15)
    diagonal = st.tuples(*[sizes(1.0, largest)] * 6)

    def build(diagonal: tuple[float, ...], low: tuple[float, ...], X: Array) -> Array:
        L = np.diag(diagonal)
        L[np.tril_indices(6, -1)] = low
        return transform_inertia(X, L @ L.T)

    return st.builds(build, diagonal, low, transforms(1e-6, 1.0))


def batches(samples: Strategy, largest: int = 9) -> Strategy:
    """Several samples of a strategy in one array, along a new first axis; sometimes none but one, and more than eight.

    Args:
        samples: any strategy of this module that gives arrays.
        largest: how many at most.
    """
    return st.lists(samples, min_size=1, max_size=as_integer("batches", "largest", largest, 1, 10**6)).map(np.array)
