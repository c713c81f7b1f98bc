"""The package's own exceptions. Each message says what came, what was expected, and in which row."""

from __future__ import annotations

from pluecker.spatial.errors import ArgumentValueError

__all__ = ["FileError", "ProblemError"]


class ProblemError(ArgumentValueError):
    """Data that are no friction problem: a shape, a number, an index that cannot be."""


class FileError(ProblemError):
    """A file that holds no friction problem; the message names it, and the dataset."""
