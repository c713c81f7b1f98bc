"""The exceptions of the package: each message says what came, what was expected, and where.

All derive from :class:`PlueckerError`, and each from the exception of Python's that it is: a wrong type is a
``TypeError``, a wrong value a ``ValueError``, an unknown name a ``KeyError``, a missing package an ``ImportError``.
"""

from __future__ import annotations

__all__ = ["ArgumentTypeError", "ArgumentValueError", "PlueckerError", "UnknownNameError"]


class PlueckerError(Exception):
    """What all errors of the package have in common."""


class ArgumentTypeError(PlueckerError, TypeError):
    """An argument of a type that cannot be used."""


class ArgumentValueError(PlueckerError, ValueError):
    """An argument of the right type whose value cannot be: a shape, a number, an option."""


class UnknownNameError(PlueckerError, KeyError):
    """A name that is not there; the message lists those that are."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""  # KeyError would show its repr
