"""Motions through singular positions, at which constraints that are independent elsewhere say the same.

A parallelogram has one where all of its links are in line. There its constraints hold one direction less, and motions of
another kind branch off: the links may turn against each other. A motion that is on one branch stays on it, and has
accelerations on all of it; but next to the position they are quotients of two small numbers. With a drift d off the
constraints, at a distance x, they are wrong by ``d v^2 / x^3``: enough for a step that is divided there, finer and finer, to
lead away to the other branch.

So where more rows depend on others than do elsewhere on the motion, accelerations are the limit of those on both sides,

    a = (15 A(s) - 6 A(2 s) + A(3 s)) / 10 + O(s^6)        A(s) = (a(q(s)) + a(q(-s))) / 2

with q(s) and v(s) the state moved along v by a time s, and projected onto the constraints, which are independent there. That
is on the branch to which v is a tangent. At rest in a singular position there is no such limit.

Source: Bayo, Avello, "Singularity-free augmented Lagrangian algorithms for constrained multibody dynamics" (1994), for the
positions; Richardson's extrapolation.
"""

from pluecker.contact.rows.layout import linear_count
from pluecker.contact.rows.mobility import dependent_rows, row_sizes
from pluecker.spatial.dense.laws import larger
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import load, select, smaller, store, tail

__all__ = ["ASIDE", "SLOWEST", "WEIGHTS", "has_fallen", "keep_known", "known_numbers", "time_aside"]

ASIDE = 0.03  # rad or m: so far away, rows that count as dependent are independent, by more than their drift
SLOWEST = 1e-3  # rad/s or m/s: slower motions are looked at less far away
WEIGHTS = 0.75, -0.3, 0.05  # of each side at the distances 1, 2, 3


@kernel
def known_numbers(w):
    """Return how many numbers a motion keeps of its rows: 1 plus how many depend on others, 0 at first; the largest N_kk"""
    return 1 + linear_count(w)


@kernel
def has_fallen(w, S, known):
    """Return 1 where more rows depend on others, or vanish, than elsewhere on the motion; 0 if nothing is known of it"""
    before = load(known, 0)
    more = smaller(before + 0.5, 1.0 + dependent_rows(w, S, tail(known, 1)))
    zero = 0.0 * before
    return select(smaller(zero, before), select(more, 1.0 + zero, zero), zero)


@called_kernel
def keep_known(w, S, known):
    """Update what is known after another configuration: the largest N_kk, and the fewest rows that depend on others"""
    n, before = linear_count(w), load(known, 0)
    for k in range(n):
        store(known, 1 + k, larger(load(known, 1 + k), load(row_sizes(w, S), k)))
    count = 1.0 + dependent_rows(w, S, tail(known, 1))
    fewer = select(smaller(count, before), count, before)
    store(known, 0, select(smaller(0.0, before), fewer, count))


@kernel
def time_aside(v):
    """Compute the time in which the fastest coordinate moves by :data:`ASIDE`"""
    fastest = SLOWEST + 0.0 * load(v, 0)
    for k in range(len(v)):
        fastest = larger(fastest, larger(load(v, k), -load(v, k)))
    return ASIDE / fastest
