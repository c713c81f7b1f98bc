"""Joints between two frames: which rows hold, and which freedoms are left.

===============  =========================================================================  =====
joint            what holds                                                                 rows
===============  =========================================================================  =====
``Ball``         the origins meet                                                           3
``Hinge``        the origins meet, the z axes are parallel                                  5
===============  =========================================================================  =====
"""

from __future__ import annotations

from dataclasses import dataclass

from pluecker.contact.constraints.relation import ALIGN, OFFSET, Frame, Function, Parts, Row

__all__ = ["Ball", "Hinge"]

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def offsets(first: Frame, second: Frame, axes: tuple[tuple[float, float, float], ...]) -> tuple[Function, ...]:
    """How far the second origin is from the first, along axes of the first frame."""
    return tuple(Function(OFFSET, first, second, axis_1=axis) for axis in axes)


def tilts(first: Frame, second: Frame) -> tuple[Function, ...]:
    """The z axis of the second frame along x and y of the first."""
    return tuple(Function(ALIGN, first, second, axis_1=axis, axis_2=Z) for axis in (X, Y))


def held(*functions: Function) -> Parts:
    """All of them at zero."""
    return Parts(functions, tuple(Row(((k, 1.0),)) for k in range(len(functions))))


@dataclass(frozen=True)
class Ball:
    """The origins of two frames meet; all turns are free."""

    name: str
    first: Frame
    second: Frame

    def parts(self, model: object) -> Parts:
        """Three offsets."""
        return held(*offsets(self.first, self.second, (X, Y, Z)))


@dataclass(frozen=True)
class Hinge:
    """The origins of two frames meet and their z axes are parallel; the turn about these is free."""

    name: str
    first: Frame
    second: Frame

    def parts(self, model: object) -> Parts:
        """Three offsets and two tilts."""
        return held(*offsets(self.first, self.second, (X, Y, Z)), *tilts(self.first, self.second))
