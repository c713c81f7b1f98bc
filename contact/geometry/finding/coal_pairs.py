"""Pairs that have no kernel here, by coal: surfaces of triangles with shapes that have an inside.

coal says which triangles are near. How deep each of them is, and where, the kernel of any two convex shapes says, for which
a triangle is a hull without a volume; what lies flat or along an edge touches as
:mod:`~pluecker.contact.geometry.triangles.surface_contacts` says.

Source: Pan, Chitta, Manocha, "FCL" (2012).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from pluecker.contact.errors import GeometryError
from pluecker.contact.geometry.finding.calls import slots_of
from pluecker.contact.geometry.shapes import (
    KINDS,
    ConvexHull,
    HalfSpace,
    HeightField,
    Mesh,
    Shape,
    Vertices,
    is_surface,
)
from pluecker.contact.geometry.slots import GAP, SLOT
from pluecker.contact.geometry.triangles.coal_nearest import (
    FARTHEST,
    coal,
    geometry,
    place,
    request,
    unit,
)
from pluecker.contact.geometry.triangles.surface_contacts import surface_contacts
from pluecker.spatial.functions.elementwise import Array

__all__ = ["check_pair", "coal_contacts"]

DEEP = 1e-7  # of the size of a shape: what is nearer than that to a triangle is in it
MOST_TRIANGLES = 4096  # contacts of a pair with a surface of triangles, on which large things lie on many


def check_pair(label: str, first: Shape, second: Shape) -> None:
    """Refuse pairs of shapes that have no distance."""
    if first.kind == second.kind == HalfSpace.kind:
        raise GeometryError(f"{label}: two half-spaces, which have no distance: expected a shape with an end")
    surfaces = [shape for shape in (first, second) if is_surface(shape)]
    if len(surfaces) == 2 or (surfaces and HalfSpace.kind in (first.kind, second.kind)):
        names = [f"a {KINDS[each.kind]}{' without an inside' if is_surface(each) else ''}" for each in (first, second)]
        raise GeometryError(
            f"{label}: {' and '.join(names)} have no distance; expected a shape with an end beside one without an inside: a "
            "hull, or Mesh(..., convex=True)"
        )


def coal_contacts(first: Shape, T1: Array, second: Shape, T2: Array, margin: float) -> Array:
    """Find the contacts of a surface of triangles and a shape with an inside, up to a margin, as slots ``(n, 8)``."""
    wanted, found = request("CollisionRequest"), coal().CollisionResult()
    wanted.security_margin, wanted.num_max_contacts = margin, MOST_TRIANGLES
    if not coal().collide(geometry(first), place(T1), geometry(second), place(T2), wanted, found):
        return np.zeros((0, SLOT))
    contacts = [found.getContact(k) for k in range(found.numContacts())]
    slots = np.array([slot(each, max(each.b1, each.b2)) for each in contacts])
    surface, T, sign, other, U = (first, T1, 1.0, second, T2) if is_surface(first) else (second, T2, -1.0, first, T1)
    assert isinstance(surface, (Mesh, HeightField))
    for each in slots:
        if each[GAP] < DEEP * other.radius_around:
            n, each[3:6], each[GAP] = contact_of(
                Triangle(surface.vertices[surface.triangles[int(each[-1])]]), T, other, U
            )
            each[:3] = sign * n
    return surface_contacts(surface, T, slots, sign, other, U)


class Triangle(Vertices):
    """Triangle of a surface, by itself: a hull without a volume."""

    kind: ClassVar[int] = ConvexHull.kind
    triangles: ClassVar[Any] = np.array([[0, 1, 2], [0, 2, 1]])


def contact_of(triangle: Triangle, T: Array, other: Shape, U: Array) -> tuple[Array, Array, float]:
    """Compute the normal from a placed triangle to a placed shape with an inside, the point half-way, and the gap."""
    turned = other.kind < triangle.kind
    first, second = (other, triangle) if turned else (triangle, other)
    T1, T2 = (U, T) if turned else (T, U)
    found = slots_of(first, T1[None], second, T2[None], 0.0)[0]
    best = found[np.argmin(found[:, GAP])]
    return (-best[:3] if turned else best[:3]), best[3:6], float(best[GAP])


def slot(contact: Any, feature: int) -> list[float]:
    """Return the eight numbers of a contact of coal's; its gap is NaN where coal has no way out of a round shape."""
    gap = float(contact.penetration_depth)
    gap = gap if abs(gap) < FARTHEST else np.nan
    return [*unit(np.array(contact.normal)), *contact.pos, gap, float(feature)]
