"""Pairs of shapes that may touch, for steps of worlds: in the order of their kernel, with room for the contacts it finds."""

from __future__ import annotations

from dataclasses import dataclass

from pluecker.contact.errors import GeometryError
from pluecker.contact.geometry.finding.blocks import SLACK
from pluecker.contact.geometry.pairs import (
    HULLS,
    Pair,
    array_of,
    arrays_of,
    kernel_of,
)
from pluecker.contact.geometry.shapes import KINDS, HalfSpace, is_surface
from pluecker.contact.geometry.surfaces import Collider
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.properties import cached_property

__all__ = ["ShapePair", "shape_pair"]

# Of the radius of a hull: a corner that is no higher above a half-space may touch it. Chosen: of more than four those count
# that span the most, so that a rim above the face on which a hull lies is not to be among them; but a corner that falls by
# more in a step is met a step late.
NEAR = 0.02


@dataclass(frozen=True, eq=False)
class ShapePair:
    """Two colliders whose shapes have a kernel.

    Attributes:
        colliders: in the order of the kernel.
        turned: whether that is not the order in which they were given.
    """

    colliders: tuple[Collider, Collider]
    turned: bool

    @property
    def kinds(self) -> tuple[int, int]:
        """Kinds of the two shapes, in the order of the kernel."""
        return self.colliders[0].shape.kind, self.colliders[1].shape.kind

    @property
    def pair(self) -> Pair:
        """Kernel of the two, and its slots."""
        pair = kernel_of(*self.kinds)
        assert pair is not None
        return pair

    @property
    def slots(self) -> int:
        """Number of places at which they may touch at once."""
        return self.pair.slots

    @cached_property
    def arrays(self) -> dict[int, Array]:
        """Arrays of shapes that come to the kernel as such, by the number of the shape, 0 or 1; kernels of a world have the
        addresses, so that they live as long as this does.
        """
        return {k: array_of(self.kinds, self.colliders[k].shape) for k in (0, 1)[2 - arrays_of(*self.kinds) :]}

    @property
    def with_hull(self) -> bool:
        """True if the second shape is a convex hull, which has vertices and no sizes."""
        return self.kinds[1] in HULLS

    @property
    def slack(self) -> float:
        """How much deeper boxes and capsules may be along a face, and touch by the face all the same, a share of the
        smallest side; of a hull how high above a half-space its corners may touch it; m.
        """
        corners = self.with_hull and self.kinds[0] == HalfSpace.kind
        return NEAR * self.colliders[1].shape.radius_around if corners else SLACK


def shape_pair(label: str, first: Collider, second: Collider) -> ShapePair:
    """Find the kernel of two colliders, and their order in it.

    Raises:
        GeometryError: there is no kernel for such shapes.
    """
    for pair, turned in (((first, second), False), ((second, first), True)):
        kinds = pair[0].shape.kind, pair[1].shape.kind
        solid = not any(is_surface(collider.shape) for collider in pair)
        if solid and kernel_of(*kinds) is not None:
            return ShapePair(pair, turned)
    words = [KINDS[shape.kind] for shape in (first.shape, second.shape)]
    raise GeometryError(
        f"{label}: a {words[0]} and a {words[1]} have no fixed places where they may touch; expected two shapes with an "
        "inside, one of them with an end; World(model, shapes=...) without pairs finds where surfaces of triangles touch"
    )
