"""Two shapes that may touch, as steps of worlds know them: in the order of their kernel, with room for what it finds."""

from __future__ import annotations

from dataclasses import dataclass

from pluecker.contact.errors import GeometryError
from pluecker.contact.geometry.collision import SLACK
from pluecker.contact.geometry.pairs import HULL_SLOTS, HULLS, PAIRS
from pluecker.contact.geometry.shapes import KINDS, HalfSpace
from pluecker.contact.geometry.surfaces import Collider

__all__ = ["TouchingShapes", "touching_shapes"]

# Of the radius of a hull: a corner that is no higher above a half-space may touch it. Chosen: of more than four those count
# that span the most, so that a rim above the face on which a hull lies is not to be among them; but a corner that falls by
# more in a step is met a step late.
NEAR = 0.02


@dataclass(frozen=True, eq=False)
class TouchingShapes:
    """Two colliders whose shapes have a kernel.

    Attributes:
        colliders: in the order of the kernel.
        turned: whether that is not the order in which they were given.
    """

    colliders: tuple[Collider, Collider]
    turned: bool

    @property
    def kinds(self) -> tuple[int, int]:
        """Of the shapes."""
        return self.colliders[0].shape.kind, self.colliders[1].shape.kind

    @property
    def slots(self) -> int:
        """At how many places they may touch at once."""
        return HULL_SLOTS if self.with_hull else PAIRS[self.kinds].slots

    @property
    def with_hull(self) -> bool:
        """Whether the second shape is a convex hull, which has vertices and no sizes."""
        return self.kinds[1] in HULLS

    @property
    def slack(self) -> float:
        """How much deeper boxes may be along a face, and touch by the face all the same, a share of the smallest side; of a
        hull how high above a half-space its corners may touch it; m.
        """
        return NEAR * self.colliders[1].shape.radius_around if self.with_hull else SLACK


def touching_shapes(label: str, first: Collider, second: Collider) -> TouchingShapes:
    """The pair of two colliders.

    Raises:
        GeometryError: there is no kernel for such shapes.
    """
    kinds = first.shape.kind, second.shape.kind
    known_kinds = (*PAIRS, *((HalfSpace.kind, hull) for hull in HULLS))
    if kinds in known_kinds:
        return TouchingShapes((first, second), False)
    if kinds[::-1] in known_kinds:
        return TouchingShapes((second, first), True)
    words = [KINDS[shape.kind] for shape in (first.shape, second.shape)]
    known = ", ".join(sorted(f"{KINDS[a]} and {KINDS[b]}" for a, b in known_kinds))
    raise GeometryError(
        f"{label}: a {words[0]} and a {words[1]} have no fixed places where they may touch; there are those of {known}; "
        "World(model, shapes=...) without pairs finds where all shapes touch"
    )
