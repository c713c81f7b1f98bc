"""``pluecker simulate``: a robot moves, under gravity alone, held in its place, or driven by joint forces from a file."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.algorithms.configuration.neutral import neutral
from pluecker.articulated.algorithms.dynamics.rnea import rnea
from pluecker.articulated.algorithms.inertia.crba import crba
from pluecker.articulated.app.outputs import Output, check_outputs
from pluecker.articulated.errors import LimitWarning, SimulationError, SimulationWarning
from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.articulated.model.model import Model
from pluecker.articulated.pictures.animation import animate
from pluecker.articulated.pictures.curves import plot_trajectory
from pluecker.articulated.pictures.figures import FIGURES, need_figures, save
from pluecker.articulated.simulation.integrators import INTEGRATORS
from pluecker.articulated.simulation.simulate import simulate
from pluecker.articulated.simulation.starts import OUTSIDE
from pluecker.articulated.simulation.trajectory import Trajectory, TrajectoryError
from pluecker.articulated.simulation.trajectory_files import TABLES, read_trajectory, write_trajectory
from pluecker.articulated.stepping.control.control import PDControl, TimeTable

__all__ = ["Loading", "add_simulate", "free_motion", "holding"]

Array = NDArray[np.float64]
Mover = Callable[..., Trajectory]
FILMS = (".html", ".gif", ".mp4")
SWIFT = 20.0  # rad/s, of a joint that is held alone: chosen, a servo's

DESCRIPTION = """The motion of a robot from rest in the neutral configuration, joints whose limits that
is outside of at the nearer limit, or from the state that --start names.

--control none: no joint forces. --control hold: critically damped servos keep the configuration, and carry the weight of
robots on a fixed base; free joints get no force.
--control FILE: joint forces from a CSV or NPZ file with a 'time' column, as 'pluecker forward' reads it, linear between
samples. Ctrl-C ends the simulation; what was computed is written."""


@dataclass(frozen=True)
class Loading:
    """How commands find robots.

    Attributes:
        common: options of all commands that load a robot.
        robot_help: what a robot may be given as.
        load: makes the model that the options ask for.
        robot_file: the file that a robot's name stands for.
        start: the state to start from, from the options and a file.
    """

    common: argparse.ArgumentParser
    robot_help: str
    load: Callable[[argparse.Namespace], Model]
    robot_file: Callable[[str], Path]
    start: Callable[[argparse.Namespace, Model, Trajectory], tuple[Array, Array]]


def add_simulate(commands: Any, loading: Loading) -> None:
    """Add the command to what ``add_subparsers`` returned."""
    parser = commands.add_parser(
        "simulate",
        parents=[loading.common],
        help="the motion of a robot, simulated",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("robot", help=loading.robot_help)
    parser.add_argument("--duration", type=float, default=5.0, metavar="S", help="a whole number of steps (5)")
    parser.add_argument("--step", type=float, default=1e-3, metavar="S", help="of the integrator (0.001)")
    parser.add_argument("--every", type=int, default=10, metavar="N", help="steps from one sample to the next (10)")
    parser.add_argument("--control", default="none", metavar="hold|none|FILE", help="what moves the joints (none)")
    names = ", ".join(sorted(INTEGRATORS))
    parser.add_argument("--integrator", default="semi_implicit", metavar="NAME", help=f"{names} (semi_implicit)")
    parser.add_argument("--start", metavar="FILE", help="a file whose first sample has q (and v) to start from")
    parser.add_argument(
        "--outside-limits", default="error", choices=OUTSIDE, help="of a start outside of position limits (error)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="result, .csv, .npz or .h5 (CSV to standard output)")
    parser.add_argument("--plot", metavar="FILE", help="also draw the result: .png, .pdf or .svg")
    parser.add_argument("--animate", metavar="FILE", help="also show it: .html, .gif or .mp4")
    parser.add_argument("--force", action="store_true", help="replace files that exist")
    parser.set_defaults(run=lambda options: run_simulate(options, loading), constraints=None, mover=free_motion)


def free_motion(options: argparse.Namespace, model: Model, q: Array, v: Array) -> tuple[Mover, Array, Array]:
    """What simulates the robot, and the state from which it can."""
    return partial(simulate, model), q, v


def run_simulate(options: argparse.Namespace, loading: Loading) -> int:
    """Simulate, write, draw; returns the exit code."""
    table = options.control if options.control not in ("hold", "none") else None
    outputs = [] if options.output is None else [Output(options.output, "table", TABLES)]
    for name, what, endings in (("plot", "figure", FIGURES), ("animate", "animation", FILMS)):
        if getattr(options, name) is not None:
            outputs.append(Output(getattr(options, name), what, endings))
            need_figures()
    files = table, options.start, options.constraints
    inputs = [loading.robot_file(options.robot), *(x for x in files if x is not None)]
    check_outputs(outputs, inputs, options.force)
    model = loading.load(options)
    given = Trajectory() if table is None else read_trajectory(table, model, bare="tau")
    q, v = loading.start(options, model, given)
    if options.start is None and given.q is None:
        q = neutral(model, within_limits=True)
    move, q, v = options.mover(options, model, q, v)
    control = holding(model, q) if options.control == "hold" else None if table is None else as_table(table, given)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SimulationWarning)
        warnings.simplefilter("always", LimitWarning)
        try:
            motion = move(
                q, v, options.duration, options.step, control=control, integrator=options.integrator,
                every=options.every, progress=True, outside_limits=options.outside_limits,
            )  # fmt: skip
        except SimulationError as error:
            if options.output is not None and error.trajectory is not None and len(error.trajectory):
                write_trajectory(options.output, model, error.trajectory)
                print(f"What was computed until then: {options.output}", file=sys.stderr)
            raise
    if not len(motion):
        return 130
    write_trajectory(options.output, model, motion)
    if options.plot is not None:
        save(plot_trajectory(model, motion, title=f"{model.name}: simulated motion"), options.plot)
    if options.animate is not None:
        animate(model, motion, options.animate)
    for warning in caught:
        print(f"pluecker: {warning.message}", file=sys.stderr)
    return 130 if any(issubclass(warning.category, SimulationWarning) for warning in caught) else 0


def holding(model: Model, q: Array) -> PDControl:
    """Servos that keep a configuration: each joint alone would come back critically damped."""
    inertia = np.diagonal(crba(model, q)).copy()
    for joint in model.joints:
        if joint.mimic is None and JOINT_TYPES[joint.type].nv == 6:
            inertia[model.v_slice(joint.name)] = 0.0  # nobody drives it
    still = np.zeros(model.nv)
    weight = rnea(model, q, still, still) if inertia.all() else still  # what flies bears none
    return PDControl(SWIFT**2 * inertia, 2.0 * SWIFT * inertia, q=q, tau=weight)


def as_table(path: str, given: Trajectory) -> TimeTable:
    """The joint forces of a file over time."""
    if given.tau is None or given.time is None:
        raise TrajectoryError(
            f"{path}: has no torques over time; name the columns time, and after joints, or tau:JOINT"
        )
    return TimeTable(given.time, given.tau)
