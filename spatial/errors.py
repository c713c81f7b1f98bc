"""The exceptions of the package: each message says what came, what was expected, and where.

All derive from :class:`PlueckerError`, and each from the exception of Python's that it is: a wrong type is a
``TypeError``, a wrong value a ``ValueError``, an unknown name a ``KeyError``, a missing package an ``ImportError``.
:func:`shown` is how a message quotes what came.
"""

from __future__ import annotations

import reprlib
from typing import Any

__all__ = [
    "ArgumentTypeError", "ArgumentValueError", "EntryIndexError", "MissingFileError", "PlueckerError", "ReadOnlyError",
    "UnknownNameError", "shown",
]  # fmt: skip

LONGEST_SHOWN = 60  # characters of a value in a message


class PlueckerError(Exception):
    """Base class of all errors of the package."""


class ArgumentTypeError(PlueckerError, TypeError):
    """An argument of a type that cannot be used."""


class ArgumentValueError(PlueckerError, ValueError):
    """An argument of the right type whose value cannot be: a shape, a number, an option."""


class UnknownNameError(PlueckerError, KeyError):
    """A name that is not there; the message lists those that are."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""  # KeyError would show its repr


class EntryIndexError(PlueckerError, IndexError):
    """An index that a batch of quantities does not have."""


class MissingFileError(PlueckerError, FileNotFoundError):
    """A file that is not there."""


class ReadOnlyError(PlueckerError, AttributeError):
    """An attempt to set or delete an attribute of an immutable object."""


class Shown(reprlib.Repr):
    """The representation of anything, in bounded time and length."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = self.maxlong = LONGEST_SHOWN

    def repr_int(self, x: int, level: int) -> str:
        """Python refuses to write integers of thousands of digits, and takes long for fewer"""
        return repr(x) if x.bit_length() < 3 * LONGEST_SHOWN else f"an integer of {x.bit_length()} bits"

    def repr_ndarray(self, x: Any, level: int) -> str:
        """The entries of a small array, the shape of a large one"""
        return self.repr1(x.tolist(), level) if x.size <= LONGEST_SHOWN // 6 else f"an array of shape {x.shape}"


SHOWN = Shown()


def shown(value: Any) -> str:
    """A value as messages quote it: its representation on one line, of at most 60 characters."""
    text = " ".join(SHOWN.repr(value).split())
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."
