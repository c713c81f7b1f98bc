"""A friction problem prepared once, and solved again and again with other numbers: :class:`Solver`.

What does not depend on numbers, which blocks meet, the islands, the order in which they are taken and the patterns of
factors, is found once; what depends on N, friction and bounds, scales and the scaled operator, once for each
:meth:`Solver.update`; what is left for each :meth:`Solver.solve` is the work of the method.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.contact.arguments.values import as_record
from pluecker.contact.errors import ProblemError, UnsolvedError
from pluecker.contact.lcp.laws import solve_as_lcp
from pluecker.contact.problem.checks import HUGE, as_vector
from pluecker.contact.problem.problem import Problem
from pluecker.contact.problem.sets import Sets, project
from pluecker.contact.results.measures import all_errors
from pluecker.contact.results.result import Result, is_converged, judge
from pluecker.contact.results.states import Blocks
from pluecker.contact.solving.methods import Options, checked_options
from pluecker.contact.solving.preparation import Preparation, difference, prepare_for
from pluecker.contact.solving.running import Done, Job, run_on_islands
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.parallel.interruption import interruptible, takes_long

__all__ = ["Solver", "exponent_of", "in_units"]

LARGE = 1e100  # multipliers to start from, in units in which b is one


class Solver:
    """One problem, one law, one method, made ready for many calls.

    Args:
        problem: the first one; its pattern is that of all others.
        law, method, tol, max_iterations, directions, relaxation, momentum, threads, separate, form, history, on_unsolved: as
            for :func:`~pluecker.contact.solving.solve.solve`.

    The pattern of a problem is what follows from which contacts and rows there are and which bodies they touch: the sizes
    of blocks, whether the operator is given by its matrix or by factors, and which of its blocks are there. A matrix has a
    block where one of its entries is not zero. Of what is solved as a complementarity problem (the law ``lcp``, and the
    methods made for it) nothing is kept but the options.

    Any number of threads may call :meth:`solve` of one Solver at the same time; each call takes the numbers of the last
    :meth:`update` that had ended when it began.

    Raises:
        ArgumentTypeError, ProblemError: as ``solve``.

    Source: pattern, numbers and solution apart, as in T. A. Davis, "Direct methods for sparse linear systems" (SIAM, 2006).

    Example:
        A block of 2 kg that falls on the floor with 1 m/s and slides, slower and slower.

        >>> from pluecker.contact import Problem, Solver
        >>> block = Problem.from_delassus([[0.5, 0, 0], [0, 0.5, 0], [0, 0, 0.5]], [-1.0, 3.0, 0.0], [0.5])
        >>> solver = Solver(block, tol=1e-9)
        >>> [float(solver.solve([-1.0, speed, 0.0]).velocity[1].round(6)) for speed in (3.0, 1.0, 0.2)]
        [2.5, 0.5, 0.0]
    """

    def __init__(
        self,
        problem: Problem,
        law: str = "ncp",
        method: str = "auto",
        *,
        tol: float = 1e-6,
        max_iterations: int | None = None,
        directions: int | None = None,
        relaxation: float | None = None,
        momentum: str = "full",
        threads: int | None = None,
        separate: bool = True,
        form: str = "best",
        history: bool = False,
        on_unsolved: str = "return",
    ) -> None:
        self._options = checked_options(
            problem,
            law,
            method,
            tol,
            max_iterations,
            directions,
            relaxation,
            momentum,
            threads,
            separate,
            form,
            history,
            on_unsolved,
        )
        self._ready = self._prepared(problem, None)

    def _prepared(self, problem: Problem, before: Preparation | None) -> Preparation | Problem:
        """The problem itself where it is solved as a complementarity problem."""
        if self._options.law == "lcp" or self._options.how.run is None:
            return problem
        with np.errstate(all="ignore"):
            return prepare_for(problem, self._options, before)

    @property
    def problem(self) -> Problem:
        """The problem whose numbers are used: the one given last."""
        ready = self._ready
        return ready if isinstance(ready, Problem) else ready.problem

    def solve(self, offset: ArrayLike | None = None, *, warm_start: ArrayLike | None = None) -> Result:
        """Multipliers for another offset: bit for bit those of ``solve`` for the problem that has it.

        Args:
            offset: b, ``(m,)``, m/s; that of the problem unless given.
            warm_start: multipliers to start from, ``(m,)``, N s.

        Returns:
            A :class:`~pluecker.contact.results.result.Result`; its time is that of this call.

        Raises:
            ArgumentTypeError: no real numbers.
            ProblemError: another length, NaN, or a number that is infinite or, in the offset, above 1e150.
            UnsolvedError: with ``on_unsolved="raise"``, the tolerance was not reached.

        Source: as ``solve``.

        Example:
            >>> from pluecker.contact import Problem, Solver
            >>> block = Problem.from_delassus([[0.5, 0, 0], [0, 0.5, 0], [0, 0, 0.5]], [-1.0, 3.0, 0.0], [0.5])
            >>> solver = Solver(block)
            >>> first = solver.solve()
            >>> solver.solve(warm_start=first.multipliers).iterations
            0
        """
        return self._solve(time.perf_counter(), offset, warm_start)

    def _solve(self, began: float, offset: ArrayLike | None, warm_start: ArrayLike | None) -> Result:
        """The same; the time of the result counts from ``began``."""
        options, ready = self._options, self._ready
        problem = ready if isinstance(ready, Problem) else ready.problem
        size = problem.size
        b = problem.offset if offset is None else as_vector("offset", offset, size, largest=HUGE)
        start = None if warm_start is None else as_vector("warm_start", warm_start, size)

        def work() -> Result:
            with np.errstate(all="ignore"):
                if isinstance(ready, Problem):
                    return solve_polygon(problem, b, start, options, began)
                return solve_prepared(ready, b, start, options, began)

        result = interruptible(work, takes_long(options.rounds(size), size))
        if options.on_unsolved == "raise" and not result.converged:
            raise UnsolvedError(f"{result.status}: {result.message}", result)
        return result

    def update(self, problem: Problem) -> None:
        """Take the numbers of another problem with the same pattern: N, friction, bounds, and the offset.

        What :meth:`solve` gives afterwards is bit for bit what ``solve`` gives for that problem. If there is an error, all
        stays as it was.

        Args:
            problem: as for :class:`Solver`.

        Raises:
            ArgumentTypeError: no problem.
            ProblemError: the pattern is another one; the message says what differs.

        Source: as :class:`Solver`.

        Example:
            >>> from pluecker.contact import Problem, Solver
            >>> block = Problem.from_delassus([[0.5, 0, 0], [0, 0.5, 0], [0, 0, 0.5]], [-1.0, 3.0, 0.0], [0.5])
            >>> solver = Solver(block, tol=1e-9)
            >>> solver.update(block.with_friction(0.1))
            >>> float(solver.solve().velocity[1].round(6))
            2.9
        """
        as_record("problem", problem, Problem)
        ready = self._ready
        what = difference(ready if isinstance(ready, Problem) else ready.problem, problem)
        if what:
            raise ProblemError(f"update: the problem has another pattern: {what}; make a new Solver for it")
        self._ready = self._prepared(problem, None if isinstance(ready, Problem) else ready)

    def __repr__(self) -> str:
        problem, how = self.problem, self._options
        what = f"law {how.law}, method {how.method}, tol {how.tol:g}"
        return f"Solver({problem.blocks} blocks, {problem.size} multipliers, {what})"


def solve_polygon(problem: Problem, b: Array, start: Array | None, options: Options, began: float) -> Result:
    """The laws that are complementarity problems; overflow and the like are seen in the errors."""
    problem, start, exponent = in_units(problem if b is problem.offset else replace(problem, offset=b), start)
    result = solve_as_lcp(
        problem,
        options.law,
        options.method,
        options.tol,
        options.max_iterations,
        start,
        options.directions,
        options.history,
    )
    return in_units_of_caller(result, exponent, began)


def solve_prepared(ready: Preparation, b: Array, start: Array | None, options: Options, began: float) -> Result:
    """All other laws, by any method; overflow and the like are seen in the errors."""
    law, tol, how = options.law, options.tol, options.how
    exponent = exponent_of(b, ready.sets)
    start = start_in_units(start, exponent)
    P, sets, offset = ready.in_units(exponent or 0, b)
    places, limit = ready.places, options.rounds(len(b))
    if start is not None and is_solution(ready, sets, offset, law, start, tol):
        done = Done(start[places] / P.s, 0, 0, len(P.islands) - 1, (), np.zeros((0, 2)) if options.history else None)
    else:
        x = np.zeros(len(P.b)) if start is None else start[places] / P.s
        run: Any = how.run
        if how.factorises:
            run = partial(run, patterns=ready.patterns)
        job = Job(
            run,
            options.method,
            int(law == "ncp"),
            tol,
            limit,
            options.relaxation or 0.0,
            options.momentum == "nesterov",
        )
        done = run_on_islands(job, P, x, options.threads, options.history)
    r = np.zeros(len(b))
    r[places] = done.x * P.s
    u = ready.velocity(offset, r)
    errors = all_errors(sets, offset, r, u, law, ready.scale)
    status, message = judge(errors, tol, done.iterations if done.iterations >= limit else None)
    result = Result(
        r, u, law, options.method, status, errors, tol, done.iterations, done.products, done.islands,
        time.perf_counter() - began, done.stages, done.history, message,
        Blocks(sets, ready.scale, offset),
    )  # fmt: skip
    return in_units_of_caller(result, exponent or 0, began)


def is_solution(ready: Preparation, sets: Sets, offset: Array, law: str, start: Array, tol: float) -> bool:
    """Whether a start, projected in place, is good enough.

    Islands need the tolerance relative to their own velocities: small ones may not have it, where all together do.
    """
    project(sets, start, start)
    u = ready.velocity(offset, start)
    return is_converged(all_errors(sets, offset, start, u, law, ready.scale), tol)


def exponent_of(b: Array, K: Sets, largest: float = 0.0) -> int | None:
    """Of the power of two by which velocities and multipliers are divided, so that no square overflows.

    All errors are ratios and stay the same, and so do all digits. ``largest`` shall be near one as well. None where no
    multipliers are a solution.
    """
    size = max(largest, np.abs(b).max(initial=0.0), K.lower.max(initial=0.0), -K.upper.min(initial=0.0))
    return None if size == 0.0 else int(np.frexp(size)[1])


def start_in_units(start: Array | None, exponent: int | None) -> Array | None:
    """A start divided by that power; left out where its velocities may overflow, and where zero is a solution."""
    if start is None or exponent is None:
        return None
    start = np.ldexp(start, -exponent)
    return start if np.abs(start).max(initial=0.0) < LARGE else None


def in_units(problem: Problem, start: Array | None, largest: float = 0.0) -> tuple[Problem, Array | None, int]:
    """The same problem with velocities and multipliers near one: see :func:`exponent_of`, :func:`start_in_units`."""
    b, K = problem.offset, problem.sets
    exponent = exponent_of(b, K, largest)
    if exponent is None:
        return problem, None, 0
    sets = K._replace(lower=np.ldexp(K.lower, -exponent), upper=np.ldexp(K.upper, -exponent))
    inside = replace(problem, offset=np.ldexp(b, -exponent), sets=sets)
    return inside, start_in_units(start, exponent), exponent


def in_units_of_caller(result: Result, exponent: int, began: float) -> Result:
    """The multipliers and velocities multiplied by the power of two, the largest number in place of what is larger."""
    largest = np.finfo(np.float64).max
    r, u = (np.clip(np.ldexp(x, exponent), -largest, largest) for x in (result.multipliers, result.velocity))
    blocks = None if result.blocks is None else result.blocks._replace(offset=np.ldexp(result.blocks.offset, exponent))
    return replace(result, multipliers=r, velocity=u, blocks=blocks, time=time.perf_counter() - began)
