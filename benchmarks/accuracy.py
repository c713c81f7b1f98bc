"""Agreement with Pinocchio on the robots of example-robot-data: ``python -m benchmarks.accuracy [NAME ...]``.

Each robot is loaded from the same URDF file by both libraries, with a fixed and with a floating base, and compared in
random states. Errors are relative, by norm, the worst of all states; those of energies by the norm over the states. Rates of
change are compared with the sizes of what they are rates of and of the velocities, of whose products they consist, where
these are larger: a rate that is zero but for rounding, as that of a base that carries its own coordinates, has no digits.
How friction and mimic joints are treated: see :mod:`pluecker.articulated.app.peer`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pluecker.articulated import (
    Model,
    ModelError,
    SingularInertiaError,
    aba,
    bias_force,
    body_accelerations,
    body_velocities,
    center_of_mass,
    center_of_mass_acceleration,
    center_of_mass_jacobian,
    center_of_mass_velocity,
    centroidal_momentum_matrix,
    centroidal_momentum_matrix_dot,
    coriolis_matrix,
    crba,
    forward_kinematics,
    frame_acceleration,
    frame_placement,
    frame_velocity,
    gravity_force,
    jacobian,
    jacobian_dot,
    joint_forces,
    kinetic_energy,
    momentum,
    momentum_rate,
    potential_energy,
    random_configuration,
    rnea,
)
from pluecker.articulated.app.peer import PinocchioPeer
from pluecker.articulated.robots import example_robots
from pluecker.spatial.extras import require

QUANTITIES = ("rnea", "crba", "aba", "bias", "gravity", "kinetic", "potential", "placement")
# Forward dynamics solves H x = b. Where the condition number of H is above 5e6, rounding errors in H alone, times that
# number, are more than this, and each library solves its own rounding of H exactly.
ABA_LIMIT = 1e-11
BODY_QUANTITIES = ("velocity", "acceleration", "force")
FRAME_QUANTITIES = ("frame placement", "frame velocity", "frame acceleration", "classical", "jacobian", "jacobian rate")
AXES = {"body": "LOCAL", "aligned": "LOCAL_WORLD_ALIGNED", "world": "WORLD"}
FRAMES = 4  # of each robot: the last, which is far from the base as a rule, and others by chance
MOMENTUM_QUANTITIES = (
    "center of mass", "its velocity", "its acceleration", "its jacobian", "momentum", "momentum rate", "centroidal",
    "centroidal rate", "coriolis",
)  # fmt: skip


@dataclass
class Comparison:
    """One robot with one kind of base: the worst relative error of each quantity, NaN where there is nothing to compare."""

    robot: str
    floating: bool
    nv: int
    errors: dict[str, float]
    condition: float = 1.0  # of the inertia matrix, the worst of all states
    aba_excess: float = 0.0  # of aba's error over what is allowed in the same state, see ABA_LIMIT
    note: str = ""


def load(path: Path, floating: bool) -> tuple[Model, str]:
    """The robot as our model, and what had to be overlooked in the file."""
    notes = []
    for options in ({}, {"check_inertia": False}, {"check_inertia": False, "mimic": False}):
        try:
            return Model.from_urdf(path, floating_base=floating, **options), ", ".join(notes)
        except ModelError as error:
            notes.append("impossible inertias" if "inertia" in str(error) else "broken mimic")
            last = error
    raise last


def relative(ours: Any, theirs: Any) -> float:
    """Relative error by norm; absolute where the truth is zero."""
    scale = float(np.linalg.norm(theirs))
    return float(np.linalg.norm(np.asarray(ours) - theirs)) / (scale or 1.0)


def raise_to(worst: dict[str, float], ours: dict[str, Any], truth: dict[str, Any], size: dict[str, float]) -> None:
    """Raise the worst errors to those of one state, relative to sizes; absolute where a size is zero."""
    for key, value in truth.items():
        worst[key] = max(worst[key], float(np.linalg.norm(ours[key] - value)) / (size[key] or 1.0))


def compare(name: str, path: Path, floating: bool, states: int = 20, seed: int = 0) -> Comparison:
    """Our results against Pinocchio's in random states."""
    model, note = load(path, floating)
    oracle = Oracle(model, path, floating)
    rng = np.random.default_rng(seed)
    q = random_configuration(model, rng, states)
    v, a, tau = rng.standard_normal((3, states, model.nv))
    f_ext = rng.standard_normal((states, model.n_bodies, 6))
    ours = {
        "rnea": rnea(model, q, v, a, f_ext),
        "crba": crba(model, q),
        "bias": bias_force(model, q, v),
        "gravity": gravity_force(model, q),
        "kinetic": kinetic_energy(model, q, v),
        "potential": potential_energy(model, q),
        "placement": forward_kinematics(model, q),
        "velocity": body_velocities(model, q, v),
        "acceleration": body_accelerations(model, q, v, a),
        "force": joint_forces(model, q, v, a, f_ext),
    }
    try:
        ours["aba"] = aba(model, q, v, tau, f_ext)
    except SingularInertiaError:
        note = ", ".join(filter(None, [note, "singular inertia"]))
    truth = [oracle.evaluate(q[k], v[k], a[k], tau[k], f_ext[k]) for k in range(states)]
    result = Comparison(name, floating, model.nv, {}, note=note)
    for key, values in ours.items():
        if model.nv == 0 and key not in ("kinetic", "potential"):
            result.errors[key] = 0.0
        elif key in ("kinetic", "potential"):
            result.errors[key] = relative(values, np.array([t[key] for t in truth]))
        else:
            result.errors[key] = max(relative(values[k], truth[k][key]) for k in range(states))
    result.errors |= frame_errors(model, oracle, q, v, a, rng)
    result.errors |= momentum_errors(model, oracle, q, v, a)
    if model.nv and "aba" in ours:
        judge_aba(result, ours["aba"], truth)
    return result


def judge_aba(result: Comparison, accelerations: Any, truth: list[dict[str, Any]]) -> None:
    """Hold aba's error against the condition of the problem."""
    for k, t in enumerate(truth):
        condition = float(np.linalg.cond(t["crba"]))
        limit = ABA_LIMIT if condition < 5e6 else condition * np.finfo(float).eps
        result.aba_excess = max(result.aba_excess, relative(accelerations[k], t["aba"]) / limit)
        result.condition = max(result.condition, condition)
    if result.errors["aba"] > ABA_LIMIT:
        result.note = ", ".join(filter(None, [result.note, f"cond(H) up to {result.condition:.0e}"]))


class Oracle(PinocchioPeer):
    """Pinocchio, asked for everything."""

    def joint_numbers(self) -> list[int]:
        """Pinocchio's number of the joint that carries each of our bodies."""
        carriers = {joint.child: joint for joint in self.model.joints}
        numbers = []
        for body in self.model.body_names:
            joint = carriers[body]
            free = joint.type == "free" and not self.theirs.existJointName(joint.name)
            numbers.append(self.theirs.getJointId("root_joint" if free else joint.name))
        return numbers

    def evaluate(self, q: Any, v: Any, a: Any, tau: Any, f_ext: Any) -> dict[str, Any]:
        """All quantities in one state."""
        pin, theirs, data, G = self.pin, self.theirs, self.data, self.G
        joints = self.joint_numbers()
        result: dict[str, Any] = {"rnea": self.rnea(q, v, a, f_ext)}
        result["force"] = np.array([np.roll(data.f[j].vector, 3) for j in joints])
        result["crba"] = self.crba(q)
        result["aba"] = self.aba(q, v, tau, f_ext)
        own, q, v, a = self.losses(v), self.q(q), G @ v, G @ a
        result["bias"] = G.T @ pin.nonLinearEffects(theirs, data, q, v) + own
        result["gravity"] = G.T @ pin.computeGeneralizedGravity(theirs, data, q)
        result["kinetic"] = pin.computeKineticEnergy(theirs, data, q, v)
        result["potential"] = pin.computePotentialEnergy(theirs, data, q)
        pin.forwardKinematics(theirs, data, q, v, a)
        result["placement"] = np.array([data.oMi[j].homogeneous for j in joints])
        result["velocity"] = np.array([np.roll(data.v[j].vector, 3) for j in joints])
        result["acceleration"] = np.array([np.roll(data.a[j].vector, 3) for j in joints])
        return result


# --------------------------------------------------------------------------------------------------------------- frames


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
            ours = our_frames(model, q, v, a, frame, axes)
            for k in range(len(q)):
                truth = dict(their_frames(oracle, q[k], v[k], a[k], number, getattr(pin, reference)))
                size = {key: float(np.linalg.norm(value)) for key, value in truth.items()}
                if theirs.nv:
                    size["jacobian rate"] = max(size["jacobian rate"], size["jacobian"] * size["frame velocity"])
                raise_to(worst, {key: ours[key][k] for key in truth}, truth, size)
    return worst


def our_frames(model: Model, q: Any, v: Any, a: Any, frame: str, axes: str) -> dict[str, Any]:
    """Return our results for all states."""
    return {
        "frame placement": frame_placement(model, q, frame),
        "frame velocity": frame_velocity(model, q, v, frame, axes=axes),
        "frame acceleration": frame_acceleration(model, q, v, a, frame, axes=axes),
        "classical": frame_acceleration(model, q, v, a, frame, axes=axes, classical=True),
        "jacobian": jacobian(model, q, frame, axes=axes),
        "jacobian rate": jacobian_dot(model, q, v, frame, axes=axes),
    }


def their_frames(oracle: Any, q: Any, v: Any, a: Any, frame: int, reference: Any) -> Iterator[tuple[str, Any]]:
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


# -------------------------------------------------------------------------------------------------------------- momenta


def momentum_errors(model: Model, oracle: Any, q: Any, v: Any, a: Any) -> dict[str, float]:
    """The worst relative error, by norm, of each quantity."""
    worst = dict.fromkeys(MOMENTUM_QUANTITIES, 0.0)
    if not (model.nv and model.mass):
        return worst
    ours = our_momenta(model, q, v, a)
    for k in range(len(q)):
        truth = their_momenta(oracle, q[k], v[k], a[k])
        size = {key: float(np.linalg.norm(value)) for key, value in truth.items()}
        speed = float(np.linalg.norm(v[k]))
        size["centroidal rate"] = max(size["centroidal rate"], size["centroidal"] * speed)
        size["coriolis"] = max(size["coriolis"], float(np.linalg.norm(oracle.crba(q[k]))) * speed)
        raise_to(worst, {key: ours[key][k] for key in truth}, truth, size)
    return worst


def our_momenta(model: Model, q: Any, v: Any, a: Any) -> dict[str, Any]:
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


def their_momenta(oracle: Any, q: Any, v: Any, a: Any) -> dict[str, Any]:
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


# ---------------------------------------------------------------------------------------------------------------- table


def comparisons(names: list[str], states: int) -> Iterator[Comparison]:
    """Every robot that Pinocchio loads, with both kinds of base."""
    pin = require("pinocchio", "peers", "comparing with Pinocchio")
    for name, path in example_robots().items():
        if names and not any(part in name for part in names):
            continue
        try:
            pin.buildModelFromUrdf(str(path))
        except ValueError as error:
            print(f"{name}: Pinocchio does not load it ({str(error).splitlines()[0][:60]})", file=sys.stderr)
            continue
        for floating in (False, True):
            yield compare(name, path, floating, states)


def main(arguments: list[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="parts of robot names; all robots if none is given")
    parser.add_argument("--states", type=int, default=20, help="random states for each robot (20)")
    options = parser.parse_args(arguments)
    columns = QUANTITIES + BODY_QUANTITIES + FRAME_QUANTITIES + MOMENTUM_QUANTITIES
    print("| robot | base | nv | " + " | ".join(columns) + " | note |")
    print("|---|---|---:|" + "---:|" * len(columns) + "---|")
    worst = dict.fromkeys(columns, 0.0)
    count = 0
    for c in comparisons(options.names, options.states):
        count += 1
        cells = [f"{c.errors[key]:.0e}" if key in c.errors else "-" for key in columns]
        base = "floating" if c.floating else "fixed"
        print(f"| {c.robot} | {base} | {c.nv} | " + " | ".join(cells) + f" | {c.note} |", flush=True)
        for key, error in c.errors.items():
            worst[key] = max(worst[key], error)
    print(f"| worst of {count} | | | " + " | ".join(f"{worst[key]:.0e}" for key in columns) + " | |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
