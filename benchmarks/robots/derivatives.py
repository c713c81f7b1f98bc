"""Topic ``derivatives``: exact derivatives of the dynamics by dual numbers, next to Pinocchio's analytic ones."""

from __future__ import annotations

import numpy as np

from benchmarks.measuring.mechanisms import Mechanism, States
from benchmarks.measuring.peers import WHEELS, Pinocchio, same
from benchmarks.measuring.report import ROUNDS, Report
from benchmarks.measuring.timing import Effort
from benchmarks.robots.beside_pinocchio import Calls, compare, measure
from pluecker.articulated import Model, aba_derivatives, rnea_derivatives

__all__ = ["run"]

BATCH = 512  # states; three matrices each
LOOP = 64  # states in a loop in Python
COLUMNS = [
    "robot", "algorithm", "batch: ours / Pinocchio", "one: ours / Pinocchio", "ours, a state", "Pinocchio, a state",
    "ours, one", "Pinocchio, one",
]  # fmt: skip


def our_calls(model: Model, s: States) -> dict[str, Calls]:
    """Return our calls for both dynamics: a batch, into memory that is there, and one state."""
    out = tuple(np.empty((len(s.q), model.nv, model.nv)) for _ in range(3))
    q, v, a, tau = (rows[0].copy() for rows in (s.q, s.v, s.a, s.tau))
    return {
        "rnea_derivatives": {
            "ours": lambda: rnea_derivatives(model, s.q, s.v, s.a, out=out, threads=1),
            "one": lambda: rnea_derivatives(model, q, v, a),
        },
        "aba_derivatives": {
            "ours": lambda: aba_derivatives(model, s.q, s.v, s.tau, out=out, threads=1),
            "one": lambda: aba_derivatives(model, q, v, tau),
        },
    }


def their_calls(peer: Pinocchio, count: int) -> dict[str, Calls]:
    """Return Pinocchio's calls: loops over ``count`` states and on a model without joints, and one state."""
    columns = [[np.ascontiguousarray(x) for x in rows.T[:count]] for rows in (peer.Q, peer.V, peer.A, peer.TAU)]
    return {
        "rnea_derivatives": peer.loops(peer.pin.computeRNEADerivatives, list(zip(*columns[:3], strict=True))),
        "aba_derivatives": peer.loops(peer.pin.computeABADerivatives, list(zip(*columns[:2], columns[3], strict=True))),
    }


def agree(robot: Mechanism, s: States, peer: Pinocchio) -> None:
    """Compare the first state; damping is no part of Pinocchio's algorithms."""
    q, v, a = (np.ascontiguousarray(rows[:, 0]) for rows in (peer.Q, peer.V, peer.A))
    peer.pin.computeRNEADerivatives(peer.model, peer.data, q, v, a)
    by_q, by_v, _ = rnea_derivatives(robot.model, s.q[0], s.v[0], s.a[0])
    damping = np.diag(robot.model.damping)
    same(robot.label, by_q, peer.G.T @ peer.data.dtau_dq @ peer.G)
    same(robot.label, by_v - damping, peer.G.T @ peer.data.dtau_dv @ peer.G)


def run(effort: Effort) -> Report:
    """Measure everything."""
    report = Report(
        "derivatives",
        "Derivatives of inverse and forward dynamics",
        f"How long they take by dual numbers, compared with Pinocchio's analytic formulas: in batches of "
        f"{min(BATCH, effort.states)} states on one core, and one state a call. **A ratio below 1 says that pluecker is "
        "faster.**",
        COLUMNS,
    )
    compare(
        report, measure(report, effort, min(BATCH, effort.states), our_calls, their_calls, LOOP, agree), by="Pinocchio"
    )
    report.notes += NOTES
    return report


NOTES = [
    ROUNDS,
    WHEELS,
    "Results are compared first (differences below 1e-9).",
    "Ours: all three matrices, by q, v and a (or tau), of displacements in v's coordinates; the batch writes to memory that "
    "is there (`out=`); one state gives new arrays.",
    "Pinocchio: `computeRNEADerivatives`, `computeABADerivatives` in a loop, and from the time of a call that of a call on "
    "a model without joints is taken off, which crosses from Python to C++ and back and has nothing to compute. Of one "
    "state nothing is taken off.",
]
