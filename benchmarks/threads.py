"""Topic ``threads``: batches on one core, two, ... all of them."""

from __future__ import annotations

from benchmarks.batch import our_calls
from benchmarks.mechanisms import ALGORITHMS, States, robots
from benchmarks.peers import WHEELS, Pinocchio, available
from benchmarks.report import ROUNDS, Bars, Report, cores, ratio, seconds
from benchmarks.timing import Effort, interleaved, progress

__all__ = ["run"]


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
    report.charts = [
        Bars(
            labels,
            series,
            "time on one core / time on several",
            float(most),
            f"ideal on {most} cores",
            "longer is better",
            form="{:.2f}",
        )
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
