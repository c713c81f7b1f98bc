"""One look for the figures of all notebooks, and the few shapes that several of them draw."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from cycler import cycler
from IPython.display import Image
from matplotlib.animation import FuncAnimation, PillowWriter

# The colours of Okabe and Ito, which people with any kind of colour vision can tell apart.
BLUE, ORANGE, GREEN, RED, PURPLE, SKY, YELLOW = (
    *("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442"),
)
GREY, BLACK = "0.6", "0.15"


def use_style() -> None:
    """Set matplotlib's defaults: call it once, at the top of a notebook."""
    plt.rcParams.update(
        {
            "figure.figsize": (6.4, 3.6),
            "figure.dpi": 110,
            "savefig.bbox": "tight",
            "font.size": 10.5,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "grid.alpha": 0.3,
            "axes.axisbelow": True,
            "axes.titlesize": 10.5,
            "lines.linewidth": 1.8,
            "legend.frameon": False,
            "axes.prop_cycle": cycler(color=[BLUE, ORANGE, GREEN, RED, PURPLE, SKY]),
            "animation.html": "jshtml",
            "svg.hashsalt": "pluecker",
        }
    )


def space(panel: Any = None, size: float = 1.0, center: Any = (0.0, 0.0, 0.0), *, view: Any = (22, -60)) -> Any:
    """A 3D panel with equal scales, from ``center - size`` to ``center + size``, without planes behind.

    Give a panel made with ``projection="3d"``, or None for a new figure; the panel comes back.
    """
    if panel is None:
        panel = plt.figure(figsize=(5.2, 4.6)).add_subplot(projection="3d")
    for setter, middle in zip((panel.set_xlim, panel.set_ylim, panel.set_zlim), center, strict=True):
        setter(middle - size, middle + size)
    panel.set_box_aspect((1, 1, 1))
    panel.view_init(*view)
    panel.set(xlabel="x / m", ylabel="y / m", zlabel="z / m")
    for axis in (panel.xaxis, panel.yaxis, panel.zaxis):
        axis.pane.fill = False
    panel.locator_params(nbins=4)
    return panel


def arrow2(panel: Any, start: Any, step: Any, color: str = BLACK, *, label: str = "", width: float = 1.8) -> None:
    """An arrow in a plane, from a point along a vector, with a label beyond its tip."""
    start, step = np.asarray(start, dtype=float), np.asarray(step, dtype=float)
    style = {"arrowstyle": "-|>", "color": color, "lw": width, "mutation_scale": 12, "shrinkA": 0, "shrinkB": 0}
    panel.annotate("", xy=start + step, xytext=start, arrowprops=style, zorder=5)
    if label:
        beyond = step / max(float(np.linalg.norm(step)), 1e-300)
        panel.annotate(
            label, start + step, xytext=8.0 * beyond, textcoords="offset points", color=color, ha="center", va="center"
        )


def arrow3(panel: Any, start: Any, step: Any, color: str = BLACK, *, label: str = "", width: float = 1.8) -> None:
    """An arrow in space, from a point along a vector, with a label beyond its tip; m."""
    start, step = np.asarray(start, dtype=float), np.asarray(step, dtype=float)
    panel.quiver(*start, *step, color=color, lw=width, arrow_length_ratio=0.15)
    if label:
        panel.text(*(start + 1.12 * step), label, color=color, ha="center", va="center")


def axes3(panel: Any, R: Any, p: Any, length: float = 0.3, label: str = "") -> None:
    """A frame: its three axes, in the usual order red, green, blue, and its name at the origin."""
    R, p = np.asarray(R, dtype=float), np.asarray(p, dtype=float)
    for k, color in enumerate((RED, GREEN, BLUE)):
        arrow3(panel, p, length * R[:, k], color, width=1.4)
    if label:
        panel.text(*(p - 0.3 * length * R.sum(axis=1)), label, ha="center", va="center")


def box_lines(sides: Any, R: Any = None, p: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
    """The twelve edges of a box around p, ``(12, 2, 3)``: for a Line3DCollection, or ``for edge in ...: plot(*edge.T)``."""
    R = np.eye(3) if R is None else np.asarray(R, dtype=float)
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * np.asarray(sides) / 2.0
    pairs = [(a, b) for a in range(8) for b in range(a) if (a ^ b) in (1, 2, 4)]
    return np.array([[corners[a], corners[b]] for a, b in pairs]) @ R.T + np.asarray(p, dtype=float)


def box3(
    panel: Any, sides: Any, R: Any = None, p: Any = (0.0, 0.0, 0.0), color: str = BLACK, width: float = 1.2
) -> None:
    """A box as its twelve edges; sides in m, R body to world, p its centre."""
    for edge in box_lines(sides, R, p):
        panel.plot(*edge.T, color=color, lw=width)


def circle3(radius: float, axis: Any, p: Any = (0.0, 0.0, 0.0), points: int = 60) -> np.ndarray:
    """Points of a circle in space around an axis, ``(points, 3)``, closed."""
    axis = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    side = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    side /= np.linalg.norm(side)
    t = np.linspace(0.0, 2.0 * np.pi, points)[:, None]
    return np.asarray(p, dtype=float) + radius * (np.cos(t) * side + np.sin(t) * np.cross(axis, side))


def moving(figure: Any, draw: Any, frames: int, *, fps: int = 20, dpi: int = 80) -> Image:
    """An animation as the last line of a cell: ``draw(k)`` draws frame k. A GIF, which is seen on code hosts too."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "motion.gif"
        FuncAnimation(figure, draw, frames=frames).save(path, writer=PillowWriter(fps=fps), dpi=dpi)
        data = path.read_bytes()
    plt.close(figure)
    return Image(data=data, format="gif")
