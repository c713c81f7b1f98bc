"""Comparisons, lengths and directions of scalars, without branches: what the kernels of shapes are made of.

Conditions that have to be combined are numbers here, 1 where they hold and 0 where not: a product is "and".
"""

from pluecker.spatial.algebra.vectors import cross3, dot3
from pluecker.spatial.dense.laws import larger
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import lift, select, smaller, sqrt

__all__ = [
    "TINY", "absolute", "clamp", "direction_or", "holds", "indicator", "least", "length3", "perpendicular",
    "select3",
    "sign_of",
]  # fmt: skip

TINY = 1e-300  # of squares: below it a vector has no direction


@kernel
def indicator(condition, like):
    """Return 1 where a condition holds, else 0"""
    return select(condition, lift(1.0, like), lift(0.0, like))


@kernel
def holds(number):
    """Return the condition of an indicator"""
    return smaller(0.5, number)


@kernel
def absolute(x):
    """Compute |x|"""
    return select(smaller(x, 0.0), -x, x)


@kernel
def sign_of(x):
    """Return -1 where x < 0, else 1"""
    return select(smaller(x, 0.0), lift(-1.0, x), lift(1.0, x))


@kernel
def least(x, y):
    """Return the smaller of two scalars"""
    return select(smaller(y, x), y, x)


@kernel
def clamp(x, low, high):
    """Return x, kept between low and high"""
    return larger(low, least(x, high))


@kernel
def select3(condition, a, b):
    """Return one of two vectors"""
    return (select(condition, a[0], b[0]), select(condition, a[1], b[1]), select(condition, a[2], b[2]))


@kernel
def length3(a):
    """Compute |a|; of no length at all a number above zero, so that its derivative is finite"""
    s = dot3(a, a)
    return sqrt(select(smaller(TINY, s), s, lift(TINY, s)))


@kernel
def direction_or(a, other):
    """Compute a / |a|; another direction where a has no length"""
    s = dot3(a, a)
    there = smaller(TINY, s)
    w = 1.0 / sqrt(select(there, s, lift(1.0, s)))
    return select3(there, (w * a[0], w * a[1], w * a[2]), other)


@kernel
def perpendicular(d):
    """Return a unit vector across a unit vector: its product with the coordinate axis that it is least along"""
    x, y, z = absolute(d[0]), absolute(d[1]), absolute(d[2])
    zero, one = lift(0.0, x), lift(1.0, x)
    e = select3(smaller(y, x), (zero, one, zero), (one, zero, zero))
    e = select3(smaller(z, least(x, y)), (zero, zero, one), e)
    return direction_or(cross3(d, e), e)
