"""A point of one body, or a ball around it, that may touch a plane on another: a foot on the ground, a corner on a table.

The plane is z = 0 of the first frame, whose z axis points to the side that is free; the origin of the second frame is the
point, or the centre of the ball::

    gap = z . s - radius,    s = x_2 - x_1        slip = the rate of both bodies' points at x_2 - radius z, along x and y

and Coulomb's law, or that of the world, holds between the forces along them: ``0 <= r_n``, complementary to the gap,
``|r_t| <= friction r_n``, against the slip where there is any. Of a point the slip is the rate of ``x . s`` and ``y . s``.

Sources: Moreau, "Unilateral contact and dry friction in finite freedom dynamics" (1988); source document 000
(docs/sources.md), contact joints.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pluecker.articulated.model.model import Model
from pluecker.contact.constraints.base import TwoFrames, X, Y, Z
from pluecker.contact.constraints.checks import (
    as_impacts,
    check_friction,
    coefficients,
    not_negative,
    set_recovery,
    set_spring,
    share,
)
from pluecker.contact.constraints.relation import NORMAL, OFFSET, ROLL, TANGENT, Function, Parts, Row
from pluecker.contact.errors import ConstraintError

__all__ = ["PointContact"]


@dataclass(frozen=True)
class PointContact(TwoFrames):
    """A point, or a ball, that may touch a plane, with the world's law of friction. It acts in steps.

    Attributes:
        name: of the constraint.
        first: the frame whose plane x, y it is; z points to the free side.
        second: the frame whose origin is the point.
        radius: of the ball around it; m.
        friction: the coefficient. Forces are as near to the cone as the step is accurate, a distance beside the largest
            force: at 1e8 a tangential force F needs 1e-8 F along the normal, which may be missing.
        kinetic_friction: that of what slides, where it is a smaller one
            (:mod:`~pluecker.contact.friction.dense.contact_law`).
        restitution: with which share of its speed it comes back, or which share of its impulse, 0 to 1. What parts as a
            step begins, and is pressed together by forces within it, comes to rest.
        impacts: what the share is of. ``"newton"``: of the speed of the approach along the normal. With friction this can
            gain energy: a slanted rod that slides as it hits, and sticks, does. ``"poisson"``: of the impulse along the
            normal that ends the approach, with friction of its own; what is pressed by others, and did not approach, gives
            back its share too (:mod:`~pluecker.contact.rows.ranges.impact_phases`).
        stiffness, damping: of a soft contact, a spring and a damper along the normal that only push; N/m and N s/m.
        recovery: at which rate a depth is undone with which a step begins, at most all of it in a step; 1/s. Bodies that
            turn while they touch end a step with a depth of second order in it. To undo it takes energy from nowhere: half
            the square of rate times depth for each kilogram; none is undone at 0.
        recovery_speed: the largest speed at which it is undone: what begins deep in another body comes out of it, and is
            not thrown; m/s, may be infinite.

    Raises:
        TypeError, ValueError: what is no name, no frame, no number that can be.

    Example:
        >>> from pluecker.articulated import ModelBuilder
        >>> from pluecker.contact import World
        >>> from pluecker.contact.constraints import PointContact
        >>> ball = ModelBuilder()
        >>> ball.add_body("ball", mass=1.0, inertia=(0.004, 0.004, 0.004))
        >>> ball.add_joint("free", "free", "world", "ball")
        >>> world = World(ball.build(), [PointContact("ground", "world", "ball", radius=0.1, friction=0.5)])
        >>> motion = world.simulate([0, 0, 0.1, 1, 0, 0, 0], [0, 0, 0, 0.7, 0, 0], duration=1.0, step=0.01)
        >>> print(motion.v[-1, 1].round(6))  # it rolls, at 5/7 of the speed: 0.5 m/s over the radius
        5.0
    """

    radius: float = field(default=0.0, kw_only=True)
    friction: float = field(default=0.0, kw_only=True)
    kinetic_friction: float | None = field(default=None, kw_only=True)
    restitution: float = field(default=0.0, kw_only=True)
    impacts: str = field(default="newton", kw_only=True)
    stiffness: float = field(default=np.inf, kw_only=True)
    damping: float = field(default=0.0, kw_only=True)
    recovery: float = field(default=10.0, kw_only=True)
    recovery_speed: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        for key in ("radius", "friction"):
            object.__setattr__(self, key, not_negative(self.label, key, getattr(self, key)))
        set_recovery(self, self.label)
        if self.kinetic_friction is not None:
            kinetic = not_negative(self.label, "kinetic_friction", self.kinetic_friction)
            object.__setattr__(self, "kinetic_friction", kinetic)
        check_friction(self.label, self.friction, self.kinetic_friction)
        object.__setattr__(self, "restitution", share(self.label, "restitution", self.restitution))
        object.__setattr__(self, "impacts", as_impacts(self.label, self.impacts))
        set_spring(self, self.label)
        if np.isfinite(self.stiffness) and self.restitution > 0.0:
            raise ConstraintError(
                f"{self.label}: restitution is {self.restitution:g} and stiffness {self.stiffness:g}: a soft contact gives "
                "back what its spring does"
            )

    @property
    def coefficients(self) -> tuple[float, float]:
        """Coefficients of friction: of what sticks, and of what slides."""
        return self.friction, self.friction if self.kinetic_friction is None else self.kinetic_friction

    def functions(self) -> tuple[Function, ...]:
        """Return the way from the plane, and along it."""
        height = Function(OFFSET, self.first, self.second, axis_1=Z)
        if self.radius == 0.0:
            return height, *(Function(OFFSET, self.first, self.second, axis_1=axis) for axis in (X, Y))
        down = (0.0, 0.0, -self.radius)
        return height, *(Function(ROLL, self.first, self.second, axis_1=axis, side_1=down) for axis in (X, Y))

    def parts(self, model: Model) -> Parts:
        """Return a normal and two tangents."""
        self.check(model)
        (friction, kinetic), (newton, poisson) = self.coefficients, coefficients(self.restitution, self.impacts)
        normal = Row(
            ((0, 1.0),), offset=self.radius, lower=0.0, friction=friction, kinetic=kinetic,
            restitution=newton, returned=poisson, stiffness=self.stiffness, damping=self.damping,
            correction=self.recovery, speed=self.recovery_speed, ranged=True, contact=NORMAL,
        )  # fmt: skip
        tangents = (Row(((k, 1.0),), ranged=True, contact=TANGENT) for k in (1, 2))
        return Parts(self.functions(), (normal, *tangents))
