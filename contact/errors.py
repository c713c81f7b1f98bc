"""The package's own exceptions. Each message says what came, what was expected, and in which row."""

from __future__ import annotations

from typing import Any

from pluecker.spatial.errors import ArgumentValueError, PlueckerError

__all__ = [
    "ClosureError",
    "ConstraintError",
    "FileError",
    "GeometryError",
    "MemoryWarning",
    "ProblemError",
    "UnsolvedError",
]


class ProblemError(ArgumentValueError):
    """Data that are no friction problem: a shape, a number, an index that cannot be."""


class ConstraintError(ArgumentValueError):
    """A constraint that cannot be: on this model, or with these numbers."""


class GeometryError(ArgumentValueError):
    """A shape, a placement or a pair of shapes that cannot be: a negative radius, a flat hull, a number not finite."""


class ClosureError(PlueckerError, RuntimeError):
    """No configuration was found in which all constraints hold.

    Attributes:
        q: the best configuration that was met, ``(nq,)``.
        residual: the largest error of a row there; m or rad.
        constraint: the name of the constraint that has it.
    """

    def __init__(self, message: str, q: Any, residual: float, constraint: str) -> None:
        super().__init__(message)
        self.q, self.residual, self.constraint = q, residual, constraint

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.q, self.residual, self.constraint)


class FileError(ProblemError):
    """A file that holds no friction problem; the message names it, and the dataset."""


class UnsolvedError(PlueckerError, RuntimeError):
    """A problem that was not solved to the tolerance, where the caller asked for an error: ``on_unsolved="raise"``.

    Attributes:
        result: the best that was found, a :class:`~pluecker.contact.friction.results.result.Result`.
    """

    def __init__(self, message: str, result: Any) -> None:
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.result)


class MemoryWarning(UserWarning):
    """A step or a motion that begins at the very arrays that the last step of its world gave, without that step's memory.

    It makes another motion where that memory has more than impulses: a time that motions are prescribed over, angles beyond
    half a turn, rates of rotors. Nothing else is noticed: copies of ``q`` and ``v`` may be a state of the user's own, and
    arrays that steps before the last one gave are not remembered. ``world.step(state, h)`` leaves nothing out.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
