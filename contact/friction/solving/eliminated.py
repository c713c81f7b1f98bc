"""A problem with bilateral rows: eliminated, what is left solved by any method, and their multipliers recovered.

What is left has a scale of its own, and the rounding of a factor. Where all rows together miss the tolerance that those that
were left have reached, they are solved again to a smaller one, with the velocities that the operator itself gives for their
multipliers in place of those of the factor: an iterative refinement. A small tolerance is approached in steps, so that one
that is larger is met on the same way.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pluecker.contact.friction.elimination.elimination import Recovered
from pluecker.contact.friction.first_order.runner import STILL
from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.results.measures import Errors, all_errors
from pluecker.contact.friction.results.result import LIMIT, UNSOLVED, Result, Stage, is_converged, judge
from pluecker.contact.friction.results.states import Blocks
from pluecker.contact.friction.solving.methods import Options
from pluecker.contact.friction.solving.preparation import Eliminated
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Left", "solve_eliminated"]

FIRST, NEXT = 1e-6, 1e-2  # the first tolerance, at least, and the next one as a part of it, at most
ATTEMPTS = 8  # to solve what is left
NAMED = 4  # contradictory rows in a message

#: Solves the problem that is left, from a start or nothing, to a tolerance, when so many iterations are done already.
Left = Callable[[Problem, Array | None, float, int], Result]


def solve_eliminated(
    ready: Eliminated, problem: Problem, options: Options, start: Array | None, left: Left, exponent: int = 0
) -> Result:  # fmt: skip
    """Solve what is left, and return the result for all rows.

    Args:
        ready: the problem made ready; its elimination is used, its scale and the number of its islands.
        problem: with the offset and, for the law, the friction that count.
        options: of ``solve``.
        start: multipliers of all rows, ``(m,)``, or nothing.
        left: what solves the problem that is left.
        exponent: of the power of two that velocities were divided by, for messages.
    """
    began = time.perf_counter()
    elimination, scale, tol, most = ready.elimination, ready.scale, options.tol, options.max_iterations
    kept, b, K = elimination.pattern.kept, problem.offset, problem.sets
    mine = None if start is None else start[kept]

    def judged(recovered: Recovered) -> Errors:
        return all_errors(K, b, recovered.multipliers, recovered.velocity, options.law, scale)

    if len(kept) == 0:
        answers, best = [], elimination.recover(b, np.zeros(0))
        errors = judged(best)
    else:
        first = elimination.reduced(b)
        goal = max(tol, FIRST) if options.method == "auto" else tol  # others would begin anew
        answers = [left(first, mine, goal, 0)]
        best = elimination.recover(b, answers[0].multipliers)
        errors = judged(best)
        now, c = best, first.offset
        while answers[-1].converged and not is_converged(errors, tol) and len(answers) < ATTEMPTS and goal > STILL:
            further = goal * min(NEXT, 0.5 * tol / max(errors.largest, tol))
            goal = max(tol, NEXT * goal) if goal > tol else max(further, STILL)
            last, used = answers[-1], sum(answer.iterations for answer in answers)
            if most is not None and used >= most:
                break
            c = now.velocity[kept] - (last.velocity - c)
            answers.append(left(replace(first, offset=c), last.multipliers, goal, used))
            now = elimination.recover(b, answers[-1].multipliers)
            again = judged(now)
            if again.largest < errors.largest:
                best, errors = now, again
    iterations = sum(answer.iterations for answer in answers)
    of_all = 1.0
    if answers and 0.0 < answers[-1].errors.largest < np.inf:
        of_all = errors.largest / answers[-1].errors.largest
    at_limit = most is not None and iterations >= most
    stopped = iterations if answers and (at_limit or answers[-1].status == LIMIT) else None
    status, message = verdict(problem, best, errors, tol, stopped, exponent)
    return Result(
        best.multipliers, best.velocity, options.law, options.method, status, errors, tol, iterations,
        sum(answer.products for answer in answers), ready.islands, time.perf_counter() - began,
        stages_of(answers, of_all), history_of(answers, of_all) if options.history else None, message, Blocks(K, scale, b),
    )  # fmt: skip


def verdict(
    problem: Problem, found: Recovered, errors: Errors, tol: float, stopped: int | None, exponent: int
) -> tuple[str, str]:
    """Return status and message; rows that contradict one another have no solution, whatever the other errors are."""
    status, message = judge(errors, tol, stopped)
    if len(found.contradictory) == 0:
        return status, message
    speed = max(float(np.abs(problem.offset).max(initial=0.0)), float(np.abs(found.velocity).max(initial=0.0)))
    if found.residual > tol * speed:
        status = UNSOLVED
    names = [problem.label(int(row)) for row in found.contradictory[:NAMED]]
    more = len(found.contradictory) - len(names)
    whose = ", ".join(names) + (f" and {more} more" if more > 0 else "")
    miss = float(np.ldexp(found.residual, exponent))
    what = f"bilateral rows contradict one another: {whose} cannot hold, and miss by up to {miss:.2g} (m/s, rad/s)"
    return status, f"{what}; {message}" if message else what


def stages_of(answers: list[Result], factor: float) -> tuple[Stage, ...]:
    """Sum the work of each method over all attempts; errors as of all rows, of which those that were left are a part."""
    stages: dict[str, Stage] = {}
    for answer in answers:
        for stage in answer.stages:
            old = stages.get(stage.method, Stage(stage.method, 0, np.inf, 0.0))
            stages[stage.method] = replace(
                stage,
                iterations=old.iterations + stage.iterations,
                error=factor * stage.error,
                time=old.time + stage.time,
            )
    return tuple(stages.values())


def history_of(answers: list[Result], factor: float) -> Array:
    """Join the histories, one after the other, with the best error so far, as of all rows."""
    told = [answer.history for answer in answers if answer.history is not None]
    if not told:
        return np.zeros((0, 2))
    ends = np.cumsum([0.0, *(float(part[-1, 0]) if len(part) else 0.0 for part in told)])
    seconds = np.concatenate([part[:, 0] + end for part, end in zip(told, ends, strict=False)])
    return np.column_stack([seconds, factor * np.minimum.accumulate(np.concatenate([part[:, 1] for part in told]))])
