"""Joints between two frames: which rows hold, and which freedoms are left.

Of the second frame, seen from the first, with the displacement s of its origin and its axes x', y', z':

================  ======================================================  =====  ===========================================
joint             equations that hold                                     rows   freedoms that are left
================  ======================================================  =====  ===========================================
``Ball``          s = 0                                                   3      all turns
``Hinge``         s = 0; x . z' = y . z' = 0                              5      the turn about z
``Slider``        x . s = y . s = 0; x . z' = y . z' = y . x' = 0         5      the way along z
``Cylindrical``   x . s = y . s = 0; x . z' = y . z' = 0                  4      turn about z, and way along it
``Planar``        z . s = 0; x . z' = y . z' = 0                          3      ways in the plane x, y, and the turn about z
``Fixed``         s = 0; x . z' = y . z' = y . x' = 0                     6      nothing
``PointOnLine``   x . s = y . s = 0                                       2      the way along z, and all turns
``PointInPlane``  z . s = 0                                               1      ways in the plane x, y, and all turns
================  ======================================================  =====  ===========================================

``d(x . s)/dt`` is the power of the force x on the second body at its origin, and of the opposite force on the first body *at
the same point*: no angular momentum is made. For the slider these are the rows of source document 000, where both bodies
turn alike. ``d(x . z')/dt = (z' x x) . (w' - w)``: where the axes agree, x . z', y . z' and y . x' are turns about y, -x and
z. The conditions hold with axes turned around, too; a joint stays on the side on which it begins.

A hinge that is to be limited, driven or counted: ``hinge.angle`` is its turn, ``slider.travel`` its way.

Sources: source document 000 (docs/sources.md), types of joints; Haug, *Computer-aided kinematics and dynamics of mechanical
systems* (1989), section 9.4; R. Smith, *Open Dynamics Engine*, manual.
"""

from __future__ import annotations

from dataclasses import dataclass

from pluecker.contact.constraints.measures import Angle, Travel
from pluecker.contact.constraints.pair import Pair, X, Y, Z, offsets, tilts, turned
from pluecker.contact.constraints.relation import Function

__all__ = ["Ball", "Cylindrical", "Fixed", "Hinge", "Planar", "PointInPlane", "PointOnLine", "Slider"]


class WithAngle(Pair):
    """Joint that turns about z."""

    @property
    def angle(self) -> Angle:
        """Turn of the second frame about z of the first; rad."""
        return Angle(self.first, self.second)


class WithTravel(Pair):
    """Joint that moves along z."""

    @property
    def travel(self) -> Travel:
        """Way of the second origin along z of the first frame; m."""
        return Travel(self.first, self.second)


@dataclass(frozen=True)
class Ball(Pair):
    """The origins of two frames meet; all turns are free."""

    def functions(self) -> tuple[Function, ...]:
        """Return three offsets."""
        return offsets(self.first, self.second, (X, Y, Z))


@dataclass(frozen=True)
class Hinge(WithAngle):
    """The origins of two frames meet and their z axes are parallel; the turn about these is free.

    Example:
        >>> from pluecker.articulated import ModelBuilder
        >>> from pluecker.contact.constraints import Hinge
        >>> bars = ModelBuilder()
        >>> for k in range(2):
        ...     bars.add_body(f"bar{k}", mass=1.0, inertia=(0.1, 0.1, 0.01))
        ...     bars.add_joint(f"pin{k}", "revolute", "world", f"bar{k}", axis=(0, 1, 0), position=(k, 0, 0))
        >>> hinge = Hinge.at("loop", bars.build(), [0.0, 0.0], "bar0", "bar1", point=(0.5, 0, 1), axis=(0, 1, 0))
        >>> hinge.first.position, hinge.second.position
        ((0.5, 0.0, 1.0), (-0.5, 0.0, 1.0))
    """

    def functions(self) -> tuple[Function, ...]:
        """Return three offsets and two tilts."""
        return *offsets(self.first, self.second, (X, Y, Z)), *tilts(self.first, self.second)


@dataclass(frozen=True)
class Slider(WithTravel):
    """The second frame moves along z of the first, and does not turn."""

    def functions(self) -> tuple[Function, ...]:
        """Return two offsets, two tilts and a turn."""
        pair = self.first, self.second
        return *offsets(*pair, (X, Y)), *tilts(*pair), turned(*pair)


@dataclass(frozen=True)
class Cylindrical(WithAngle, WithTravel):
    """The second frame moves along z of the first and turns about it."""

    def functions(self) -> tuple[Function, ...]:
        """Return two offsets and two tilts."""
        return *offsets(self.first, self.second, (X, Y)), *tilts(self.first, self.second)


@dataclass(frozen=True)
class Planar(WithAngle):
    """The second frame moves in the plane x, y of the first, and turns about z."""

    def functions(self) -> tuple[Function, ...]:
        """Return an offset and two tilts."""
        return *offsets(self.first, self.second, (Z,)), *tilts(self.first, self.second)


@dataclass(frozen=True)
class Fixed(Pair):
    """Both frames stay together."""

    def functions(self) -> tuple[Function, ...]:
        """Return three offsets, two tilts and a turn."""
        pair = self.first, self.second
        return *offsets(*pair, (X, Y, Z)), *tilts(*pair), turned(*pair)


@dataclass(frozen=True)
class PointOnLine(WithTravel):
    """The origin of the second frame is on the z axis of the first."""

    def functions(self) -> tuple[Function, ...]:
        """Return two offsets."""
        return offsets(self.first, self.second, (X, Y))


@dataclass(frozen=True)
class PointInPlane(Pair):
    """The origin of the second frame is in the plane x, y of the first."""

    def functions(self) -> tuple[Function, ...]:
        """Return an offset."""
        return offsets(self.first, self.second, (Z,))
