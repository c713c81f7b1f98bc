"""The command ``pluecker``: the main jobs without a line of Python. Its arguments are those of ``pluecker/command.py``.

What is written is checked before anything is computed, see :mod:`~pluecker.articulated.app.outputs`.
"""

from __future__ import annotations

import argparse
import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.algorithms.configuration.neutral import neutral
from pluecker.articulated.algorithms.dynamics.aba import aba
from pluecker.articulated.algorithms.dynamics.rnea import rnea
from pluecker.articulated.app.intervals import follow_intervals
from pluecker.articulated.app.outputs import Output, check_outputs
from pluecker.articulated.errors import ModelError, SimulationError, SingularInertiaError
from pluecker.articulated.model.model import Model
from pluecker.articulated.pictures.curves import plot_trajectory
from pluecker.articulated.pictures.figures import FIGURES, need_figures, new_figure, save
from pluecker.articulated.robots import find_robot
from pluecker.articulated.simulation.smooth import follow
from pluecker.articulated.trajectory.files import TABLES, write_trajectory
from pluecker.articulated.trajectory.trajectory import Trajectory, TrajectoryError, read_trajectory
from pluecker.command import ARM
from pluecker.interruptions import catch_interruptions
from pluecker.spatial.engine.topics import CompilationError
from pluecker.spatial.errors import ArgumentValueError, PlueckerError
from pluecker.spatial.extras import progress_bar

__all__ = ["check_quaternions", "exit_code", "load", "robot_file", "start"]

Array = NDArray[np.float64]
BLOCK = 4096  # samples computed at a time, so that the progress bar moves


class ComputationError(ArgumentValueError):
    """A sample of a file that has no result."""


def exit_code(error: Exception) -> int:
    """Return the exit code of an error of the package: 1 if a computation failed, 2 for wrong input; zero for others."""
    failed = isinstance(error, (CompilationError, SingularInertiaError, SimulationError, ComputationError))
    return 1 if failed else 2 if isinstance(error, PlueckerError) else 0


def robot_file(name: str) -> Path:
    """Return the file of a robot: the file of that name, or that of the known robot of that name."""
    path = Path(name)
    if not name:
        raise ModelError(f"the robot's name is empty, expected a URDF file, {ARM!r}, or a name from example-robot-data")
    is_name = "/" not in name.replace("/", "", 1) and path.suffix not in (".urdf", ".xml", ".xacro")
    return find_robot(name) if is_name and not os.path.lexists(name) else path


def load(options: argparse.Namespace) -> Model:
    """Load the robot that the options name."""
    try:
        return Model.from_urdf(
            robot_file(options.robot),
            floating_base=options.floating_base,
            gravity=options.gravity,
            check_inertia=not options.accept_inertia,
            mimic=not options.independent_mimic,
        )
    except ModelError as error:  # advice in the words of the command
        advice = (
            str(error).replace("check_inertia=False", "--accept-inertia").replace("mimic=False", "--independent-mimic")
        )
        raise ModelError(advice) from None


# --------------------------------------------------------------------------------------------------------------- commands


def run_info(options: argparse.Namespace) -> int:
    model = load(options)
    print(model)
    print(f"\nfile    {robot_file(options.robot)}\ngravity {model.gravity.tolist()} m/s^2")
    q_width = max([len(name) for name in model.q_names] + [10])
    print(f"\n{'q':>5}  {'coordinate':{q_width}} {'lower':>10} {'upper':>10}")
    for k, name in enumerate(model.q_names):
        print(f"{k:5}  {name:{q_width}} {model.lower_limit[k]:10.4g} {model.upper_limit[k]:10.4g}")
    columns = ("velocity_limit", "effort_limit", "armature", "damping", "friction", "stiffness")
    v_width = max([len(name) for name in model.v_names] + [10])
    print(f"\n{'v':>5}  {'coordinate':{v_width}} " + " ".join(f"{name:>14}" for name in columns))
    for k, name in enumerate(model.v_names):
        print(f"{k:5}  {name:{v_width}} " + " ".join(f"{getattr(model, column)[k]:14.4g}" for column in columns))
    return 0


def run_inverse(options: argparse.Namespace) -> int:
    check_files(options, options.trajectory)
    model = load(options)
    given = read_trajectory(options.trajectory, model, bare="q")
    if given.q is None:
        raise TrajectoryError(f"{options.trajectory}: has no positions; name the columns after joints, or q:JOINT")
    check_quaternions(model, options.trajectory, given)
    try:
        full = given.with_derivatives(model)
    except TrajectoryError as error:
        raise TrajectoryError(f"{options.trajectory}: {error}") from None
    try:
        tau = of_each_sample(rnea, model, options.trajectory, full.q, full.v, full.a)
    except ComputationError as error:
        if given.v is not None and given.a is not None:
            raise
        splined, name = (given.q, "position") if given.v is None else (given.v, "velocity")
        largest = 1 + int(np.argmax(np.abs(splined).max(axis=1, initial=0.0)))
        raise ComputationError(
            f"{error}; its derivatives are a spline's; the largest {name} is in sample {largest}"
        ) from None
    finish(options, model, Trajectory(full.time, full.q, full.v, full.a, tau), "joint forces of a motion")
    return 0


def run_forward(options: argparse.Namespace) -> int:
    check_files(options, options.torques, *([] if options.start is None else [options.start]))
    model = load(options)
    given = read_trajectory(options.torques, model, bare="tau")
    if given.tau is None:
        raise TrajectoryError(f"{options.torques}: has no torques; name the columns after joints, or tau:JOINT")
    check_quaternions(model, options.torques, given)
    if given.q is not None and given.v is not None and options.start is None:
        a = of_each_sample(aba, model, options.torques, given.q, given.v, given.tau)
        result = Trajectory(given.time, given.q, given.v, a, given.tau)
    elif given.time is None:
        raise TrajectoryError(f"{options.torques}: needs q: and v: columns for accelerations, or time for a simulation")
    else:
        q, v = start(options, model, given)
        bar: Any = functools.partial(progress_bar, unit="sample")
        if model.friction.any():
            result = follow_intervals(model, q, v, given.time, given.tau, progress=bar)
        else:
            result = follow(model, q, v, given.time, given.tau, progress=bar)
    finish(options, model, result, "motion under joint forces")
    return 0


def check_files(options: argparse.Namespace, *inputs: str) -> None:
    """Refuse outputs that cannot be written, or must not be, before anything is computed."""
    outputs = [] if options.output is None else [Output(options.output, "table", TABLES)]
    if options.plot is not None:
        outputs.append(Output(options.plot, "figure", FIGURES))
        need_figures()
    check_outputs(outputs, [robot_file(options.robot), *inputs], options.force)


def of_each_sample(algorithm: Callable[..., Array], model: Model, path: str, *inputs: Any) -> Array:
    """The results of an algorithm, ``(n, nv)``; where there is none, the error names the sample of the file.

    Raises:
        ComputationError: the first sample that has no result, and why.
    """
    found = np.empty((len(inputs[0]), model.nv))
    for first in progress_bar(range(0, len(found), BLOCK), unit="block"):
        block = slice(first, first + BLOCK)
        rows = [np.ascontiguousarray(values[block]) for values in inputs]
        try:
            algorithm(model, *rows, out=found[block])
            good = bool(np.isfinite(found[block]).all())
        except PlueckerError:
            good = False
        for k in () if good else range(len(rows[0])):
            try:
                result = algorithm(model, *(values[k] for values in rows))
            except PlueckerError as error:
                raise ComputationError(f"{path}: sample {first + k + 1}: {error}") from None
            if not np.isfinite(result).all():
                raise ComputationError(f"{path}: sample {first + k + 1}: the result overflows float64")
    return found


def start(options: argparse.Namespace, model: Model, given: Trajectory) -> tuple[Array, Array]:
    """The state to simulate from."""
    if options.start is not None:
        given = read_trajectory(options.start, model, bare="q")
        check_quaternions(model, options.start, given)
        if given.q is None:
            raise TrajectoryError(f"{options.start}: has no positions to start from")
    q = neutral(model) if given.q is None else given.q[0]
    return q, np.zeros(model.nv) if given.v is None else given.v[0]


def check_quaternions(model: Model, path: str, given: Trajectory) -> None:
    for joint, where in model.quaternion_slices().items():
        if given.q is not None:
            with np.errstate(over="ignore"):
                length = np.linalg.norm(given.q[:, where], axis=1)
            bad = np.abs(length - 1.0) > 1e-6
            if bad.any():
                k = int(np.argmax(bad))
                raise TrajectoryError(
                    f"{path}: sample {k + 1}: the quaternion of {joint!r} has length {length[k]:.9g}, not 1"
                )


def finish(options: argparse.Namespace, model: Model, result: Trajectory, what: str) -> None:
    """Write the result, and draw it if asked for."""
    catch_interruptions()
    write_trajectory(options.output, model, result)
    if options.plot is not None:
        figure = plot_trajectory(model, result, title=f"{model.name}: {what}", figure=new_figure())
        save(figure, options.plot)
