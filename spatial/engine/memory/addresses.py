"""Memory by its address: an integer on its way through compiled code, a view where it is read. For compiled code only.

Without compilation, :mod:`~pluecker.spatial.engine.memory.arrays` has what does the same with arrays of NumPy.
"""

from __future__ import annotations

__all__ = ["address_of", "integers_at", "numbers_at", "room_for", "rows_at"]


def address_of(view):
    """Return the address of the first entry of a view."""
    raise NotImplementedError


def room_for(n):
    """Return the address of room for ``n`` numbers, until the function that asks returns."""
    raise NotImplementedError


def numbers_at(address, n):
    """Return the ``n`` numbers at an address, as a view."""
    raise NotImplementedError


def integers_at(address, n):
    """Return the ``n`` integers at an address, as a view."""
    raise NotImplementedError


def rows_at(address, n):
    """Return the ``n`` rows of eight at an address, a multiple of 64, as a view."""
    raise NotImplementedError
