"""Families of hard problems: how many ``auto`` solves, what other tolerances change, and what a warm start saves."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from benchmarks.contact.large import compile_all
from benchmarks.contact.report import ContactReport
from benchmarks.families import FAMILIES, Scene
from benchmarks.measuring.report import Report
from benchmarks.measuring.resources import Run, capped
from benchmarks.measuring.timing import progress
from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.solving.solve import errors_of, solve

__all__ = ["MEMBERS", "hard_families", "members", "warm_starts"]

MEMBERS = 40
LEAST, MOST = 20, 400  # contacts; sizes are even in their logarithm
TOLERANCES = (1e-4, 1e-6, 1e-8)
LONGEST = 60.0
NOISE, SHORTEST = 1.25, 2e-3  # how much longer a looser tolerance may take by chance: a factor, and seconds
AGAIN = 2  # more calls where one took longer than that, of which the shortest counts
CHANGE = 1e-3  # of b
LAWS = ("ccp", "ncp")


def members(family: str, number: int = MEMBERS) -> Iterator[Scene]:
    """Yield so many members of a family, of different sizes."""
    for seed in range(number):
        share = 0.5 if number < 2 else seed / (number - 1)
        yield FAMILIES[family](round(LEAST * (MOST / LEAST) ** share), seed)


def hard_families(
    report: ContactReport, number: int = MEMBERS, names: Sequence[str] = tuple(FAMILIES), longest: float = LONGEST
) -> Report:
    """Coulomb's law by ``auto`` to three tolerances."""
    table = Report(
        "contact_hard", f"Families of hard problems, {number} of each, Coulomb's law, `auto`",
        f"From {LEAST} to {MOST} contacts. Converged to {TOLERANCES[1]:.0e} by the errors computed anew; worse: how many "
        "have a larger error at the tighter of two tolerances; slower: how many take longer at the looser one.",
        ["family", "converged", "claimed but not", "worse at a tighter", "slower at a looser", "s, median", "s, longest",
         "largest error", "not converged: seeds", "slower: seeds", "by the clock alone: seeds"],
    )  # fmt: skip
    compile_all(("auto",))
    solved = total = worse = slower = 0
    for name in names:
        seconds, largest, failed, late, delayed, false, more = [], 0.0, [], [], [], 0, 0
        for scene in progress(list(members(name, number)), name):
            runs = to_all_tolerances(scene.problem, longest)
            errors, spent = [error_of(scene.problem, run) for run in runs], [run.seconds for run in runs]
            for _ in range(AGAIN):  # what a busy machine delays is seldom delayed each time
                if not exceeds(spent[::-1], NOISE, SHORTEST):
                    break
                again = to_all_tolerances(scene.problem, longest)
                spent = [min(a, run.seconds) for a, run in zip(spent, again, strict=True)]
            more += exceeds(errors, 1.0, 0.0)
            if exceeds(spent[::-1], NOISE, SHORTEST):
                (late if takes_longer(runs, spent) else delayed).append(scene.seed)
            seconds.append(spent[1])
            largest = max(largest, errors[1])
            if errors[1] > TOLERANCES[1]:
                failed.append(scene.seed)
            false += sum(run.solved and error > tol for run, error, tol in zip(runs, errors, TOLERANCES, strict=True))
        solved, total = solved + number - len(failed), total + number
        worse, slower = worse + more, slower + len(late)
        table.rows.append(
            [name, f"{100 * (1 - len(failed) / number):.1f} %", str(false), str(more), str(len(late)),
             f"{np.median(seconds):.3g}", f"{max(seconds):.3g}", f"{largest:.0e}",
             *(" ".join(map(str, seeds)) or "-" for seeds in (failed, late, delayed))]
        )  # fmt: skip
        print(" | ".join(table.rows[-1]), flush=True)
    report.target("hard problems, Coulomb's law to 1e-6, converged in %", 99.0, 100.0 * solved / total, at_least=True)
    report.target("hard problems, worse at a tighter tolerance", 0.0, worse)
    report.target("hard problems, slower at a looser tolerance", 0.0, slower)
    table.notes.append(
        f"Each call is given up after {longest:g} s. Slower: by a factor of {NOISE:g} and more, and 2 ms, "
        f"in each of {AGAIN + 1} turns, of which the shortest calls are compared, and with more iterations of a method: "
        "what does no more of any is slower by the clock alone."
    )
    return table


def to_all_tolerances(problem: Problem, longest: float) -> list[Run]:
    """Make one call for each tolerance."""
    return [capped(partial(solve, problem, tol=tol, threads=1), longest) for tol in TOLERANCES]


def error_of(problem: Problem, run: Run) -> float:
    """Return the error of the multipliers by the measures alone; infinite where the call was given up."""
    return np.inf if run.result is None else errors_of(problem, run.result.multipliers, "ncp").largest


def takes_longer(runs: Sequence[Run], spent: Sequence[float]) -> bool:
    """Return whether a call takes longer than the one with the next tighter tolerance, and does more of something."""
    return any(
        exceeds((after, before), NOISE, SHORTEST) and does_more(loose, tight)
        for (loose, tight), (before, after) in zip(itertools.pairwise(runs), itertools.pairwise(spent), strict=True)
    )


def does_more(run: Run, other: Run) -> bool:
    """Return whether a run took more iterations of any method; one that was given up did more than any that was not."""
    if run.result is None or other.result is None:
        return run.result is None
    spent = {stage.method: stage.iterations for stage in other.result.stages}
    return any(stage.iterations > spent.get(stage.method, 0) for stage in run.result.stages)


def exceeds(values: Sequence[float], factor: float, margin: float) -> bool:
    """Return whether one value is larger than the one before it, by more than a factor and a margin."""
    return any(b > factor * a + margin for a, b in itertools.pairwise(values))


def warm_starts(
    report: ContactReport, number: int = MEMBERS, names: Sequence[str] = tuple(FAMILIES), longest: float = LONGEST
) -> Report:
    """Solve again with b changed by 1e-3: iterations from the old solution over those from zero."""
    table = Report(
        "contact_warm", f"Warm starts: b changed by {CHANGE:.0e}, {number} of each family, `auto` to 1e-6",
        "Iterations from the solution of the problem before over those from zero, and seconds likewise; medians.",
        ["law, family", "iterations, warm / cold", "upper quartile", "seconds, warm / cold", "both converged"],
    )  # fmt: skip
    compile_all(("auto",))
    for law in LAWS:
        every: list[float] = []
        for name in names:
            counts, times = [], []
            for scene in progress(list(members(name, number)), f"warm, {law}, {name}"):
                pair = warm_and_cold(scene, law, longest)
                if pair is not None:
                    counts.append(pair[0])
                    times.append(pair[1])
            every += counts
            row = [f"{law}, {name}", "-", "-", "-", f"{len(counts)}"]
            if counts:
                row[1:4] = [f"{np.median(counts):.2f}", f"{np.percentile(counts, 75):.2f}", f"{np.median(times):.2f}"]
            table.rows.append(row)
            print(" | ".join(row), flush=True)
        report.target(f"iterations with a warm start / without, {law}, median", 1.0 / 3.0, float(np.median(every)))
    table.notes.append("b changes as by random velocities of the bodies, so that it stays one that bodies can have.")
    return table


def warm_and_cold(scene: Scene, law: str, longest: float) -> tuple[float, float] | None:
    """Iterations and seconds with a warm start over those without; None where a call did not converge."""
    before = scene.problem
    rng = np.random.default_rng(1000 + scene.seed)
    dv = np.where(scene.bodies.static[:, None], 0.0, rng.normal(size=(len(scene.bodies), 6)))
    pushed = dataclasses.replace(scene.bodies, velocity=scene.bodies.velocity + dv)
    change = dataclasses.replace(scene, bodies=pushed).problem.offset - before.offset
    change *= CHANGE * np.linalg.norm(before.offset) / np.linalg.norm(change)
    after = dataclasses.replace(before, offset=before.offset + change)
    first = capped(partial(solve, before, law, threads=1), longest)
    if first.result is None or not first.solved:
        return None
    start = first.result.multipliers
    cold = capped(partial(solve, after, law, threads=1), longest)
    warm = capped(partial(solve, after, law, threads=1, warm_start=start), longest)
    if cold.result is None or warm.result is None or not (cold.solved and warm.solved):
        return None
    return warm.result.iterations / max(1, cold.result.iterations), warm.seconds / cold.seconds
