"""Topic ``contact``: friction problems, solver against solver and against Clarabel, and what one core can do."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from benchmarks.contact.clarabel import against_clarabel
from benchmarks.contact.few import few_contacts, few_contacts_compiled
from benchmarks.contact.hard import LONGEST, hard_families, warm_starts
from benchmarks.contact.large import COUNTS, packings, shared
from benchmarks.contact.mechanisms import long_chains, mechanisms
from benchmarks.contact.problems import find_cases
from benchmarks.contact.report import ContactReport, draw_profiles
from benchmarks.contact.solvers import (
    LAWS,
    SOLVERS,
    all_solvers,
    draw_polygon,
    gradients_and_sweeps,
    of_families,
    polygon,
)
from benchmarks.contact.throughput import throughput
from benchmarks.families import FAMILIES
from benchmarks.measuring.report import cores, version
from benchmarks.measuring.timing import Effort

__all__ = ["MANY", "MEMBERS", "PARTS", "run"]

MEMBERS = 10  # of each family, so that the topic takes about ten minutes; `make friction` has 40
MANY = 40  # members from which on packings have up to 100,000 contacts and each call of them a minute
SOME, SHORT, LONG = (1000, 5000, 20_000), 10.0, 60.0  # contacts; seconds after which a call is given up
QUICK = ("packing", "stack", "ragdolls")  # families of a quick run
PARTS = (
    "clarabel", "few", "iterations", "rate", "mechanisms", "solvers", "polygon", "packings", "threads", "hard", "warm",
)  # fmt: skip


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
        report.parts += [few_contacts(effort, report), few_contacts_compiled(effort, report)]
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
