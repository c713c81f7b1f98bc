"""Every solver on every problem, in both laws; iterations of apgd beside sweeps; the error of a polygon."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.contact.problems import Case, packing
from benchmarks.contact.report import ContactReport, new_figure
from benchmarks.families import FAMILIES
from benchmarks.measuring.report import Report
from benchmarks.measuring.timing import Effort, progress
from pluecker.contact.app.convergence import COLOURS
from pluecker.contact.friction.results.result import Result
from pluecker.contact.friction.solving.solve import solve

__all__ = ["GOAL", "LAWS", "SOLVERS", "all_solvers", "draw_polygon", "gradients_and_sweeps", "of_families", "polygon"]

SOLVERS = ("auto", "apgd", "pgs", "psor", "newton", "interior_point")
LAWS = {"ccp": "the convex law", "ncp": "Coulomb's law"}
GOAL = 1e-6
LONG = 0.5  # seconds from which a call is not repeated
CONTACTS = 100  # of the members of families
CAP = 20_000  # iterations of apgd and pgs
SIDES = (4, 8, 16, 32)  # of the polygon


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


def gradients_and_sweeps(cases: list[Case], quick: bool, report: ContactReport) -> Report:
    """Iterations of apgd over those of pgs, and of apgd with the published momentum."""
    cap = CAP // 10 if quick else CAP
    table = Report(
        "contact_iterations", f"Iterations of apgd and of Gauss-Seidel to {GOAL:.0e}",
        f"All islands together, at most {cap} of each. Where pgs alone has not converged, the ratio is below the one given.",
        ["problem", "apgd / pgs, ccp", "apgd / pgs, ncp", "apgd, ccp", "Nesterov's momentum, ccp",
         "pgs, ccp", "apgd, ncp", "Nesterov's momentum, ncp", "pgs, ncp"],
    )  # fmt: skip
    ratios: dict[str, list[float]] = {law: [] for law in LAWS}
    for case in progress(cases, "iterations"):
        shares, counts = [], []
        for law in LAWS:
            full, nesterov, sweeps = (
                solve(case.problem, law, name, tol=GOAL, max_iterations=cap, separate=False, momentum=momentum)
                for name, momentum in (("apgd", "full"), ("apgd", "nesterov"), ("pgs", "full"))
            )
            counts += [str(found.iterations) if found.converged else "none" for found in (full, nesterov, sweeps)]
            if not full.converged:
                shares.append("-")
                ratios[law].append(np.inf)
                continue
            ratios[law].append(full.iterations / (sweeps.iterations if sweeps.converged else cap))
            shares.append(("" if sweeps.converged else "< ") + f"{ratios[law][-1]:.2f}")
        table.rows.append([case.name, *shares, *counts])
    for law, words in LAWS.items():
        report.target(f"iterations of apgd / pgs, {words}, median", 0.4, float(np.median(ratios[law])))
    return table


def polygon(quick: bool) -> tuple[Report, dict[int, list[float]], float]:
    """Measure the distance of a polygon's impulses from those of the circle."""
    errors: dict[int, list[float]] = {sides: [] for sides in SIDES}
    for seed in progress(range(3 if quick else 12), "polygon"):
        problem = packing(12, 100 + seed)
        exact = solve(problem, "ncp", tol=1e-9)
        for sides in SIDES:
            found = solve(problem, "lcp", directions=sides, tol=1e-9)
            if exact.converged and found.converged:
                difference = problem.velocity(found.multipliers) - exact.velocity
                errors[sides].append(float(np.linalg.norm(difference) / np.linalg.norm(exact.velocity)))
    used = [sides for sides in SIDES if errors[sides]]
    medians = [float(np.median(errors[sides])) for sides in used]
    slope = float(np.polyfit(np.log(used), np.log(medians), 1)[0]) if len(used) > 1 else np.nan
    table = Report(
        "contact_polygon", "Coulomb's law with a polygon: its error against the number of sides",
        f"The relative difference of the contact velocities from those of the circle; fitted slope {slope:.2f}.",
        ["sides", "median", "largest", "problems"],
        [[str(s), f"{np.median(errors[s]):.1e}", f"{max(errors[s]):.1e}", str(len(errors[s]))] for s in used],
        ["Random packings of 12 contacts. Directions are off by at most pi / sides, hence a slope of about -1."],
    )  # fmt: skip
    return table, errors, slope


def draw_polygon(errors: dict[int, list[float]], slope: float) -> Any:
    """The error of each problem and their median against the number of sides."""
    figure = new_figure(6.5, 4.2)
    panel = figure.subplots()
    used = [sides for sides, values in errors.items() if values]
    for sides in used:
        panel.plot([sides] * len(errors[sides]), errors[sides], ".", color="#999999", zorder=2)
    medians = [float(np.median(errors[sides])) for sides in used]
    panel.plot([], [], ".", color="#999999", label="a problem")
    panel.plot(used, medians, "o-", color=COLOURS["apgd"], label=f"median, slope {slope:.2f}", zorder=3)
    if used:
        for power, style in ((1, ":"), (2, "--")):
            line = [medians[0] * (used[0] / sides) ** power for sides in used]
            panel.plot(used, line, style, color="black", linewidth=1.0, label=f"slope -{power}")
    panel.set(xscale="log", yscale="log", xlabel="sides of the polygon", ylabel="relative error of the velocities")
    panel.set_xticks(used, used)
    panel.minorticks_off()
    panel.grid(alpha=0.25)
    panel.legend(frameon=False)
    panel.set_title("A polygon in place of the circle of friction", fontsize=11)
    return figure
