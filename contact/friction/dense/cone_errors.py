"""Error of multipliers of a small problem of contacts and rows, and the choice of the better ones of two.

In units in which the mean diagonal of each block is one. See :mod:`~pluecker.contact.friction.dense.cone_problem` for the
error, and for ``kinds`` and ``laws``.
"""

from pluecker.contact.friction.dense.cone_laws import nearest_in_cone
from pluecker.contact.friction.dense.cone_steps import CONTACT, numbers_of, rows_of
from pluecker.spatial.dense.laws import larger, size_of, staircase_response
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import load, load_integer, select, smaller, sqrt

__all__ = ["cone_problem_error", "contact_error", "length_of"]

ROUNDING = 1.3e-29  # (16 units in the last place)^2: of a sum of velocities, relative to the multiplier in like units


@kernel
def signorini(rn, ra, rb, un):
    """Return min(r_n, u_n) of a contact, to be squared; where both are positive, with the size of its whole force for r_n"""
    least, size = select(smaller(rn, un), rn, un), size_of(rn, size_of(ra, rb))
    return select(smaller(0.0, least), select(smaller(size, un), size, un), least)


@kernel
def contact_error(exact, mu, x, u, k):
    """The square of the natural map of a contact, or of Signorini's condition"""
    rn, ra, rb = load(x, k), load(x, k + 1), load(x, k + 2)
    un, ua, ub = load(u, k), load(u, k + 1), load(u, k + 2)
    g = mu * size_of(ua, ub) if exact else 0.0 * mu
    n, a, b = nearest_in_cone(mu, rn - un - g, ra - ua, rb - ub)
    e = (rn - n) * (rn - n) + (ra - a) * (ra - a) + (rb - b) * (rb - b)
    if exact:
        lack = signorini(rn, ra, rb, un)
        e = larger(e, select(smaller(1.0, mu), lack * lack, 0.0 * e))
    return e


@called_kernel
def cone_problem_error(kinds, laws, exact, x, u):
    """|x - P(x - u - g)|, of multipliers and velocities of like units, or the largest part of a block times its weight

    Weights, squared, stand behind the numbers of ``laws``. What rounding leaves of a block's own part is not weighed.
    """
    row, place, weight = 0, 0, len(laws) - len(kinds)
    e = 0.0 * load(x, 0)
    worst = e
    for i in range(len(kinds)):
        kind, r = load_integer(kinds, i), load(x, row)
        if kind == CONTACT:
            a, b = load(x, row + 1), load(x, row + 2)
            own, size = contact_error(exact, load(laws, place), x, u, row), r * r + a * a + b * b
        else:
            y, _ = staircase_response(laws, place, kind, 1.0, load(u, row) - r)
            own, size = (r - y) * (r - y), r * r
        e = e + own
        worst = larger(worst, load(laws, weight + i) * (own - ROUNDING * size))
        row, place = row + rows_of(kind), place + numbers_of(kind)
    return sqrt(larger(e, worst))


@kernel
def length_of(n, x):
    """|x|"""
    size = 0.0 * load(x, 0)
    for k in range(n):
        size = size + load(x, k) * load(x, k)
    return sqrt(size)
