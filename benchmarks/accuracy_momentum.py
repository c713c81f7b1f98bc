"""Agreement with Pinocchio on the centre of mass, on momenta, on the Coriolis matrix, and on their rates of change.

Errors are relative, by norm. Rates are compared with the sizes of what they are rates of and of the velocities, where these
are larger: a rate that is zero but for rounding has no digits of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pluecker.articulated import (
    Model,
    center_of_mass,
    center_of_mass_acceleration,
    center_of_mass_jacobian,
    center_of_mass_velocity,
    centroidal_momentum_matrix,
    centroidal_momentum_matrix_dot,
    coriolis_matrix,
    momentum,
    momentum_rate,
)

__all__ = ["MOMENTUM_QUANTITIES", "momentum_errors"]

MOMENTUM_QUANTITIES = (
    "center of mass", "its velocity", "its acceleration", "its jacobian", "momentum", "momentum rate", "centroidal",
    "centroidal rate", "coriolis",
)  # fmt: skip


def momentum_errors(model: Model, oracle: Any, q: Any, v: Any, a: Any) -> dict[str, float]:
    """The worst relative error, by norm, of each quantity."""
    worst = dict.fromkeys(MOMENTUM_QUANTITIES, 0.0)
    if not (model.nv and model.mass):
        return worst
    ours = our_results(model, q, v, a)
    for k in range(len(q)):
        truth = their_results(oracle, q[k], v[k], a[k])
        size = {key: float(np.linalg.norm(value)) for key, value in truth.items()}
        speed = float(np.linalg.norm(v[k]))
        size["centroidal rate"] = max(size["centroidal rate"], size["centroidal"] * speed)
        size["coriolis"] = max(size["coriolis"], float(np.linalg.norm(oracle.crba(q[k]))) * speed)
        for key, value in truth.items():
            worst[key] = max(worst[key], float(np.linalg.norm(ours[key][k] - value)) / (size[key] or 1.0))
    return worst


def our_results(model: Model, q: Any, v: Any, a: Any) -> dict[str, Any]:
    """Return our results for all states."""
    return {
        "center of mass": center_of_mass(model, q),
        "its velocity": center_of_mass_velocity(model, q, v),
        "its acceleration": center_of_mass_acceleration(model, q, v, a),
        "its jacobian": center_of_mass_jacobian(model, q),
        "momentum": momentum(model, q, v, centroidal=True),
        "momentum rate": momentum_rate(model, q, v, a, centroidal=True),
        "centroidal": centroidal_momentum_matrix(model, q),
        "centroidal rate": centroidal_momentum_matrix_dot(model, q, v),
        "coriolis": coriolis_matrix(model, q, v),
    }


def their_results(oracle: Any, q: Any, v: Any, a: Any) -> dict[str, Any]:
    """Return Pinocchio's results for one state, with angular parts first."""
    pin, theirs, data, G = oracle.pin, oracle.theirs, oracle.data, oracle.G
    q, v, a = oracle.q(q), G @ v, G @ a
    found: dict[str, Any] = {}
    pin.centerOfMass(theirs, data, q, v, a)
    found["center of mass"], found["its velocity"] = data.com[0].copy(), data.vcom[0].copy()
    found["its acceleration"] = data.acom[0].copy()
    found["its jacobian"] = pin.jacobianCenterOfMass(theirs, data, q) @ G
    found["momentum rate"] = np.roll(pin.computeCentroidalMomentumTimeVariation(theirs, data, q, v, a).vector, 3)
    found["centroidal"] = np.roll(pin.ccrba(theirs, data, q, v), 3, axis=0) @ G
    found["momentum"] = np.roll(data.hg.vector, 3)
    pin.dccrba(theirs, data, q, v)
    found["centroidal rate"] = np.roll(data.dAg, 3, axis=0) @ G
    found["coriolis"] = G.T @ pin.computeCoriolisMatrix(theirs, data, q, v) @ G
    return found
