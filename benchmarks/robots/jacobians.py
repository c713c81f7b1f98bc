"""Topic ``jacobians``: the Jacobian of one frame, and its rate, in batches and one state a call, next to Pinocchio."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.measuring.mechanisms import Mechanism, States, robots
from benchmarks.measuring.peers import WHEELS, Pinocchio, available, same
from benchmarks.measuring.report import ROUNDS, Bars, Report, ratio, seconds
from benchmarks.measuring.timing import Effort, Times, interleaved, progress
from pluecker.articulated import Model, jacobian, jacobian_dot
from pluecker.articulated.algorithms.frames.frame_path import links_to_world

__all__ = ["run"]

Calls = dict[str, Callable[[], Any]]

LOOP = 256  # states in a loop in Python
AXES = {"body": "LOCAL", "aligned": "LOCAL_WORLD_ALIGNED", "world": "WORLD"}
COLUMNS = [
    "robot", "quantity", "axes", "joints on the way", "batch: Pinocchio / ours", "batch: ours / writing alone",
    "one: Pinocchio / ours", "ours, a state", "Pinocchio, a state", "writing, a state", "ours, one", "Pinocchio, one",
]  # fmt: skip


def farthest_frame(model: Model) -> tuple[str, int]:
    """The frame with the most links between it and the world, and how many these are."""
    depths = {name: len(links_to_world(model, body)) for name, body in model.frames}
    name = max(depths, key=lambda frame: depths[frame])
    return name, depths[name]


def our_calls(model: Model, states: States, frame: str, axes: str) -> dict[str, Calls]:
    """Return our calls for each quantity: a batch into memory that is there, this memory filled with ones, and one state."""
    q, v = states.q, states.v
    q0, v0 = q[0].copy(), v[0].copy()
    out = np.empty((len(q), 6, model.nv))
    writing = {"writing": lambda: out.fill(1.0)}
    return {
        "jacobian": {
            "ours": lambda: jacobian(model, q, frame, axes=axes, out=out, threads=1),
            "one": lambda: jacobian(model, q0, frame, axes=axes),
            **writing,
        },
        "jacobian_dot": {
            "ours": lambda: jacobian_dot(model, q, v, frame, axes=axes, out=out, threads=1),
            "one": lambda: jacobian_dot(model, q0, v0, frame, axes=axes),
            **writing,
        },
    }


def their_calls(peer: Pinocchio, count: int, frame: str, axes: str) -> dict[str, Calls]:
    """Return Pinocchio's calls: loops over ``count`` states and on a model without joints, and one state."""
    pin, reference, nothing = peer.pin, getattr(peer.pin, AXES[axes]), np.zeros(0)
    number = peer.model.getFrameId(frame, pin.BODY)
    columns, velocities = peer.columns[:count], [np.ascontiguousarray(v) for v in peer.V.T[:count]]

    def rate(model: Any, data: Any, q: Any, v: Any) -> Any:
        pin.computeJointJacobiansTimeVariation(model, data, q, v)
        pin.updateFramePlacements(model, data)
        return pin.getFrameJacobianTimeVariation(model, data, number, reference)

    def no_rate(model: Any, data: Any, q: Any, v: Any) -> None:
        pin.computeJointJacobiansTimeVariation(model, data, q, v)
        pin.updateFramePlacements(model, data)
        pin.computeFrameJacobian(model, data, q, 0, reference)  # the last call of a rate ends the process

    return {
        "jacobian": peer.loops(
            pin.computeFrameJacobian, [(q, number, reference) for q in columns], (nothing, 0, reference)
        ),
        "jacobian_dot": peer.loops(rate, list(zip(columns, velocities, strict=True)), idle=no_rate),
    }


def agree(robot: Mechanism, states: States, peer: Pinocchio, frame: str, axes: str) -> None:
    """Compare the first states."""
    pin, reference = peer.pin, getattr(peer.pin, AXES[axes])
    number = peer.model.getFrameId(frame, pin.BODY)
    for k in range(min(8, len(states.q))):
        theirs = np.roll(pin.computeFrameJacobian(peer.model, peer.data, peer.columns[k], number, reference), 3, axis=0)
        same(f"{robot.label}: {frame}, {axes}", jacobian(robot.model, states.q[k], frame, axes=axes), theirs @ peer.G)


def measure(robot: Mechanism, effort: Effort, report: Report) -> list[tuple[str, str, dict[str, Times]]]:
    """For each quantity and each choice of axes the time a state, and the time of a call for one."""
    states = States.random(robot.model, effort.states)
    frame, _ = farthest_frame(robot.model)
    peer = Pinocchio(robot, states) if available(Pinocchio, report.note) else None
    count = min(LOOP, effort.states)
    sizes = {"ours": effort.states, "writing": effort.states, "Pinocchio": count, "empty": count}
    found = []
    for axes in AXES:
        calls = our_calls(robot.model, states, frame, axes)
        if peer is not None:
            agree(robot, states, peer, frame, axes)
            for quantity, theirs in their_calls(peer, count, frame, axes).items():
                calls[quantity] |= theirs
        for quantity, group in calls.items():
            found.append((quantity, axes, interleaved(group, effort, sizes=sizes)))
    return found


def run(effort: Effort) -> Report:
    """Measure everything."""
    report = Report(
        "jacobians",
        "Jacobians of frames",
        "How long the Jacobian of one frame and its rate of change take, compared with Pinocchio: in batches of "
        f"{effort.states} states on one core, and one state a call. A ratio above 1 says that pluecker is faster.",
        COLUMNS,
    )
    labels: list[str] = []
    batches: list[float | None] = []
    singles: list[float | None] = []
    for robot in progress(list(robots()), "jacobians"):
        frame, depth = farthest_frame(robot.model)
        for quantity, axes, times in measure(robot, effort, report):
            ours, one = times["ours"], times["one"]
            theirs, their_one = None, times.get("Pinocchio, one")
            if "Pinocchio" in times:
                theirs = times["Pinocchio"].less(times["empty"])
            over = theirs.over(ours) if theirs else None
            single = their_one.over(one) if their_one else None
            absolute = (ours, theirs, times["writing"], one, their_one)
            cells = [ratio(over), ratio(ours.over(times["writing"])), ratio(single)]
            cells += [seconds(t.median if t else None) for t in absolute]
            report.rows.append([f"{robot.label}, {frame}", quantity, axes, str(depth), *cells])
            labels.append(f"{robot.label}: {quantity}, {axes}")
            batches.append(over[0] if over else None)
            singles.append(single[0] if single else None)
    report.charts = [
        Bars(
            labels,
            {"batch": batches, "one state": singles},
            "Pinocchio's time / our time",
            1.0,
            "equally fast",
            "above 1: pluecker is faster than Pinocchio",
        )
    ]
    report.notes += NOTES
    return report


NOTES = [
    ROUNDS,
    WHEELS,
    "The frame is that with the most joints between it and the world. Results are compared first (differences below 1e-9).",
    "Ours: the batch writes to memory that is there (`out=`); one state gives a new array.",
    "Pinocchio: `computeFrameJacobian` in a loop, and from the time of a call that of a call on a model without joints is "
    "taken off, which crosses from Python to C++ and back and has nothing to compute. It too visits only the joints on the "
    "way. For rates, `computeJointJacobiansTimeVariation`, `updateFramePlacements`, `getFrameJacobianTimeVariation`, which "
    "visit the whole tree. Of one state nothing is taken off.",
    "Writing alone: `out.fill(1.0)` on the array that takes the Jacobians, most of whose entries are zero; no lower bound.",
    "Ours checks each call: that shapes fit, that numbers are finite, quaternions of unit length. Pinocchio does not.",
]
