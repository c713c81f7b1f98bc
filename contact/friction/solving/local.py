"""Newton's method on the few contacts that keep the rest from converging, all others held.

Sweeps of Gauss-Seidel, most of all under Coulomb's law, come to a point where nearly all contacts are solved and some dozens
go round in a circle. The factor of thousands of contacts is dear, that of these and their neighbours is not: they are a
problem of their own (:mod:`~pluecker.contact.friction.solving.parts`): the contacts with most of the error, and all within
some rings around them. What sweeps do next carries the change to the others. The answer of these moves the solution there: a
part that was found is solved again whenever it is off. This is a Schwarz method whose subdomains are chosen where the error
is, with sweeps in place of a coarse problem. Where it gets nearer slowly, or Newton's method fails, the part gets a ring
more.

Contacts that do not act on one another are parts of their own, which threads solve side by side: the same bits for any
number of threads. Where Newton's method fails, it goes round in a circle of few contacts, the core. That is solved by one
round of all methods (:mod:`~pluecker.contact.friction.solving.coulomb`), some sweeps carry the change to the rest of the
part, and Newton's method begins again from there.

Source: V. Dolean, P. Jolivet and F. Nataf, "An introduction to domain decomposition methods" (2015), chapter 1.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.problem.prepared import Prepared
from pluecker.contact.friction.solving.coulomb import take_turns
from pluecker.contact.friction.solving.island import FEW, HELPS, HOPE, LARGE, MANY, Island, operations, seconds_of_step
from pluecker.contact.friction.solving.parts import alone, apart, around, part_of, those_with_most
from pluecker.contact.friction.sparse.blocks import Indices, multiply_row_transposed
from pluecker.spatial.engine.compiled.decorators import entry_point
from pluecker.spatial.engine.parallel.threads import map_in_threads
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Parts", "change", "core_of"]

# Shares of the squared error that the contacts in the middle have together, and rings of neighbours around them: the first
# ones, or the next where sweeps are held up and parts would be too large.
AROUND = ((0.9, 2), (0.9, 1), (0.5, 1), (0.5, 0))
# Of the squared error: what new parts reach of that outside, else they are sought closer around it; what is left a piece
# later where parts grow; and what parts have together, else there are new ones.
REACHED, HELD = 0.25, 0.5
# Of the squared error of all: parts that grow have more; those that have less are left as they are.
HOLDS_UP, SOLVED = 0.1, 0.0025
GROWN = 1500  # contacts of a part that grows, at most
LEAST = 100  # contacts of a core, and of a part between sweeps that are not held up, at most
GOAL = 0.01  # of the error of a part: what is asked for
CORES = 6  # of a part, one after the other
SWEEPS = 30  # of the part, after its core


class Parts:
    """Contacts of an island where the error is or was, which are solved again as sweeps go on.

    Attributes:
        inside: a mask of them, ``(n,)``; those that hang together are a part.
        before: the squared error when they were last improved.
        most: contacts that a part may grow to.
        seconds: that parts take by the count of their steps.
    """

    def __init__(self, island: Island) -> None:
        n = len(island.P.K.start) - 1
        self.island, self.inside = island, np.zeros(n, bool)
        self.before, self.most, self.seconds = np.inf, GROWN, 0.0

    def improve(self, x: Array, u: Array, held_up: bool = True) -> None:
        """Run Newton's method in all parts that have error; x and u change where it helps there.

        Where sweeps are not ``held_up``, they are quicker than Newton's method on a larger part of all contacts.
        The error of the whole may rise at first, because neighbours have not answered yet: the island keeps its best.
        """
        island, changed = self.island, False
        every = self.due(island.errors(x, u), held_up)

        def solved(k: int) -> tuple[Island, bool]:
            """Solve a part while all others are held; return whether that helps"""
            with np.errstate(all="ignore"):  # of its thread
                part, _ = begin(island.P, every[k], island.law, x, u, island.rest)
                before = part.error
                solve_part(part, held_up)
                return part, part.error <= HELPS * before

        order = sorted(range(len(every)), key=lambda k: -len(every[k]))  # largest first, so that no thread waits long
        found = dict(zip(order, map_in_threads(solved, order, island.threads), strict=True))
        for k, blocks in enumerate(every):
            part, helps = found[k]
            island.note_part(part)
            self.seconds += seconds_of(part)
            if helps:
                change(island.P, blocks, part.x, np.empty_like(x), x, u)
                changed = True
            elif held_up:
                self.grow(blocks)
        if changed:
            island.take(x, u)

    def due(self, error: Array, held_up: bool) -> list[Indices]:
        """Return the contacts of each part to be solved, found or grown by the squared errors, ``(n,)``."""
        N, whole = self.island.P.A.N, float(error.sum())
        share = float(error[self.inside].sum()) / whole if whole > 0.0 else 0.0
        if whole > REACHED * self.before and share > HELD:
            for blocks in apart(N, np.flatnonzero(self.inside)):
                if error[blocks].sum() > HOLDS_UP * whole:
                    self.grow(blocks)
        if share < HELD:
            self.extend(np.where(self.inside, 0.0, error), held_up)
        self.before = whole
        return [blocks for blocks in apart(N, np.flatnonzero(self.inside)) if error[blocks].sum() > SOLVED * whole]

    def grow(self, blocks: Indices) -> None:
        """Add a ring of neighbours to a part, unless it becomes too large, with the parts that it meets then."""
        N, mine = self.island.P.A.N, np.zeros_like(self.inside)
        mine[blocks] = True
        wider = self.inside | around(N, mine)
        if next(len(part) for part in apart(N, np.flatnonzero(wider)) if blocks[0] in part) <= self.most:
            self.inside = wider

    def extend(self, outside: Array, held_up: bool) -> None:
        """Add the contacts with most of the squared error outside of all parts, ``(n,)``, and rings around them."""
        N, whole, n = self.island.P.A.N, float(outside.sum()), len(outside)
        most = MANY if held_up or n > LARGE else LEAST
        best: tuple[float, list[Indices]] = (0.0, [])
        for share, rings in AROUND if held_up else AROUND[:1]:
            every = apart(N, np.flatnonzero(around(N, those_with_most(outside, share), rings)))
            found = [blocks for blocks in every if len(blocks) <= most and outside[blocks].sum() > SOLVED * whole]
            best = max(best, (float(sum(outside[blocks].sum() for blocks in found)), found), key=lambda one: one[0])
            if best[0] > REACHED * whole:
                break
        for blocks in best[1]:
            self.inside[blocks] = True


def begin(P: Prepared, blocks: Indices, law: int, x: Array, u: Array, limit: int) -> tuple[Island, Indices]:
    """Make some contacts an island of their own, from x and u of all, which hold for the others; return also its rows."""
    Q, rows = part_of(P, blocks)
    Q, mine, speeds = alone(Q, rows, x, u)
    part = Island(Q, law, mine, speeds, np.zeros(0), limit)
    part.take(mine, speeds)
    return part, rows


def solve_part(part: Island, held_up: bool) -> None:
    """Solve a part until its error has fallen enough: by Newton's method, else from its core, or as a convex problem."""
    goal, enough = GOAL * part.error, HELPS * part.error
    part.newton(goal, 2 * FEW if held_up else FEW, hope=HOPE)
    if not held_up or not part.error > enough:
        return
    if part.law == 0:
        part.convex(goal, part.zero, part.x)
        return
    for _ in range(CORES):
        x, u = part.x.copy(), part.u.copy()
        blocks = core_of(part, part.errors(x, u))
        if not len(blocks) or part.rest <= 0:
            return
        core, rows = begin(part.P, blocks, part.law, x, u, part.rest)
        before = core.error
        take_turns(core, GOAL * before, rounds=1)
        part.note_part(core)
        if core.error > HELPS * before:
            return
        x[rows] = core.x
        u = part.velocity(x)
        part.sweeps(goal, SWEEPS, x, u)
        part.newton(goal, FEW, x, hope=HOPE)
        if part.error <= enough:
            return


def core_of(part: Island, error: Array) -> Indices:
    """Return the contacts that have most of the squared error, ``(n,)``; none where these are many, or not much fewer."""
    for share, rings in AROUND[1:]:
        blocks = np.flatnonzero(around(part.P.A.N, those_with_most(error, share), rings))
        if len(blocks) <= min(LEAST, 0.5 * len(error)):
            return blocks
    return np.zeros(0, np.int64)


def seconds_of(part: Island) -> float:
    """Estimate the time of a part's factors, s, by their number and operations, of LU twice those of Cholesky."""
    contacts, count = len(part.P.K.start) - 1, operations(part.pattern)
    each = {"interior_point": count, "newton": 2.0 * count}
    return float(
        sum(spent[0] * seconds_of_step(contacts, each[name]) for name, spent in part.spent.items() if name in each)
    )


def change(P, blocks, part, step, x, u):
    """Copy a part's multipliers to its blocks of x, and update u; ``step`` is workspace, as many numbers as x has"""
    row = 0
    for i in blocks:
        for k in range(P.K.start[i], P.K.start[i + 1]):
            step[k] = part[row] - x[k]
            x[k] = part[row]
            u[k] += P.A.compliance[k] * step[k]
            row += 1
        multiply_row_transposed(P.A.N, i, step, u)


change = entry_point(change)
