"""Figures for the command line. Needs the extra ``plot`` (matplotlib)."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.algorithms.frames.forward_kinematics import forward_kinematics
from pluecker.articulated.app.outputs import OutputError
from pluecker.articulated.model.model import Model
from pluecker.articulated.simulation.trajectory import Trajectory
from pluecker.spatial.extras import require
from pluecker.spatial.files import whole_file

__all__ = [
    "FIGURES",
    "as_label",
    "draw_lines",
    "draw_robot",
    "label_lines",
    "need_figures",
    "new_figure",
    "plot_trajectory",
    "save",
]

Array = NDArray[np.float64]
MOST_LABELS = 12
FEW = 50  # samples, which are marked one by one
FIGURES = (".png", ".pdf", ".svg")
QUANTITIES = {
    "q": ("position", "rad", "m"),
    "v": ("velocity", "rad/s", "m/s"),
    "a": ("acceleration", "rad/s²", "m/s²"),
    "tau": ("joint force", "N m", "N"),
}


def need_figures() -> None:
    """Say what is missing for figures before there is anything to draw.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    require("matplotlib.figure", "plot", "drawing figures")


def as_label(name: str) -> str:
    """A name as matplotlib shows it: as it is, and not as a formula between dollars, nor hidden for its first letter."""
    text = name.encode("utf-8", "replace").decode().replace("$", r"\$")
    return f"\N{ZERO WIDTH SPACE}{text}" if text.startswith("_") else text


def new_figure(width: float, height: float) -> Any:
    """A figure that draws to a file, whatever display there is."""
    figure = require("matplotlib.figure", "plot", "drawing figures")
    require("matplotlib.backends.backend_agg", "plot", "drawing figures")
    return figure.Figure(figsize=(width, height), layout="constrained", dpi=130)


def save(figure: Any, path: str | Path) -> None:
    """Write the figure, as a whole or not at all; the ending of the path chooses the format.

    Raises:
        OutputError: the path has another ending, or the file cannot be written; what was there before is still there.
    """
    ending = Path(path).suffix.lower()
    if ending not in FIGURES:
        raise OutputError(f"{path}: no figure can be written there; the path must end in {', '.join(FIGURES)}")
    try:
        with warnings.catch_warnings(), whole_file(path) as file:
            warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)  # a box is drawn in its place
            figure.savefig(file, format=ending[1:])
    except OSError as error:
        raise OutputError(f"{path}: the figure cannot be written ({error.strerror or error})") from None


def plot_trajectory(model: Model, trajectory: Trajectory, title: str) -> Any:
    """One panel for each of position, velocity, acceleration and force that the trajectory has."""
    parts = [part for part in QUANTITIES if getattr(trajectory, part) is not None]
    figure = new_figure(9.0, 2.0 + 1.9 * len(parts))
    figure.suptitle(as_label(title))
    axes = figure.subplots(len(parts), 1, sharex=True, squeeze=False)[:, 0]
    x = np.arange(1.0, len(trajectory) + 1.0) if trajectory.time is None else trajectory.time
    for axis, part in zip(axes, parts, strict=True):
        draw_lines(axis, x, getattr(trajectory, part), model.q_names if part == "q" else model.v_names)
        axis.set_ylabel(quantity(model, part))
    axes[-1].set_xlabel("sample" if trajectory.time is None else "time in s")
    label_lines(figure, axes[0])
    return figure


def quantity(model: Model, part: str) -> str:
    """What a panel shows, and in which unit, as far as the coordinates have one in common."""
    name, angular, linear = QUANTITIES[part]
    if model.nq != model.nv:  # quaternions, and velocities of both kinds
        return f"{name}\n{angular}, {linear}" + (", or quaternion" if part == "q" else "")
    turns = model.q_is_angle
    return f"{name}\n" + (angular if turns.all() else linear if not turns.any() else f"{angular} or {linear}")


def draw_lines(axis: Any, x: Array, values: Array, names: tuple[str, ...]) -> None:
    """A line for each coordinate, in colours that follow the order of the coordinates."""
    colours = require("matplotlib", "plot", "drawing figures").colormaps["turbo"]
    marker = ".-" if len(x) <= FEW else "-"
    for k, name in enumerate(names):
        colour = colours(0.08 + 0.84 * k / max(1, len(names) - 1))
        axis.plot(x, values[:, k], marker, color=colour, linewidth=1.4, markersize=3.5, label=as_label(name))
    axis.grid(alpha=0.25)
    axis.margins(x=0.02 if len(x) <= FEW else 0.0)


def label_lines(figure: Any, axis: Any) -> None:
    """A legend where it can be read; else a word on the colours."""
    handles, labels = axis.get_legend_handles_labels()
    if len(labels) <= MOST_LABELS:
        figure.legend(handles, labels, loc="outside right upper", frameon=False)
    else:
        figure.text(
            0.99, 0.01, f"{len(labels)} coordinates, coloured in order from blue to red", ha="right", fontsize=8
        )


def draw_robot(axis: Any, model: Model, q: Array) -> None:
    """The robot in some poses of a motion, from grey to black, and the paths of its outermost points."""
    poses = 6 if model.n_bodies <= 12 else 3
    frames = forward_kinematics(model, q)
    parents = {joint.child: joint.parent for joint in model.joints}
    carriers = {name: model.body_names[body] for name, body in model.frames if body >= 0}
    ends = [name for name in model.body_names if name not in {carriers.get(parent) for parent in parents.values()}]
    tips = forward_kinematics(model, q, [outermost_frame(model, end) for end in ends])[..., :3, 3]
    base = np.zeros(3)
    for count, k in enumerate(np.linspace(0, len(q) - 1, poses).astype(int)):
        shade = str(0.78 - 0.78 * count / (poses - 1))
        place = {name: frames[k, j, :3, 3] for j, name in enumerate(model.body_names)}
        for name in model.body_names:
            parent = carriers.get(parents[name])
            start = base if parent is None else place[parent]
            axis.plot(*np.array([start, place[name]]).T, color=shade, linewidth=2.2, marker="o", markersize=3.0)
        for e, end in enumerate(ends):
            axis.plot(*np.array([place[end], tips[k, e]]).T, color=shade, linewidth=2.2)
    for e in range(len(ends)):
        axis.plot(*tips[:, e].T, color="tab:red", linewidth=1.3 if len(ends) <= 4 else 0.6)
    points = np.concatenate([frames[..., :3, 3].reshape(-1, 3), tips.reshape(-1, 3), base[None]])
    centre, half = 0.5 * (points.min(0) + points.max(0)), 0.5 * float(np.ptp(points, axis=0).max()) or 1.0
    axis.set(xlim=centre[0] + np.array([-half, half]), ylim=centre[1] + np.array([-half, half]))
    axis.set(zlim=centre[2] + np.array([-half, half]), xlabel="x in m", ylabel="y in m", zlabel="z in m")
    axis.set_box_aspect((1, 1, 1))
    axis.view_init(elev=18, azim=-58)


def outermost_frame(model: Model, body: str) -> str:
    """The frame on a body that is farthest from its origin: a flange, a finger tip, a foot."""
    number = model.body_index(body)
    placed = zip(model.frames, model.frame_placements, strict=True)
    return max((float(np.linalg.norm(T[:3, 3])), name) for (name, carrier), T in placed if carrier == number)[1]
