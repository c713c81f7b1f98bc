"""One island of a problem on its way through several methods, and the runners made of it.

Methods that factorise have this in common: each starts from the best point so far, and gives back what is better; its
iterations and its time are recorded. They are judged by velocities and errors with double precision, one after the other.

Source: for the error, as :mod:`~pluecker.contact.friction.problem.natural_map`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pluecker.contact.friction.first_order.apgd import run_apgd
from pluecker.contact.friction.first_order.memory import (
    BEST_U,
    BEST_X,
    ERROR,
    ITERATIONS,
    MOMENTUM,
    PRODUCTS,
    RELAXATION,
    Memory,
    make_memory,
)
from pluecker.contact.friction.first_order.pgs import run_pgs
from pluecker.contact.friction.first_order.runner import evaluate
from pluecker.contact.friction.first_order.sharing import Whole, layout_of
from pluecker.contact.friction.interior_point.interior_point import interior_point
from pluecker.contact.friction.problem.natural_map import natural_block
from pluecker.contact.friction.problem.operator import apply
from pluecker.contact.friction.problem.prepared import Prepared, cut
from pluecker.contact.friction.problem.sets import shift
from pluecker.contact.friction.results.result import Part
from pluecker.contact.friction.solving.islands.newton import (
    BUDGET,
    Limits,
    Roots,
    Task,
    improve_islands,
    improve_part,
    make_place,
)
from pluecker.contact.friction.sparse.blocks import BlockMatrix, Indices
from pluecker.contact.friction.sparse.symbolic import Symbolic, analyse, least_operations
from pluecker.spatial.engine.compiled.decorators import entry_point
from pluecker.spatial.engine.parallel.interruption import LONG_OPERATIONS, answering
from pluecker.spatial.engine.parallel.threads import map_in_threads
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.properties import cached_property

__all__ = ["STEPS", "Checks", "Island", "is_long", "on_islands"]

STEPS = 200  # of the interior point in one call
LONGEST_FACTOR = 5e9  # operations of a factor of the interior point: more takes a second, and is left out


@dataclass
class Island:
    """State of one island on its way through several methods: the best multipliers so far.

    Attributes:
        P: the island as a problem of its own.
        law: 1 for Coulomb's law.
        x, u: the best multipliers and velocities, scaled, changed in place.
        record: takes errors, or is empty.
        limit: of iterations, of all methods together.
        whole: the problem, and what is kept of it.
        number: of this island in it.
        factors: the island by factors too, where these are cheaper; for sweeps, of which each takes half the time then.
        error: of the best multipliers.
        iterations: of all methods so far.
        spent: by method, iterations and seconds.
    """

    P: Prepared
    law: int
    x: Array
    u: Array
    record: Array
    limit: int
    whole: Whole
    number: int = 0
    factors: Prepared | None = None
    error: float = np.inf
    iterations: int = 0
    products: int = 0
    spent: dict[str, list[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.zero, self.checks = np.zeros(len(self.x)), Checks(self.P, self.law)

    @cached_property
    def memory(self) -> Memory:
        """Memory of first-order methods."""
        return make_memory(len(self.x), 1, self.record)

    @cached_property
    def laid(self) -> Any:
        """Layout of a large island for sweeps; None for other islands."""
        return None if self.factors is None else layout_of(self.factors, 0, self.whole.layouts, self.number)

    @property
    def contacts(self) -> int:
        """Number of blocks."""
        return len(self.P.K.start) - 1

    @property
    def pattern(self) -> Symbolic:
        """Pattern of the factor that the interior point needs: the one that is known, or found now and kept."""
        found = self.whole.patterns.get(self.number)
        if found is None:
            found = self.whole.patterns[self.number] = analyse(self.P.A.N)
        return found

    @cached_property
    def factorises(self) -> bool:
        """True if factors of the interior point take less than a second each."""
        if self.number not in self.whole.patterns:  # which are dear where a factor is
            if ("factor", self.number) not in self.whole.layouts:
                self.whole.layouts["factor", self.number] = least_operations(self.P.A.N)
            if self.whole.layouts["factor", self.number] > LONGEST_FACTOR:
                return False
        return operations(self.pattern) <= LONGEST_FACTOR

    @property
    def roots(self) -> Roots | None:
        """Roots for Newton's method, if there are any of this island."""
        roots = self.whole.roots
        return roots if roots is not None and roots.covered[self.number] else None

    @cached_property
    def task(self) -> Task:
        """The whole problem for Newton's method, with a workspace of its own."""
        return self.new_task()

    def new_task(self) -> Task:
        """Make the whole problem for Newton's method, with a new workspace."""
        roots = self.whole.roots
        assert roots is not None
        return Task(self.whole.P, self.law, roots, make_place(roots))

    @property
    def first(self) -> int:
        """Number of the island's first block in the whole problem."""
        return int(self.whole.P.islands[self.number])

    @property
    def rows(self) -> slice:
        """Rows of the island in the whole problem."""
        top = int(self.whole.P.K.start[self.first])
        return slice(top, top + len(self.x))

    @property
    def rest(self) -> int:
        """Number of iterations that are left."""
        return self.limit - self.iterations

    def take(self, x: Array, u: Array) -> bool:
        """Keep a pair if it is better than the best; return whether it is."""
        error = self.checks.error(x, u)
        if not error < self.error:
            return False
        self.error, self.x[:], self.u[:] = error, x, u
        return True

    def velocity(self, x: Array) -> Array:
        """Compute N x + b, scaled."""
        return self.checks.velocity(x, self.whole.threads)

    def errors(self, x: Array, u: Array) -> Array:
        """Return the squared natural map of each contact; of steep cones Signorini's error if larger."""
        self.checks.error(x, u)
        return self.checks.errors

    def note(self, method: str, iterations: int, began: float) -> None:
        """Record what a method spent."""
        if len(self.record):
            part = self.record[self.iterations + 1 : self.iterations + 1 + iterations]
            np.maximum(part, self.error, out=part, where=part == 0)
        self.iterations += iterations
        spent = self.spent.setdefault(method, [0, np.inf, 0.0])
        spent[0] += iterations
        spent[1] = self.error
        spent[2] += time.perf_counter() - began

    def gradients(self, tol: float, limit: int) -> None:
        """Run accelerated projected gradients from the best point."""
        limit = min(limit, self.rest)
        began, x, u, results = time.perf_counter(), self.x.copy(), self.u.copy(), np.array([[np.inf, 0.0, 0.0]])
        memory = self.memory._replace(results=results, history=self.record[self.iterations :])
        answering(run_apgd, self.P, self.law, x, u, tol, limit, memory, 0, 1, long=is_long(self.P, limit))
        self.take(x, u)
        self.products += int(results[0, PRODUCTS])
        self.note("apgd", int(results[0, ITERATIONS]), began)

    def sweeps(
        self, tol: float, limit: int, x: Array, u: Array, relaxation: float = 1.0, momentum: bool = False
    ) -> float:  # fmt: skip
        """Run Gauss-Seidel from the pair x, u, which become the last one; return the error of the best that was met.

        Momentum is for islands that are laid out.
        """
        began, limit, name = time.perf_counter(), min(limit, self.rest), "pgs" if relaxation == 1.0 else "psor"
        results = np.array([[np.inf, 0.0, 0.0]])
        memory = self.memory._replace(results=results, history=self.record[self.iterations :])
        memory.states[0, [RELAXATION, MOMENTUM]] = relaxation, momentum
        P = self.P if self.factors is None else self.factors
        if self.laid is None:
            answering(run_pgs, P, self.law, x, u, tol, limit, memory, 0, 1, long=is_long(self.P, limit))
        else:
            from pluecker.contact.friction.first_order.lanes import run_large  # small problems need not load it

            run_large(P, self.law, x, u, tol, limit, memory, 0, self.laid)
        self.take(x, u)
        last = memory.work[BEST_X, : len(x)], memory.work[BEST_U, : len(u)]
        if np.isfinite(last).all():
            x[:], u[:] = last
        self.products += int(results[0, PRODUCTS])
        self.note(name, int(results[0, ITERATIONS]), began)
        return float(results[0, ERROR])

    def newton(self, tol: float, x: Array | None = None, most: int = BUDGET) -> None:
        """Run Newton's method, from the best point unless another is given, with so many factors, if there is a root."""
        if self.roots is None or self.rest <= 0 or self.error <= tol:
            return
        began, results, m = time.perf_counter(), np.array([[np.inf, 0.0, 0.0]]), len(self.whole.P.b)
        own, speeds = np.empty(m), np.empty(m)
        own[self.rows] = self.x if x is None else x
        improve_islands(self.task, own, speeds, Limits(tol, self.rest, most), results, self.number)
        self.take(own[self.rows], speeds[self.rows])
        self.note("newton", int(results[0, ITERATIONS]), began)

    def improve_parts(self, parts: list[Indices], x: Array, u: Array, goal: float, most: int) -> list[bool]:
        """Run Newton's method on some contacts at a time, each with all others as they are; return where that helps.

        Args:
            parts: contacts that do not act on one another.
            x, u: a pair, of which x is changed where the error of a part falls.
            goal: of the error of a part, at which it is solved.
            most: factors of each.
        """
        began, most, m = time.perf_counter(), min(most, self.rest), len(self.whole.P.b)
        own, speeds = np.empty(m), np.empty(m)
        own[self.rows], speeds[self.rows] = x, u

        def solved(k: int) -> tuple[bool, int]:
            with np.errstate(all="ignore"):  # of its thread
                task, blocks = self.new_task(), self.first + parts[k]
                before, _ = improve_part(task, own, speeds, blocks, 0.0, 0, 0.0)
                error, factors = improve_part(task, own, speeds, blocks, goal * before, most, before)
                return error < before, factors

        order = sorted(range(len(parts)), key=lambda k: -len(parts[k]))  # largest first, so that no thread waits long
        found = dict(zip(order, map_in_threads(solved, order, self.whole.threads), strict=True))
        x[:] = own[self.rows]
        share = sum(len(parts[k]) * factors for k, (_, factors) in found.items()) / self.contacts
        self.note("newton", -int(-share // 1), began)
        return [found[k][0] for k in range(len(parts))]

    def convex(self, tol: float, g: Array, start: Array, most: int = STEPS) -> Array:
        """Return the interior point's multipliers of the convex problem with shifted velocities."""
        if self.rest <= 0:
            return start
        began, P, limit, pattern = time.perf_counter(), self.P, min(most, self.rest), self.pattern
        # Operations of a factor are not more than its entries times the rows, which are quickly known.
        brief = LONG_OPERATIONS / limit
        long = float(pattern.numbers[0]) * len(P.b) > brief and operations(pattern) > brief
        steps, x = answering(
            interior_point, with_compliance(P), P.b + g, P.K, P.s, start, tol, limit, pattern, long=long
        )
        self.take(x, self.velocity(x))
        self.note("interior_point", int(steps), began)
        return np.asarray(x)

    def first_shift(self) -> Array:
        """Return the shift of the present multipliers; zero without any, where the convex problem is the better start."""
        return self.shifted(self.x) if self.x.any() else np.zeros(len(self.x))

    def shifted(self, x: Array) -> Array:
        """Compute what De Saxce's correction adds to the velocities of x, scaled, ``(m,)``."""
        g = np.zeros(len(x))
        shift(self.P.K, self.velocity(x), g)
        return g


def is_long(P: Prepared, iterations: float) -> bool:
    """Return whether so many iterations of a first-order method may take long in one piece of compiled code."""
    return iterations * len(P.A.N.data) > LONG_OPERATIONS


def operations(pattern: Symbolic) -> float:
    """Estimate the operations of a factorisation: the rows of each column of the factor squared."""
    return float(pattern.numbers[1])


def with_compliance(P: Prepared) -> BlockMatrix:
    """Return N with its compliance, scaled."""
    N = P.A.N
    if not P.A.compliance.any():
        return N
    data, heights = N.data.copy(), np.diff(N.rows)
    row = np.repeat(np.arange(len(heights)), np.diff(N.first))
    for k in np.flatnonzero(row == N.column):
        i = row[k]
        n = heights[i]
        data[N.place[k] + np.arange(n) * (n + 1)] += P.A.compliance[N.rows[i] : N.rows[i + 1]]
    return N._replace(data=data)


def on_islands(recipe: Callable[[Island, float], None]) -> Callable[..., list[Part]]:
    """Make a runner like those of :func:`.make_runner` from a recipe for one island.

    It takes a problem with what is kept of it, the symbolic factors and the layouts of islands, by their numbers, and adds
    what it finds; threads share the parts of each large island, and what tells its errors.
    """

    def run(whole, law, x, u, tol, limit, memory, begin, end):
        parts, results, P = [], memory.results, whole.P
        for k in range(begin, end):
            if results[k, ERROR] <= tol:
                continue
            part = cut(P, k)
            top = int(P.K.start[P.islands[k]])
            rows = slice(top, top + len(part.b))
            done = int(results[k, ITERATIONS])
            factors = cut(P, k, by_factors=True) if P.A.is_factored else None
            island = Island(
                part, law, x[rows].copy(), u[rows].copy(), memory.history[done:], limit - done, whole, k, factors
            )  # fmt: skip
            start = island.x.copy()
            island.take(start, island.velocity(start))
            if island.error > tol:
                recipe(island, tol)
            x[rows], u[rows] = island.x, island.u
            results[k] = island.error, done + island.iterations, results[k, PRODUCTS] + island.products
            for method, (iterations, error, seconds) in island.spent.items():
                parts.append(Part(method, slice(k, k + 1), np.array([iterations]), np.array([error]), seconds))
        return parts

    return run


def judge(P, exact, x, u, zero, work, errors):
    """Compute the squared natural map of each contact; return the error of all"""
    for i in range(len(errors)):
        errors[i] = natural_block(P.K, i, 0.0, exact, x, u, work)
    return evaluate(P, zero, x, u, exact, 0, len(errors), work)


judge = entry_point(judge)


class Checks:
    """Evaluation of velocities and errors of one island.

    Args:
        P: with its matrix; n contacts.
        law: 1 for Coulomb's law.

    Attributes:
        errors: the squared natural map of each contact, ``(n,)``, as the last call of :meth:`error` found them.
    """

    def __init__(self, P: Prepared, law: int) -> None:
        n = len(P.K.start) - 1
        self.P, self.law, self.errors = P, law, np.zeros(n)
        self.zero, self.work = np.zeros(n), np.empty(len(P.b))

    def velocity(self, x: Array, threads: int) -> Array:
        """Compute u = N x + b, ``(3 n,)``, of the multipliers x, ``(3 n,)``; each thread some of its rows."""
        n, u = len(self.errors), np.empty_like(x)
        map_in_threads(
            lambda k: apply(self.P.A, x, u, k * n // threads, (k + 1) * n // threads, 0, 0), range(threads), threads
        )
        u += self.P.b
        return u

    def error(self, x: Array, u: Array) -> float:
        """Compute the error of a pair, as :func:`~pluecker.contact.friction.first_order.runner.evaluate` has it."""
        return float(judge(self.P, self.law, x, u, self.zero, self.work, self.errors))
