"""Topic ``simulation``: steps of a falling humanoid and of an arm, one motion and a batch of them, on one core.

Everyone steps the same mechanism by semi-implicit Euler without contacts, position limits and dry friction, from the same
state, and records each configuration.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.mechanisms import Mechanism, States, robots
from benchmarks.peers import MuJoCo, Pinocchio, available
from benchmarks.report import ROUNDS, Bars, Report, ratio, seconds
from benchmarks.timing import Effort, interleaved, progress
from pluecker.articulated import rnea, simulate
from pluecker.spatial.extras import require

__all__ = ["run"]

CHOSEN = ("Panda", "G1")
STEP = 1e-3
PEERS = {"Pinocchio": "pin.aba, pin.integrate", "MuJoCo": "mujoco.rollout"}


def our_calls(mechanism: Mechanism, states: States, steps: int) -> dict[str, Callable[[], Any]]:
    """One motion, and one from each state."""
    model = mechanism.model.replace(friction=0.0)

    def motion(q: Any, v: Any) -> Callable[[], Any]:
        return lambda: simulate(model, q, v, steps * STEP, STEP, limits=False, record=(), threads=1)

    return {"one": motion(states.q[0], states.v[0]), "batch": motion(states.q, states.v)}


def in_pinocchio(mechanism: Mechanism, states: States, steps: int) -> dict[str, Callable[[], Any]]:
    """A loop in Python over one motion."""
    peer = Pinocchio(mechanism, states)
    pin = require("pinocchio", "peers", "comparing")
    model, data, tau = peer.model, peer.data, np.zeros(mechanism.model.nv)
    start, velocity = peer.columns[0], np.ascontiguousarray(peer.V[:, 0])

    def one() -> Any:
        q, v, found = start, velocity, []
        for _ in range(steps):
            v = v + STEP * pin.aba(model, data, q, v, tau)
            q = pin.integrate(model, q, STEP * v)
            found.append(q)
        return found

    return {"one": one}


def in_mujoco(mechanism: Mechanism, states: States, steps: int) -> dict[str, Callable[[], Any]]:
    """Its own loop in C, in one thread."""
    peer = MuJoCo(mechanism, states)
    rollout = require("mujoco.rollout", "peers", "comparing")
    peer.model.opt.timestep = STEP
    start = np.concatenate([np.zeros((len(peer.q), 1)), peer.q, peer.v], axis=1)
    return {
        "one": lambda: rollout.rollout(peer.model, peer.data, start[:1], nstep=steps),
        "batch": lambda: rollout.rollout(peer.model, peer.data, start, nstep=steps),
    }


def run(effort: Effort) -> Report:
    """Measure everything."""
    report = Report(
        "simulation",
        "Steps of a simulation",
        "How long a step of one state takes, in one motion and in a batch of motions, one core, everything included. A "
        "ratio above 1 says that pluecker is faster; a batch is compared with MuJoCo's batch, Pinocchio's one motion.",
        ["robot", "motions", *(f"{name} / ours" for name in PEERS.values()), "ours", *PEERS.values()],
    )
    quick = effort.rounds < 3
    steps, count = (20, 16) if quick else (500, 256)
    labels: list[str] = []
    series: dict[str, list[float | None]] = {f"{name} / ours": [] for name in PEERS.values()}
    chosen = [robot for robot in robots() if robot.label.startswith((*CHOSEN, "seven"))]
    for robot in progress(chosen, "simulation"):
        states = States.random(robot.model, count)
        v = 0.1 * states.v
        states = States(states.q, v, states.a, rnea(robot.model, states.q, v, states.a))
        ours, peers = our_calls(robot, states, steps), {}
        for peer, make in ((Pinocchio, in_pinocchio), (MuJoCo, in_mujoco)):
            if available(peer, report.note):
                try:
                    peers[PEERS[peer.__name__]] = make(robot, states, steps)
                except ValueError as error:
                    report.note(f"{peer.__name__} does not load {robot.label}: {' '.join(str(error).split())}.")
        for kind, motions in (("one", 1), ("batch", count)):
            group = {"ours": ours[kind]}
            group |= {name: calls.get(kind, calls["one"]) for name, calls in peers.items()}
            times = interleaved(group, effort)
            shares = {name: steps * (motions if name == "ours" or kind in peers[name] else 1) for name in group}
            each = {name: times[name].median / shares[name] for name in group}
            over = {
                name: tuple(x * shares["ours"] / shares[name] for x in times[name].over(times["ours"]))
                for name in peers
            }
            report.rows.append(
                [robot.label, f"{motions:,}", *(ratio(over.get(name)) for name in PEERS.values())]
                + [seconds(each.get(name)) for name in ("ours", *PEERS.values())]
            )
            labels.append(f"{robot.label}: {motions} motion{'s' if motions > 1 else ''}")
            for name in PEERS.values():
                series[f"{name} / ours"].append(over[name][0] if name in over else None)
    report.charts = [
        Bars(
            labels,
            series,
            "peer's time / our time",
            1.0,
            "equally fast",
            "above 1: pluecker is faster than the peer",
            form="{:.2f}",
        )
    ]
    report.notes += [
        f"{steps} steps of 1 ms, without joint forces; ours by simulate with the integrator semi_implicit, one thread.",
        "MuJoCo without constraints, Euler's integrator, joint damping explicit; Pinocchio in a loop of Python.",
        ROUNDS,
    ]
    return report
