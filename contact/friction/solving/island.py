"""One island of a problem on its way through several methods, and the runners made of it.

Methods that factorise have this in common: each starts from the best point so far, and gives back what is better; its
iterations and its time are recorded.
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
    TRIED,
    Memory,
    make_memory,
)
from pluecker.contact.friction.first_order.pgs import run_psor
from pluecker.contact.friction.first_order.sharing import Layouts, is_large, layout_of, threads_for
from pluecker.contact.friction.interior_point.interior_point import interior_point
from pluecker.contact.friction.problem.prepared import Prepared, cut
from pluecker.contact.friction.problem.sets import shift
from pluecker.contact.friction.results.result import Part
from pluecker.contact.friction.solving.newton import System, evaluate_all, make_system, newton, velocity
from pluecker.contact.friction.solving.parts import errors_of
from pluecker.contact.friction.sparse.blocks import BlockMatrix
from pluecker.contact.friction.sparse.symbolic import Symbolic, analyse
from pluecker.spatial.engine.parallel.interruption import LONG_OPERATIONS, answering
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.properties import cached_property

__all__ = [
    "CALL", "FEW", "NEAR", "STEPS", "Island", "is_long", "on_islands", "operations", "pattern_of",
]  # fmt: skip

STEPS = 150  # of Newton's method at a time, where nothing else is left
SEVERAL = 40  # where other methods take turns with it
FEW = 12  # from a point that may be near
HOPE = 8  # by which it must have gained something, where it may go round in a circle
NEAR = 1e-4  # an error from which Newton's method is tried
NEARER = 0.1  # of the error at which it was tried last
HELPS = 0.5  # of the error: what leaves more helps little
PROBE = 64  # iterations of gradients or sweeps before the first look
CHEAPER = 4.0  # sweeps of a large island, which take eight contacts at a time, in the time of one of others
# Contacts of an island: of fewer, gradients come first; of fewer, the pattern of a factor is found whenever it is of use.
MANY, LARGE = 500, 2000
CALL = 200  # iterations of the interior point in one call
PER_ROW = 8  # operations of an iteration besides its product
PIECE = 8e8  # operations of gradients to the limit: half of them in one piece, 0.2 s where it was measured
USUAL = 50  # those that it takes where it gets anywhere, at most


@dataclass
class Island:
    """State of one island on its way through several methods: the best multipliers so far.

    Attributes:
        P: the island as a problem of its own.
        law: 1 for Coulomb's law.
        x, u: the best multipliers and velocities, scaled, changed in place.
        error: their error.
        limit: of iterations, of all methods together, but for ``spare``.
        iterations: of all methods so far.
        spent: by method, iterations and seconds.
        patterns: symbolic factors of islands that are known, by their numbers.
        number: of this one.
        factors: the island by factors too, where these are cheaper; for sweeps, of which each takes half the time then.
        layouts: of large islands, that are known.
        threads: that share the work of a large island, at most.
        tried: the error from which Newton's method was tried last.
        spare: over-relaxed sweeps of a large island beside ``limit``.
    """

    P: Prepared
    law: int
    x: Array
    u: Array
    record: Array
    limit: int
    error: float = np.inf
    iterations: int = 0
    products: int = 0
    spent: dict[str, list[float]] = field(default_factory=dict)
    patterns: dict[int, Symbolic] = field(default_factory=dict)
    number: int = 0
    factors: Prepared | None = None
    layouts: Layouts = field(default_factory=dict)
    threads: int = 1
    tried: float = np.inf
    spare: int = 0

    def __post_init__(self) -> None:
        self.zero, self.work = np.zeros(len(self.x)), np.empty(len(self.x))

    @cached_property
    def memory(self) -> Memory:
        """Memory of first-order methods."""
        return make_memory(len(self.x), 1, self.record)

    @cached_property
    def sweeping(self) -> Any:
        """State from which sweeps of a large island continue; None for other islands."""
        if self.factors is None:
            return None
        laid = layout_of("sweeps", self.factors, 0, self.layouts, self.number, threads=self.crew)
        if laid is None:
            return None
        from pluecker.contact.friction.first_order.large_sweeps import Sweeping  # small problems need not load it

        return Sweeping(laid, self.P.b)

    @cached_property
    def checks(self) -> Any:
        """Evaluation of velocities and errors by threads, for a large island of contacts; None for other islands."""
        P = self.P
        if not is_large(len(P.K.start) - 1) or (np.diff(P.K.start) != 3).any():
            return None
        from pluecker.contact.friction.first_order.large_checks import Checks  # small problems need not load it

        return Checks(P, self.law)

    @property
    def crew(self) -> int:
        """Number of threads that are worth it."""
        return threads_for(len(self.P.K.start) - 1, self.threads)

    @property
    def pattern(self) -> Symbolic:
        """Pattern of the factor that the interior point needs."""
        return pattern_of(self.patterns, self.number, self.P)

    @cached_property
    def system(self) -> System:
        """System of Newton's equation."""
        return make_system(self.P.A.N, self.pattern)

    def forget_sweeps(self) -> None:
        """Let the sweeps that come next go the same way whatever was tried before."""
        for state in ("memory", "sweeping"):
            vars(self).pop(state, None)

    @property
    def rest(self) -> int:
        """Number of iterations that are left."""
        return self.limit - self.iterations

    def take(self, x: Array, u: Array) -> bool:
        """Keep a pair if it is better than the best; return whether it is."""
        if self.checks is None:
            error = float(evaluate_all(self.P, self.zero, x, u, self.law, self.work))
        else:
            error = self.checks.error(x, u, self.crew)
        if not error < self.error:
            return False
        self.error, self.x[:], self.u[:] = error, x, u
        return True

    def velocity(self, x: Array) -> Array:
        """Compute N x + b, scaled."""
        return velocity(self.P, x) if self.checks is None else self.checks.velocity(x, self.crew)

    def errors(self, x: Array, u: Array) -> Array:
        """Return the squared natural map of each contact; of steep cones, in large islands, Signorini's error if larger."""
        if self.checks is None:
            return errors_of(self.P, self.law, x, u)
        self.checks.error(x, u, self.crew)
        return self.checks.errors.copy()

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

    def note_part(self, part: Island) -> None:
        """Record what was spent on some of the contacts: iterations by their share of all, rounded up."""
        some, all_ = len(part.P.K.start) - 1, len(self.P.K.start) - 1
        for method, (iterations, _, seconds) in part.spent.items():
            self.note(method, -(-some * int(iterations) // all_), time.perf_counter() - seconds)

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
        """Run Gauss-Seidel from the pair x, u, which become the last one; return the error of the best that was met."""
        began, limit, name = time.perf_counter(), min(limit, self.rest), "pgs" if relaxation == 1.0 else "psor"
        if self.sweeping is not None:
            used, error = self.large_sweeps(tol, limit, x, u, relaxation, momentum)
            self.note(name, used, began)
            return error
        results = np.array([[np.inf, 0.0, 0.0]])
        memory = self.memory._replace(results=results, history=self.record[self.iterations :])
        memory.states[0, [RELAXATION, MOMENTUM]] = relaxation, momentum
        P = self.P if self.factors is None else self.factors
        answering(run_psor, P, self.law, x, u, tol, limit, memory, 0, 1, long=is_long(self.P, limit))
        self.take(x, u)
        last = memory.work[BEST_X, : len(x)], memory.work[BEST_U, : len(u)]
        if np.isfinite(last).all():
            x[:], u[:] = last
        self.products += int(results[0, PRODUCTS])
        self.note(name, int(results[0, ITERATIONS]), began)
        return float(results[0, ERROR])

    def large_sweeps(
        self, tol: float, limit: int, x: Array, u: Array, relaxation: float, momentum: bool
    ) -> tuple[int, float]:  # fmt: skip
        """Run :meth:`sweeps` by code for large islands; return how many, and the error of the best pair.

        Velocities are corrected after each call. Where that takes away a tolerance that was reached, sweeps go on.
        """
        sweeping, used, crew = self.sweeping, 0, self.crew
        before = int(sweeping.spent)
        while True:
            history = self.record[self.iterations + used :]
            sweeping.run(x, self.law, tol, limit - used, relaxation, momentum, history, crew)
            used += sweeping.used
            last = sweeping.last
            if all(np.isfinite(half).all() for half in last):
                x[:], u[:] = last[0], self.velocity(last[0])
                sweeping.correct(last[1] - u)
            if sweeping.ends_best:
                self.take(x, u)
            elif sweeping.error < self.error:
                best = sweeping.best_multipliers
                self.take(best, self.velocity(best))
            if not sweeping.error <= tol < self.error or sweeping.used == 0:
                break
        self.products += sweeping.spent - before
        return used, sweeping.error

    def newton(self, tol: float, most: int = STEPS, x: Array | None = None, hope: int = 0) -> None:
        """Run Newton's method, from the best point unless another is given; give up where ``hope`` steps gain nothing."""
        began, most = time.perf_counter(), min(most, self.rest)
        x, u = (self.x.copy(), self.u.copy()) if x is None else (x.copy(), self.velocity(x))
        steps = newton(self.P, self.law, x, u, tol, most, self.record[self.iterations :], self.system, hope)
        self.take(x, u)
        self.note("newton", steps, began)

    def newton_if_near(self, tol: float) -> None:
        """Run Newton's method, where the best point is near, and nearer than it was when that was tried last."""
        if tol < self.error < min(NEAR, NEARER * self.tried):
            self.tried = self.error
            self.newton(tol, FEW)

    def convex(self, tol: float, g: Array, start: Array, most: int = CALL) -> Array:
        """Return the interior point's multipliers of the convex problem with shifted velocities."""
        if self.rest <= 0:
            return start
        began, P, limit, pattern = time.perf_counter(), self.P, min(most, self.rest), self.pattern
        # Operations of a factor are not more than its entries times the rows, which are quickly known.
        brief = LONG_OPERATIONS / USUAL
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
    return iterations * (len(P.A.N.data) + PER_ROW * len(P.b)) > PIECE


def pattern_of(patterns: dict[int, Symbolic], number: int, P: Prepared) -> Symbolic:
    """Return the symbolic factor of the island P of that number: the one that is known, or found now and kept."""
    found = patterns.get(number)
    if found is None:
        found = patterns[number] = analyse(P.A.N)
    return found


def operations(pattern: Symbolic) -> float:
    """Estimate the operations of a factorisation: the rows of each column of the factor squared."""
    return float(pattern.numbers[1])


def seconds_of_iteration(contacts: Any, blocks: Any) -> Any:
    """Estimate the seconds of an iteration of gradients, or of a sweep, from measurements."""
    return 3e-7 + 4e-8 * contacts + 4e-9 * blocks


def seconds_of_step(contacts: Any, count: Any) -> Any:
    """Estimate the seconds of a step of a method that factorises, with so many operations of a factor, likewise."""
    return 1e-5 + 6e-7 * contacts + 2e-10 * count


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

    It takes the symbolic factors and the layouts that are known of islands, by their numbers, and adds those that it finds;
    threads share the sweeps over each large island, and what tells its errors.
    """

    def run(P, law, x, u, tol, limit, memory, begin, end, patterns=None, layouts=None, threads=1, spare=0):
        parts, results, patterns = [], memory.results, {} if patterns is None else patterns
        for k in range(begin, end):
            if results[k, ERROR] <= tol:
                continue
            part = cut(P, k)
            top = int(P.K.start[P.islands[k]])
            rows = slice(top, top + len(part.b))
            done = int(results[k, ITERATIONS])
            island = Island(part, law, x[rows].copy(), u[rows].copy(), memory.history[done:], limit - done)
            island.patterns, island.number = patterns, k
            island.factors = cut(P, k, by_factors=True) if P.A.is_factored else None
            island.layouts, island.threads, island.spare = {} if layouts is None else layouts, threads, spare
            island.tried = float(memory.states[k, TRIED])
            start = island.x.copy()
            island.take(start, island.velocity(start))
            if island.error > tol:
                recipe(island, tol)
            x[rows], u[rows] = island.x, island.u
            memory.states[k, TRIED] = island.tried
            results[k] = island.error, done + island.iterations, results[k, PRODUCTS] + island.products
            for method, (iterations, error, seconds) in island.spent.items():
                parts.append(Part(method, slice(k, k + 1), np.array([iterations]), np.array([error]), seconds))
        return parts

    return run
