"""What a world answers at an instant."""

from __future__ import annotations

from typing import NamedTuple

from pluecker.articulated.running.arguments import Array

__all__ = ["ConstrainedAcceleration", "Impact"]


class ConstrainedAcceleration(NamedTuple):
    """How a world accelerates.

    Attributes:
        acceleration: ``(..., nv)``; rad/s^2 or m/s^2.
        forces: along the rows of all constraints, ``(..., n_rows)``; N or N m.
    """

    acceleration: Array
    forces: Array


class Impact(NamedTuple):
    """The velocity after an impulse.

    Attributes:
        velocity: ``(..., nv)``; rad/s or m/s.
        impulses: along the rows of all constraints, ``(..., n_rows)``; N s or N m s.
    """

    velocity: Array
    impulses: Array
