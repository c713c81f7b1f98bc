"""``pluecker simulate``: a robot moves, under gravity alone, held in its place, or driven by joint forces from a file."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.algorithms.configuration.neutral import neutral
from pluecker.articulated.algorithms.dynamics.kinetic_energy import kinetic_energy
from pluecker.articulated.algorithms.dynamics.rnea import rnea
from pluecker.articulated.algorithms.frames.forward_kinematics import body_velocities, forward_kinematics
from pluecker.articulated.algorithms.inertia.crba import crba
from pluecker.articulated.app.cli import load, robot_file, start
from pluecker.articulated.app.outputs import Output, check_outputs
from pluecker.articulated.errors import LimitWarning, SimulationError, SimulationWarning
from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.articulated.model.model import Model
from pluecker.articulated.model.records import Joint
from pluecker.articulated.pictures.animation import animate
from pluecker.articulated.pictures.curves import plot_trajectory
from pluecker.articulated.pictures.figures import FIGURES, need_figures, save
from pluecker.articulated.simulation.simulate import simulate
from pluecker.articulated.simulation.starts import hard_limits, within_limits
from pluecker.articulated.stepping.control.control import PDControl, TimeTable
from pluecker.articulated.trajectory.files import TABLES, write_trajectory
from pluecker.articulated.trajectory.trajectory import Trajectory, TrajectoryError, read_trajectory
from pluecker.command import named
from pluecker.interruptions import catch_interruptions
from pluecker.spatial.extras import progress_bar

__all__ = ["free_motion", "holding", "run_simulate"]

Array = NDArray[np.float64]
Mover = Callable[..., Trajectory]
FILMS = (".html", ".gif", ".mp4")
HELD = "nobody holds the base of the robot, which falls"
SWIFT = 20.0  # rad/s, of a joint that is held alone: chosen, a servo's


def free_motion(options: argparse.Namespace, model: Model, q: Array, v: Array) -> tuple[Mover, Array, Array]:
    """Return the function that simulates a robot without constraints, and the start as it was given."""
    return partial(simulate, model), q, v


def run_simulate(options: argparse.Namespace) -> int:
    """Simulate, write, draw; returns the exit code."""
    table = options.control if options.control not in ("hold", "none") else None
    outputs = [] if options.output is None else [Output(options.output, "table", TABLES)]
    for name, what, endings in (("plot", "figure", FIGURES), ("animate", "animation", FILMS)):
        if getattr(options, name) is not None:
            outputs.append(Output(getattr(options, name), what, endings))
            need_figures()
    files = table, options.start, options.constraints
    inputs = [robot_file(options.robot), *(x for x in files if x is not None)]
    check_outputs(outputs, inputs, options.force)
    model = load(options)
    given = Trajectory() if table is None else read_trajectory(table, model, bare="tau")
    q, v = start(options, model, given)
    if options.start is None and given.q is None:
        q = neutral(model, within_limits=True)
    if options.outside_limits == "clip":  # before anything else is made of it
        q = within_limits(model, q, hard_limits(model), options.outside_limits)
    move, q, v = named(options.mover)(options, model, q, v)
    control: Any = None if table is None else as_table(table, given)
    if options.control == "hold":
        control = holding(model, q, options.ground)
        if free_joints(model) and not options.ground and options.constraints is None and model.gravity.any():
            print(f"note: {HELD}; --ground puts a plane below it", file=sys.stderr, flush=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SimulationWarning)
        warnings.simplefilter("always", LimitWarning)
        try:
            motion = move(
                q, v, options.duration, options.step, control=control, integrator=options.integrator,
                every=options.every, progress=worth_keeping, outside_limits=options.outside_limits,
            )  # fmt: skip
        except SimulationError as error:
            catch_interruptions()
            if options.output is not None and error.trajectory is not None and len(error.trajectory):
                write_trajectory(options.output, model, error.trajectory)
                print(f"What was computed until then: {options.output}", file=sys.stderr)
            raise
        finally:
            for warning in caught:
                print(f"pluecker: {warning.message}", file=sys.stderr)
    if not len(motion):
        return 130
    write_trajectory(options.output, model, motion)
    if options.plot is not None:
        save(plot_trajectory(model, motion, title=f"{model.name}: simulated motion"), options.plot)
    if options.animate is not None:
        animate(model, motion, options.animate)
    return 130 if any(issubclass(warning.category, SimulationWarning) for warning in caught) else 0


def worth_keeping(samples: Iterable[int]) -> Iterator[int]:
    """Yield samples with a progress bar; from the first on, Ctrl-C must not throw away what was computed."""
    for k in progress_bar(samples, unit="sample"):
        catch_interruptions()
        yield k


def free_joints(model: Model) -> list[Joint]:
    """Return the joints with six freedoms, which nothing drives."""
    return [joint for joint in model.joints if joint.mimic is None and JOINT_TYPES[joint.type].nv == 6]


def holding(model: Model, q: Array, stands: bool = False) -> PDControl:
    """Make servos that hold a configuration: each joint alone would return critically damped.

    Joints of a robot that ``stands`` move either what is between them and the ground, or all the rest: gains are for the
    larger inertia.
    """
    inertia = np.diagonal(crba(model, q)).copy()
    free = free_joints(model)
    if stands and len(free) == 1:
        inertia = np.maximum(inertia, inertia_of_all(model, q, free[0]))
    for joint in free:
        inertia[model.v_slice(joint.name)] = 0.0
    still = np.zeros(model.nv)
    weight = rnea(model, q, still, still) if inertia.all() else still  # what flies bears none
    return PDControl(SWIFT**2 * inertia, 2.0 * SWIFT * inertia, q=q, tau=weight)


def inertia_of_all(model: Model, q: Array, base: Joint) -> Array:
    """The inertia of the whole mechanism, as rigid as it is, about the axis of each joint; ``(nv,)``."""
    T, n = forward_kinematics(model, q), model.nv
    V = body_velocities(
        model, np.broadcast_to(q, (n, model.nq)), np.eye(n)
    )  # of each coordinate by itself, in body axes
    moved = np.linalg.norm(V, axis=-1).argmax(axis=1)  # by each coordinate, as all behind it
    b = model.body_names.index(base.child)
    between = np.linalg.inv(T[moved]) @ T[b]  # where the base is in the axes of what is moved
    R, p = between[:, :3, :3], between[:, :3, 3]
    w, x = np.split(V[np.arange(n), moved], 2, axis=-1)
    as_base = np.concatenate([np.einsum("kji,kj->ki", R, each) for each in (w, x + np.cross(w, p))], axis=-1)
    own = model.v_slice(base.name)
    v = np.zeros((n, n))
    v[:, own] = np.linalg.solve(V[own, b].T, as_base.T).T
    return np.array([2.0 * kinetic_energy(model, q, each) for each in v])


def as_table(path: str, given: Trajectory) -> TimeTable:
    """The joint forces of a file over time."""
    if given.tau is None or given.time is None:
        raise TrajectoryError(
            f"{path}: has no torques over time; name the columns time, and after joints, or tau:JOINT"
        )
    return TimeTable(given.time, given.tau)
