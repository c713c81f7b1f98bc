"""Topic ``batch``: thousands of states in one call, on one core, next to Pinocchio and MuJoCo."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np

from benchmarks.measuring.mechanisms import ALGORITHMS, Mechanism, States, chains, robots
from benchmarks.measuring.peers import WHEELS, MuJoCo, Pinocchio, available, made
from benchmarks.measuring.report import ROUNDS, Bars, Report, beside_peers, ratio, seconds
from benchmarks.measuring.timing import Effort, Times, interleaved, progress
from pluecker.articulated import aba, crba, rnea

__all__ = ["our_calls", "run"]

LARGEST = 2**26  # numbers in a batch of inertia matrices: half a gigabyte
MOST = 500  # coordinates for which Pinocchio's Data, about 8 nv^3 numbers, fits into memory
LOOP = 256  # states in a loop in Python, which is as slow for each of many as for each of some
COLUMNS = [
    "mechanism", "algorithm", "Pinocchio / ours", "MuJoCo / ours", "ours / writing alone",
    "ours, a state", "Pinocchio, a state", "MuJoCo, a state", "writing, a state", "states",
]  # fmt: skip


def our_calls(mechanism: Mechanism, states: States, threads: int | None = 1) -> dict[str, Callable[[], Any]]:
    """Our three algorithms on all states; matrices, of which there may be much, into memory that is there already."""
    model, nv = mechanism.model, mechanism.model.nv
    few = states.first(matrices(nv, len(states.q)))
    H = np.empty((len(few.q), nv, nv))
    return {
        "rnea": lambda: rnea(model, states.q, states.v, states.a, threads=threads),
        "aba": lambda: aba(model, states.q, states.v, states.tau, threads=threads),
        "crba": lambda: crba(model, few.q, out=H, threads=threads),
    }


def matrices(nv: int, count: int) -> int:
    """Return the number of inertia matrices that there is room for."""
    return max(1, min(count, LARGEST // nv**2))


def measure(mechanism: Mechanism, effort: Effort, report: Report) -> dict[str, dict[str, Times]]:
    """For each algorithm the time a state of ours, of Pinocchio, of MuJoCo, and of writing alone."""
    count, nv = effort.states, mechanism.model.nv
    states = States.random(mechanism.model, count)
    room = matrices(nv, count)
    calls = {algorithm: {"ours": call} for algorithm, call in our_calls(mechanism, states).items()}
    sizes = {algorithm: {"ours": room if algorithm == "crba" else count} for algorithm in ALGORITHMS}

    def add(algorithm: str, name: str, call: Callable[[], Any], states: int) -> None:
        """Add a call to be timed in turn with the others of that algorithm."""
        calls[algorithm][name], sizes[algorithm][name] = call, states

    H = np.empty((room, nv, nv))
    add("crba", "writing", lambda: H.fill(1.0), room)
    if nv > MOST:
        report.note(
            f"Pinocchio is left out of {mechanism.label}: its `Data` holds tensors of nv^3 numbers, tens of gigabytes."
        )
    elif available(Pinocchio, report.note):
        theirs = Pinocchio(mechanism, states)
        for algorithm, call in theirs.batch(threads=1).items():
            add(algorithm, "Pinocchio", call, count)
        for name, call in theirs.crba_loops(min(LOOP, room)).items():
            add("crba", name, call, min(LOOP, room))
    if mechanism.path is not None:
        other = made(MuJoCo, lambda: MuJoCo(mechanism, states), mechanism.label, report.note)
        if other is not None:
            add("rnea", "MuJoCo", other.inverse(min(LOOP, count)), min(LOOP, count))
            add("aba", "MuJoCo", other.forward(threads=1), count)
    return {algorithm: interleaved(group, effort, sizes=sizes[algorithm]) for algorithm, group in calls.items()}


def without_calls(times: dict[str, Times]) -> None:
    """Pinocchio's inertia matrix: the faster of its two ways, less what a call costs that computes nothing."""
    if "empty" in times:
        best = min(times["local"], times["world"], key=lambda t: t.median)
        times["Pinocchio"] = best.less(times["empty"])


def run(effort: Effort) -> Report:
    """Measure everything."""
    report = Report(
        "batch",
        f"Batches of {effort.states} states on one core",
        "How long inverse dynamics (rnea), forward dynamics (aba) and inertia matrices (crba) take, compared with "
        "Pinocchio and MuJoCo. A ratio above 1 says that pluecker is faster.",
        COLUMNS,
    )
    labels: list[str] = []
    ratios: dict[str, list[float | None]] = {"Pinocchio / ours": [], "MuJoCo / ours": []}
    writing: dict[str, list[float | None]] = {"ours / writing alone": []}
    for mechanism in progress(list(chain(robots(), chains())), "batch"):
        for algorithm, times in measure(mechanism, effort, report).items():
            if algorithm == "crba":
                without_calls(times)
            ours = times["ours"]
            over = {name: times[name].over(ours) for name in ("Pinocchio", "MuJoCo") if name in times}
            floor = ours.over(times["writing"]) if "writing" in times else None
            used = matrices(mechanism.model.nv, effort.states) if algorithm == "crba" else effort.states
            absolute = [times[k].median if k in times else None for k in ("ours", "Pinocchio", "MuJoCo", "writing")]
            cells = [ratio(over.get("Pinocchio")), ratio(over.get("MuJoCo")), ratio(floor), *map(seconds, absolute)]
            report.rows.append([mechanism.label, algorithm, *cells, str(used)])
            labels.append(f"{mechanism.label}: {algorithm}")
            for name, values in ratios.items():
                values.append(over[name.split()[0]][0] if name.split()[0] in over else None)
            writing["ours / writing alone"].append(floor[0] if floor else None)
    report.charts = [
        beside_peers(labels, ratios, "{:.1f}"),
        only(labels, writing, "inertia matrices: how much longer than filling the result with ones"),
    ]
    report.notes += NOTES
    return report


def only(labels: list[str], series: dict[str, list[float | None]], title: str) -> Bars:
    """A chart of those labels for which there is a number."""
    keep = [k for k in range(len(labels)) if any(values[k] is not None for values in series.values())]
    kept = {name: [values[k] for k in keep] for name, values in series.items()}
    return Bars([labels[k] for k in keep], kept, "our time / time of writing alone", 1.0, "writing alone", title)


NOTES = [
    ROUNDS,
    "All libraries compute the same states; their results are compared (differences below 1e-9, MuJoCo 1e-7) before "
    "anything is timed.",
    "Ours: `rnea` and `aba` return new arrays, `crba(..., out=...)` fills one that exists. Pinocchio fills existing ones.",
    WHEELS,
    "Pinocchio: `rneaInParallel` and `abaInParallel` with one thread. It has no batch of inertia matrices: `crba` is called "
    "in a loop, the faster of its two conventions, and from the time of a call that of a call on a model without joints is "
    "taken off, which crosses from Python to C++ and back and has nothing to compute. What remains includes that the "
    "binding mirrors the upper triangle and copies the matrix. Ours is full and symmetric too.",
    "MuJoCo: `mj_inverse` in a loop in Python, assigning the states included; `rollout` of one step, on the calling thread, "
    "for forward dynamics. Contacts and constraints are off. Both compute more than is asked for (the inertia matrix, its "
    "factorisation, the step), so that these ratios compare what a user waits for, not algorithms.",
    "Writing alone: `out.fill(1.0)` on an array like that which takes the inertia matrices; no lower bound.",
    "Chains: random bodies and placements, hinges about the z axis of each frame, for which Pinocchio has special code.",
]
