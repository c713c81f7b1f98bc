"""Every solver on every problem, in both laws: tables, and what performance profiles are drawn of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.contact_problems import Case
from benchmarks.families import FAMILIES
from benchmarks.report import Report
from benchmarks.timing import Effort, progress
from pluecker.contact.friction.results.result import Result
from pluecker.contact.friction.solving.solve import solve

__all__ = ["GOAL", "LAWS", "LONG", "SOLVERS", "all_solvers", "of_families"]

SOLVERS = (
    "auto", "apgd", "pgs", "psor", "newton", "interior_point",
)  # fmt: skip
LAWS = {"ccp": "the convex law", "ncp": "Coulomb's law"}
GOAL = 1e-6
LONG = 0.5  # seconds from which a call is not repeated
CONTACTS = 100  # of the members of families


def of_families(quick: bool) -> Iterator[Case]:
    """One member of each family."""
    for name, make in FAMILIES.items():
        yield Case(f"family {name}", make(10 if quick else CONTACTS, 0).problem)


def all_solvers(cases: list[Case], names: list[str], effort: Effort, quick: bool) -> tuple[list[Report], Any]:
    """Every solver on every problem: a table for each law, and what performance profiles are drawn of."""
    reports, found = [], {}
    for law in LAWS:
        rows, results = [], {}
        for case in progress(cases, f"solvers, {law}"):
            runs = timed_runs(case, law, names, effort, quick)
            results[case.name] = runs
            for name, (result, time) in runs.items():
                error = f"{result.errors.largest:.1e}"
                rows.append([case.name, name, str(result.iterations), f"{1e3 * time:.3g}", error, result.status])
        found[law] = results
        report = Report(
            f"contact_{law}", f"All solvers: {LAWS[law]} ({law}), tolerance {GOAL:.0e}",
            "Iterations, time of the whole call, the error that was reached.",
            ["problem", "method", "iterations", "ms", "error", "status"], rows,
        )  # fmt: skip
        reports.append(report)
    profile = Report(
        "contact_profiles", "Performance profiles",
        "How many problems a solver has solved within so many times the time, or the iterations, of the best solver for "
        "that problem (Dolan and Moré 2002). Further up and to the left is better; at the left end is how often a solver "
        "was the best one, at the right end, and over the panel, how many problems it solved at all.", [],
        notes=[
            "One thread. Each method stops at its own limit of iterations. A method that did not reach the tolerance has "
            "not solved the problem, however near it came.",
            "Iterations of different methods do not cost the same: a product for the gradients, a sweep for pgs, a "
            "factorisation for newton and interior_point.",
        ],
    )  # fmt: skip
    return [profile, *reports], found


def timed_runs(case: Case, law: str, names: list[str], effort: Effort, quick: bool) -> dict[str, tuple[Result, float]]:
    """For each method a result and the median time of its calls, which are made in turn."""
    limit = 1000 if quick else None

    def call(name: str) -> Result:
        return solve(case.problem, law, name, tol=GOAL, threads=1, max_iterations=limit)

    results = {name: call(name) for name in names}  # compiles
    times: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(max(1, effort.rounds // 3)):
        for name in names:
            if turn == 0 or max(times[name]) < LONG:
                results[name] = call(name)
                times[name].append(results[name].time)
    return {name: (results[name], float(np.median(times[name]))) for name in names}
