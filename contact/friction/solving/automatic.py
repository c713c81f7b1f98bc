"""The automatic choice: a table of methods that are tried in turn until the tolerance is reached.

Each begins at the best point so far, unless the table says otherwise, and gives back what is better. First, for all islands
together:

============  ===========================================  =============================================================
method        islands                                      left
============  ===========================================  =============================================================
dense         of at most 72 rows, 48 in the convex law     after a few turns of it
newton        with a start whose error is below 0.2        after 12 steps
apgd          all; but not those where factors are dear    as soon as its progress promises more iterations than take as
              under Coulomb's law, or cheap in the convex  long as what follows. Under Coulomb's law Newton's method has
              law, without a start                         12 steps from an error of 1e-4
============  ===========================================  =============================================================

Then for each island alone; budgets in brackets:

=========================  ================================================================================================
convex                     interior_point (200 steps), newton (150), apgd (8000 iterations), newton (150). From 4,000
                           contacts on, before these: sweeps with momentum, beside gradients that are slow (4000 sweeps), and
                           from 40,000 on in their place, until they are held up
Coulomb, factors not dear  three rounds of shifts, pgs, psor, shifts from nothing and newton, with budgets that double
                           (:mod:`~pluecker.contact.friction.solving.coulomb`); then sweeps with momentum, from nothing and
                           from the best point (30000 each)
Coulomb, factors dear      sweeps with momentum, then over-relaxed ones from the same start (each for twice the time of what
                           follows), then those rounds
=========================  ================================================================================================

Between sweeps Newton's method solves the few contacts that hold them up (:mod:`~pluecker.contact.friction.solving.pieces`).
Factors are dear where they take longer than :data:`DEAR` iterations of gradients, or, in islands of at most :data:`MANY`
contacts, :data:`MOST`; what takes longer than :data:`PAID` is left out. How long that is comes from the pattern of the
factor; where many contacts hang together, an estimate from below comes first. What is decided on the way depends on counts
alone, never on times, and under Coulomb's law on no tolerance: with a looser one the same steps end earlier.

Measured on the 440 hard problems of ``python -m benchmarks.contact --only hard``, eleven families of 20 to 400 contacts,
Coulomb's law to 1e-6, one thread: 434 are solved; rest 31, 36, 38 and 39, jammed 38 and ragdolls 36 say that they are not,
with errors of 1.6e-6 to 7e-4. Of 79 that gradients leave, how many are not solved without one method, and the time that it
takes then, the mean of ratios:

===================  ========  ====  ===================================================================================
without              unsolved  time  what it brings
===================  ========  ====  ===================================================================================
shifts from nothing  5         7.5   walls, jammed spheres
last sweeps          3         0.96  spheres at rest, granular flow
parts of sweeps      2         0.97  the same; packings of thousands, one of 5,000 contacts in 0.15 s in place of 3.3
cores of parts       1         0.97  the same; packings of 20,000 contacts in half the time, or all of it
newton               0         1.09  up to seven times as fast
psor                 0         1.00  up to three times as fast
shifts, pgs          0         0.97  up to twice as fast
===================  ========  ====  ===================================================================================
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from pluecker.contact.friction.first_order.memory import ERROR, ITERATIONS, LEFT
from pluecker.contact.friction.first_order.runner import REFERENCE
from pluecker.contact.friction.first_order.sharing import Layouts
from pluecker.contact.friction.first_order.sharing import run_gradients as descend
from pluecker.contact.friction.problem.prepared import Prepared, cut
from pluecker.contact.friction.results.result import Part
from pluecker.contact.friction.solving.coulomb import ROUNDS, take_turns
from pluecker.contact.friction.solving.held_shifts import by_shifts
from pluecker.contact.friction.solving.island import (
    CALL,
    CHEAPER,
    FEW,
    LARGE,
    MANY,
    NEAR,
    PROBE,
    STEPS,
    Island,
    on_islands,
    operations,
    pattern_of,
    seconds_of_iteration,
    seconds_of_step,
)
from pluecker.contact.friction.solving.pieces import over_relaxed, with_momentum
from pluecker.contact.friction.solving.small import CONVEX_ROWS, ROWS, place_for_small, run_small
from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.contact.friction.sparse.symbolic import Symbolic, least_operations
from pluecker.spatial.engine.parallel.interruption import answering
from pluecker.spatial.functions.elementwise import Array

__all__ = ["run_automatic", "run_interior_point", "run_polished"]

# What follows gradients, in iterations of these that take as long.
CHEAP = 300  # the convex law begins with the interior point where it takes no longer
DEAR = 2000  # of factors that take longer, in islands of MANY contacts, sweeps come first under Coulomb's law
PAID = 40000  # factors that take longer are not made
# Contacts of an island.
MORE = 4000  # from which gradients of the convex law that are slow have sweeps after them
VAST = 40000  # that no cache holds, of which sweeps are sooner than gradients
# Iterations.
MOST = 8000  # of gradients
SHARE = 0.5  # of those that are left, that gradients and over-relaxed sweeps may take before others
BESIDE = 4000  # of gradients of a large island before sweeps, and then of these, which take about as long
START = 2000  # of gradients before Newton's method, at most
LAST = 30000  # sweeps with momentum where nothing else is left, from nothing and from the best point
HELD_UP = 3  # pieces of sweeps in a row, after which those of a vast island are left
# Errors.
STARTED = 0.2  # of a start, from which Newton's method is tried
CLOSE = 5e-4  # that gradients must reach before sweeps
FURTHER = 0.1  # of an error, by which progress of gradients is judged where it is small

# The table: methods and their budgets, by law; of Coulomb's law where factors are dear.
TABLES = (
    (("interior_point", CALL), ("newton", STEPS), ("apgd", MOST), ("newton", STEPS)),
    (("rounds", ROUNDS), ("from nothing", LAST), ("sweeps", LAST)),
)
DEAR_TABLE = ("sweeps, dear", 2.0), ("psor, dear", 2.0), ("rounds", ROUNDS)
FACTORISE = "interior_point", "newton", "rounds"  # left out where that takes too long


def worth(contacts: Any, blocks: Any, count: float, law: int) -> Any:
    """Return the time of what comes after gradients, in iterations of these; ``count``: operations of a factor.

    Times were measured; those of Coulomb's law are for some shifts and Newton's method.
    """
    interior = seconds_of_step(contacts, count)
    then = 1.5e-3 + 50.0 * interior if law == 1 else 1e-4 + 5.0 * interior
    return then / seconds_of_iteration(contacts, blocks)


def least_of(P: Prepared, number: int, layouts: Layouts) -> float:
    """Estimate the operations of an island's factor from below, without its pattern.

    It is 0 for few contacts, whose pattern is cheap, and kept with the layouts of large islands for others.
    """
    if len(P.K.start) - 1 <= LARGE:
        return 0.0
    if ("factor", number) not in layouts:
        layouts["factor", number] = least_operations(P.A.N)
    return float(layouts["factor", number])


def price(P: Prepared, number: int, patterns: dict[int, Symbolic], layouts: Layouts, law: int, enough: float) -> float:
    """Return :func:`worth` for an island; where that is more than ``enough`` an estimate from below will do."""
    contacts, blocks = len(P.K.start) - 1, len(P.A.N.column)
    least = float(worth(contacts, blocks, least_of(P, number, layouts), law))
    if least > enough:
        return least
    return float(worth(contacts, blocks, operations(pattern_of(patterns, number, P)), law))


def is_dear(P: Prepared, number: int, patterns: dict[int, Symbolic], layouts: Layouts) -> bool:
    """Return whether factors under Coulomb's law take so long that sweeps come before everything else."""
    return len(P.K.start) - 1 > MANY and price(P, number, patterns, layouts, 1, DEAR) > DEAR


# -------------------------------------------------------------------------------------------------- all islands together


def run_automatic(P, law, x, u, tol, limit, memory, begin, end, patterns=None, layouts=None, threads=1, spare=0):
    """Run the methods of the table; gradients in compiled code, of all islands together.

    Gradients and sweeps on a large island are shared by threads.
    """
    layouts, patterns = {} if layouts is None else layouts, {} if patterns is None else patterns
    mine, started = slice(begin, end), bool(x.any())
    states, results = memory.states[mine], memory.results[mine]
    where = P, law, x, u, tol, limit, memory, begin, end, patterns, layouts, threads
    done = run_small_islands(P, law, x, u, tol, limit, memory.results, begin, end)
    if started and not (results[:, ERROR] <= tol).all():
        done += run_near(*where)
    sizes = np.diff(P.islands)[mine]
    for k in np.flatnonzero((results[:, ERROR] > tol) & ((law == 0) | (sizes > MANY))):
        number = begin + int(k)
        if law == 0 and sizes[k] >= MORE:
            done += run_large(P, law, x, u, tol, limit, memory, number, number + 1, patterns, layouts, threads)
            states[k, LEFT] = 1.0
        elif passes_over(P, law, x, number, patterns, layouts):
            states[k, LEFT] = 1.0
    done += run_gradients(*where, FEW if started else 0)
    states[:, LEFT] = 0.0
    if (results[:, ERROR] <= tol).all():
        return done
    return [*done, *run_improve(*where, spare)]


def run_small_islands(P, law, x, u, tol, limit, results, begin, end):
    """Solve islands of few rows, as full matrices; return what was done with those that this solved."""
    began, mine = time.perf_counter(), slice(begin, end)
    most = ROWS if law == 1 or x.any() else CONVEX_ROWS
    if not (np.diff(P.K.start[P.islands[begin : end + 1]]) <= most).any():  # so that nothing is compiled for none
        return []
    before = results[mine, ITERATIONS].copy()
    small = getattr(run_small, "entrance", run_small)  # as Python calls it
    answering(small, P, law, x, u, tol, limit, results, begin, end, place_for_small(P))
    used, errors = results[mine, ITERATIONS] - before, np.where(results[mine, ERROR] <= tol, results[mine, ERROR], 0.0)
    return [Part("dense", mine, used, errors, time.perf_counter() - began)] if used.any() else []


def passes_over(P, law, x, number, patterns, layouts):
    """Return whether gradients leave an island to what follows before they begin."""
    first, last = int(P.islands[number]), int(P.islands[number + 1])
    if law == 1:
        return is_dear(cut(P, number), number, patterns, layouts)
    if last - first > LARGE or x[P.K.start[first] : P.K.start[last]].any():
        return False
    return price(cut(P, number), number, patterns, layouts, 0, np.inf) <= CHEAP


def run_large(P, law, x, u, tol, limit, memory, k, stop, patterns, layouts, threads):
    """Run gradients on one large island of the convex law, and sweeps where these are slow, or first where it is vast."""
    where, done = (P, law, x, u, tol, limit, memory, k, stop, patterns, layouts, threads), []
    first, last = P.islands[k], P.islands[k + 1]
    sweeps = P.A.is_factored and (np.diff(P.K.start[first : last + 1]) == 3).all()
    if sweeps and last - first >= VAST:
        done += run_vast(*where)
    done += run_gradients(*where, int(memory.results[k, ITERATIONS]), BESIDE if sweeps else np.inf)
    if sweeps and memory.results[k, ERROR] > tol:
        done += run_beside(*where)
    return done


def run_gradients(P, law, x, u, tol, limit, memory, begin, end, patterns, layouts, threads, before, most=np.inf):
    """Run gradients on the islands that are not left; these leave an island where they would take longer than what follows.

    All together, and each as it would be alone: iterations are counted from here, after ``before`` at most that each may
    have taken. No more than ``most`` are made.
    """
    began, mine, steps = time.perf_counter(), slice(begin, end), PROBE
    states, results = memory.states, memory.results
    going = (results[mine, ERROR] > tol) & (states[mine, LEFT] == 0.0)
    if not going.any():
        return []
    contacts, blocks = np.diff(P.islands)[mine], np.diff(P.A.N.first[P.islands])[mine]
    least = np.array([least_of(cut(P, k), k, layouts) if n > LARGE else 0.0 for k, n in enumerate(contacts, begin)])
    limits, known = worth(contacts, blocks, least, law), np.zeros(end - begin, bool)
    # A few steps of Newton's method take as long: in piles of hundreds of islands gradients are done before.
    early = (
        (1e-3 + 2e-6 * contacts) / seconds_of_iteration(contacts, blocks) if law == 1 else np.full(len(least), np.inf)
    )
    first, start = results[mine, ITERATIONS].copy(), np.minimum(results[mine, ERROR], 1.0)
    limit -= before
    results[mine, ITERATIONS] -= first
    if len(memory.history):  # of one island
        memory = memory._replace(history=memory.history[int(first[0]) :])
    reached, tasks, polished = results[mine, ERROR].copy(), {}, []
    used, last = 0, int(min(1 + int(SHARE * (limit - 1)), most)) if limit > 0 else 0

    def gradients(goal: float, upto: int, one: int, stop: int) -> None:
        """Run gradients to an error, or for so many iterations; then Newton's method where an island is near"""
        open_ = (results[one:stop, ERROR] > tol) & (states[one:stop, LEFT] == 0.0)
        descend(P, law, x, u, goal, upto, memory, one, stop, layouts, threads, tasks=tasks)
        for k in one + np.flatnonzero(open_):
            reached[k - begin] = results[k, ERROR]
            if law == 1 and tol < results[k, ERROR] < NEAR:
                polished.extend(run_nearer(P, law, x, u, tol, limit, memory, k, k + 1, patterns, layouts))

    while going.any() and used < last:
        upto = min(used + steps, last)
        alone = begin + np.flatnonzero(going & (used >= early) & (tol < NEAR))
        for k in alone.tolist():
            gradients(NEAR, upto, k, k + 1)
            if results[k, ERROR] <= NEAR:
                gradients(tol, upto, k, k + 1)
        for one, stop in zip((begin, *(alone + 1).tolist()), (*alone.tolist(), end), strict=True):
            if one < stop:
                gradients(tol, upto, one, stop)
        error = results[mine, ERROR]
        used, going = upto, (error > tol) & (states[mine, LEFT] == 0.0)
        with np.errstate(all="ignore"):
            more = used * np.log(error / judged(law, tol, error)) / np.log(start / error)
        # Nothing is left because of an estimate from below.
        for k in np.flatnonzero(going & (more >= enough(used, limits, contacts)) & (more < np.inf) & ~known):
            count = operations(pattern_of(patterns, begin + int(k), cut(P, begin + k)))
            limits[k], known[k] = worth(contacts[k], blocks[k], count, law), True
        states[mine, LEFT][going & ~((more > 0) & (more < enough(used, limits, contacts)))] = 1.0
        going &= states[mine, LEFT] == 0.0
        steps = min(2 * steps, MOST)
    elapsed, spent = time.perf_counter() - began, results[mine, ITERATIONS].copy()
    results[mine, ITERATIONS] += first
    for part in polished:
        elapsed -= part.time
        spent[part.islands.start - begin] -= part.iterations[0]
    errors = np.where(spent > 0, reached, 0.0)
    return [Part("apgd", mine, spent, errors, elapsed), *polished] if spent.any() else []


def judged(law: int, tol: float, error: Array) -> Array:
    """Return the error by which progress of gradients is judged; under Coulomb's law the same whatever the tolerance."""
    return np.minimum(REFERENCE, FURTHER * error if law == 1 else tol)


def enough(used: int, limits: Array, contacts: Indices) -> Array:
    """Return how many iterations of gradients may follow: fewer once as many are spent as what comes after them takes.

    On packings of many contacts the interior point takes three times as many iterations as :func:`worth` counts.
    """
    return np.where(used < limits, limits, np.where(contacts > MANY, 0.5, 0.25) * limits)


# ------------------------------------------------------------------------------------------------------ one island alone


def place_of(island: Island) -> tuple[Prepared, int, dict[int, Symbolic], Layouts]:
    """Return an island as the arguments that :func:`price` takes first."""
    return island.P, island.number, island.patterns, island.layouts


def improve(island: Island, tol: float) -> None:
    """Run the rows of the table that are for this island."""
    enough = DEAR if len(island.P.K.start) > MANY + 1 else MOST
    dear = island.law == 1 and price(*place_of(island), 1, enough) > enough
    start = island.x.copy()
    for method, budget in DEAR_TABLE if dear else TABLES[island.law]:
        if island.error > tol and not (method in FACTORISE and price(*place_of(island), island.law, PAID) > PAID):
            RUN[method](island, tol, budget, start)


def interior(island: Island, tol: float, most: float, start: Array) -> None:
    """Run the interior point."""
    island.convex(tol, island.zero, island.x, most=int(most))


def polished(island: Island, tol: float, most: float, start: Array) -> None:
    """Run Newton's method from the best point."""
    island.newton(tol, int(most))


def gradients(island: Island, tol: float, most: float, start: Array) -> None:
    """Run gradients from the best point; some iterations are kept for Newton's method."""
    island.gradients(tol, min(int(most), island.rest - min(STEPS, island.rest // 2)))


def rounds(island: Island, tol: float, most: float, start: Array) -> None:
    """Run rounds of several methods."""
    take_turns(island, tol, int(most))


def sweeps_from_nothing(island: Island, tol: float, most: float, start: Array) -> None:
    """Run sweeps with momentum from no multipliers."""
    with_momentum(island, tol, island.zero, most)


def sweeps(island: Island, tol: float, most: float, start: Array) -> None:
    """Run sweeps with momentum from the best point."""
    with_momentum(island, tol, island.x, most)


def sweeps_where_dear(island: Island, tol: float, times: float, start: Array) -> None:
    """Run sweeps with momentum from the start, for some times of what follows; of many contacts by its estimate."""
    many = len(island.P.K.start) - 1 > LARGE
    most = min(price(*place_of(island), 1, 0.0 if many else PAID), PAID)
    with_momentum(island, tol, start, times * most * (1.0 if island.sweeping is None else CHEAPER))


def relaxed_where_dear(island: Island, tol: float, times: float, start: Array) -> None:
    """Run over-relaxed sweeps from the start, for some times of what follows.

    Those of a large island have iterations beside the limit: they are thousands of times cheaper than others.
    """
    before, spare = island.iterations, 0 if island.sweeping is None else island.spare
    most = times * min(price(*place_of(island), 1, PAID), PAID) * (1.0 if island.sweeping is None else CHEAPER)
    island.limit += spare
    over_relaxed(island, tol, start, min(most, SHARE * island.rest))
    island.limit -= max(spare - (island.iterations - before), 0)


RUN = {
    "interior_point": interior, "newton": polished, "apgd": gradients, "rounds": rounds, "from nothing": sweeps_from_nothing,
    "sweeps": sweeps, "sweeps, dear": sweeps_where_dear, "psor, dear": relaxed_where_dear,
}  # fmt: skip


def near(island: Island, tol: float) -> None:
    """Run Newton's method from a start that is near, where factors are not dear: sweeps and gradients are sooner else."""
    if island.error < STARTED and island.x.any() and not is_dear(*place_of(island)):
        island.tried = island.error
        island.newton(tol, FEW)


def nearer(island: Island, tol: float) -> None:
    """Run Newton's method from where gradients stopped, near, where factors are not dear."""
    if price(*place_of(island), 1, DEAR) <= DEAR:
        island.newton_if_near(tol)


def vast(island: Island, tol: float) -> None:
    """Run sweeps with momentum until they are held up."""
    if island.sweeping is not None:
        with_momentum(island, tol, island.x, np.inf, patience=HELD_UP)


def beside(island: Island, tol: float) -> None:
    """Run sweeps with Newton's method on parts, where gradients are slow."""
    if island.error < CLOSE and island.sweeping is not None:
        contacts, blocks = len(island.P.K.start) - 1, len(island.P.A.N.column)
        most = min(BESIDE, island.rest // 2)
        with_momentum(island, tol, island.x, most, seconds_of_iteration(contacts, blocks) / CHEAPER)


def polish(island: Island, tol: float) -> None:
    """Run Newton's method, started by gradients."""
    island.gradients(max(tol, NEAR), START)
    while island.error > tol and island.rest > 0:
        before = island.error
        island.newton(tol)
        if not island.error < 0.5 * before:
            break


def inside(island: Island, tol: float) -> None:
    """Run the interior point; for Coulomb's law with shifts held in turn."""
    by_shifts(island, tol)


run_near, run_nearer, run_improve = on_islands(near), on_islands(nearer), on_islands(improve)
run_vast, run_beside = on_islands(vast), on_islands(beside)
run_polished, run_interior_point = on_islands(polish), on_islands(inside)
