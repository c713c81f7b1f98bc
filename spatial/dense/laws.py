"""The law of one row that limits, dry friction and a motor make together, a staircase; and sizes of numbers, on scalars.

A *staircase*: the multiplier falls from level to level as the velocity rises,

    r in [l_k, l_(k-1)] at the velocity -p_k,  k = 1 .. K,  and on the levels l_0 >= ... >= l_K between, p_1 >= ... >= p_K

of which one step at p = 0 is a row with bounds: ``l_0`` the upper and ``l_1`` the lower one. Both may be infinite. The law
has no unit of its own; the proximal ``rho`` is in the units of the matrix.
"""

from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, select, smaller, sqrt

__all__ = ["larger", "size_of", "staircase_response", "worse"]

TINY = 1e-300  # divided by in place of zero: what is multiplied by the quotient is zero


@kernel
def larger(x, y):
    """The larger of two scalars"""
    return select(smaller(x, y), y, x)


@kernel
def worse(x, y):
    """The larger of two errors; NaN where one of them is, or y is infinite"""
    return larger(x, y) + 0.0 * y


@kernel
def size_of(a, b):
    """(a^2 + b^2)^(1/2), never zero"""
    return sqrt(a * a + b * b + TINY)


@kernel
def staircase_response(law, k, steps, w, q):
    """r of one row with w r + q = u; the slope of a step (1) or of a level (0); see the head of this file for ``law``

    l_0; p_1, l_1; p_2, l_2; ... from entry ``k``. Of the line and the staircase, one falling and the other rising, the one
    point that they have in common. NaN where q is not finite: no level is an answer to that.
    """
    r = load(law, k) + 0.0 * q
    slope = 0.0 * q
    for j in range(steps):
        x, level = (-load(law, k + 1 + 2 * j) - q) / w, load(law, k + 2 + 2 * j)
        slope = select(smaller(x, r), 1.0 + 0.0 * q, slope)
        r = select(smaller(x, r), x, r)
        slope = select(smaller(r, level), 0.0 * q, slope)
        r = select(smaller(r, level), level, r)
    return r, slope
