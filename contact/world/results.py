"""Results of a world at an instant: accelerations and impacts."""

from __future__ import annotations

from typing import NamedTuple

from pluecker.articulated.running.arguments import Array
from pluecker.spatial.equality import by_value

__all__ = ["ConstrainedAcceleration", "Impact"]


@by_value()
class ConstrainedAcceleration(NamedTuple):
    """Acceleration of a world, and the forces of its constraints.

    Attributes:
        acceleration: ``(..., nv)``; rad/s^2 or m/s^2.
        forces: along the rows of all constraints, ``(..., n_rows)``; N or N m.
    """

    acceleration: Array
    forces: Array


@by_value()
class Impact(NamedTuple):
    """Velocity after an impulse, and the impulses of the constraints.

    Attributes:
        velocity: ``(..., nv)``; rad/s or m/s.
        impulses: along the rows of all constraints, ``(..., n_rows)``; N s or N m s.
    """

    velocity: Array
    impulses: Array
