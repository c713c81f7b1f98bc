"""Agreement with Pinocchio on the robots of example-robot-data: ``python -m benchmarks.accuracy [NAME ...]``.

Each robot is loaded from the same URDF file by both libraries, with a fixed and with a floating base, and compared in
random states. Errors are relative, by norm, the worst of all states; those of energies by the norm over the states.
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

from benchmarks.accuracy_frames import FRAME_QUANTITIES, frame_errors
from benchmarks.accuracy_momentum import MOMENTUM_QUANTITIES, momentum_errors
from pluecker.articulated import (
    Model,
    ModelError,
    SingularInertiaError,
    aba,
    bias_force,
    body_accelerations,
    body_velocities,
    crba,
    forward_kinematics,
    gravity_force,
    joint_forces,
    kinetic_energy,
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
