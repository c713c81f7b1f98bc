"""Two shapes that may touch, as a constraint of a world: feet and ground, fingertips and what they hold, a box on a table.

Where they may touch is a fixed number of places, those for which the kernel of their pair has room: four corners of a box
or of a convex hull over a half-space, eight of a polygon that two boxes, hulls or cylinders have in common, two of a
capsule on one of these, one of two spheres. As a step begins, these are found anew; at each of them the two bodies' points
have Coulomb's law along the normal and across it,

    0 <= r_n  complementary to  u_n - l >= 0        |r_t| <= mu r_n,    r_t against u_t where that is not zero

with l as :class:`~pluecker.contact.constraints.PointContact` has it. Surfaces with rolling or spinning friction resist there
to the relative turn too, by a moment across the normal, and along it, of up to the coefficient times r_n. At places where
nothing is near there is no force, and those that are near at the step's end at the earliest leave the velocities alone: so
the problem keeps its shape.

Sources: Moreau, "Unilateral contact and dry friction in finite freedom dynamics" (1988); Stewart, Trinkle (1996).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from pluecker.articulated.model.model import Model
from pluecker.contact.constraints.base import Constraint
from pluecker.contact.constraints.checks import (
    as_impacts,
    check_friction,
    coefficients,
    not_negative,
    set_recovery,
    share,
)
from pluecker.contact.constraints.frames import check_apart, check_name, named
from pluecker.contact.constraints.relation import (
    NORMAL,
    ROLLING,
    SPINNING,
    TANGENT,
    TOUCH,
    TOUCH_TURN,
    Function,
    Parts,
    Row,
)
from pluecker.contact.errors import ConstraintError, GeometryError
from pluecker.contact.geometry.finding.blocks import SLACK
from pluecker.contact.geometry.finding.table import combined
from pluecker.contact.geometry.pairs import (
    HULLS,
    Pair,
    array_of,
    arrays_of,
    kernel_of,
)
from pluecker.contact.geometry.shapes import KINDS, HalfSpace, is_surface
from pluecker.contact.geometry.surfaces import Collider
from pluecker.spatial.errors import ArgumentTypeError, shown
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.properties import cached_property

__all__ = ["ShapeContact", "ShapePair", "SurfaceLaw", "shape_pair"]


class SurfaceLaw(NamedTuple):
    """Law of two surfaces that touch: for both together what :class:`~pluecker.contact.geometry.Surface` says of one."""

    friction: float
    rolling_friction: float
    spinning_friction: float
    restitution: float
    stiffness: float
    damping: float
    kinetic_friction: float


@dataclass(frozen=True)
class ShapeContact(Constraint):
    """Two shapes on two bodies, or on a body and the world, that may touch, with Coulomb's law. It acts in steps.

    What is None follows from both surfaces, as :class:`~pluecker.contact.geometry.Surface` says; so do the velocities
    of the surfaces.

    Attributes:
        name: of the constraint.
        first, second: the two colliders. Forces are counted as those on the second one.
        friction: the coefficient.
        kinetic_friction: that of what slides, where it is a smaller one; where ``friction`` is given and this is not, the
            same.
        rolling_friction, spinning_friction: the resistance to rolling and to spinning about the normal; m.
        restitution: with which share of its speed it comes back, or which share of its impulse, 0 to 1.
        impacts: which of both, ``"newton"`` or ``"poisson"``, as of a
            :class:`~pluecker.contact.constraints.PointContact`.
        stiffness, damping: of a soft contact, at each place where the two touch, a spring and a damper along the normal that
            only push; N/m and N s/m.
        recovery, recovery_speed: at which rate, and at most at which speed, a depth is undone with which a step begins, as
            of a :class:`~pluecker.contact.constraints.PointContact`; 1/s and m/s.

    Raises:
        TypeError, ValueError: what is no name, no collider, no number that can be; a mesh or a height field without an
            inside, or two half-spaces: a :class:`~pluecker.contact.World` with shapes, and without pairs, finds where such
            a mesh is touched.

    Source: Moreau (1988); Stewart and Trinkle (1996); Acary and Bourrier (2021) for rolling and spinning.

    Example:
        A box of 1 kg and 0.2 m that slides to a stop: with 1 m/s after ``v^2 / (2 mu g)``.

        >>> from pluecker.articulated import ModelBuilder
        >>> from pluecker.contact import World
        >>> from pluecker.contact.geometry import Box, Collider, HalfSpace, ShapeContact
        >>> builder = ModelBuilder()
        >>> builder.add_body("box", mass=1.0, inertia=[0.2**2 / 6] * 3)
        >>> builder.add_joint("free", "free", "world", "box")
        >>> floor, box = Collider("floor", HalfSpace(), "world"), Collider("sides", Box([0.2] * 3), "box")
        >>> world = World(builder.build(), [ShapeContact("slide", floor, box, friction=0.5)])
        >>> motion = world.simulate([0, 0, 0.1, 1, 0, 0, 0], [0, 0, 0, 1.0, 0, 0], duration=0.3, step=0.001)
        >>> print(motion.q[-1, 0].round(3), round(1 / (2 * 0.5 * 9.81), 3))
        0.101 0.102
    """

    name: str
    first: Collider
    second: Collider
    friction: Any = field(default=None, kw_only=True)
    kinetic_friction: Any = field(default=None, kw_only=True)
    rolling_friction: Any = field(default=None, kw_only=True)
    spinning_friction: Any = field(default=None, kw_only=True)
    restitution: Any = field(default=None, kw_only=True)
    impacts: str = field(default="newton", kw_only=True)
    stiffness: Any = field(default=None, kw_only=True)
    damping: Any = field(default=None, kw_only=True)
    recovery: float = field(default=10.0, kw_only=True)
    recovery_speed: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        check_name("ShapeContact", self.name)
        for key in ("first", "second"):
            if not isinstance(getattr(self, key), Collider):
                raise ArgumentTypeError(f"{self.label}: {key} is {shown(getattr(self, key))}, expected a Collider")
        shape_pair(self.label, self.first, self.second)
        for key in ("friction", "kinetic_friction", "rolling_friction", "spinning_friction", "stiffness", "damping"):
            given = getattr(self, key)
            if given is not None:
                object.__setattr__(self, key, not_negative(self.label, key, given, infinite=key == "stiffness"))
        if self.restitution is not None:
            object.__setattr__(self, "restitution", share(self.label, "restitution", self.restitution))
        object.__setattr__(self, "impacts", as_impacts(self.label, self.impacts))
        set_recovery(self, self.label)
        self.check_law(self.law)

    def check_law(self, law: SurfaceLaw) -> None:
        """Refuse laws that no contact has."""
        check_friction(self.label, law.friction, law.kinetic_friction)
        if np.isinf(law.stiffness) and law.damping > 0.0:
            raise ConstraintError(
                f"{self.label}: damping is {law.damping:g} and stiffness infinite, expected a soft contact with it"
            )
        if law.stiffness == 0.0 == law.damping:
            raise ConstraintError(
                f"{self.label}: stiffness and damping are both 0: nothing would hold two bodies apart"
            )
        if np.isfinite(law.stiffness) and law.restitution > 0.0:
            raise ConstraintError(
                f"{self.label}: restitution is {law.restitution:g} and stiffness {law.stiffness:g}: a soft contact gives "
                "back what its spring does"
            )

    @property
    def law(self) -> SurfaceLaw:
        """Law where the two touch: that of both surfaces together, but for the numbers that are given."""
        first, second = (np.array(collider.surface.row) for collider in (self.first, self.second))
        with np.errstate(divide="ignore"):  # of what has a damper and no spring
            law = SurfaceLaw(*map(float, combined(first, second)))
        given = {key: getattr(self, key) for key in SurfaceLaw._fields}
        if given["kinetic_friction"] is None:
            given["kinetic_friction"] = given["friction"]
        return law._replace(**{key: value for key, value in given.items() if value is not None})

    @property
    def label(self) -> str:
        """Name of the constraint in messages."""
        return named("ShapeContact", self.name)

    def parts(self, model: Model) -> Parts:
        """Return a normal and two tangents for each place where the shapes may touch; moments, where surfaces
        resist turns.
        """
        first, second = self.first.frame, self.second.frame
        check_apart(self.label, model, first=first, second=second)
        pair, law = shape_pair(self.label, self.first, self.second), self.law
        resisting = [*([1, 2] if law.rolling_friction > 0.0 else []), *([0] if law.spinning_friction > 0.0 else [])]
        functions = tuple(
            Function(kind, first, second, user=(pair, slot, direction))
            for kind, directions in ((TOUCH, [0, 1, 2]), (TOUCH_TURN, resisting))
            for slot in range(pair.slots)
            for direction in directions
        )
        rows: list[Row] = []
        newton, poisson = coefficients(law.restitution, self.impacts)
        for slot in range(pair.slots):
            rows.append(
                Row(
                    ((3 * slot, 1.0),), lower=0.0, friction=law.friction, kinetic=law.kinetic_friction,
                    restitution=newton, returned=poisson,
                    stiffness=law.stiffness, damping=law.damping, correction=self.recovery, speed=self.recovery_speed,
                    ranged=True, contact=NORMAL,
                )
            )  # fmt: skip
            rows += [Row(((3 * slot + k, 1.0),), ranged=True, holonomic=False, contact=TANGENT) for k in (1, 2)]
            for k, direction in enumerate(resisting, 3 * pair.slots + len(resisting) * slot):
                kind = ROLLING if direction else SPINNING
                most = law.rolling_friction if direction else law.spinning_friction
                rows.append(Row(((k, 1.0),), ranged=True, holonomic=False, friction=most, contact=kind))
        return Parts(functions, tuple(rows))


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
