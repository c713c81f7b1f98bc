"""Topic ``factors``: the inverse of the inertia matrix and solutions with it, next to Pinocchio; chains, a forest."""

from __future__ import annotations

import functools
import tracemalloc
from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np

from benchmarks.measuring.mechanisms import Mechanism, States, chains, robots
from benchmarks.measuring.peers import WHEELS, Pinocchio, available
from benchmarks.measuring.report import ROUNDS, Bars, Report, Section, ratio, seconds
from benchmarks.measuring.timing import Effort, Times, interleaved, progress
from benchmarks.robots.batch import matrices
from pluecker.articulated import Model, ModelBuilder, crba_packed, factorize, minv
from pluecker.spatial.engine.scalars.lanes import WIDTH

__all__ = ["forest", "run"]

Call = Callable[[], Any]
LOOP = 256  # states in a loop in Python, which is as slow for each of many as for each of some
MOST = 500  # coordinates for which Pinocchio's Data, about 8 nv^3 numbers, fits into memory
FEW = 64  # states whose matrices stay in the cache
BODIES = 10_000
BODIES_AT_ONCE = 24_000  # of all states of a batch of chains


def batches(mechanism: Mechanism, states: States, effort: Effort) -> dict[str, Times]:
    """Inverses of many states and of few, a state; Pinocchio's less what a call costs that computes nothing."""
    model, nv = mechanism.model, mechanism.model.nv
    room = matrices(nv, effort.states)
    q, few = states.q[:room], states.q[: min(FEW, room)]
    out, small = np.empty((len(q), nv, nv)), np.empty((len(few), nv, nv))
    calls: dict[str, Call] = {
        "ours": lambda: minv(model, q, out=out, threads=1),
        "few": lambda: minv(model, few, out=small, threads=1),
    }
    sizes = {"ours": len(q), "few": len(few)}
    if nv <= MOST and available(Pinocchio, lambda text: None):
        count = min(LOOP, room)
        peer = Pinocchio(mechanism, states)
        theirs = peer.loops(peer.pin.computeMinverse, [(q,) for q in peer.columns[:count]])
        calls |= {name: theirs[name] for name in ("Pinocchio", "empty")}
        sizes |= {"Pinocchio": count, "empty": count}
    times = interleaved(calls, effort, sizes=sizes)
    if "empty" in times:
        times["Pinocchio"] = times["Pinocchio"].less(times["empty"])
    return times


def singles(mechanism: Mechanism, states: States, effort: Effort) -> dict[str, tuple[Times, Times | None]]:
    """One state a call: ours and Pinocchio's."""
    model, q, b = mechanism.model, states.q[0], states.tau[0]
    ours: dict[str, Call] = {
        "minv": lambda: minv(model, q),
        "factorize, solve": lambda: factorize(model, q).solve(b),
    }
    theirs: dict[str, Call] = {}
    if model.nv <= MOST and available(Pinocchio, lambda text: None):
        theirs = Pinocchio(mechanism, states).inverse_single()
    result = {}
    for name, call in ours.items():
        times = interleaved({"ours": call} | ({"Pinocchio": theirs[name]} if name in theirs else {}), effort)
        result[name] = times["ours"], times.get("Pinocchio")
    return result


# ------------------------------------------------------------------------------------------------------ chains and forests


def along_chains(effort: Effort) -> Section:
    """The time of a solution for each body, on longer and longer chains, of one state and of batches."""
    calls: dict[str, dict[int, Call]] = {}
    sizes: dict[int, int] = {}
    for mechanism in chains():
        model, n = mechanism.model, mechanism.model.nv
        count = max(WIDTH, BODIES_AT_ONCE // n // WIDTH * WIDTH)  # whole blocks of lanes, as many bodies for all chains
        states = States.random(model, count)
        sizes[n] = count
        for label, q, b in (("one state", states.q[0], states.tau[0]), ("batch", states.q, states.tau)):
            factor = factorize(model, q, threads=1)
            threads = 1 if label == "batch" else None
            out = np.empty_like(b) if label == "batch" else None
            calls.setdefault(f"factorize, solve: {label}", {})[n] = lambda model=model, q=q, b=b, threads=threads: (
                factorize(model, q, threads=threads).solve(b, threads=threads)
            )
            calls.setdefault(f"solve: {label}", {})[n] = lambda factor=factor, b=b, out=out, threads=threads: (
                factor.solve(b, out=out, threads=threads)
            )
    lengths = list(sizes)
    section = Section(
        "Along chains",
        "H^-1 times a vector: time for each body and state, of one state a call, and of batches of "
        f"{BODIES_AT_ONCE} bodies on one core. Up to 26 hinges the matrix is factorised, longer chains are swept.",
        ["call", *(f"{n} bodies" for n in lengths), f"{lengths[-1]} over {lengths[0]}, a body"],
    )
    for name, by_length in calls.items():
        count = {str(n): n * (sizes[n] if name.endswith("batch") else 1) for n in lengths}
        bodies = list(interleaved({str(n): call for n, call in by_length.items()}, effort, sizes=count).values())
        section.rows.append([name, *(seconds(t.median) for t in bodies), ratio(bodies[-1].over(bodies[0]))])
    return section


@functools.cache
def forest(n: int) -> Model:
    """Free bodies."""
    rng = np.random.default_rng(0)
    builder = ModelBuilder(f"{n} free bodies")
    for k in range(n):
        builder.add_body(f"b{k}", mass=rng.uniform(1, 2), center_of_mass=rng.normal(size=3), inertia=(30.0, 30.0, 30.0))
        builder.add_joint(f"j{k}", "free", builder.world, f"b{k}")
    return builder.build()


def of_a_forest(effort: Effort) -> Section:
    """Time and memory of H and of its factor."""
    model = forest(BODIES)
    rng = np.random.default_rng(1)
    q = np.zeros((BODIES, 7))
    q[:, :3], q[:, 3:] = rng.normal(size=(BODIES, 3)), rng.normal(size=(BODIES, 4))
    q[:, 3:] /= np.linalg.norm(q[:, 3:], axis=1, keepdims=True)
    q, b = q.ravel(), rng.normal(size=model.nv)
    factor = factorize(model, q)
    calls: dict[str, Call] = {
        "crba_packed": lambda: crba_packed(model, q),
        "factorize": lambda: factorize(model, q),
        "solve": lambda: factor.solve(b),
    }
    times = interleaved(calls, effort)
    section = Section(
        f"A forest of {BODIES} free bodies",
        "nv = 60,000: H has 210,000 entries on 10,000 trees, where a full matrix would have 3.6e9.",
        ["call", "time", "memory allocated"],
    )
    for name, call in calls.items():
        tracemalloc.start()
        call()
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        section.rows.append([name, seconds(times[name].median), f"{peak / 1e6:.1f} MB"])
    section.notes.append(
        "Memory: the most that NumPy and Python have allocated during one call, the result included; the workspace, which "
        "later calls use again, was made before: "
        f"{sum(plan.head.workspace * 8 for plan in model.plans.values()) / 1e6:.1f} MB for all three."
    )
    return section


# ------------------------------------------------------------------------------------------------------------------ table


def run(effort: Effort) -> Report:
    """Measure everything."""
    report = Report(
        "factors",
        "Factors of the inertia matrix, and its inverse",
        "How long the inverse of the inertia matrix (minv) and a solution with it take on one core, next to Pinocchio. A "
        "ratio above 1 says that pluecker is faster.",
        ["mechanism", "call", "states", "Pinocchio / ours", "ours, a state", "Pinocchio, a state"],
    )
    labels: list[str] = []
    series: list[float | None] = []
    available(Pinocchio, report.note)

    def row(mechanism: Mechanism, call: str, states: int, ours: Times, theirs: Times | None) -> None:
        over = None if theirs is None else theirs.over(ours)
        cells = [ratio(over), seconds(ours.median), seconds(None if theirs is None else theirs.median)]
        report.rows.append([mechanism.label, call, str(states), *cells])
        labels.append(f"{mechanism.label}: {call}, {states}")
        series.append(over[0] if over else None)

    for mechanism in progress(list(chain(robots(), chains())), "factors"):
        states = States.random(mechanism.model, matrices(mechanism.model.nv, effort.states))
        times = batches(mechanism, states, effort)
        for name, count in (("ours", len(states.q)), ("few", min(FEW, len(states.q)))):
            row(mechanism, "minv", count, times[name], times.get("Pinocchio"))
        for name, (ours, theirs) in singles(mechanism, states, effort).items():
            row(mechanism, name, 1, ours, theirs)
    report.charts = [
        Bars(labels, {"Pinocchio / ours": series}, "Pinocchio's time / our time", 1.0, "equally fast", form="{:.2f}")
    ]
    report.notes += NOTES
    report.sections = [along_chains(effort), of_a_forest(effort)]
    return report


NOTES = [
    ROUNDS,
    WHEELS,
    "Batches: `minv(..., out=..., threads=1)` fills an array that exists; Pinocchio's `computeMinverse` is called in a "
    "loop, and from its time that of a call on a model without joints is taken off, which crosses from Python to C++ and "
    "back and has nothing to compute. Few states: their matrices stay in the cache, of many they go to the main memory.",
    "One state: with all that Python adds. `factorize(model, q).solve(b)` beside Pinocchio's `crba`, `cholesky.decompose` "
    "and `cholesky.solve`.",
    "Pinocchio is left out of the chain of 1000: its `Data` holds tensors of nv^3 numbers, tens of gigabytes.",
]
