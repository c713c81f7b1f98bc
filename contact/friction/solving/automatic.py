"""The automatic choice: first-order steps while they pay, then the interior point, then Newton's method.

Islands of few rows, contacts with three components and rows, are solved as full matrices first
(:mod:`~pluecker.contact.friction.solving.small`); what follows is for others, and for those that this does not bring to the
tolerance.

First-order methods win the easy problems and lose the hard ones; interior-point methods take about the same time for
all of one size; Newton's method gives the last digits when it starts close enough. So most islands begin with
accelerated gradients. Their progress tells how many more iterations they would need; when that is more than what comes
after them costs, they are left. What that costs is known from the pattern of the factor; where many contacts hang together,
an estimate from below comes first, and the pattern of the factor is found only where that says that it may pay. Where it
costs little, and there is no start, the convex law begins with the interior point: gradients would have to converge before
one can tell.

======================  ==============================================================================================
law                     what follows, until the tolerance is reached
======================  ==============================================================================================
ccp, frictionless       interior point; Newton; gradients to the limit; Newton. From :data:`VAST` contacts on, before
                        everything else: sweeps of Gauss-Seidel with momentum, until they are held up. From :data:`MORE`
                        on, beside gradients that are slow: sweeps with Newton's method on parts, as below
ncp                     gradients with Newton where they are near; where factors are dear, and before gradients,
                        sweeps of Gauss-Seidel of several kinds, with Newton's method on the few contacts that keep the
                        rest from converging (:mod:`~pluecker.contact.friction.solving.pieces`); where a cone has mu > 10,
                        shifts held in turn, from nothing; Newton; then in turn shifts that are held, with Newton after every
                        fourth, where the point is near, Gauss-Seidel, plain and over-relaxed, the splitting, shifts from
                        nothing, and curves of a smoothed law; in the end these once more, and over-relaxed sweeps to
                        the limit (:mod:`~pluecker.contact.friction.solving.coulomb`)
======================  ==============================================================================================

Each step starts from the best point so far, or from the convex solution, and gives back what is better. Sweeps take no
longer than the factors after them would, but in large islands, where what follows takes long for each contact; factors that
would take longer than :data:`PAID` iterations of gradients are left out. What is decided on the way depends on counts alone,
never on times, and under Coulomb's law on no tolerance: with a looser one the same steps end earlier.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from pluecker.contact.friction.first_order.memory import ERROR, ITERATIONS, LEFT
from pluecker.contact.friction.first_order.runner import REFERENCE
from pluecker.contact.friction.first_order.sharing import WIDE, Layouts
from pluecker.contact.friction.first_order.sharing import run_gradients as descend
from pluecker.contact.friction.problem.prepared import Prepared, cut
from pluecker.contact.friction.results.result import Part
from pluecker.contact.friction.solving.coulomb import take_turns
from pluecker.contact.friction.solving.held_shifts import by_shifts
from pluecker.contact.friction.solving.island import (
    FEW,
    NEAR,
    STEPS,
    Island,
    on_islands,
    operations,
    pattern_of,
    seconds_of_iteration,
    seconds_of_step,
)
from pluecker.contact.friction.solving.pieces import sweep_beside, sweep_in_pieces, sweep_until_held_up
from pluecker.contact.friction.solving.small import CONVEX_ROWS, ROWS, place_for_small, run_small
from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.contact.friction.sparse.symbolic import Symbolic, least_operations
from pluecker.spatial.engine.parallel.interruption import answering
from pluecker.spatial.functions.elementwise import Array

__all__ = ["run_automatic", "run_interior_point", "run_polished"]

DIRECT = 2000  # contacts of an island, up to which the pattern of a factor is found whenever it is of use
# Iterations of gradients, as :func:`worth` counts them: on families of 400 to 1500 contacts the interior point is seldom the
# slower one where it costs less.
CHEAP = 300
PROBE = 64  # iterations of gradients before the first look
SHARE = 0.75  # of all iterations that gradients may take before others
# Iterations of gradients that take eight contacts at a time, counted as one of others: two to four take that time, but with
# so many packings of 1,000 contacts are solved by gradients, and hard problems lose less than a tenth by trying them.
WIDER = 1.5
MOST = 8000  # iterations of gradients in the end; factors of few contacts that take longer are dear
DEAR = 2000  # iterations of gradients: of factors that take longer, sweeps come first under Coulomb's law
MANY = 500  # contacts of an island; of fewer gradients come first
PAID = 40000  # iterations of gradients: factors that take longer are not made
# Contacts of an island that no cache holds: gradients take half as long again for each as where there are 20,000, sweeps do
# not. Packings of 50,000 and 100,000, jammed ones and those at rest take 0.5 to 1.0 of the time with them.
VAST = 40000
# Contacts of an island from which gradients of the convex law that are slow get sweeps beside them: of fewer, what follows
# is soon done. Granular flow of 5,000 and 20,000 contacts takes 1 to 2 s and 3.5 to 5 s with them; 4 to 10 s and 172 s else.
MORE = 4000
FIRST = 4032  # iterations of gradients before sweeps
CLOSE = 5e-4  # the error that must be reached
BESIDE = 6000  # sweeps at most, which take about as long as these gradients
PER_PRICE = 16.0  # sweeps, at most, for each iteration of gradients that what follows takes at least
FINE = REFERENCE, 1e-7  # the error, by law, by which progress of gradients is judged while it is larger
FURTHER = 0.1  # of an error that is no larger
STARTED = 0.2  # an error of a start from which Newton's method is tried
START = 2000  # iterations of gradients before Newton's method, at most


def worth(contacts: Any, blocks: Any, count: float, law: int) -> Any:
    """Return the time of what comes after gradients, in iterations of these; ``count``: operations of a factor.

    Times were measured; those of Coulomb's law are for some shifts and Newton's method.
    """
    interior = seconds_of_step(contacts, count)
    then = 1.5e-3 + 50.0 * interior if law == 1 else 1e-4 + 5.0 * interior
    return then / seconds_of_iteration(contacts, blocks)


def price_of_trial(contacts: Any, blocks: Any) -> Any:
    """Return how many iterations of gradients take as long as a few steps of Newton's method where factors are not dear.

    What comes with these steps is included: in piles of hundreds of islands gradients are done before.
    """
    return (1e-3 + 2e-6 * contacts) / seconds_of_iteration(contacts, blocks)


def times_as_fast(P: Prepared, contacts: Any, law: int) -> Any:
    """Return by how much gradients that take eight contacts at a time are faster than :func:`worth` counts them.

    That is so in the convex law up to :data:`DIRECT` contacts; all else was measured with what it counts.
    """
    wide = P.A.is_factored == 1 and law == 0
    return np.where((contacts >= WIDE) & (contacts <= DIRECT), WIDER if wide else 1.0, 1.0)


def least_of(P: Prepared, number: int, layouts: Layouts) -> float:
    """Estimate the operations of an island's factor from below, without its pattern.

    It is 0 for few contacts, whose pattern is cheap, and kept with the layouts of large islands for others.
    """
    if len(P.K.start) - 1 <= DIRECT:
        return 0.0
    if ("factor", number) not in layouts:
        layouts["factor", number] = least_operations(P.A.N)
    return float(layouts["factor", number])


def price(island: Island) -> float:
    """Return the time of methods that factorise, in iterations of gradients; find the pattern unless that is too many."""
    contacts, blocks, law = len(island.P.K.start) - 1, len(island.P.A.N.column), island.law
    least = worth(contacts, blocks, least_of(island.P, island.number, island.layouts), law)
    return least if least > PAID else worth(contacts, blocks, operations(island.pattern), law)


def least_price(island: Island) -> float:
    """Return :func:`price`, or for many contacts a lower bound without the pattern, which is not needed where sweeps do."""
    contacts, blocks = len(island.P.K.start) - 1, len(island.P.A.N.column)
    if contacts <= DIRECT:
        return price(island)
    return float(worth(contacts, blocks, least_of(island.P, island.number, island.layouts), island.law))


def is_dear(P: Prepared, number: int, patterns: dict[int, Symbolic], layouts: Layouts) -> bool:
    """Return whether factors under Coulomb's law take so long that sweeps come before everything else."""
    contacts, blocks = len(P.K.start) - 1, len(P.A.N.column)
    if worth(contacts, blocks, least_of(P, number, layouts), 1) > DEAR:
        return True
    return bool(worth(contacts, blocks, operations(pattern_of(patterns, number, P)), 1) > DEAR)


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


def pass_over(P, x, states, begin, end, patterns):
    """Let gradients leave islands of the convex law where the interior point is cheap, and no start is known."""
    for k in range(begin, end):
        first, last = int(P.islands[k]), int(P.islands[k + 1])
        if last - first > DIRECT or x[P.K.start[first] : P.K.start[last]].any():
            continue
        count = operations(pattern_of(patterns, k, cut(P, k)))
        contacts, blocks = last - first, int(P.A.N.first[last] - P.A.N.first[first])
        if times_as_fast(P, contacts, 0) * worth(contacts, blocks, count, 0) <= CHEAP:
            states[k, LEFT] = 1.0


def run_automatic(P, law, x, u, tol, limit, memory, begin, end, patterns=None, layouts=None, threads=1, spare=0):
    """Run gradients in compiled code, on the islands where they pay; then :func:`improve` for those that need more.

    Gradients and sweeps on a large island are shared by threads.
    """
    layouts = {} if layouts is None else layouts
    started = bool(x.any())
    done = run_small_islands(P, law, x, u, tol, limit, memory.results, begin, end)
    mine, patterns = slice(begin, end), {} if patterns is None else patterns
    states, results = memory.states[mine], memory.results[mine]
    if started and not (results[:, ERROR] <= tol).all():
        done += run_near(P, law, x, u, tol, limit, memory, begin, end, patterns, layouts)
    if law == 1:
        for k in np.flatnonzero((results[:, ERROR] > tol) & (np.diff(P.islands)[mine] > MANY)):
            number = begin + int(k)
            states[k, LEFT] = 1.0 if is_dear(cut(P, number), number, patterns, layouts) else 0.0
    else:
        for k in np.flatnonzero((results[:, ERROR] > tol) & (np.diff(P.islands)[mine] >= MORE)):
            where = P, law, x, u, tol, limit, memory, begin + int(k), begin + int(k) + 1, patterns, layouts, threads
            done += run_large(where, started)
            states[k, LEFT] = 1.0
        if not (results[:, ERROR] <= tol).all():
            pass_over(P, x, memory.states, begin, end, patterns)
    if ((results[:, ERROR] > tol) & (states[:, LEFT] == 0.0)).any():
        done += run_gradients(P, law, x, u, tol, limit, memory, begin, end, patterns, layouts, threads, started)
    states[:, LEFT] = 0.0
    if (results[:, ERROR] <= tol).all():
        return done
    return [*done, *run_improve(P, law, x, u, tol, limit, memory, begin, end, patterns, layouts, threads, spare)]


def run_large(where, started):
    """Run the first methods on one large island of the convex law: gradients, and sweeps where these are slow."""
    P, _, _, _, tol, limit, memory, k, *_ = where
    first, last = P.islands[k], P.islands[k + 1]
    vast, of_contacts = last - first >= VAST, (np.diff(P.K.start[first : last + 1]) == 3).all()
    before = 1.0 if vast else min(memory.results[k, ERROR], 1.0)
    done = run_vast(*where) if vast else []
    room = SHARE * (limit - memory.results[k, ITERATIONS])
    slow = P.A.is_factored and of_contacts and room > FIRST  # there are sweeps, and iterations for them
    if memory.results[k, ERROR] > tol:
        done += run_gradients(*where, started and not vast, anew=vast, most=FIRST if slow else np.inf)
    if slow and memory.results[k, ERROR] > tol:
        done += run_beside(*where)
        if memory.results[k, ERROR] > tol and memory.states[k, LEFT] == 0.0:
            done += run_gradients(*where, False, anew=True, earlier=(FIRST, before))
    return done


def run_gradients(
    P, law, x, u, tol, limit, memory, begin, end, patterns, layouts, threads, started, anew=False, most=np.inf,
    earlier=(0, 1.0),
):  # fmt: skip
    """Run gradients on the islands that are not left; these leave an island where they would take longer than what follows.

    All together, and each as it would be alone: iterations are counted from here. With ``started`` some may have been spent
    by Newton's method; with ``anew`` what was spent on the one island counts, and its error is that of no start, or
    what it was before some were made ``earlier``, in so many iterations. No more than ``most`` are made.
    """
    began, mine, steps = time.perf_counter(), slice(begin, end), PROBE
    states, results = memory.states, memory.results
    going = (results[mine, ERROR] > tol) & (states[mine, LEFT] == 0.0)
    contacts, blocks = np.diff(P.islands)[mine], np.diff(P.A.N.first[P.islands])[mine]
    many = np.diff(P.islands)[mine] > DIRECT
    least = np.array([least_of(cut(P, k), k, layouts) if many[k - begin] else 0.0 for k in range(begin, end)])
    faster = times_as_fast(P, contacts, law)
    limits, known = faster * worth(contacts, blocks, least, law), np.zeros(end - begin, bool)
    early = price_of_trial(contacts, blocks) if law == 1 else np.full(end - begin, np.inf)
    first = results[mine, ITERATIONS].copy()
    limit = limit - int(first[0]) if anew else limit
    results[mine, ITERATIONS] -= first
    if len(memory.history):  # of one island
        memory = memory._replace(history=memory.history[int(first[0]) :])
    reached = results[mine, ERROR].copy()
    before = np.full(end - begin, earlier[1]) if anew else np.minimum(reached, 1.0)
    tasks: dict[int, Any] = {}
    polished: list[Part] = []
    rest = limit - FEW if started else limit  # Newton's method may have been tried
    used, last = 0, int(min(1 + int(SHARE * (rest - 1)), most)) if rest > 0 else 0

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
            more = (used + earlier[0]) * np.log(error / judged(law, tol, error)) / np.log(before / error)
        allowed = enough(used + earlier[0], limits, contacts)
        # Nothing is left because of an estimate from below.
        for k in np.flatnonzero(going & (more >= allowed) & (more < np.inf) & ~known):
            count = operations(pattern_of(patterns, begin + int(k), cut(P, begin + k)))
            limits[k], known[k] = faster[k] * worth(contacts[k], blocks[k], count, law), True
        allowed = enough(used + earlier[0], limits, contacts)
        states[mine, LEFT][going & ~((more > 0) & (more < allowed))] = 1.0
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
    return np.minimum(FINE[law], FURTHER * error if law == 1 else tol)


def enough(used: int, limits: Array, contacts: Indices) -> Array:
    """Return how many iterations of gradients may follow: fewer once as many are spent as what comes after them takes.

    On packings of many contacts the interior point takes three times as many iterations as :func:`worth` counts.
    """
    return np.where(used < limits, limits, np.where(contacts > MANY, 0.5, 0.25) * limits)


def improve(island: Island, tol: float) -> None:
    """Run the sequence of the table in the head of this file, after gradients."""
    least, sweeps_first = least_price(island), DEAR if len(island.P.K.start) > MANY + 1 else MOST
    if island.law == 1 and (least > sweeps_first or price(island) > sweeps_first):
        sweep_in_pieces(island, tol, PAID, least, lambda: price(island))
    if island.error <= tol:
        return
    dear = price(island)
    if dear <= PAID:
        if island.law == 1:
            take_turns(island, tol)
        else:
            island.convex(tol, island.zero, island.x)
            if island.error > tol:
                island.newton(tol)
    if island.error > tol and island.law == 0:
        island.gradients(tol, min(MOST, island.rest - min(STEPS, island.rest // 2)))
        if island.error > tol and dear <= PAID:
            island.newton(tol)


def known(island: Island) -> tuple[Prepared, int, dict[int, Symbolic], Layouts]:
    """Return an island as the arguments that :func:`is_dear` takes."""
    return island.P, island.number, island.patterns, island.layouts


def near(island: Island, tol: float) -> None:
    """Run Newton's method from a start that is near, where factors are not dear: sweeps and gradients are sooner else."""
    few = len(island.P.K.start) <= MANY + 1
    if island.error < STARTED and island.x.any() and (few or not is_dear(*known(island))):
        island.tried = island.error
        island.newton(tol, FEW)


def nearer(island: Island, tol: float) -> None:
    """Run Newton's method from where gradients stopped, near, where factors are not dear."""
    if not is_dear(*known(island)):
        island.newton_if_near(tol)


def vast(island: Island, tol: float) -> None:
    """Run sweeps with momentum, where eight contacts are taken at a time."""
    if island.sweeping is not None:
        sweep_until_held_up(island, tol)


def beside(island: Island, tol: float) -> None:
    """Run sweeps with Newton's method on parts, where gradients are slow and eight contacts are taken at a time."""
    if island.error < CLOSE and island.sweeping is not None:
        sweep_beside(island, tol, min(BESIDE, PER_PRICE * least_price(island), island.rest // 2))


def polish(island: Island, tol: float) -> None:
    """Run Newton's method, started by gradients."""
    island.gradients(max(tol, 1e-4), START)
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
