"""Distances between two shapes: nearest points, or how deep they penetrate.

The signed distance is positive apart and negative inside one another: the length of the shortest way out. Of all shapes
with an inside it is exact to rounding, and takes whole batches; of a cylinder about whose middle something else is, which
then has ways out on all sides that are nearly as long, it may be longer by a thousandth of the sizes. Of a surface of
triangles it is coal's (extra ``collision``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pluecker.contact.errors import GeometryError
from pluecker.contact.geometry.checks import as_placement
from pluecker.contact.geometry.finding.calls import has_kernel, slots_of
from pluecker.contact.geometry.finding.coal_pairs import check_pair
from pluecker.contact.geometry.shapes import Shape, as_shape
from pluecker.contact.geometry.slots import GAP
from pluecker.contact.geometry.triangles.coal_nearest import coal_nearest
from pluecker.spatial.equality import by_value
from pluecker.spatial.functions.arguments import NOT_TOGETHER, why_apart
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Distance", "distance"]


@by_value()
class Distance(NamedTuple):
    """How far two shapes are apart, and where.

    Attributes:
        distance: signed, negative where they penetrate, ``(...)``; m.
        normal: from the first shape to the second, of unit length, ``(..., 3)``; world axes.
        point_a: the nearest point of the first, or its deepest in the second, ``(..., 3)``; world, m.
        point_b: that of the second: ``point_a + distance normal``.
    """

    distance: Array
    normal: Array
    point_a: Array
    point_b: Array


def distance(shape_a: Shape, pose_a: ArrayLike, shape_b: Shape, pose_b: ArrayLike) -> Distance:
    """Compute the signed distance of two shapes, and the points that are nearest.

    Args:
        shape_a: the first shape.
        pose_a: where its frame is in the world, ``(..., 4, 4)``; or ``(..., 3)``, where it is not turned; m. An array whose
            last axes are four by four is a matrix.
        shape_b: the second shape.
        pose_b: where that is. Leading axes broadcast.

    Returns:
        A :class:`Distance`. Where several points are nearest (parallel faces), it has one of them; where centres coincide,
        one of the shortest ways out. A mesh as it is given and a height field have no inside: of what they cut it says how
        deep one of the triangles is that are cut.

    Raises:
        ArgumentTypeError: no shape, no array of numbers.
        GeometryError: a placement is none, or two half-spaces are compared.
        MissingExtraError: one of them is a surface of triangles, for which coal is needed (extra ``collision``).

    Source: Ericson, *Real-Time Collision Detection* (2005), chapters 4 and 5.

    Example:
        >>> from pluecker.contact.geometry import Box, Sphere, distance
        >>> found = distance(Box((2.0, 2.0, 2.0)), (0.0, 0.0, 0.0), Sphere(0.5), [(0.0, 0.0, 2.0), (0.0, 0.0, 1.2)])
        >>> found.distance.round(12), found.point_b[0]
        (array([ 0.5, -0.3]), array([0. , 0. , 1.5]))
    """
    first, second = as_shape("distance", "shape_a", shape_a), as_shape("distance", "shape_b", shape_b)
    T1, T2 = as_placement("distance", "pose_a", pose_a), as_placement("distance", "pose_b", pose_b)
    check_pair("distance", first, second)
    try:
        batch = np.broadcast_shapes(T1.shape[:-2], T2.shape[:-2])
    except NOT_TOGETHER as error:
        raise GeometryError(
            f"distance: the leading axes of pose_a and pose_b {why_apart(error)}: {T1.shape} and {T2.shape}"
        ) from None
    T1, T2 = (np.broadcast_to(T, (*batch, 4, 4)).reshape(-1, 4, 4) for T in (T1, T2))
    turned = first.kind > second.kind
    if turned:
        first, T1, second, T2 = second, T2, first, T1
    gap, n, x = nearest(first, T1, second, T2)
    if turned:
        n = -n
    a = x - 0.5 * gap[:, None] * n
    b = x + 0.5 * gap[:, None] * n
    gap = gap.reshape(batch)
    return Distance(gap[()], *(array.reshape(*batch, 3) for array in (n, a, b)))


def nearest(first: Shape, T1: Array, second: Shape, T2: Array) -> tuple[Array, Array, Array]:
    """Compute gap, normal and point half-way of n pairs."""
    if has_kernel(first, second):
        found = slots_of(first, T1, second, T2, 0.0)
    else:
        each = [coal_nearest(first, a, second, b) for a, b in zip(T1, T2, strict=True)]
        gap, n, x = ([one[k] for one in each] for k in range(3))
        return np.array(gap).reshape(-1), np.array(n).reshape(-1, 3), np.array(x).reshape(-1, 3)
    best = np.take_along_axis(found, np.argmin(found[:, :, GAP], axis=1)[:, None, None], axis=1)[:, 0]
    return best[:, GAP], best[:, :3], best[:, 3:6]
