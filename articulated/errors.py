"""The package's own exceptions. Each message says what came, what was expected, and for which joint or body."""

from __future__ import annotations

from typing import Any

from pluecker.spatial.errors import ArgumentValueError

__all__ = [
    "LimitWarning", "ModelError", "OutputError", "SimulationError", "SimulationWarning",
    "SingularInertiaError",
]  # fmt: skip


class ModelError(ArgumentValueError):
    """A model, or a file that describes one, that cannot be."""


class SingularInertiaError(ArgumentValueError):
    """A joint that moves no inertia: its acceleration is not determined by the forces."""


class SimulationError(ArgumentValueError):
    """A motion that cannot be followed to its end: it leaves the range of numbers, or the tolerance cannot be kept.

    Attributes:
        trajectory: what was computed until then, if anything.
        time: where the motion ended; s.
    """

    def __init__(self, message: str, trajectory: Any = None, time: float | None = None) -> None:
        super().__init__(message)
        self.trajectory, self.time = trajectory, time


class SimulationWarning(UserWarning):
    """A trajectory that is not all that was asked for: somebody has interrupted the simulation, or motions of a batch failed
    while the others went on.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)


class LimitWarning(UserWarning):
    """A motion that begins faster than a model's ``velocity_limit``, or joint forces above its ``effort_limit``."""

    def __init__(self, message: str) -> None:
        super().__init__(message)


class OutputError(ArgumentValueError):
    """A file that cannot be written, or must not be."""
