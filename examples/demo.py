"""The demonstration: a robot moves, its dynamics are computed forth and back, checked against physics, timed and drawn."""

from __future__ import annotations

import timeit
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.algorithms.dynamics.aba import aba
from pluecker.articulated.algorithms.dynamics.kinetic_energy import kinetic_energy
from pluecker.articulated.algorithms.dynamics.potential_energy import potential_energy
from pluecker.articulated.algorithms.dynamics.rnea import rnea
from pluecker.articulated.algorithms.inertia.crba import crba
from pluecker.articulated.app.peer import PinocchioPeer
from pluecker.articulated.model.model import Model
from pluecker.articulated.pictures.drawing import CAMERA, make_room
from pluecker.articulated.pictures.figures import as_label, draw_lines, label_lines, new_figure
from pluecker.articulated.pictures.parts import body_placements, rods, transformed
from pluecker.articulated.simulation.smooth_motion import SmoothMotion, smooth_motion
from pluecker.spatial.extras import MissingExtraError

__all__ = ["Demonstration", "compare_with_pinocchio", "demonstrate", "draw_demonstration", "report"]

Array = NDArray[np.float64]
SAMPLES = 4000


@dataclass
class Demonstration:
    """Results of the demonstration: a motion, its joint forces, and the checks."""

    model: Model
    time: Array
    q: Array
    v: Array
    a: Array
    tau: Array
    closure: Array  # error of the accelerations that come back, relative to the largest
    motor_power: Array
    energy_rate: Array
    losses: Array
    times: dict[str, tuple[float, float]]  # seconds a call with one state, and a state in one call with all

    @property
    def power_error(self) -> float:
        """The worst violation of the power balance, relative to the largest power."""
        error = np.abs(self.motor_power - self.energy_rate - self.losses).max()
        return float(error / (np.abs(self.motor_power).max() or 1.0))


def demonstrate(model: Model, samples: int = SAMPLES) -> Demonstration:
    """Inverse dynamics of a smooth motion, forward dynamics of these torques, and the power balance.

    Raises:
        SingularInertiaError: the robot has joints that move no mass.
    """
    motion = smooth_motion(model)
    time = np.linspace(0.0, motion.duration, samples)
    q, v, a = motion(time)
    tau = rnea(model, q, v, a)
    back = aba(model, q, v, tau)
    closure = np.abs(back - a).max(axis=1) / (np.abs(a).max() or 1.0)
    calls: dict[str, Callable[[Any], Array]] = {
        "rnea": lambda s: rnea(model, q[s], v[s], a[s]),
        "aba": lambda s: aba(model, q[s], v[s], tau[s]),
        "crba": lambda s: crba(model, q[s]),
    }
    times = {name: measure(call, samples) for name, call in calls.items()}
    losses = np.sum(model.damping * v**2 + model.friction * np.abs(v), axis=1)
    return Demonstration(
        model, time, q, v, a, tau, closure, np.sum(tau * v, axis=1), energy_rate(model, motion, time), losses, times
    )


def energy_rate(model: Model, motion: SmoothMotion, time: Array) -> Array:
    """d/dt (T + V) along the motion, by central differences of sixth order: no dynamics is in this check."""
    h = 1e-3 * motion.duration / 8.0
    total = np.zeros(len(time))
    for k, weight in ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60)):
        for sign in (1.0, -1.0):
            q, v, _ = motion(time + sign * k * h)
            total += sign * weight * (kinetic_energy(model, q, v) + potential_energy(model, q))
    return total / h


def measure(call: Callable[[Any], Array], samples: int) -> tuple[float, float]:
    """Seconds for one state a call, and for each state of all in one call: medians."""
    call(0), call(slice(None))
    single = timeit.repeat(lambda: call(0), number=200, repeat=5)
    batch = timeit.repeat(lambda: call(slice(None)), number=1, repeat=5)
    return float(np.median(single)) / 200, float(np.median(batch)) / samples


# ------------------------------------------------------------------------------------------------------------------ words


def report(demo: Demonstration) -> str:
    """The result in words."""
    model = demo.model
    lines = [
        f"{model.name}: {model.n_bodies} moving bodies, {model.nv} degrees of freedom, {model.mass:.2f} kg",
        f"moves through {len(demo.time)} samples in {demo.time[-1]:.1f} s",
        "",
        "1. Inverse dynamics (RNEA): the joint forces of this motion",
        *peak_table(demo),
        "",
        "2. Forward dynamics (ABA) of these forces gives the motion's accelerations back",
        f"   worst error {demo.closure.max():.1e} of the largest acceleration",
        "",
        "3. Power balance: work of the motors = change of energy + losses in damping and friction",
        f"   worst error {demo.power_error:.1e} of the largest power, {np.abs(demo.motor_power).max():.1f} W",
        "",
        "4. Time, on this machine             one state a call    all in one call",
    ]
    names = {"rnea": "inverse dynamics", "aba": "forward dynamics", "crba": "inertia matrix"}
    for name, (single, batch) in demo.times.items():
        lines.append(f"   {name:5} {names[name]:22} {single * 1e6:10.2f} us {batch * 1e6:11.3f} us a state")
    return "\n".join(lines)


def peak_table(demo: Demonstration, most: int = 14) -> list[str]:
    """Return lines with the largest speed and force of each coordinate, and the robot's limits."""
    model = demo.model
    width = max([len(name) for name in model.v_names[:most]] + [10])
    lines = [f"   {'joint':{width}}  {'peak speed':>10} {'limit':>8}  {'peak force':>10} {'limit':>8}"]
    speed, force = np.abs(demo.v).max(axis=0), np.abs(demo.tau).max(axis=0)
    for k, name in enumerate(model.v_names[:most]):
        limits = [
            f"{x:8.4g}" if 0.0 < x < np.inf else f"{'-':>8}" for x in (model.velocity_limit[k], model.effort_limit[k])
        ]
        lines.append(f"   {name:{width}}  {speed[k]:10.3f} {limits[0]}  {force[k]:10.3f} {limits[1]}")
    if model.nv > most:
        lines.append(f"   ... and {model.nv - most} more")
    return [*lines, "   in rad/s and N m, or m/s and N for sliding joints"]


# ---------------------------------------------------------------------------------------------------------------- picture


def draw_demonstration(demo: Demonstration) -> Any:
    """The motion, its forces, and both checks in one figure."""
    figure = new_figure(13.0, 7.6)
    model, t = demo.model, demo.time
    figure.suptitle(f"{as_label(model.name)}: inverse and forward dynamics of one motion", fontsize=14)
    left, right = figure.subfigures(1, 2, width_ratios=(0.82, 1.0))
    space = left.add_subplot(projection="3d")
    draw_poses(space, model, demo.q)
    space.set_title("The motion: poses from grey (start) to black (end), paths of the tips in red", fontsize=10)
    top, middle, bottom = right.subplots(3, 1, sharex=True, height_ratios=(1.5, 1.2, 0.8))
    draw_lines(top, t, demo.tau, model.v_names)
    top.set_title("Joint forces that it takes (inverse dynamics, RNEA)", fontsize=10)
    top.set_ylabel("N m" if model.q_is_angle.all() else "N m or N")
    label_lines(right, top)
    middle.plot(t, demo.motor_power, color="tab:blue", linewidth=3.2, alpha=0.55, label="power of the motors")
    middle.plot(t, demo.energy_rate + demo.losses, color="black", linewidth=1.0, label="change of energy + losses")
    middle.set_title(f"Check 1: the power balance holds to {demo.power_error:.0e} of the peak", fontsize=10)
    middle.set_ylabel("W")
    middle.legend(frameon=False, fontsize=8)
    floor = np.finfo(float).eps
    bottom.semilogy(t, np.maximum(demo.closure, 0.1 * floor), color="tab:green", linewidth=0.7)
    bottom.axhline(floor, color="black", linewidth=0.8, linestyle="--")
    bottom.text(t[-1], 1.15 * floor, "machine epsilon of float64 ", ha="right", va="bottom", fontsize=8)
    bottom.set_title(
        f"Check 2: forward dynamics (ABA) returns the accelerations to {demo.closure.max():.0e}", fontsize=10
    )
    bottom.set_ylabel("error, relative\nto the largest")
    bottom.set_xlabel("time in s")
    for axis in (middle, bottom):
        axis.grid(alpha=0.25)
        axis.margins(x=0.0)
    return figure


def draw_poses(axis: Any, model: Model, q: Array) -> None:
    """Draw the robot in some poses of a motion, from grey to black, and the paths of its outermost points."""
    poses = 6 if model.n_bodies <= 12 else 3
    T, parts = body_placements(model, q), rods(model)
    starts = [transformed(T[:, rod.first], rod.start) for rod in parts]
    ends = [transformed(T[:, rod.second], rod.end) for rod in parts]
    tips = [end for rod, end in zip(parts, ends, strict=True) if rod.first == rod.second]
    for count, k in enumerate(np.linspace(0, len(q) - 1, poses).astype(int)):
        shade = str(0.78 - 0.78 * count / (poses - 1))
        for start, end in zip(starts, ends, strict=True):
            axis.plot(*np.array([start[k], end[k]]).T, color=shade, linewidth=2.2, marker="o", markersize=3.0)
    for tip in tips:
        axis.plot(*tip.T, color="tab:red", linewidth=1.3 if len(tips) <= 4 else 0.6)
    make_room(axis, np.concatenate([T[..., :3, 3].reshape(-1, 3), *ends]))
    axis.view_init(*CAMERA)


# ------------------------------------------------------------------------------------------------------------------- peer


def compare_with_pinocchio(demo: Demonstration, path: Path, floating_base: bool) -> str:
    """Compare with Pinocchio on the same motion: lines of differences and times, or one that says why there are none."""
    try:
        peer = PinocchioPeer(demo.model, path, floating_base)
    except (MissingExtraError, ValueError) as error:  # ValueError: Pinocchio cannot read the file, or has no such joint
        return f"No comparison: {' '.join(str(error).split())}"
    some = range(0, len(demo.time), max(1, len(demo.time) // 200))
    q, v, a, tau = (np.ascontiguousarray(x[some]) for x in (demo.q, demo.v, demo.a, demo.tau))
    pairs = {
        "rnea": (rnea(demo.model, q, v, a), np.array([peer.rnea(*state) for state in zip(q, v, a, strict=True)])),
        "aba": (aba(demo.model, q, v, tau), np.array([peer.aba(*state) for state in zip(q, v, tau, strict=True)])),
        "crba": (crba(demo.model, q), np.array([peer.crba(x) for x in q])),
    }
    calls = peer.calls(q[0], v[0], a[0], tau[0])
    lines = [f"5. Pinocchio {peer.pin.__version__} from the same file: largest difference, time of one state a call"]
    for name, (ours, theirs) in pairs.items():
        time = "           -"
        if name in calls:
            calls[name]()
            time = f"{np.median(timeit.repeat(calls[name], number=200, repeat=5)) / 200 * 1e6:9.2f} us"
        lines.append(f"   {name:5} {difference(ours, theirs):10.1e} {time}  (ours {demo.times[name][0] * 1e6:.2f} us)")
    if demo.model.mimic:
        lines.append("   Its mimic joints move by themselves; they are coupled here afterwards.")
    return "\n".join(lines)


def difference(ours: Array, theirs: Array) -> float:
    """The largest difference, relative to the largest value."""
    return float(np.abs(ours - theirs).max() / (np.abs(theirs).max() or 1.0))
