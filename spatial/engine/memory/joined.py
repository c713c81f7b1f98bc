"""Views of dual numbers, and of the lanes in a workspace of numbers.

Whoever differentiates has one workspace of numbers. A part of it that begins where vectors may is a view of lanes too, and
with values beside it a view of dual numbers. Without compilation, lanes are rows of a NumPy array.
"""

from __future__ import annotations

from pluecker.spatial.engine.scalars.lanes import WIDTH
from pluecker.spatial.engine.scalars.plain_duals import JoinedArray, RowArray

__all__ = ["as_rows", "join", "join_second"]


def join(values, derivatives):
    """Dual numbers in memory, from a view of their values and one of lanes for their eight derivatives each."""
    return JoinedArray(values, derivatives)


def join_second(values, derivatives, along, changes):
    """Dual numbers of second order in memory, from four views: values and derivatives as :func:`join`; numbers for the
    derivatives along one more direction, and lanes for the eight derivatives of each of these.
    """
    return JoinedArray(values, derivatives, along, changes)


def as_rows(numbers):
    """View numbers as lanes, as far as they fill rows of eight; they begin at a multiple of 64 bytes."""
    return RowArray(numbers[: len(numbers) // WIDTH * WIDTH].reshape(-1, WIDTH))
