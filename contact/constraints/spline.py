"""A motion over time: a cubic spline through knots, with given speeds at both ends, which go on beyond them.

Between knots of distance d, with rises s and speeds m at the ends, the piece is Hermite's cubic

    s(t) = s_0 + m_0 x + (3 D - 2 m_0 - m_1) x^2 / d + (m_0 + m_1 - 2 D) x^3 / d^2,    x = t - t_0,  D = (s_1 - s_0) / d

and the speeds at the inner knots are those with which s'' has no jumps. Before the first knot and after the last the motion
goes on at the speed that it has there, so that s' has no jump anywhere.

Source: de Boor, *A practical guide to splines* (1978), chapter IV, complete cubic spline interpolation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pluecker.articulated.model.description import finite_number
from pluecker.spatial.errors import ArgumentValueError
from pluecker.spatial.functions.elementwise import Array, as_numbers
from pluecker.spatial.properties import cached_property

__all__ = ["Spline", "along"]

MOST_KNOTS = 10_000  # each is looked at when the motion is asked for


@dataclass(frozen=True)
class Spline:
    """Motion: a number that changes with time.

    Attributes:
        times: of the knots, rising, at least two; s.
        values: there; m or rad, or what is moved has.
        start_speed, end_speed: of the values, at the first time and before, at the last time and after.

    Raises:
        TypeError: what is no array of real numbers.
        ValueError: times that do not rise, numbers that are not finite, as many values as times are not there.

    Example:
        >>> from pluecker.contact.constraints import Spline
        >>> Spline([0.0, 1.0, 2.0], [0.0, 0.5, 0.0]).at(1.0)
        (0.5, 0.0, -3.0)
    """

    times: Any
    values: Any
    start_speed: float = 0.0
    end_speed: float = 0.0

    def __post_init__(self) -> None:
        arrays = {}
        for key in ("times", "values"):
            array = as_numbers("Spline", key, getattr(self, key))
            if array.ndim != 1 or not 2 <= len(array) <= MOST_KNOTS:
                raise ArgumentValueError(
                    f"Spline: {key} has shape {array.shape}, expected (n,) with n from 2 to {MOST_KNOTS}"
                )
            if not np.isfinite(array).all():
                k = int(np.argmin(np.isfinite(array)))
                raise ArgumentValueError(f"Spline: {key}[{k}] is {array[k]}, expected a finite number")
            arrays[key] = array
        times, values = arrays["times"], arrays["values"]
        if len(times) != len(values):
            raise ArgumentValueError(f"Spline: {len(times)} times and {len(values)} values, expected as many")
        if not (np.diff(times) > 0.0).all():
            k = int(np.argmin(np.diff(times) > 0.0))
            raise ArgumentValueError(
                f"Spline: times[{k + 1}] is {times[k + 1]:g} after {times[k]:g}, expected rising times"
            )
        object.__setattr__(self, "times", tuple(times.tolist()))
        object.__setattr__(self, "values", tuple(values.tolist()))
        for key in ("start_speed", "end_speed"):
            object.__setattr__(self, key, finite_number("Spline", key, getattr(self, key)) + 0.0)

    @cached_property
    def pieces(self) -> Array:
        """First time of each piece and the coefficients of powers of the time since then, ``(n + 1, 5)``; the first and the
        last piece are straight.
        """
        from scipy.interpolate import CubicSpline  # here: it takes long to import

        ends = (1, self.start_speed), (1, self.end_speed)
        inner = CubicSpline(self.times, self.values, bc_type=ends).c[::-1].T
        pieces = np.zeros((len(self.times) + 1, 5))
        pieces[0] = self.times[0], self.values[0], self.start_speed, 0.0, 0.0
        pieces[1:-1, 0], pieces[1:-1, 1:] = self.times[:-1], inner
        pieces[-1] = self.times[-1], self.values[-1], self.end_speed, 0.0, 0.0
        pieces.setflags(write=False)
        return pieces

    def at(self, t: float) -> tuple[float, float, float]:
        """Compute the value at a time, its rate, and the rate of that."""
        s, speed, gain = along(self, np.float64(t))
        return float(s), float(speed), float(gain)


def along(motion: Spline, t: Any) -> Array:
    """Compute the values at times of any shape, their rates, and the rates of these, ``(3, ...)``."""
    pieces = motion.pieces
    t0, a, b, c, d = np.moveaxis(pieces[np.searchsorted(pieces[1:, 0], t, side="right")], -1, 0)
    x = t - t0
    return np.array([a + x * (b + x * (c + x * d)), b + x * (2.0 * c + 3.0 * d * x), 2.0 * c + 6.0 * d * x])
