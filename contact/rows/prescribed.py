"""Motions of rows over time, at a time: see :mod:`~pluecker.contact.constraints.spline`.

A row with a motion has phi = s(t): in a step its rate is to be that of s, at an instant its acceleration.
"""

from pluecker.contact.rows.layout import MOTIONS, ROW_MOTION, row_entry
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import load, load_integer, select, smaller

__all__ = ["has_motion", "prescribed"]

PIECE = 5  # numbers of a piece: its first time, four coefficients


@kernel
def has_motion(w, row):
    """Return whether a row has a motion."""
    return row_entry(w, row, ROW_MOTION) >= 0


@kernel
def prescribed(w, row, t):
    """Compute s, ds/dt and d2s/dt2 at the time t, of the scalar of t; zeros where a row has no motion"""
    zero = 0.0 * t
    first = row_entry(w, row, ROW_MOTION)
    if first < 0:
        return zero, zero, zero
    return spline_at(w, load_integer(w, MOTIONS) + first, t)


@called_kernel
def spline_at(w, first, t):
    """Compute s, ds/dt and d2s/dt2 of the motion that begins at entry ``first``, at the time t

    Which piece it is may differ from state to state: all are looked at, none is branched on.
    """
    zero, count = 0.0 * t, load_integer(w, first)
    t0, a, b, c, d = piece(w, first + 1, zero)
    for k in range(1, count):
        t1, a1, b1, c1, d1 = piece(w, first + 1 + PIECE * k, zero)
        before = smaller(t, t1)
        t0, a, b = select(before, t0, t1), select(before, a, a1), select(before, b, b1)
        c, d = select(before, c, c1), select(before, d, d1)
    x = t - t0
    return a + x * (b + x * (c + x * d)), b + x * (2.0 * c + 3.0 * d * x), 2.0 * c + 6.0 * d * x


@kernel
def piece(w, p, zero):
    """Load the numbers of a piece, as scalars"""
    return (
        load(w, p) + zero, load(w, p + 1) + zero, load(w, p + 2) + zero, load(w, p + 3) + zero, load(w, p + 4) + zero,
    )  # fmt: skip
