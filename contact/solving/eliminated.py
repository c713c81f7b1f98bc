"""A problem with bilateral rows: eliminated, what is left solved by any method, and their multipliers recovered.

What is left has a scale of its own, and the rounding of a factor. Where all rows together miss the tolerance that those that
were left have reached, they are solved again to a smaller one, with the velocities that the operator itself gives for their
multipliers in place of those of the factor: an iterative refinement.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from pluecker.contact.elimination.elimination import Elimination, Recovered, eliminate
from pluecker.contact.elimination.pattern import Pattern, bilateral_blocks
from pluecker.contact.problem.prepared import find_order, scales
from pluecker.contact.problem.problem import Problem
from pluecker.contact.problem.sets import Sets
from pluecker.contact.results.measures import Errors, all_errors, with_velocities
from pluecker.contact.results.result import LIMIT, UNSOLVED, Result, Stage, is_converged, judge
from pluecker.contact.results.states import Blocks
from pluecker.contact.solving.methods import Options
from pluecker.contact.solving.preparation import Preparation, difference, prepare_for
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.parallel.interruption import interruptible, takes_long

__all__ = ["JoinedPreparation", "Left", "prepare_any", "solve_eliminated"]

ATTEMPTS = 4  # to solve what is left
SMALLER = 0.1  # at most, the next tolerance
SMALLEST = 1e-15  # tolerance
NAMED = 4  # contradictory rows in a message
FACTORS = 100.0  # matrices of all rows, that a factorisation with all that belongs to it takes the time of, at most

#: Solves what is left: its preparation, the offset, a start or nothing, the options, when the call began.
Left = Callable[[Preparation, Array, Array | None, Options, float], Result]


@dataclass(frozen=True, eq=False)
class JoinedPreparation:
    """A problem with bilateral rows made ready, all but its offset.

    Attributes:
        problem: as the caller gave it.
        elimination: its bilateral rows, factorised.
        sets: of the law that is solved.
        scale: s of each multiplier, ``(m,)``.
        islands: how many there are.
        rest: what is left, made ready; None where nothing is.
    """

    problem: Problem
    elimination: Elimination
    sets: Sets
    scale: Array
    islands: int
    rest: Preparation | None


Ready = Preparation | JoinedPreparation


def prepare_any(problem: Problem, options: Options, before: Ready | None = None) -> Ready:
    """A problem made ready, its bilateral rows eliminated; ``before``: another one with the same pattern."""
    known = before if isinstance(before, JoinedPreparation) else None
    elimination = None
    if options.form != "factors" and len(bilateral_blocks(problem.sets)):
        pattern = None if known is None else known.elimination.pattern
        if pattern is not None and not np.array_equal(np.sort(pattern.bilateral), bilateral_blocks(problem.sets)):
            pattern = None
        elimination = interruptible(lambda: quietly(problem, pattern), takes_long(FACTORS, problem.size))
    if elimination is None:
        return prepare_for(problem, options, before if isinstance(before, Preparation) else None)
    left, rest = elimination.left, None
    if left.size:
        same = known is not None and known.rest is not None and not difference(known.rest.problem, left)
        rest = prepare_for(left, options, known.rest if known is not None and same else None)
    sets = problem.sets
    if options.law == "frictionless":
        sets = sets._replace(friction=np.zeros_like(sets.friction))
    scale = np.repeat(scales(problem.operator, sets), np.diff(sets.start))
    islands = len(find_order(problem.operator, options.separate).islands) - 1
    return JoinedPreparation(problem, elimination, sets, scale, islands, rest)


def quietly(problem: Problem, pattern: Pattern | None) -> Elimination | None:
    """An elimination in any thread: what overflows is seen in the errors."""
    with np.errstate(all="ignore"):
        return eliminate(problem, pattern)


def solve_eliminated(
    ready: JoinedPreparation, b: Array, start: Array | None, options: Options, began: float, left: Left
) -> Result:
    """The result for all rows, from that for what is left."""
    law, tol = options.law, options.tol
    if ready.rest is None:
        answers: list[Result] = []
        best = ready.elimination.recover(b, np.zeros(0))
        errors = judged(ready, b, best, law)
    else:
        answers, best, errors = attempts(ready, ready.rest, b, start, options, began, left)
    stopped = answers[-1].iterations if answers and answers[-1].status == LIMIT else None
    status, message = verdict(ready.problem, best, errors, tol, stopped)
    factor = share(errors, answers)
    return Result(
        best.multipliers, best.velocity, law, options.method, status, errors, tol,
        sum(answer.iterations for answer in answers), sum(answer.products for answer in answers), ready.islands,
        time.perf_counter() - began, stages_of(answers, factor),
        history_of(answers, factor) if options.history else None, message, Blocks(ready.sets, ready.scale, b),
    )  # fmt: skip


def attempts(
    ready: JoinedPreparation,
    rest: Preparation,
    b: Array,
    start: Array | None,
    options: Options,
    began: float,
    left: Left,
) -> tuple[list[Result], Recovered, Errors]:
    """What is left, solved until all rows have the tolerance; the best of all rows, and its errors."""
    elimination, kept = ready.elimination, ready.elimination.pattern.kept
    tol, most = options.tol, options.max_iterations
    first = elimination.reduced(b)
    if first.operator is not elimination.left.operator:
        rest = prepare_for(first, options, rest)
    c, goal = first.offset, tol
    answers = [left(rest, c, None if start is None else start[kept], options, began)]
    best = now = elimination.recover(b, answers[0].multipliers)
    errors = judged(ready, b, best, options.law)
    while answers[-1].converged and not is_converged(errors, tol) and len(answers) < ATTEMPTS and goal > SMALLEST:
        last, used = answers[-1], sum(answer.iterations for answer in answers)
        if most is not None and used >= most:
            break
        goal = max(goal * min(SMALLER, 0.5 * tol / max(errors.largest, tol)), SMALLEST)
        again = replace(options, tol=goal, max_iterations=None if most is None else most - used)
        c = now.velocity[kept] - (last.velocity - c)
        answers.append(left(rest, c, last.multipliers, again, began))
        now = elimination.recover(b, answers[-1].multipliers)
        found = judged(ready, b, now, options.law)
        if found.largest < errors.largest:
            best, errors = now, found
    return answers, best, errors


def judged(ready: JoinedPreparation, b: Array, found: Recovered, law: str) -> Errors:
    """The errors of all rows, computed with numbers near one, so that no square overflows."""
    K, r, u = ready.sets, found.multipliers, found.velocity
    bounds = (float(np.abs(x[np.isfinite(x)]).max(initial=0.0)) for x in (K.lower, K.upper))
    size = max(float(np.abs(b).max(initial=0.0)), *bounds)
    e = int(np.frexp(size)[1]) if size > 0.0 else 0
    inside = K._replace(lower=np.ldexp(K.lower, -e), upper=np.ldexp(K.upper, -e))
    errors = all_errors(inside, np.ldexp(b, -e), np.ldexp(r, -e), np.ldexp(u, -e), law, ready.scale)
    return with_velocities(errors, e)


def verdict(problem: Problem, found: Recovered, errors: Errors, tol: float, stopped: int | None) -> tuple[str, str]:
    """Status and message; rows that contradict one another have no solution, whatever the other errors are."""
    status, message = judge(errors, tol, stopped)
    if len(found.contradictory) == 0:
        return status, message
    if found.residual > tol * errors.speed:
        status = UNSOLVED
    names = [problem.label(int(row)) for row in found.contradictory[:NAMED]]
    more = len(found.contradictory) - len(names)
    whose = ", ".join(names) + (f" and {more} more" if more > 0 else "")
    what = f"bilateral rows contradict one another: {whose} cannot hold, and miss by up to "
    what = f"{what}{found.residual:.2g} (m/s, rad/s)"
    return status, f"{what}; {message}" if message else what


def share(errors: Errors, answers: list[Result]) -> float:
    """How large the error of all rows is beside that of those that were left, which the stages of methods have."""
    part = answers[-1].errors.largest if answers else 0.0
    factor = errors.largest / part if part > 0.0 else 1.0
    return factor if np.isfinite(factor) else 1.0


def stages_of(answers: list[Result], factor: float) -> tuple[Stage, ...]:
    """What each method did, in all attempts together; errors as of all rows, of which those that were left are a part."""
    stages: dict[str, Stage] = {}
    for answer in answers:
        for stage in answer.stages:
            old = stages.get(stage.method, Stage(stage.method, 0, np.inf, 0.0))
            iterations, spent = old.iterations + stage.iterations, old.time + stage.time
            stages[stage.method] = replace(stage, iterations=iterations, error=factor * stage.error, time=spent)
    return tuple(stages.values())


def history_of(answers: list[Result], factor: float) -> Array:
    """The histories one after the other, the best error so far, likewise."""
    told = [answer.history for answer in answers if answer.history is not None]
    if not told:
        return np.zeros((0, 2))
    ends = np.cumsum([0.0, *(float(part[-1, 0]) if len(part) else 0.0 for part in told)])
    seconds = np.concatenate([part[:, 0] + end for part, end in zip(told, ends, strict=False)])
    return np.column_stack([seconds, factor * np.minimum.accumulate(np.concatenate([part[:, 1] for part in told]))])
