"""Topic ``threads``: batches on one core, two, ... all of them; and what other ways to share them would give."""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import numpy as np

from benchmarks.measuring.mechanisms import ALGORITHMS, Mechanism, States, chain, robots
from benchmarks.measuring.peers import WHEELS, Pinocchio, available
from benchmarks.measuring.report import ROUNDS, Bars, Report, Section, cores, ratio, seconds
from benchmarks.measuring.timing import Effort, interleaved, progress
from benchmarks.robots.batch import our_calls
from pluecker.articulated import Model, aba, crba, rnea
from pluecker.articulated.robots import SEVEN_JOINT_ARM
from pluecker.articulated.running import batch as batch_module
from pluecker.spatial.engine.compiled.decorators import address
from pluecker.spatial.engine.parallel.atomics import call_through

__all__ = ["run"]

SIZES = (512, 2048, 4096, 16384, 65536)  # states in a batch, where ways to share it are compared
DRAWN = (512, 4096, 65536)  # of these
WAYS = ("ours", "prange", "concurrent.futures")


def counts(most: int) -> list[int]:
    """1, 2, 4, ... and all cores."""
    powers = [2**k for k in range(most.bit_length())]
    return sorted({*powers, most})


def run(effort: Effort) -> Report:
    """Measure everything."""
    most = cores()
    used = counts(most)
    report = Report(
        "threads",
        f"Batches of {effort.states} states on 1 to {most} cores",
        "How many times faster a batch is on several cores than on one, and how Pinocchio's threads do.",
        ["robot", "algorithm"]
        + [f"speed-up on {n}" for n in used[1:]]
        + [f"Pinocchio's on {most}", f"Pinocchio / ours on {most}"]
        + [f"ours on {n}, a state" for n in used]
        + [f"Pinocchio on {most}, a state"],
    )
    labels: list[str] = []
    series: dict[str, list[float | None]] = {f"ours on {n}": [] for n in used[1:]} | {f"Pinocchio on {most}": []}
    with_peer = available(Pinocchio, report.note)
    for robot in progress(list(robots()), "threads"):
        states = States.random(robot.model, effort.states)
        ours = {n: our_calls(robot, states, n) for n in used}
        peer = Pinocchio(robot, states) if with_peer else None
        theirs = {n: peer.batch(n) for n in (1, most)} if peer else {}
        for algorithm in ALGORITHMS:
            calls = {f"ours on {n}": calls[algorithm] for n, calls in ours.items()}
            calls |= {f"Pinocchio on {n}": calls[algorithm] for n, calls in theirs.items() if algorithm in calls}
            times = interleaved(calls, effort)
            first = times["ours on 1"]
            ups = {f"ours on {n}": first.over(times[f"ours on {n}"]) for n in used[1:]}
            against = None
            if f"Pinocchio on {most}" in times:
                ups[f"Pinocchio on {most}"] = times["Pinocchio on 1"].over(times[f"Pinocchio on {most}"])
                against = times[f"Pinocchio on {most}"].over(times[f"ours on {most}"])
            cells = [ratio(ups.get(name)) for name in series] + [ratio(against)]
            absolute = [*(f"ours on {n}" for n in used), f"Pinocchio on {most}"]
            cells += [seconds(times[name].median / effort.states if name in times else None) for name in absolute]
            report.rows.append([robot.label, algorithm, *cells])
            labels.append(f"{robot.label}: {algorithm}")
            for name, values in series.items():
                values.append(ups[name][0] if name in ups else None)
    section, chart = ways(effort, most)
    report.sections = [section]
    report.charts = [
        Bars(
            labels,
            series,
            "time on one core / time on several",
            float(most),
            f"ideal on {most} cores",
            "longer is better",
            form="{:.2f}",
        ),
        chart,
    ]
    report.notes += NOTES
    return report


NOTES = [
    ROUNDS,
    WHEELS,
    "Speed-up: the library's own time on one thread over that on several. Inertia matrices are bound by memory where they "
    "are large: all cores share it. Pinocchio has no batch of inertia matrices.",
    "Ours: `threads=n`; rnea and aba return new arrays, crba fills one that exists. Pinocchio: `rneaInParallel` and "
    "`abaInParallel` fill existing ones.",
]


# ------------------------------------------------------------------------------------------------- ways to share a batch


def ways(effort: Effort, threads: int) -> tuple[Section, Bars]:
    """Our sharing of a batch among threads beside ``prange`` and ``concurrent.futures``, from small batches on."""
    section = Section(
        "What other ways to share a batch would give",
        "The threads of the package are a small pool, whose workers sleep between calls. This is what other ways would "
        "give: the same compiled functions, the same checks, the same batch, shared by Numba's `prange` and by a pool of "
        "`concurrent.futures` instead.",
        ["arm", "algorithm", "states", "one thread"]
        + [f"{way} on {threads}" for way in WAYS]
        + [f"{way} / ours" for way in WAYS[1:]],
    )
    labels: list[str] = []
    series: dict[str, list[float | None]] = {f"{way} on {threads}": [] for way in WAYS}
    arms = [Mechanism("seven-joint arm", Model.from_urdf(SEVEN_JOINT_ARM), SEVEN_JOINT_ARM), chain(30)]
    sizes = [size for size in SIZES if size <= 16 * effort.states]
    for arm, size in progress([(arm, size) for arm in arms for size in sizes], "ways to share"):
        for algorithm, calls in sharing_calls(arm, States.random(arm.model, size), threads).items():
            times = interleaved(calls, effort)
            over = [ratio(times[way].over(times["ours"])) for way in WAYS[1:]]
            cells = [seconds(times[way].median) for way in ("one thread", *WAYS)]
            section.rows.append([arm.label, algorithm, str(size), *cells, *over])
            if size in DRAWN:
                labels.append(f"{arm.label}: {algorithm}, {size} states")
                for way in WAYS:
                    series[f"{way} on {threads}"].append(times["one thread"].over(times[way])[0])
    section.notes += [
        "Ours and `prange` take the same pieces of the batch from the same counter, so that both end together; the pool "
        "gets one part of equal length for each thread. All fill an array that exists; their results are the same bits.",
        f"`prange` runs on Numba's threading layer `{numba.threading_layer()}`, which it chooses by itself; "
        f"OMP_WAIT_POLICY is {os.environ.get('OMP_WAIT_POLICY', 'not set')}. Several callers at once may use ours, and not "
        "every layer of Numba's.",
        "`prange` starts and ends with all of its threads; ours does without those that come too late, and does not ask "
        "them for batches of less than a tenth of a millisecond.",
        "A ratio above 1 says that the way takes longer than ours. With `out=`, crba looks at all inputs first, "
        "and shares that too.",
        "Where other programs use the cores, threads that wait for one another lose milliseconds, ours too, and OpenMP's by "
        "far the most unless OMP_WAIT_POLICY is `passive`. Compare on a quiet machine.",
    ]
    chart = Bars(
        labels, series, "time on one thread / time on several", 1.0, "one thread", "ways to share a batch: longer is better",
        form="{:.2f}",
    )  # fmt: skip
    return section, chart


def sharing_calls(mechanism: Mechanism, states: States, threads: int) -> dict[str, dict[str, Callable[[], Any]]]:
    """For each algorithm the call on one thread, and one for each of the ``WAYS`` on so many; they fill arrays.

    All call the same compiled function of an algorithm, through the same public function with the same checks. Ours and
    ``prange`` also take the same pieces of the batch from the same counter: all that differs is whose threads do it, and how
    they are woken and waited for. The pool gets one part of equal length for each thread, as a user would write it.
    """
    model, count, nv = mechanism.model, len(states.q), mechanism.model.nv
    functions = {"rnea": rnea, "aba": aba, "crba": crba}
    inputs = {
        "rnea": (states.q, states.v, states.a),
        "aba": (states.q, states.v, states.tau),
        "crba": (states.q,),
    }
    calls: dict[str, dict[str, Callable[[], Any]]] = {}
    for name in ALGORITHMS:
        function, arrays = functions[name], inputs[name]
        out = np.empty((count, nv, nv) if name == "crba" else (count, nv))
        on = functools.partial(function, model, *arrays, out=out)
        calls[name] = {
            "one thread": functools.partial(on, threads=1),
            "ours": functools.partial(on, threads=threads),
            "prange": functools.partial(with_prange, functools.partial(on, threads=threads)),
            "concurrent.futures": functools.partial(with_pool, function, model, arrays, out, threads),
        }
        expected = calls[name]["one thread"]().copy()
        for way in WAYS:
            out.fill(np.nan)
            calls[name][way]()
            assert np.array_equal(out, expected), (mechanism.label, name, way)
    return calls


@functools.cache
def pool(threads: int) -> ThreadPoolExecutor:
    """Return a pool of threads that stay."""
    return ThreadPoolExecutor(threads)


def with_pool(function: Callable[..., Any], model: Any, arrays: Any, out: Any, threads: int) -> None:
    """Run one part of the batch in each thread of the pool."""
    bounds = np.linspace(0, len(out), threads + 1).astype(int)
    parts = [slice(*pair) for pair in itertools.pairwise(bounds)]
    tasks = [
        pool(threads).submit(function, model, *(x[part] for x in arrays), out=out[part], threads=1) for part in parts
    ]
    for task in tasks:
        task.result()


@numba.njit(parallel=True, nogil=True)
def share_by_prange(function, task, threads):
    """Share work as :func:`pluecker.spatial.engine.parallel.threads.share` does, by Numba's own threads."""
    statuses = np.zeros(threads, np.int64)
    for k in numba.prange(threads):
        statuses[k] = call_through(function, task, k)
    return statuses.max()


def run_by_prange(function: Any, task: int, threads: int) -> int:
    """Stands in for :func:`pluecker.spatial.engine.parallel.threads.share`."""
    numba.set_num_threads(threads)
    return share_by_prange(address(function), task, threads)


def with_prange(call: Callable[[], Any]) -> None:
    """The call, with Numba's threads."""
    usual = batch_module.share
    batch_module.share = run_by_prange
    try:
        call()
    finally:
        batch_module.share = usual
