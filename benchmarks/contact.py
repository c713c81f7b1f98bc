"""Topic ``contact``: friction problems, solver against solver and against Clarabel, and what one core can do.

``python -m benchmarks.contact [DIR] [--quick] [--out FOLDER] [--families N] [--only PART ...]`` takes all FCLIB files of a
folder; without one, and as a topic of ``python -m benchmarks``, those of the folder in PLUECKER_FRICTION or of
``../shared/data/friction``, or random packings of spheres. With ``--only`` some parts are printed, and no file is written.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contact_clarabel import TOLERANCE, error_of, peers
from benchmarks.contact_figures import draw_polygon, draw_profiles
from benchmarks.contact_hard import LONGEST, hard_families, warm_starts
from benchmarks.contact_large import COUNTS, packings, shared
from benchmarks.contact_mechanisms import long_chains, mechanisms
from benchmarks.contact_problems import Case, find_cases, packing
from benchmarks.contact_report import ContactReport
from benchmarks.contact_small import few_contacts_compiled
from benchmarks.contact_solvers import GOAL, LAWS, SOLVERS, all_solvers, of_families
from benchmarks.contact_throughput import ITERATIONS, measure, triad_bandwidth
from benchmarks.families import FAMILIES
from benchmarks.report import RESULTS, Bars, Report, cores, ratio, seconds, version
from benchmarks.timing import Effort, Times, interleaved, progress
from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.solving.solve import solve
from pluecker.contact.friction.solving.solver import Solver
from pluecker.contact.friction.tables.assembly import assemble_contacts
from pluecker.contact.friction.tables.bodies import Bodies
from pluecker.contact.friction.tables.table import ContactTable

__all__ = ["main", "run"]

FINE = 1e-10
RATE = 20.0  # wanted: million contact-iterations a second
MEMBERS = 10  # of each family, so that the topic takes about ten minutes; `make friction` has 40
MANY = 40  # members from which on packings have up to 100,000 contacts and each call of them a minute
SOME, SHORT, LONG = (1000, 5000, 20_000), 10.0, 60.0  # contacts; seconds after which a call is given up
QUICK = ("packing", "stack", "ragdolls")  # families of a quick run
CAP = 20_000  # iterations of apgd and pgs
SIDES = (4, 8, 16, 32)  # of the polygon
FEW = 5  # motions of a body on four feet


# ------------------------------------------------------------------------------------------------- (f) a few contacts


def feet(seed: int) -> Problem:
    """Four feet of a body of 20 kg on the floor, which moves at random: 12 multipliers, one island."""
    rng = np.random.default_rng(seed)
    corners = np.array([[x, y, 0.0] for x in (-0.3, 0.3) for y in (-0.15, 0.15)])
    velocity = np.concatenate([0.3 * rng.normal(size=3), [0.5, 0.2, -0.3] * rng.normal(size=3)])
    bodies = Bodies(
        np.array([np.inf, 20.0]), np.array([np.eye(3), np.diag([0.3, 0.9, 1.0])]), np.array([[0, 0, -1.0], [0, 0, 0.4]]),
        velocity=np.array([np.zeros(6), velocity]),
    ).with_gravity()  # fmt: skip
    table = ContactTable(np.array([[0, 1]] * 4), np.array([[0, 0, 1.0]] * 4), corners, friction=np.full(4, 0.6))
    return assemble_contacts(bodies, table, 1e-3)


def few_contacts(effort: Effort, report: ContactReport) -> Report:
    """Measure the cost of calls that have hardly anything to do."""
    table = Report(
        "contact_few", "Four contacts from Python, Coulomb's law",
        f"One call of `auto` to {GOAL:.0e}, on a problem that is at hand: a body on four feet.",
        ["motion", "prepared", "prepared, from its own solution", "not prepared", "what solved it", "natural map"],
    )  # fmt: skip
    prepared, alone = [], []
    for seed in progress(range(FEW), "few contacts"):
        problem = feet(seed)
        solver = Solver(problem, tol=GOAL)
        result = solver.solve()
        calls = {
            "prepared": partial(solver.solve, problem.offset),
            "warm": partial(solver.solve, problem.offset, warm_start=result.multipliers),
            "alone": partial(solve, problem, tol=GOAL),
        }
        times = interleaved(calls, effort)
        prepared.append(1e6 * times["prepared"].median)
        alone.append(1e6 * times["alone"].median)
        table.rows.append(
            [f"{seed + 1}", *(seconds(times[name].median) for name in calls),
             ", ".join(stage.method for stage in result.stages), f"{result.errors.natural_map:.1e}"]
        )  # fmt: skip
    table.notes.append(
        "Prepared: `Solver.solve(offset)`. Not prepared: `solve(problem)`; making the problem is in neither. A call gives a "
        "whole result, with all errors."
    )
    report.target("microseconds, four contacts from Python, prepared, the slowest", 60.0, max(prepared))
    report.target("microseconds, four contacts from Python, not prepared, the slowest", 200.0, max(alone))
    return table


# ------------------------------------------------------------------------------------------- (b) auto against Clarabel


def our_time(case: Case, law: str, tol: float) -> float:
    """Seconds of a whole call."""
    return solve(case.problem, law, tol=tol, threads=1).time


def several(call: Callable[[], float], shortest: float) -> float:
    """The median of calls in a row that take so long together: what a program that solves step after step sees."""
    spent = [call()]
    while sum(spent) < shortest:
        spent.append(call())
    return float(np.median(spent))


def against_clarabel(cases: list[Case], effort: Effort, report: ContactReport) -> Report:
    """Whole calls of ``auto`` beside the call of Clarabel's solver alone, the faster of its forms."""
    table = Report(
        "contact_clarabel", f"auto beside Clarabel at its tolerance {TOLERANCE:.0e}, the convex law",
        "The time of our whole call over that of Clarabel's `solve` alone, of the form that is faster; shorter is better.",
        ["problem", f"auto to {GOAL:.0e} / Clarabel", f"auto to {FINE:.0e} / Clarabel", f"auto to {GOAL:.0e}",
         f"auto to {FINE:.0e}", "Clarabel", "its form", "the other form", "error of auto", "error of Clarabel",
         f"Coulomb's law, auto to {GOAL:.0e}"],
    )  # fmt: skip
    ratios: dict[float, list[float]] = {GOAL: [], FINE: []}
    for case in progress(cases, "Clarabel"):
        forms = peers(case)
        answers = {name: peer.run()[1] for name, peer in forms.items()}
        calls: dict[str, Callable[[], float]] = {name: peer.time for name, peer in forms.items()}
        ours = {}
        for key, law, tol in ((GOAL, "ccp", GOAL), (FINE, "ccp", FINE), ("ncp", "ncp", GOAL)):
            ours[key] = solve(case.problem, law, tol=tol, threads=1)
            calls[str(key)] = partial(our_time, case, law, tol)
        spent: dict[str, list[float]] = {name: [] for name in calls}
        for _ in range(effort.rounds):
            for name, call in calls.items():
                spent[name].append(several(call, effort.shortest))
        times = {name: Times(np.array(values)) for name, values in spent.items()}
        best, *others = sorted(forms, key=lambda name: times[name].median)
        over = {tol: times[str(tol)].over(times[best]) for tol in ratios}
        error = error_of(case.problem, forms[best].impulses(answers[best]))
        for tol, value in over.items():
            if not ours[tol].converged:
                table.note(f"{case.name}: `auto` to {tol:.0e} did not converge ({ours[tol].errors.largest:.1e}).")
            ratios[tol].append(value[0] if ours[tol].converged else np.inf)
        table.rows.append(
            [case.name, ratio(over[GOAL]), ratio(over[FINE]), *(seconds(times[str(t)].median) for t in ratios),
             seconds(times[best].median), best, seconds(times[others[0]].median) if others else "-",
             f"{ours[GOAL].errors.largest:.1e}, {ours[FINE].errors.largest:.1e}", f"{error:.1e}",
             seconds(times["ncp"].median) + ("" if ours["ncp"].converged else ", not converged")]
        )  # fmt: skip
    labels = [case.name for case in cases]
    series: dict[str, Any] = {f"auto to {tol:.0e}": values for tol, values in ratios.items()}
    table.charts = [Bars(labels, series, "time of auto / Clarabel", 1.0, "as fast", "shorter is better", form="{:.2f}")]
    table.notes += [
        "All calls of a row in turn, round after round, each repeated until 20 ms have passed, in one process, one "
        "thread. Ratios are medians of those of single rounds, in brackets their quartiles. Ours begins with the problem as "
        "it was read: finding islands, scaling and, of a global file, assembling the matrix are in it. Clarabel's setup is "
        "not in its time.",
        "Clarabel's error is what its tolerance gives by our measure: natural map or error in velocity, both relative.",
    ]
    report.target(f"`auto` to {GOAL:.0e} / Clarabel, the slowest", 1.5, max(ratios[GOAL]))
    report.target(f"`auto` to {GOAL:.0e} / Clarabel, median", 0.5, float(np.median(ratios[GOAL])))
    report.target(f"`auto` to {FINE:.0e} / Clarabel, the slowest", 4.0, max(ratios[FINE]))
    return table


# -------------------------------------------------------------------------------------------- (c) iterations, (d) rate


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


def throughput(effort: Effort, quick: bool, report: ContactReport) -> Report:
    """Contact-iterations a second on large packings."""
    table = Report(
        "contact_throughput", "Contacts times iterations a second: apgd and sweeps on one core",
        f"Random packings of spheres, {ITERATIONS} iterations, all in one island. The operator N of `u = N r + b` is held "
        "as a matrix, or as its factors: the Jacobian J and M^-1 J'. Sweeps take eight contacts at a time in islands of 200 "
        "and more.",
        ["contacts, way", "million contact-iterations / s", "an iteration", "bytes an iteration, each contact", "matrices",
         "places", "vectors", "rest", "bandwidth, as many bytes", "of it reached"],
    )  # fmt: skip
    counts = (2000,) if quick else (10_000, 30_000)
    found = [t for count in progress(counts, "rate") for t in measure(count, effort)]
    for t in found:
        size = t.size
        parts = [
            f"{part / t.contacts:.0f}" for part in (size.total, size.matrices, size.places, size.vectors, size.rest)
        ]
        table.rows.append(
            [f"{t.contacts}, {t.way}", f"{1e-6 * t.rate:.2f}", seconds(t.seconds), *parts, f"{1e-9 * t.bandwidth:.1f} GB/s",
             f"{100 * t.reached:.0f} %"]
        )  # fmt: skip
    table.charts = [
        Bars([f"{t.contacts} contacts, {t.way}" for t in found],
             {"an iteration": [1e-6 * t.rate for t in found]}, "million contacts times iterations, a second", RATE,
             f"aimed at: {RATE:g}", "longer is better; N is the operator of u = N r + b"),
    ]  # fmt: skip
    large = triad_bandwidth(effort, 1_000_000 if quick else 16_000_000)
    table.notes += [
        f"Bandwidth: a compiled triad a = b + s c on as many bytes as the iteration moves, 24 for each number; from memory "
        f"alone, on arrays that no cache holds, it is {1e-9 * large:.1f} GB/s.",
        "An iteration must read its matrices and where their blocks are, and read and write vectors of multipliers in two "
        "passes; with factors it must write and read the velocities of all bodies. The rate is that of the compiled loop "
        "without preparation, the best of a few runs, as STREAM counts: neighbours on a shared machine only make it less.",
    ]
    best = {t.contacts: max(1e-6 * s.rate for s in found if s.contacts == t.contacts) for t in found}
    for contacts, value in best.items():
        words = f"million contact-iterations a second, {contacts} contacts, the fastest way"
        report.target(words, RATE, value, at_least=True)
    return table


# ----------------------------------------------------------------------------------------------------------- (e) polygon


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


# ------------------------------------------------------------------------------------------------------------------- all


PARTS = (
    "clarabel",
    "few",
    "iterations",
    "rate",
    "mechanisms",
    "solvers",
    "polygon",
    "packings",
    "threads",
    "hard",
    "warm",
)


def run(
    effort: Effort, folder: Path | None = None, only: Collection[str] = PARTS, members: int = MEMBERS
) -> ContactReport:
    """Measure everything, or some parts only.

    Args:
        effort: how much time each measurement may take.
        folder: with FCLIB files.
        only: parts.
        members: of each family of hard problems.
    """
    quick = effort.states < 1000
    cases, source = find_cases(folder, quick)
    report = ContactReport(
        f"{source} The error is the natural map or the error in velocity, whichever is larger, see "
        "`pluecker.contact.friction.results.measures`."
    )
    names = list(SOLVERS)
    if version("clarabel") == "not installed":
        report.note("Clarabel is not installed: no comparison with it.")
    elif "clarabel" in only:
        report.parts.append(against_clarabel(cases, effort, report))
    if "few" in only:
        report.parts += [few_contacts(effort, report), few_contacts_compiled(feet, effort, report)]
    if "iterations" in only:
        report.parts.append(gradients_and_sweeps(cases, quick, report))
    if "rate" in only:
        report.parts.append(throughput(effort, quick, report))
    if "mechanisms" in only:
        report.parts += [mechanisms(effort, quick), long_chains(effort, quick)]
    if "solvers" in only:
        solvers, found = all_solvers([*cases, *of_families(quick)], names, effort, quick)
        report.parts += solvers
        report.figures["contact_profiles"] = lambda: draw_profiles(found, LAWS, names)
    if "polygon" in only:
        table, errors, slope = polygon(quick)
        report.parts.append(table)
        report.figures["contact_polygon"] = lambda: draw_polygon(errors, slope)
    families(only, members, quick, report)
    report.note(f"One thread on a machine with {cores()} cores.")
    return report


def families(only: Collection[str], members: int, quick: bool, report: ContactReport) -> None:
    """Run the parts on problems of every size and hardness that are made from seeds."""
    if "packings" in only:
        counts, cap = ((200,), 1.0) if quick else (SOME, SHORT) if members < MANY else (COUNTS, LONG)
        report.parts.append(packings(report, counts, longest=cap))
    if "threads" in only:
        report.parts.append(shared(report, 500, 1) if quick else shared(report))
    number, names, longest = (1, QUICK, 1.0) if quick else (members, tuple(FAMILIES), LONGEST)
    if "hard" in only:
        report.parts.append(hard_families(report, number, names, longest))
    if "warm" in only:
        report.parts.append(warm_starts(report, number, names, longest))


def main(arguments: list[str] | None = None) -> int:
    """The topic alone, on the files of any folder; or some of its parts, which are printed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.contact", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, metavar="DIR", help="with FCLIB files, .hdf5")
    parser.add_argument("--quick", action="store_true", help="few repetitions, low limits: to see that it works")
    parser.add_argument("--only", nargs="+", choices=PARTS, metavar="PART", help=f"print these: {', '.join(PARTS)}")
    parser.add_argument(
        "--families",
        type=int,
        default=MEMBERS,
        help=f"members of each family ({MEMBERS}); from {MANY} on with the largest packings",
    )
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results (benchmarks/results)")
    options = parser.parse_args(arguments)
    effort = Effort.quick() if options.quick else Effort.thorough()
    report = run(effort, options.folder, options.only or PARTS, options.families)
    if options.quick:
        report.note("A quick run with few repetitions and low limits: the numbers are rough.")
    if options.only:
        print(report.text())
        return 0
    for path in report.save(options.out):
        print(path, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
