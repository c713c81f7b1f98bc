"""Vectors of an iteration, on scalars: which of two is better, and the best so far."""

from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import lift, load, select, smaller, store, within

__all__ = ["better", "copy_vector", "copy_where", "keep", "reached"]


@kernel
def copy_where(n, condition, x, y):
    """y = x where the condition holds"""
    for k in range(n):
        store(y, k, select(condition, load(x, k), load(y, k)))


@kernel
def better(goal, least, e):
    """Return whether error e is smaller than ``least``, the smallest so far; false where that is NaN or within ``goal``"""
    return smaller(e, select(smaller(goal, least), least, lift(-1.0, goal)))


@kernel
def reached(goal, least):
    """Return whether no state is to go on: each has an error within ``goal``, or one that is NaN from the start on"""
    return within(select(smaller(goal, least), lift(1.0, goal), lift(0.0, goal)), 0.0)


@kernel
def copy_vector(n, x, y):
    """y = x"""
    for k in range(n):
        store(y, k, load(x, k))


@called_kernel
def keep(n, goal, e, x, least, best):
    """Return the smaller error of ``least`` and e, where the first is not enough, and copy its multipliers to ``best``"""
    condition = better(goal, least, e)
    copy_where(n, condition, x, best)
    return select(condition, e, least)
