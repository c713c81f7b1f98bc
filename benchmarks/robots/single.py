"""Topic ``single``: one state a call from Python, as in a control loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.measuring.mechanisms import ALGORITHMS, Mechanism, States, robots
from benchmarks.measuring.peers import WHEELS, MuJoCo, Pinocchio, made
from benchmarks.measuring.report import ROUNDS, Report, beside_peers, ratio, seconds
from benchmarks.measuring.timing import Effort, interleaved, progress
from pluecker.articulated import aba, crba, rnea

__all__ = ["run"]

PEERS = (Pinocchio, MuJoCo)


def our_calls(mechanism: Mechanism, states: States) -> dict[str, Callable[[], Any]]:
    """Our three algorithms on the first state."""
    model, q, v, a, tau = mechanism.model, states.q[0], states.v[0], states.a[0], states.tau[0]
    return {
        "rnea": lambda: rnea(model, q, v, a),
        "aba": lambda: aba(model, q, v, tau),
        "crba": lambda: crba(model, q),
    }


def peer_calls(mechanism: Mechanism, states: States, report: Report) -> dict[str, dict[str, Callable[[], Any]]]:
    """Return the calls of those peers that are installed and take the robot."""
    calls = {
        peer.__name__: made(peer, lambda peer=peer: peer(mechanism, states).single(), mechanism.label, report.note)
        for peer in PEERS
    }
    return {name: found for name, found in calls.items() if found is not None}


def run(effort: Effort) -> Report:
    """Measure everything."""
    names = [peer.__name__ for peer in PEERS]
    report = Report(
        "single",
        "One state a call, from Python",
        "How long one call takes, with all that Python adds to it. A ratio above 1 says that pluecker is faster.",
        ["robot", "algorithm", *(f"{name} / ours" for name in names), "ours", *names],
    )
    labels: list[str] = []
    series: dict[str, list[float | None]] = {f"{name} / ours": [] for name in names}
    for robot in progress(list(robots()), "single"):
        states = States.random(robot.model, 8)
        ours, peers = our_calls(robot, states), peer_calls(robot, states, report)
        for algorithm in ALGORITHMS:
            group = {"ours": ours[algorithm]}
            group |= {name: calls[algorithm] for name, calls in peers.items() if algorithm in calls}
            times = interleaved(group, effort)
            over = {name: times[name].over(times["ours"]) for name in names if name in times}
            absolute = [times[name].median if name in times else None for name in ("ours", *names)]
            report.rows.append([robot.label, algorithm, *(ratio(over.get(n)) for n in names), *map(seconds, absolute)])
            labels.append(f"{robot.label}: {algorithm}")
            for name in names:
                series[f"{name} / ours"].append(over[name][0] if name in over else None)
    report.charts = [beside_peers(labels, series)]
    report.notes += NOTES
    return report


NOTES = [
    ROUNDS,
    WHEELS,
    "All libraries compute the same state; their results are compared (differences below 1e-9, MuJoCo 1e-7) first.",
    "Pinocchio: `pin.rnea(model, data, q, v, a)` and so on, arrays in its own order, results as it returns them.",
    "MuJoCo: the state is in its `MjData` before; contacts and constraints are off. Beside rnea, `mj_kinematics`, "
    "`mj_comPos`, `mj_comVel` and `mj_rne`, a call each; beside aba, `mj_forward`, which goes by the inertia matrix and its "
    "factorisation; beside crba, `mj_kinematics`, `mj_comPos`, `mj_makeM` (or `mj_crb`) and `mj_fullM`.",
    "Ours checks each call: that shapes fit, that numbers are finite, that quaternions have unit length. The peers do not.",
]
