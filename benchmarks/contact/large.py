"""Packings from 1,000 to 100,000 contacts in one island: ``auto`` beside each single method, and two threads beside one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier

import numpy as np

from benchmarks.contact.report import ContactReport
from benchmarks.families import FAMILIES
from benchmarks.measuring.report import Report, cores
from benchmarks.measuring.resources import Run, capped, peak_bytes
from benchmarks.measuring.timing import progress
from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.solving.solve import solve

__all__ = ["COUNTS", "compile_all", "packings", "shared"]

COUNTS = (1000, 5000, 20_000, 100_000)
METHODS = ("apgd", "pgs", "psor", "newton", "interior_point")
FACTORISES = ("newton", "interior_point")
WANTED = {"ccp": 1.3, "ncp": 1.5}  # times the fastest single method
GOAL, LONGEST, TIMES = 1e-6, 60.0, 3.0
FACTORED = 20_000  # contacts up to which methods that factorise a matrix are tried: beyond, it does not fit
LARGE = 20_000  # contacts that have a time of their own to keep
SEEDS = 5  # problems of each size, whose median is what a contact costs
MEETING: Barrier  # of two processes, each has its own
WARM = 300, 2500  # contacts of problems on which everything is compiled: a usual one, and one that threads may share


def packings(
    report: ContactReport, counts: Sequence[int] = COUNTS, family: str = "packing", longest: float = LONGEST,
    names: Sequence[str] = METHODS,
) -> Report:  # fmt: skip
    """``auto`` beside the fastest single method, and what a contact costs.

    Args:
        report: takes the targets.
        counts: contacts.
        family: of the problems.
        longest: seconds after which ``auto`` is given up; the others have 3 times as long as it took, 2 s at least.
        names: of the single methods.
    """
    table = Report(
        "contact_packings", f"Large problems in one island: {family}, to {GOAL:.0e}",
        f"Seconds of the processor of a whole call, one thread. Each method has {TIMES:g} times as long as `auto` took; "
        "what had not converged when it ended has its error in brackets.",
        ["law, contacts", "auto, s", "fastest single method", "auto / fastest", "us a contact, median", "longest",
         "kB a contact", *names],
    )  # fmt: skip
    compile_all(("auto", *names))
    for law, wanted in WANTED.items():
        ratios, costs, sizes, unsolved = [], [], [], 0
        for count in progress(counts, f"packings, {law}"):
            problem = FAMILIES[family](count, 0).problem
            auto = capped(partial(solve, problem, law, tol=GOAL, threads=1), longest)
            cap = min(longest, max(2.0, TIMES * auto.seconds))
            runs = {name: one(problem, law, name, cap) for name in names}
            best = min((name for name in names if runs[name].solved), key=lambda n: runs[n].seconds, default="none")
            memory = np.nan if auto.result is None else memory_of(count, family, law)
            ratio = auto.seconds / runs[best].seconds if best != "none" else np.nan
            ratios.append(ratio if auto.solved else np.inf)
            spent = [cost_of(auto, problem), *(cost(count, seed, family, law, longest) for seed in range(1, SEEDS))]
            costs.append(float(np.median(spent)))
            unsolved += int(np.isinf(spent).sum())
            sizes.append(memory / problem.blocks)
            table.rows.append(
                [f"{law}, {problem.blocks}", auto.words, best, f"{ratio:.2f}", f"{1e6 * costs[-1]:.1f}",
                 f"{1e6 * max(spent):.1f}", f"{1e-3 * sizes[-1]:.1f}", *(runs[name].words for name in names)]
            )  # fmt: skip
            print(" | ".join(table.rows[-1]), flush=True)
            if law == "ncp" and count == LARGE:
                report.target(f"{family}, ncp, {LARGE}: seconds", 3.0, auto.seconds if auto.solved else np.inf)
        words = f"{family}, {law}"
        report.target(f"{words}: `auto` / the fastest single method, the slowest", wanted, float(np.nanmax(ratios)))
        report.target(f"{words}: cost of a contact, the dearest size / the cheapest", 4.0, max(costs) / min(costs))
        report.target(f"{words}: problems that are not solved", 0.0, unsolved)
        if np.isfinite(sizes).any():
            report.target(f"{words}: kB a contact at most", 20.0, 1e-3 * float(np.nanmax(sizes)))
    table.notes.append(
        f"The cost of a contact is the median of {SEEDS} problems of that size, of which the first is that of the other "
        "columns; longest: of these."
    )
    table.notes.append(
        "Memory: what the process has more at most while it makes the problem and solves it with `auto`."
    )
    return table


def compile_all(names: Sequence[str] = ("auto", *METHODS)) -> None:
    """Call everything once; what factorises a matrix has no code of its own for large problems."""
    usual, large = (FAMILIES["packing"](count, 0).problem for count in WARM)
    for law in WANTED:
        for name in names:
            solve(usual, law, name, max_iterations=None if name == "auto" else 20, threads=1)
            if name not in FACTORISES:
                solve(large, law, name, max_iterations=200 if name == "auto" else 20, threads=1)


def one(problem: Problem, law: str, name: str, cap: float) -> Run:
    """Call a single method, if its matrices fit."""
    if name in FACTORISES and problem.blocks > FACTORED:
        return Run(None, 0.0)
    return capped(partial(solve, problem, law, name, tol=GOAL, threads=1), cap)


def cost(count: int, seed: int, family: str, law: str, longest: float) -> float:
    """Seconds of a contact of another problem, ``auto``."""
    problem = FAMILIES[family](count, seed).problem
    return cost_of(capped(partial(solve, problem, law, tol=GOAL, threads=1), longest), problem)


def cost_of(run: Run, problem: Problem) -> float:
    """Seconds of a contact; infinite where it was not solved."""
    return run.seconds / problem.blocks if run.solved else np.inf


def memory_of(count: int, family: str, law: str) -> float:
    """Return the peak of memory in bytes, the problem included."""
    scene = FAMILIES[family](count, 0)
    return peak_bytes(lambda: solve(scene.problem, law, tol=GOAL, threads=1))


def shared(report: ContactReport, count: int = LARGE, rounds: int = 7, family: str = "packing") -> Report:
    """Two threads beside one on islands, which share parts and matrices, and beside two processes; results have to be the
    same, bit for bit.
    """
    table = Report(
        "contact_shared", f"Two threads on one island of {count} contacts",
        f"Seconds of the clock of whole calls of `auto`, in turn, medians of {rounds} calls; times as fast: of a call and "
        f"the one that follows, the median. The target is for the median of {SEEDS} problems. The cores have to be free. "
        "How far they are is said by the last column: right afterwards, the same call with one thread is made in two "
        "processes at a time, which share nothing but the machine.",
        ["law, seed", "one thread", "two threads", "times as fast", "the same bits", "two processes, times as fast"],
    )  # fmt: skip
    if cores() < 2:
        table.notes.append("This process may use one core only: nothing was measured.")
        return table
    context = get_context("spawn")
    with ProcessPoolExecutor(2, context, meet_at, (context.Barrier(2),)) as pool:
        for law in WANTED:
            ratios = []
            for seed in progress(range(SEEDS), f"two threads, {law}"):
                one, two, times, same = in_turn(FAMILIES[family](count, seed).problem, law, rounds)
                both = [pool.submit(beside_another, count, seed, family, law, rounds) for _ in range(2)]
                gain = sum(one / other.result() for other in both)
                ratios.append(times)
                table.rows.append(
                    [f"{law}, {seed}", f"{one:.3g}", f"{two:.3g}", f"{times:.2f}", "yes" if same else "no",
                     f"{gain:.2f}"]
                )  # fmt: skip
            words = f"two threads on one island of {count}, {law}: times as fast"
            report.target(words, 0.95, float(np.median(ratios)), at_least=True)
    return table


def in_turn(problem: Problem, law: str, rounds: int) -> tuple[float, float, float, bool]:
    """Seconds of the clock of a call with one thread and with two, medians; how many times as fast a call with two is as the
    one with one before it, the median, since the speed of a machine changes in minutes; whether both give the same.
    """
    spent: dict[int, list[float]] = {1: [], 2: []}
    found = {}
    for turn in range(rounds + 1):
        for threads in spent:
            began = time.perf_counter()
            found[threads] = solve(problem, law, tol=GOAL, threads=threads).multipliers
            if turn > 0:  # the first compiles
                spent[threads].append(time.perf_counter() - began)
    one, two = (float(np.median(spent[k])) for k in (1, 2))
    times = float(np.median(np.divide(spent[1], spent[2])))
    return one, two, times, np.array_equal(found[1], found[2])


def meet_at(barrier: Barrier) -> None:
    """Set the barrier at which this process waits for the other."""
    global MEETING
    MEETING = barrier


def beside_another(count: int, seed: int, family: str, law: str, rounds: int) -> float:
    """Seconds of the clock of a call in this process, the median, while another process makes the same."""
    spent = []
    try:
        problem = FAMILIES[family](count, seed).problem
        for _ in range(rounds + 1):
            MEETING.wait()
            began = time.perf_counter()
            solve(problem, law, tol=GOAL, threads=1)
            spent.append(time.perf_counter() - began)
    except BaseException:
        MEETING.abort()  # the other one would wait for ever
        raise
    return float(np.median(spent[1:]))  # the first compiles
