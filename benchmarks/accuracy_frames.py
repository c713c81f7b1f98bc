"""Agreement with Pinocchio on frames: placements, velocities, accelerations, Jacobians and their rates, in all three axes.

Errors are relative, by norm. A rate of change that is zero but for rounding, as that of a base that carries its own
coordinates, is compared with the sizes of the Jacobian and of the frame's velocity, of whose products it consists.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pluecker.articulated import (
    Model,
    frame_acceleration,
    frame_placement,
    frame_velocity,
    jacobian,
    jacobian_dot,
)

__all__ = ["FRAME_QUANTITIES", "frame_errors"]

FRAME_QUANTITIES = ("frame placement", "frame velocity", "frame acceleration", "classical", "jacobian", "jacobian rate")
AXES = {"body": "LOCAL", "aligned": "LOCAL_WORLD_ALIGNED", "world": "WORLD"}
FRAMES = 4  # of each robot: the last, which is far from the base as a rule, and others by chance


def chosen_frames(model: Model, theirs: Any, pin: Any, rng: np.random.Generator) -> list[str]:
    """Frames that both libraries know."""
    known = [name for name in model.frame_names if theirs.existFrame(name, pin.BODY)]
    some = rng.choice(len(known), min(FRAMES, len(known)), replace=False) if known else []
    return sorted({known[-1], *(known[k] for k in some[1:])}) if known else []


def frame_errors(model: Model, oracle: Any, q: Any, v: Any, a: Any, rng: np.random.Generator) -> dict[str, float]:
    """The worst relative error, by norm, of each quantity."""
    pin, theirs = oracle.pin, oracle.theirs
    worst = dict.fromkeys(FRAME_QUANTITIES, 0.0)
    for frame in chosen_frames(model, theirs, pin, rng):
        number = theirs.getFrameId(frame, pin.BODY)
        for axes, reference in AXES.items():
            ours = our_results(model, q, v, a, frame, axes)
            for k in range(len(q)):
                truth = dict(their_results(oracle, q[k], v[k], a[k], number, getattr(pin, reference)))
                size = {key: float(np.linalg.norm(value)) for key, value in truth.items()}
                if theirs.nv:
                    size["jacobian rate"] = max(size["jacobian rate"], size["jacobian"] * size["frame velocity"])
                for key, value in truth.items():
                    error = float(np.linalg.norm(ours[key][k] - value))
                    worst[key] = max(worst[key], error / (size[key] or 1.0))
    return worst


def our_results(model: Model, q: Any, v: Any, a: Any, frame: str, axes: str) -> dict[str, Any]:
    """Return our results for all states."""
    return {
        "frame placement": frame_placement(model, q, frame),
        "frame velocity": frame_velocity(model, q, v, frame, axes=axes),
        "frame acceleration": frame_acceleration(model, q, v, a, frame, axes=axes),
        "classical": frame_acceleration(model, q, v, a, frame, axes=axes, classical=True),
        "jacobian": jacobian(model, q, frame, axes=axes),
        "jacobian rate": jacobian_dot(model, q, v, frame, axes=axes),
    }


def their_results(oracle: Any, q: Any, v: Any, a: Any, frame: int, reference: Any) -> Iterator[tuple[str, Any]]:
    """Return Pinocchio's results for one state, with angular parts first."""
    pin, theirs, data, G = oracle.pin, oracle.theirs, oracle.data, oracle.G
    state = oracle.q(q), G @ v, G @ a
    pin.forwardKinematics(theirs, data, *state)
    pin.updateFramePlacements(theirs, data)
    yield "frame placement", data.oMf[frame].homogeneous.copy()
    yield "frame velocity", np.roll(pin.getFrameVelocity(theirs, data, frame, reference).vector, 3)
    yield "frame acceleration", np.roll(pin.getFrameAcceleration(theirs, data, frame, reference).vector, 3)
    yield "classical", np.roll(pin.getFrameClassicalAcceleration(theirs, data, frame, reference).vector, 3)
    if not theirs.nv:  # Pinocchio's Jacobians of nothing end the process
        return
    pin.computeJointJacobiansTimeVariation(theirs, data, *state[:2])
    pin.updateFramePlacements(theirs, data)
    yield "jacobian", np.roll(pin.getFrameJacobian(theirs, data, frame, reference), 3, axis=0) @ G
    yield "jacobian rate", np.roll(pin.getFrameJacobianTimeVariation(theirs, data, frame, reference), 3, axis=0) @ G
