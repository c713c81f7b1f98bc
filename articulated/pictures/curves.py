"""Curves over time: the coordinates of a motion, and its energy. Needs the extra ``plot`` (matplotlib)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.algorithms.dynamics.kinetic_energy import kinetic_energy
from pluecker.articulated.algorithms.dynamics.potential_energy import potential_energy
from pluecker.articulated.model.model import Model
from pluecker.articulated.pictures.figures import as_label, draw_lines, figure_for, label_lines
from pluecker.articulated.running.arguments import as_model
from pluecker.articulated.trajectory.trajectory import Trajectory, TrajectoryError
from pluecker.spatial.errors import ArgumentTypeError, shown
from pluecker.spatial.functions.arguments import naming

__all__ = ["as_motion", "as_title", "known", "plot_energy", "plot_trajectory"]

Array = NDArray[np.float64]
QUANTITIES = {
    "q": ("position", "rad", "m"),
    "v": ("velocity", "rad/s", "m/s"),
    "a": ("acceleration", "rad/s²", "m/s²"),
    "tau": ("joint force", "N m", "N"),
}


def plot_trajectory(
    model: Model | Trajectory, trajectory: Trajectory | None = None, *, title: str | None = None, figure: Any = None
) -> Any:
    """Draw the coordinates of a motion over time: a panel for each of q, v, a and tau that the trajectory has.

    Args:
        model: the mechanism, which gives names and units; or the trajectory alone, if it knows its mechanism.
        trajectory: what is drawn. Without ``time``, samples are counted from 1.
        title: above the panels; the model's name if None.
        figure: of matplotlib, to draw on; a new one of ``pyplot``, which is shown by it, if None.

    Returns:
        The figure.

    Raises:
        MissingExtraError: matplotlib is not installed.
        TypeError: an argument is of another type.
        ValueError: the trajectory holds nothing, or does not fit the model.

    Source: RBDA section 3.1, for the quantities.

    Example:
        >>> import numpy as np
        >>> from pluecker.articulated import ModelBuilder, Trajectory, plot_trajectory
        >>> lift = ModelBuilder("lift")
        >>> lift.add_body("cabin", mass=2.0)
        >>> lift.add_joint("shaft", "prismatic", parent="world", child="cabin", axis=(0, 0, 1))
        >>> t = np.linspace(0.0, 1.0, 50)
        >>> fall = Trajectory(time=t, q=-4.905 * t[:, None] ** 2, v=-9.81 * t[:, None])
        >>> figure = plot_trajectory(lift.build(), fall)  # doctest: +SKIP
        >>> figure.savefig("fall.png")  # doctest: +SKIP
    """
    model, trajectory = as_motion("plot_trajectory", model, trajectory, ())
    heading = as_title("plot_trajectory", model, title)
    parts = [part for part in QUANTITIES if getattr(trajectory, part) is not None]
    if not parts or model.nv == 0:
        what = "the trajectory has none of q, v, a, tau" if not parts else f"model {model.name!r} has no coordinates"
        raise TrajectoryError(f"plot_trajectory: there is nothing to draw: {what}")
    figure = figure_for("plot_trajectory", figure, 9.0, 2.0 + 1.9 * len(parts))
    figure.suptitle(heading)
    axes = figure.subplots(len(parts), 1, sharex=True, squeeze=False)[:, 0]
    x = np.arange(1.0, len(trajectory) + 1.0) if trajectory.time is None else trajectory.time
    for axis, part in zip(axes, parts, strict=True):
        draw_lines(axis, x, getattr(trajectory, part), model.q_names if part == "q" else model.v_names)
        axis.set_ylabel(quantity(model, part))
    axes[-1].set_xlabel("sample" if trajectory.time is None else "time in s")
    label_lines(figure, axes[0])
    return figure


def plot_energy(
    model: Model | Trajectory, trajectory: Trajectory | None = None, *, title: str | None = None, figure: Any = None
) -> Any:
    """Draw the energy of a motion over time: kinetic, potential and their sum, and how much the sum has changed.

    Recorded energies, columns ``kinetic_energy`` and ``potential_energy``, are shown as they are, with all springs;
    without them the potential energy is that of gravity and of the joints' own springs. The lower panel shows what motors,
    losses, forces from outside, and the errors of an integrator have added since the first sample, else zero.

    Args:
        model: the mechanism; or the trajectory alone, if it knows its mechanism.
        trajectory: a motion with ``q`` and ``v``. Without ``time``, samples are counted from 1.
        title: above the panels; the model's name if None.
        figure: of matplotlib, to draw on; a new one of ``pyplot``, which is shown by it, if None.

    Returns:
        The figure.

    Raises:
        MissingExtraError: matplotlib is not installed.
        TypeError: an argument is of another type.
        ValueError: the trajectory has no ``q`` or no ``v``, or does not fit the model.

    Source: RBDA section 2.13, for the kinetic energy.
    """
    model, trajectory = as_motion("plot_energy", model, trajectory, ("q", "v"))
    heading = as_title("plot_energy", model, title)
    with naming("plot_energy"):
        kinetic = kinetic_energy(model, known(trajectory, "q"), known(trajectory, "v"))
        potential = potential_energy(model, known(trajectory, "q"))
    recorded = [
        trajectory.columns[name] for name in ("kinetic_energy", "potential_energy") if name in trajectory.columns
    ]
    if [column.ndim for column in recorded] == [1, 1]:
        kinetic, potential = recorded
    total = kinetic + potential
    figure = figure_for("plot_energy", figure, 9.0, 5.6)
    figure.suptitle(f"{heading}: energy" if title is None else heading)
    top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=(1.6, 1.0))
    x = np.arange(1.0, len(trajectory) + 1.0) if trajectory.time is None else trajectory.time
    top.plot(x, kinetic, color="tab:orange", linewidth=1.4, label="kinetic (motion)")
    top.plot(x, potential, color="tab:blue", linewidth=1.4, label="potential (height, springs)")
    top.plot(x, total, color="black", linewidth=1.8, linestyle=(0, (3, 2)), label="total")  # what it covers is seen
    top.set_ylabel("energy in J")
    bottom.axhline(0.0, color="0.6", linewidth=0.8)
    bottom.plot(x, total - total[0], color="black", linewidth=1.4)
    bottom.set_ylabel("change of the total\nsince the start, in J")
    bottom.set_xlabel("sample" if trajectory.time is None else "time in s")
    for axis in (top, bottom):
        axis.grid(alpha=0.25)
        axis.margins(x=0.0)
    label_lines(figure, top)
    return figure


def known(trajectory: Trajectory, part: str) -> Array:
    """Return a part of a trajectory that is known not to be None."""
    values: Array = getattr(trajectory, part)
    return values


def as_title(function: str, model: Model, title: Any) -> str:
    """Return the title of a figure: the user's, else the model's name."""
    if title is not None and not isinstance(title, str):
        raise ArgumentTypeError(f"{function}: title is {shown(title)}, expected a string")
    return as_label(model.name if title is None else title)


def as_motion(function: str, model: Any, trajectory: Any, parts: tuple[str, ...]) -> tuple[Model, Trajectory]:
    """Check a model and a trajectory of it, which has these parts and a sample; it may come alone if it knows its model."""
    if isinstance(model, Trajectory) and trajectory is None:
        if model.model is None:
            raise TrajectoryError(f"{function}: the trajectory has no model; give it as the first argument")
        model, trajectory = model.model, model
    model = as_model(function, model)
    if not isinstance(trajectory, Trajectory):
        raise ArgumentTypeError(f"{function}: trajectory is {shown(trajectory)}, expected a Trajectory")
    if trajectory.batch_shape:
        raise TrajectoryError(
            f"{function}: the trajectory is a batch of shape {trajectory.batch_shape}; choose one by trajectory.motion(...)"
        )
    for part in parts:
        if getattr(trajectory, part) is None:
            raise TrajectoryError(f"{function}: the trajectory has no {part}, which is needed")
    trajectory.check(model, function)
    if len(trajectory) == 0:
        raise TrajectoryError(f"{function}: the trajectory holds no samples")
    return model, trajectory


def quantity(model: Model, part: str) -> str:
    """Return the axis label of a panel: the quantity and its unit, or units if the coordinates do not share one."""
    name, angular, linear = QUANTITIES[part]
    if model.nq != model.nv:  # quaternions, and velocities of both kinds
        return f"{name}\n{angular}, {linear}" + (", or quaternion" if part == "q" else "")
    turns = model.q_is_angle
    return f"{name}\n" + (angular if turns.all() else linear if not turns.any() else f"{angular} or {linear}")
