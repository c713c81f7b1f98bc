"""A friction problem prepared once, and solved again and again with other numbers: :class:`Solver`.

What does not depend on numbers, which blocks meet, the islands, the order in which they are taken and the patterns of
factors, is found once; what depends on N, friction and bounds, scales and the scaled operator, once for each
:meth:`Solver.update`; what is left for each :meth:`Solver.solve` is the work of the method.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from pluecker.contact.arguments import as_record
from pluecker.contact.errors import ProblemError, UnsolvedError
from pluecker.contact.friction.first_order.memory import ERROR, ITERATIONS
from pluecker.contact.friction.first_order.sharing import Whole
from pluecker.contact.friction.lcp.laws import solve_as_lcp
from pluecker.contact.friction.problem.checks import HUGE, as_vector
from pluecker.contact.friction.problem.prepared import Prepared
from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.problem.sets import project
from pluecker.contact.friction.results.measures import NUMBER, Errors
from pluecker.contact.friction.results.result import Result, Stage, is_converged, judge
from pluecker.contact.friction.results.states import Blocks
from pluecker.contact.friction.solving.eliminated import solve_eliminated
from pluecker.contact.friction.solving.islands.automatic import limits_of
from pluecker.contact.friction.solving.islands.newton import Limits, Task, improve_islands, make_place
from pluecker.contact.friction.solving.islands.running import Done, Job, goal_of, run_on_islands
from pluecker.contact.friction.solving.methods import Options, checked
from pluecker.contact.friction.solving.preparation import Eliminated, Preparation, difference, prepare_for, prepare_rows
from pluecker.contact.friction.solving.units import Original, begin, end, in_units, in_units_of_caller
from pluecker.spatial.engine.parallel.interruption import interruptible, takes_long
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Solver"]

NOTHING = np.zeros(0)
BUDGET_OF_ALL = 500  # factors of an island with bilateral rows: what comes after these takes a hundred times as long
MOST_AT_ONCE = 120  # multipliers, of all islands: with more, Newton's method is called as all others; a call takes long


class Solver:
    """One problem, one law, one method, made ready for many calls.

    Args:
        problem: the first one; its pattern is that of all others.
        law, method, tol, max_iterations, directions, relaxation, momentum, threads, separate, form, history, on_unsolved: as
            for :func:`~pluecker.contact.friction.solving.solve.solve`.

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
        given = Options(
            law, method, tol, max_iterations, directions, relaxation, momentum, threads, separate, form, history,
            on_unsolved,
        )  # fmt: skip
        self._options = checked(given, problem)
        self._ready = self._prepared(problem, None)

    def _prepared(
        self, problem: Problem, before: Preparation | Eliminated | None
    ) -> Preparation | Eliminated | Problem:
        """Make the problem ready; return it as it is where it is solved as a complementarity problem."""
        if self._options.law == "lcp" or self._options.how.run is None:
            return problem
        with np.errstate(all="ignore"):
            return prepare_for(problem, self._options, before)

    @property
    def problem(self) -> Problem:
        """Problem whose numbers are used: the one given last."""
        ready = self._ready
        return ready if isinstance(ready, Problem) else ready.problem

    def solve(self, offset: ArrayLike | None = None, *, warm_start: ArrayLike | None = None) -> Result:
        """Compute multipliers for another offset: bit for bit those of ``solve`` for the problem that has it.

        Args:
            offset: b, ``(m,)``, m/s; that of the problem unless given.
            warm_start: multipliers to start from, ``(m,)``, N s.

        Returns:
            A :class:`~pluecker.contact.friction.results.result.Result`; its time is that of this call.

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
        """Solve as :meth:`solve` does; the time of the result counts from ``began``."""
        options, ready = self._options, self._ready
        problem = ready if isinstance(ready, Problem) else ready.problem
        b = problem.offset.copy() if offset is None else as_vector("offset", offset, problem.size, largest=HUGE)
        start = None if warm_start is None else as_vector("warm_start", warm_start, problem.size)
        with np.errstate(all="ignore"):
            if isinstance(ready, Problem):
                result = solve_polygon(problem, b, start, options, began)
            elif isinstance(ready, Eliminated):
                result = solve_bilateral(ready, b, start, options, began)
            else:
                result = solve_prepared(ready, b, start, options, began)
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
    """Solve laws that are complementarity problems; overflow and the like are seen in the errors."""

    def work() -> Result:
        with np.errstate(all="ignore"):
            return solve_as_lcp(
                inside, options.law, options.method, options.tol, options.max_iterations, begun, options.directions,
                options.history,
            )  # fmt: skip

    inside, begun, exponent = in_units(replace(problem, offset=b), start)
    result = interruptible(work, takes_long(options.rounds(problem.size), problem.size))
    return in_units_of_caller(result, exponent, began)


def solve_bilateral(ready: Eliminated, b: Array, start: Array | None, options: Options, began: float) -> Result:
    """Solve the problem that is left when bilateral rows are eliminated, and recover their multipliers."""
    inside, begun, exponent = in_units(replace(ready.solved, offset=b), start)
    ready = replace(ready, elimination=ready.elimination.divided(inside, exponent))
    operator, rest = ready.elimination.left.operator, None if ready.rest is None else ready.rest.divided(exponent)
    tried = time.perf_counter()
    factors = 0
    if ready.whole is not None:
        begun, factors = start_of_all(ready.whole.divided(exponent), inside, begun, options)
    tried = time.perf_counter() - tried

    def left(problem: Problem, begin: Array | None, goal: float, used: int) -> Result:
        most = None if options.max_iterations is None else options.max_iterations - used
        how = replace(options, tol=goal, max_iterations=most)
        now = rest if rest is not None and problem.operator is operator else prepare_rows(problem, how)
        first = None if begin is None else begin.copy()
        return solve_prepared(now, problem.offset.copy(), first, how, time.perf_counter())

    result = solve_eliminated(ready, inside, options, begun, left, exponent)
    if factors:
        stage = Stage("newton", factors, result.errors.largest, tried)
        result = replace(result, iterations=result.iterations + factors, stages=(stage, *result.stages))
    return in_units_of_caller(result, exponent, began)


def start_of_all(
    ready: Preparation, problem: Problem, start: Array | None, options: Options
) -> tuple[Array | None, int]:  # fmt: skip
    """Find multipliers of all rows, bilateral ones too, by Newton's method; of islands that it leaves those of the start.

    Return also how many factors it made.
    """
    _, _, P = ready.fresh(problem.size)
    assert ready.roots is not None
    P.b[:] = problem.offset[ready.places] * P.s
    x = np.zeros(problem.size) if start is None else start[ready.places] / P.s
    results = np.zeros((len(P.islands) - 1, 3))
    results[:, ERROR] = np.inf
    y, u, goal = x.copy(), np.empty_like(x), goal_of(options.tol, len(results))
    limits = Limits(goal, options.rounds(problem.size), BUDGET_OF_ALL)
    improve_islands(Task(P, 1, ready.roots, make_place(ready.roots)), y, u, limits, results)
    solved = np.repeat(np.repeat(results[:, ERROR] <= goal, np.diff(P.islands)), np.diff(P.K.start))
    r = np.empty_like(x)
    r[ready.places] = np.where(solved, y, x) * P.s
    return (r if solved.any() or start is not None else None), int(results[:, ITERATIONS].max(initial=0.0))


def solve_prepared(ready: Preparation, b: Array, start: Array | None, options: Options, began: float) -> Result:
    """Solve all other laws, by any method; overflow and the like are seen in the errors."""
    law, tol, limit, size = options.law, options.tol, options.rounds(len(b)), len(b)
    operator, inner, P = ready.fresh(size)
    offset, r, u, x = (np.empty(size) for _ in range(4))
    work, numbers = np.empty((5, size)), np.empty(NUMBER)
    places, exact = ready.places, int(law == "ncp")
    original = Original(operator, inner, ready.sets_for_errors(), offset, ready.scale, places, P.s)
    exponent, started = begin(b, NOTHING if start is None else start, ready.sets, inner, P, places, offset, r, x)

    def judged() -> Errors:
        end(original, x, exponent, exact, r, u, work, numbers)
        return Errors(*numbers.tolist())

    done = None
    errors = judged() if started else None
    if errors is not None and is_converged(errors, tol):
        done = Done(x, 0, 0, len(P.islands) - 1, (), np.zeros((0, 2)) if options.history else None)
    else:
        if options.how.first and size <= MOST_AT_ONCE and ready.roots is not None and not options.history:
            done = at_once(ready, P, exact, x, tol, limit)
        if done is None:
            how, whole = options.how, Whole(P, ready.roots, ready.patterns, ready.layouts, 1)
            assert how.run is not None, "methods for complementarity problems do not run on islands"
            job = Job(
                how.run, options.method, exact, tol, limit, options.relaxation or how.relaxation,
                options.momentum == "nesterov",
                whole if how.whole else None,
            )  # fmt: skip
            done = interruptible(
                lambda: run_on_islands(job, P, x, options.threads, options.history), may_take_long(options, P)
            )
            x[:] = done.x
        errors = judged()
    status, message = judge(errors, tol, done.iterations if done.iterations >= limit else None)
    return Result(
        r, u, law, options.method, status, errors, tol, done.iterations, done.products, done.islands,
        time.perf_counter() - began, done.stages, done.history, message, Blocks(ready.sets, ready.scale, b),
    )  # fmt: skip


def may_take_long(options: Options, P: Prepared) -> bool:
    """Return whether one piece of compiled code may keep the main thread for long: those of recipes answer by themselves."""
    if options.how.recipe:
        return False
    return takes_long(options.rounds(len(P.b)), len(P.b)) or not getattr(options.how.run, "overloads", True)


def at_once(ready: Preparation, P: Prepared, exact: int, x: Array, tol: float, limit: int) -> Done | None:
    """Return the result of Newton's method alone, left in x, if all islands have the tolerance then; else None."""
    began, islands = time.perf_counter(), len(P.islands) - 1
    results, goal, y, place = np.zeros((islands, 3)), goal_of(tol, islands), x.copy(), ready.take_place()
    results[:, ERROR] = np.inf
    if y.any():
        project(P.K, x, y)  # as before all other methods, to the last bit
    assert ready.roots is not None
    task, limits = Task(P, exact, ready.roots, place), limits_of(exact, goal, limit)
    improve_islands(task, y, np.empty(len(x)), limits, results)
    ready.workspaces.append(place)
    error, iterations, _ = results[0].tolist() if islands == 1 else results.max(axis=0).tolist()
    if not error <= goal:
        return None
    x[:] = y
    stages = (Stage("newton", int(iterations), error, time.perf_counter() - began),) if iterations else ()
    return Done(x, int(iterations), 0, islands, stages, None)
