"""Errors that begin with the function that the user called, whatever raised them on its way."""

from __future__ import annotations

import re
from contextlib import ContextDecorator
from types import TracebackType

import numpy as np

import pluecker.articulated
from pluecker.contact.errors import ConstraintError
from pluecker.spatial.errors import PlueckerError

__all__ = ["called"]

NAMED = re.compile(r"(World(?:\.\w+)?|[a-z]\w*): ")


class called(ContextDecorator):
    """Context manager, or decorator, in which messages of errors begin with this name instead of another function's.

    What NumPy's factorisations refuse is refused in the same way: matrices whose numbers are not finite.
    """

    def __init__(self, function: str) -> None:
        self.function = function

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, PlueckerError) and error.args:
            said = str(error.args[0])
            found = NAMED.match(said)
            if found and (found[1].startswith("World") or found[1] in pluecker.articulated.__all__):
                said = said[found.end() :]
            error.args = (f"{self.function}: {said}", *error.args[1:])
        if isinstance(error, np.linalg.LinAlgError):
            raise ConstraintError(
                f"{self.function}: the numbers overflow float64, or inertias differ by more than it has digits: a matrix "
                f"has no factors ({error}); expected masses, lengths and velocities nearer to one"
            ) from error
