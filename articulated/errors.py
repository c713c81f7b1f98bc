"""The package's own exceptions. Each message says what came, what was expected, and for which joint or body."""

from __future__ import annotations

from pluecker.spatial.errors import ArgumentValueError
from pluecker.spatial.extras import MissingExtraError

__all__ = ["MissingExtraError", "ModelError", "OutputError", "SimulationError", "SingularInertiaError"]


class ModelError(ArgumentValueError):
    """A model, or a file that describes one, that cannot be."""


class SingularInertiaError(ArgumentValueError):
    """A joint that moves no inertia: its acceleration is not determined by the forces."""


class SimulationError(ArgumentValueError):
    """A motion that cannot be followed to its end: it leaves the range of numbers, or the tolerance cannot be kept."""


class OutputError(ArgumentValueError):
    """A file that cannot be written, or must not be."""
