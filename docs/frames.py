"""Draws docs/frames.png, the three choices of axes: ``python docs/frames.py [FILE]``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from pluecker.articulated import Model, ModelBuilder, frame_placement, frame_velocity

Q, V = np.array([0.9, -1.3]), np.array([0.9, -0.1])  # rad, rad/s
LENGTHS = 1.0, 0.8
TITLES = {
    "body": "axes of the frame,\nvelocity of its origin",
    "aligned": "axes of the world,\nvelocity of the frame's origin",
    "world": "axes of the world,\nvelocity at the world's origin",
}
GREY, BLACK, FRAME, WORLD, ARROW = "0.75", "0.25", "tab:blue", "tab:orange", "tab:red"


def arm() -> Model:
    """Two links in a plane, with a frame at the end."""
    builder = ModelBuilder("arm")
    for name in ("upper", "lower"):
        builder.add_body(name, 1.0)
    builder.add_joint("shoulder", "revolute", "world", "upper", axis=(0, 0, 1), position=(0.6, 0.3, 0))
    builder.add_joint("elbow", "revolute", "upper", "lower", axis=(0, 0, 1), position=(LENGTHS[0], 0, 0))
    builder.add_frame("hand", "lower", position=(LENGTHS[1], 0, 0))
    return builder.build()


def arrow(panel: Any, start: np.ndarray, step: np.ndarray, colour: str, width: float = 1.8, **options: Any) -> None:
    """From a point, along a vector."""
    style = {"arrowstyle": "-|>", "color": colour, "lw": width, "mutation_scale": 14, "shrinkA": 0, "shrinkB": 0}
    panel.annotate("", xy=start + step, xytext=start, arrowprops=style | options, zorder=5)


def axes_at(panel: Any, origin: np.ndarray, R: np.ndarray, colour: str, label: str, chosen: bool) -> None:
    """Two axes, in colour where the velocity is written in them."""
    for k, name in enumerate("xy"):
        tip = 0.38 * R[:, k]
        arrow(panel, origin, tip, colour if chosen else GREY, 2.6 if chosen else 1.5)
        panel.text(
            *(origin + 1.25 * tip), f"${name}_{label}$", color=colour if chosen else "0.55", ha="center", va="center"
        )


def draw(model: Model, panel: Any, axes: str) -> None:
    """The arm, the axes in which the velocity is written, and the velocity itself where it is that of the body."""
    ends = [frame_placement(model, Q, name)[:2, 3] for name in ("upper", "lower", "hand")]
    T = frame_placement(model, Q, "hand")
    R, p, origin = T[:2, :2], T[:2, 3], np.zeros(2)
    panel.plot(*np.transpose(ends), color=BLACK, lw=5, solid_capstyle="round", zorder=2)
    panel.plot(*np.transpose(ends[:2]), "o", color="white", mec=BLACK, mew=2, ms=9, zorder=3)
    point = origin if axes == "world" else p
    if axes == "world":  # the body, thought to reach as far as the origin
        panel.plot(*np.transpose([p, origin]), "--", color=BLACK, lw=1.2, zorder=1)
    axes_at(panel, p, R, FRAME, "F", axes == "body")
    axes_at(panel, origin, np.eye(2), WORLD, "W", axes == "world")
    if axes == "aligned":
        axes_at(panel, p, np.eye(2), WORLD, "W", True)
    numbers = frame_velocity(model, Q, V, "hand", axes=axes)
    shown = R if axes == "body" else np.eye(2)
    arrow(panel, point, 0.75 * shown @ numbers[3:5], ARROW, 3.0)
    panel.plot(*point, "o", color=ARROW, ms=8, zorder=6)
    w, v = numbers[2], numbers[3:5]
    panel.set_title(f'axes="{axes}"\n{TITLES[axes]}', fontsize=11)
    panel.text(
        0.5, -0.03, f"$w_z$ = {w:.2f} rad/s,   $v$ = ({v[0]:.2f}, {v[1]:.2f}) m/s", ha="center", va="top",
        transform=panel.transAxes, fontsize=10, color=ARROW,
    )  # fmt: skip
    panel.set(xlim=(-0.35, 2.5), ylim=(-0.45, 1.75), aspect="equal")
    panel.axis("off")


def main(path: Path) -> None:
    """One panel for each choice."""
    figure = Figure(figsize=(12.5, 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    for panel, axes in zip(figure.subplots(1, 3), TITLES, strict=True):
        draw(arm(), panel, axes)
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_suffix(".png"))
