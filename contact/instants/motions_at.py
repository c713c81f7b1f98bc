"""Motions of rows at a time: those of prescribed motions, of moving targets, and of speeds that are kept.

A row that holds has phi = s(t) and J v = ds/dt; the spring of a soft one is at rest there, and its damper at that rate.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.relation import Row
from pluecker.contact.constraints.spline import along
from pluecker.spatial.errors import ArgumentValueError, shown
from pluecker.spatial.functions.arguments import as_numbers

__all__ = ["MotionsAt", "as_times", "motions_at"]


class MotionsAt(NamedTuple):
    """Motions of rows, each ``(..., n_rows)``: s, ds/dt and d2s/dt2; zero where nothing is prescribed."""

    value: Array
    speed: Array
    gain: Array


def as_times(function: str, time: ArrayLike) -> Array:
    """Check times of any shape, as numbers.

    Raises:
        TypeError, ValueError: they are none, or not finite.
    """
    found = as_numbers(function, "time", time)
    if not np.isfinite(found).all():
        raise ArgumentValueError(f"{function}: time is {shown(time)}, expected finite numbers; s")
    return found


def motions_at(rows: Iterable[Row], time: Array) -> MotionsAt:
    """Compute the motions of these rows at times ``(...)``."""
    laws = tuple(rows)
    found = np.zeros((3, *time.shape, len(laws)))
    for k, row in enumerate(laws):
        if row.motion is not None:
            found[..., k] = along(row.motion, time)
        if row.speed and not row.ranged and not row.inertia:
            found[1, ..., k] += row.speed
            if row.holonomic and not row.soft:
                found[0, ..., k] += row.speed * time
    return MotionsAt(*found)
