"""Topic ``centroidal``: centre of mass, centroidal momentum matrix and Coriolis matrix, next to Pinocchio."""

from __future__ import annotations

import numpy as np

from benchmarks.measuring.mechanisms import Mechanism, States
from benchmarks.measuring.peers import WHEELS, Pinocchio, same
from benchmarks.measuring.report import ROUNDS, Report
from benchmarks.measuring.timing import Effort
from benchmarks.robots.beside_pinocchio import Calls, compare, measure
from pluecker.articulated import (
    Model,
    center_of_mass,
    center_of_mass_jacobian,
    centroidal_momentum_matrix,
    centroidal_momentum_matrix_dot,
    coriolis_matrix,
)

__all__ = ["run"]

LOOP = 256  # states in a loop in Python
NAMES = {  # ours, and what is called of Pinocchio's
    "center_of_mass": "centerOfMass",
    "center_of_mass_jacobian": "jacobianCenterOfMass",
    "centroidal_momentum_matrix": "ccrba",
    "centroidal_momentum_matrix_dot": "dccrba",
    "coriolis_matrix": "computeCoriolisMatrix",
}
COLUMNS = [
    "robot", "quantity", "batch: Pinocchio / ours", "one: Pinocchio / ours", "ours, a state", "Pinocchio, a state",
    "ours, one", "Pinocchio, one",
]  # fmt: skip


def our_calls(model: Model, states: States) -> dict[str, Calls]:
    """Return our calls for each quantity: a batch, into memory that is there, and one state."""
    q, v = states.q, states.v
    q0, v0 = q[0].copy(), v[0].copy()
    n, nv = len(q), model.nv
    com, J, A, Adot, C = (np.empty((n, *shape)) for shape in ((3,), (3, nv), (6, nv), (6, nv), (nv, nv)))
    return {
        "center_of_mass": {
            "ours": lambda: center_of_mass(model, q, out=com, threads=1),
            "one": lambda: center_of_mass(model, q0),
        },
        "center_of_mass_jacobian": {
            "ours": lambda: center_of_mass_jacobian(model, q, out=J, threads=1),
            "one": lambda: center_of_mass_jacobian(model, q0),
        },
        "centroidal_momentum_matrix": {
            "ours": lambda: centroidal_momentum_matrix(model, q, out=A, threads=1),
            "one": lambda: centroidal_momentum_matrix(model, q0),
        },
        "centroidal_momentum_matrix_dot": {
            "ours": lambda: centroidal_momentum_matrix_dot(model, q, v, out=Adot, threads=1),
            "one": lambda: centroidal_momentum_matrix_dot(model, q0, v0),
        },
        "coriolis_matrix": {
            "ours": lambda: coriolis_matrix(model, q, v, out=C, threads=1),
            "one": lambda: coriolis_matrix(model, q0, v0),
        },
    }


def their_calls(peer: Pinocchio, count: int) -> dict[str, Calls]:
    """Return Pinocchio's calls: loops over ``count`` states and on a model without joints, and one state."""
    positions, velocities = peer.columns[:count], [np.ascontiguousarray(v) for v in peer.V.T[:count]]
    found: dict[str, Calls] = {}
    for name, theirs in NAMES.items():
        moving = theirs in ("ccrba", "dccrba", "computeCoriolisMatrix")
        states = list(zip(positions, velocities, strict=True)) if moving else [(q,) for q in positions]
        # A call from Python to C++ and back alone: Jacobians end the process if there is nothing to compute
        idle = peer.pin.centerOfMass if theirs == "jacobianCenterOfMass" else None
        found[name] = peer.loops(getattr(peer.pin, theirs), states, idle=idle)
    return found


def agree(robot: Mechanism, states: States, peer: Pinocchio) -> None:
    """Compare the first state."""
    pin, model, data, q, v = peer.pin, peer.model, peer.data, states.q[0], states.v[0]
    q_pin, v_pin = peer.columns[0], np.ascontiguousarray(peer.V[:, 0])
    same(robot.label, center_of_mass(robot.model, q), pin.centerOfMass(model, data, q_pin))
    A = np.roll(pin.ccrba(model, data, q_pin, v_pin), 3, axis=0) @ peer.G
    same(robot.label, centroidal_momentum_matrix(robot.model, q), A)
    C = pin.computeCoriolisMatrix(model, data, q_pin, v_pin)
    same(robot.label, coriolis_matrix(robot.model, q, v), peer.G.T @ C @ peer.G)


def run(effort: Effort) -> Report:
    """Measure everything."""
    report = Report(
        "centroidal",
        "Centre of mass, centroidal momentum, Coriolis matrix",
        f"How long they take, compared with Pinocchio: in batches of {effort.states} states on one core, and one state a "
        "call. A ratio above 1 says that pluecker is faster.",
        COLUMNS,
    )
    compare(report, measure(report, effort, effort.states, our_calls, their_calls, LOOP, agree), by="ours")
    report.notes += NOTES
    return report


NOTES = [
    ROUNDS,
    WHEELS,
    "Results are compared first (differences below 1e-9).",
    "Ours: the batch writes to memory that is there (`out=`); one state gives a new array.",
    "Pinocchio: "
    + ", ".join(f"`{theirs}`" for theirs in NAMES.values())
    + " in a loop, and from the time of a call that of a "
    "call on a model without joints is taken off, which crosses from Python to C++ and back and has nothing to compute. Of "
    "one state nothing is taken off. `ccrba` and `dccrba` compute the momentum too, `dccrba` the matrix itself.",
]
