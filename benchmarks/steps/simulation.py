"""Topic ``simulation``: steps of a falling humanoid and of an arm, one motion and a batch of them, on one core.

Everyone steps the same mechanism by semi-implicit Euler without contacts, position limits and dry friction, from the same
state, and records each configuration.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.measuring.mechanisms import Mechanism, States, robots
from benchmarks.measuring.peers import MuJoCo, Pinocchio, made
from benchmarks.measuring.report import ROUNDS, Report, beside_peers, ratio, seconds
from benchmarks.measuring.timing import Effort, interleaved, progress
from pluecker.articulated import rnea, simulate
from pluecker.spatial.extras import require

__all__ = ["run"]

CHOSEN = ("Panda", "G1")
STEP = 1e-3
PEERS = {"Pinocchio": "pin.aba, pin.integrate", "MuJoCo": "mujoco.rollout"}


def our_calls(mechanism: Mechanism, states: States, steps: dict[str, int]) -> dict[str, Callable[[], Any]]:
    """One motion, a longer one, and one from each state, each of so many steps."""
    model = mechanism.model.replace(friction=0.0)

    def motion(q: Any, v: Any, count: int) -> Callable[[], Any]:
        return lambda: simulate(model, q, v, count * STEP, STEP, limits=False, record=(), threads=1)

    chosen = {"one": 0, "long": 0, "batch": slice(None)}
    return {kind: motion(states.q[k], states.v[k], steps[kind]) for kind, k in chosen.items()}


def in_pinocchio(mechanism: Mechanism, states: States, steps: dict[str, int]) -> dict[str, Callable[[], Any]]:
    """Return loops in Python over one motion."""
    peer = Pinocchio(mechanism, states)
    pin = require("pinocchio", "peers", "comparing")
    model, data, tau = peer.model, peer.data, np.zeros(mechanism.model.nv)
    start, velocity = peer.columns[0], np.ascontiguousarray(peer.V[:, 0])

    def one(count: int) -> Any:
        q, v, found = start, velocity, []
        for _ in range(count):
            v = v + STEP * pin.aba(model, data, q, v, tau)
            q = pin.integrate(model, q, STEP * v)
            found.append(q)
        return found

    return {kind: functools.partial(one, steps[kind]) for kind in ("one", "long")}


def in_mujoco(mechanism: Mechanism, states: States, steps: dict[str, int]) -> dict[str, Callable[[], Any]]:
    """Return motions in MuJoCo's own loop in C, in one thread."""
    peer = MuJoCo(mechanism, states)
    rollout = require("mujoco.rollout", "peers", "comparing")
    peer.model.opt.timestep = STEP
    start = np.concatenate([np.zeros((len(peer.q), 1)), peer.q, peer.v], axis=1)
    starts = {"one": start[:1], "long": start[:1], "batch": start}
    return {
        kind: functools.partial(rollout.rollout, peer.model, peer.data, some, nstep=steps[kind])
        for kind, some in starts.items()
    }


WANTED = {"one": (3.0, 1.0), "long": (3.0, 1.0), "batch": (10.0, 4.0)}  # times as fast as each peer, of the humanoid
NAMES = {"one": "one motion", "long": "one longer motion", "batch": "a batch"}


def wanted(label: str, kind: str, over: dict[str, tuple[float, float, float]]) -> str:
    """Return a line that says what was wanted, and whether it was reached."""
    parts = [
        f"{name} {least:g}: {'yes' if over[name][0] >= least else 'no'} ({over[name][0]:.2f})"
        for name, least in zip(PEERS.values(), WANTED[kind], strict=True)
        if name in over
    ]
    return f"{label}, {NAMES[kind]}: wanted at least {', '.join(parts)}."


def run(effort: Effort) -> Report:
    """Measure everything."""
    report = Report(
        "simulation",
        "Steps of a simulation",
        "How long a step of one state takes, in one motion and in a batch of motions, one core, everything included. A "
        "ratio above 1 says that pluecker is faster; a batch is compared with MuJoCo's batch, Pinocchio's one motion.",
        ["robot", "motions", "steps", *(f"{name} / ours" for name in PEERS.values()), "ours", *PEERS.values()],
    )
    quick = effort.rounds < 3
    count = 16 if quick else 256
    steps = {"one": 20, "long": 40, "batch": 20} if quick else {"one": 500, "long": 5000, "batch": 500}
    labels: list[str] = []
    series: dict[str, list[float | None]] = {f"{name} / ours": [] for name in PEERS.values()}
    chosen = [robot for robot in robots() if robot.label.startswith((*CHOSEN, "seven"))]
    for robot in progress(chosen, "simulation"):
        states = States.random(robot.model, count)
        v = 0.1 * states.v
        states = States(states.q, v, states.a, rnea(robot.model, states.q, v, states.a))
        ours = our_calls(robot, states, steps)
        peers: dict[str, dict[str, Callable[[], Any]]] = {}
        for peer, make in ((Pinocchio, in_pinocchio), (MuJoCo, in_mujoco)):
            calls = made(peer, functools.partial(make, robot, states, steps), robot.label, report.note)
            if calls is not None:
                peers[PEERS[peer.__name__]] = calls
        for kind, motions in (("one", 1), ("long", 1), ("batch", count)):
            group = {"ours": ours[kind]}
            group |= {name: calls.get(kind, calls["one"]) for name, calls in peers.items()}
            sizes = {name: steps[kind] * (motions if name == "ours" or kind in peers[name] else 1) for name in group}
            times = interleaved(group, effort, sizes=sizes)
            each = {name: times[name].median for name in group}
            over = {name: times[name].over(times["ours"]) for name in peers}
            report.rows.append(
                [robot.label, f"{motions:,}", f"{steps[kind]:,}", *(ratio(over.get(name)) for name in PEERS.values())]
                + [seconds(each.get(name)) for name in ("ours", *PEERS.values())]
            )
            if robot.label.startswith("G1"):
                report.note(wanted(robot.label, kind, over))
            labels.append(f"{robot.label}: {motions} x {steps[kind]:,} steps")
            for name in PEERS.values():
                series[f"{name} / ours"].append(over[name][0] if name in over else None)
    report.charts = [beside_peers(labels, series)]
    report.notes += [
        "Steps of 1 ms, without joint forces; ours by simulate with the integrator semi_implicit, one thread. Of a short "
        "motion, what a call of simulate costs besides its steps is a larger share.",
        "MuJoCo without constraints, Euler's integrator, joint damping explicit; Pinocchio in a loop of Python.",
        ROUNDS,
    ]
    return report
