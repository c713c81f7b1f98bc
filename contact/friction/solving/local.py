"""Newton's method on the few contacts that keep the rest from converging, all others held.

Sweeps of Gauss-Seidel, most of all under Coulomb's law, come to a point where nearly all contacts are solved and some dozens
go round in a circle. The factor of thousands of contacts is dear, that of these and their neighbours is not: they are a
problem of their own (:mod:`~pluecker.contact.friction.solving.parts`): the contacts with most of the error, and all within
some rings around them.

What sweeps do next carries the change to the others. The answer of these moves the solution there: a part that was found is
solved again whenever it is off, a step or two of Newton's method each time. This is a Schwarz method whose subdomains are
chosen where the error is, with sweeps in place of a coarse problem. Where it gets nearer slowly, what holds it up is the rim
of a part, and the part gets a ring of neighbours more; such parts that meet then become one. Contacts that do not act on one
another are parts of their own: Newton's method takes as many steps as the hardest circle needs, and these are few when it is
alone. Where it fails, the core of a part comes first (:mod:`~pluecker.contact.friction.solving.cores`), and where that fails
too, perhaps because there is no solution while the others are held, the part gets a ring more as well.

Without these rings one packing of 100,000 contacts in five (seed 3) goes on for 85,000 sweeps, 155 s, and is not solved;
with them all take 3 to 10 s. Parts that may not grow beyond 700 contacts may answer one another, or their neighbours, for
ever: of 52 packings of 20,000 contacts two were not solved then, and took 115 s; with 1,500, and more rounds of cores, all
are, the dearest in 24 s, and together they take a third of the time.

Parts that do not act on one another are solved by threads side by side, those that do one after the other: the same bits for
any number of threads.

Source: V. Dolean, P. Jolivet and F. Nataf, "An introduction to domain decomposition methods" (2015), chapter 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pluecker.contact.friction.problem.prepared import Prepared
from pluecker.contact.friction.solving.cores import GOAL, HELPS, HOPE, TURNS, begin, solve_part
from pluecker.contact.friction.solving.island import Island, operations, seconds_of_step
from pluecker.contact.friction.solving.newton import System, make_system
from pluecker.contact.friction.solving.parts import apart, around, met_by, part_of, those_with_most
from pluecker.contact.friction.sparse.blocks import Indices, multiply_row_transposed
from pluecker.spatial.engine.compiled.decorators import allocation_free
from pluecker.spatial.engine.parallel.threads import map_in_threads
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.properties import cached_property

__all__ = ["OUTSIDE", "Subdomains"]

# Shares of the squared error that the contacts in the middle have together, and rings of neighbours around them: the first
# ones, or the next where sweeps are held up and parts would be too large.
AROUND = ((0.9, 2), (0.9, 1), (0.5, 1), (0.5, 0))
REACHED = 0.25  # of the squared error outside of parts, that new ones have; else they are sought closer around it
OUTSIDE = 0.5  # of the squared error, from which what is outside of all parts gets one of its own
NEARBY = 500  # contacts of a new part at most: of more, Newton's method takes longer than sweeps, and seldom helps
# Contacts of one that grows, at least and of all: where sweeps are long, it may be longer. Of fewer it may have all.
GROWN, OF_ALL = 1500, 0.016
LEAST, SMALL = 100, 0.12  # contacts that are always few, and of all: more take longer than the sweeps between
QUICK = 12  # steps of Newton's method where what circles there does not hold up the rest
SOLVED = 0.0025  # of the squared error of all: a part that has no more is left as it is
SLOW = 0.25  # of the squared error that was there a piece before: parts grow where that is left
HOLDS_UP = 0.1  # of the squared error: a part that has more grows then


class Subdomain:
    """Some contacts as a problem of their own, with the count of failures of Newton's method there.

    Args:
        P: the problem of all.
        blocks: these contacts, ascending.
        before: the part that this one takes the place of, whose failures are its own.

    Attributes:
        reach: these contacts, and those that they act on.
    """

    def __init__(self, P: Prepared, blocks: Indices, before: Subdomain | None = None) -> None:
        self.P, self.blocks = P, blocks
        self.failed: int = 0 if before is None else before.failed
        self.rest: int = 0 if before is None else before.rest
        self.reach = met_by(P.A.N, blocks)

    @cached_property
    def alone(self) -> tuple[Prepared, Indices, System]:
        """Problem of these contacts alone, its rows, and its Newton equation; found by the thread that solves it first."""
        Q, rows = part_of(self.P, self.blocks)
        return Q, rows, make_system(Q.A.N)

    def is_due(self) -> bool:
        """Return whether this call tries it: after each failure twice as many calls pass as after the one before."""
        self.rest -= 1
        return self.rest < 0

    def solve(self, island: Island, x: Array, u: Array, held_up: bool) -> Solved:
        """Solve it while all others are held.

        While sweeps are not ``held_up`` all others move, and a few steps must do.
        """
        Q, rows, system = self.alone
        part = begin(Q, rows, island.law, x, u, min(TURNS, island.rest))
        part.patterns[part.number], part.system = system.factors.S, system
        before = part.error
        if held_up:
            solve_part(part)
        else:
            part.newton(GOAL * before, QUICK, hope=HOPE)
        return Solved(part, part.error <= HELPS * before)

    def take(self, found: Solved, island: Island, x: Array, u: Array) -> None:
        """Change x and u to the solution that was found."""
        self.failed = 0
        change(island.P, self.blocks, found.part.x, np.empty_like(x), x, u)


class Solved(NamedTuple):
    """Result of a part: its island, and whether it is worth taking."""

    part: Island
    helps: bool


class Subdomains:
    """Parts of an island where the error is, found as that becomes known.

    Attributes:
        parts: in the order in which they were found.
        covered: which contacts are in any.
        before: the squared error when they were last improved.
        most: contacts that a part may grow to.
        seconds: that parts take by the count of their steps.
    """

    def __init__(self, island: Island) -> None:
        self.island = island
        n = len(island.P.K.start) - 1
        self.parts: list[Subdomain] = []
        self.covered, self.before, self.most = np.zeros(n, bool), np.inf, max(GROWN, OF_ALL * n)
        self.seconds = 0.0

    def improve(self, x: Array, u: Array, held_up: bool = True) -> float:
        """Run Newton's method in all parts that have error; x and u change where it helps there.

        Where sweeps are not ``held_up``, they are quicker than Newton's method on a larger part of all contacts.
        The error of the whole may rise at first, because neighbours have not answered yet: the island keeps its best.

        Returns:
            The share of the squared error that lay in parts before.
        """
        island, changed = self.island, False
        error = island.errors(x, u)
        whole = float(error.sum())
        share = float(error[self.covered].sum()) / whole if whole > 0.0 else 0.0
        if whole > SLOW * self.before and share > OUTSIDE:
            self.widen(error)
        self.before = whole
        if held_up:
            self.extend(error, NEARBY, AROUND)
        else:
            self.extend(error, min(NEARBY, max(LEAST, SMALL * len(error))), AROUND[:1])
        due = [part for part in self.parts if error[part.blocks].sum() > SOLVED * whole]
        for parts in self.side_by_side([part for part in due if part.is_due()]):
            for part, found in zip(parts, self.solve(parts, x, u, held_up), strict=True):
                island.note_part(found.part)
                self.seconds += seconds_of(found.part)
                if found.helps:
                    part.take(found, island, x, u)
                    changed = True
                elif held_up:
                    part.failed += 1
                    part.rest = 2**part.failed
                    if part in self.parts:
                        self.grow(part, around(island.P.A.N, self.only(part.blocks)))
        if changed:
            island.take(x, u)
        return share

    def side_by_side(self, parts: list[Subdomain]) -> Iterator[list[Subdomain]]:
        """Yield these parts in sets that can be solved at once: one that another acts on comes after it."""
        after, number = np.zeros(len(self.covered), np.int64), np.zeros(len(parts), np.int64)
        for k, part in enumerate(parts):
            number[k] = after[part.blocks].max()
            after[part.reach] = np.maximum(after[part.reach], number[k] + 1)
        for at_once in range(number.max(initial=-1) + 1):
            yield [parts[k] for k in np.flatnonzero(number == at_once)]

    def solve(self, parts: list[Subdomain], x: Array, u: Array, held_up: bool) -> list[Solved]:
        """Solve each of these parts, all others held; the largest is begun first, so that no thread waits long."""

        def one(k: int) -> Solved:
            with np.errstate(all="ignore"):  # of its thread
                return parts[k].solve(self.island, x, u, held_up)

        order = sorted(range(len(parts)), key=lambda k: -len(parts[k].blocks))
        found = dict(zip(order, map_in_threads(one, order, self.island.threads), strict=True))
        return [found[k] for k in range(len(parts))]

    def only(self, blocks: Indices) -> NDArray[np.bool_]:
        """Return a mask of these contacts among all, ``(n,)``."""
        inside = np.zeros(len(self.covered), bool)
        inside[blocks] = True
        return inside

    def grow(self, part: Subdomain, inside: NDArray[np.bool_]) -> None:
        """Replace a part, and those that lie in these contacts, by one of all of these, if they are not too many."""
        if len(part.blocks) < np.count_nonzero(inside) <= self.most:
            self.parts[self.parts.index(part)] = grown = Subdomain(self.island.P, np.flatnonzero(inside), part)
            self.parts = [other for other in self.parts if other is grown or not inside[other.blocks].all()]
            self.covered |= inside

    def widen(self, error: Array) -> None:
        """Add a ring to each part that holds up the rest, and join it with others that do so and that it meets then."""
        enough = HOLDS_UP * error.sum()
        for part in list(self.parts):
            if part not in self.parts or not error[part.blocks].sum() > enough:
                continue
            inside = around(self.island.P.A.N, self.only(part.blocks))
            met = [
                other for other in self.parts
                if other is not part and inside[other.blocks].any() and error[other.blocks].sum() > enough
            ]  # fmt: skip
            together = inside | self.only(np.concatenate([part.blocks, *(other.blocks for other in met)]))
            self.grow(part, together if np.count_nonzero(together) <= self.most else inside)

    def extend(self, error: Array, most: float, tries: Sequence[tuple[float, int]]) -> None:
        """Add parts, of at most so many contacts each, where most of the squared error is in none.

        Args:
            error: squared, of each contact.
            most: contacts of a part.
            tries: shares and rings, as :data:`AROUND` has them: the first that has enough of it in parts that will be
                solved, or the one that has most.
        """
        P, outside = self.island.P, np.where(self.covered, 0.0, error)
        if not outside.sum() > OUTSIDE * error.sum():
            return
        best: tuple[float, list[Indices]] = (0.0, [])
        for share, rings in tries:
            every = apart(P.A.N, np.flatnonzero(around(P.A.N, those_with_most(outside, share), rings)))
            found = [b for b in every if len(b) <= most and outside[b].sum() > SOLVED * error.sum()]
            best = max(best, (float(sum(outside[b].sum() for b in found)), found), key=lambda one: one[0])
            if best[0] > REACHED * outside.sum():
                break
        for blocks in best[1]:
            inside = self.only(blocks)
            self.parts = [part for part in self.parts if not inside[part.blocks].all()]
            self.parts.append(Subdomain(P, blocks))
            self.covered |= inside


def seconds_of(part: Island) -> float:
    """Estimate the time of a part's factors, s, by their number and operations, of LU twice those of Cholesky."""
    contacts, count = len(part.P.K.start) - 1, operations(part.pattern)
    each = {"interior_point": count, "newton": 2.0 * count, "smoothed": 2.0 * count}
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


change = allocation_free(change)
