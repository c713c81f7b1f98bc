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

__all__ = ["MotionsAt", "as_times", "motions_at", "prescribed_rows"]


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


def prescribed_rows(rows: Iterable[Row]) -> tuple[tuple[int, Row], ...]:
    """Those of which something is asked besides zero, with their numbers."""
    return tuple((k, row) for k, row in enumerate(rows) if row.motion is not None or row.speed)


def motions_at(prescribed: tuple[tuple[int, Row], ...], n: int, time: Array) -> MotionsAt:
    """Of ``n`` rows at times ``(...)``, from those of which something is asked."""
    found = np.zeros((3, *time.shape, n))
    for k, row in prescribed:
        if row.motion is not None:
            found[..., k] = along(row.motion, time)
        if row.speed and not row.ranged and not row.inertia:
            found[1, ..., k] += row.speed
            if row.holonomic and not row.soft:
                found[0, ..., k] += row.speed * time
    return MotionsAt(*found)
