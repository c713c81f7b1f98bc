"""Draws docs/jump.png, instants of the motion with which the README begins: ``python docs/jump.py [FILE]``.

The program is that of the README itself, so that the picture shows what it computes.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

import pluecker as pl
from pluecker.articulated import Arrows

README = Path(__file__).resolve().parents[1] / "README.md"
INSTANTS = {0.0: "stands", 0.38: "crouches", 0.5: "pushes off", 0.75: "flies", 1.5: "stands again"}  # s
METRES_FOR_A_NEWTON = 0.0025
FLOOR = [[(-0.36, -0.22, 0), (0.38, -0.22, 0), (0.38, 0.22, 0), (-0.36, 0.22, 0)]]
ROOM = {"xlim": (-0.38, 0.38), "ylim": (-0.25, 0.25), "zlim": (0.0, 0.5)}
INK, FORCE = "#3d4450", "#8e3fa8"


def program() -> dict[str, Any]:
    """Run the first example of the README; returns its names."""
    names: dict[str, Any] = {}
    exec(re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)[0], names)
    return names


def draw(figure: Any, place: float, model: pl.Model, motion: Any, time: float) -> None:
    """Draw the robot on its floor at a time, with the forces on its feet, in a fifth of the figure."""
    k = round(time / (motion.time[1] - motion.time[0]))
    contacts = motion.contacts_at(k)
    panel = figure.add_axes((place - 0.03, -0.14, 0.26, 1.46), projection="3d", computed_zorder=False)
    forces = Arrows(contacts.point, contacts.force, length=METRES_FOR_A_NEWTON, label="force", color=FORCE)
    pl.plot_mechanism(
        model,
        motion.q[k],
        joint_axes=False,
        center_of_mass=False,
        overlays=forces,
        camera=(10, -68),
        ax=panel,
        title=" ",
    )
    panel.get_legend().remove()
    panel.add_collection3d(Poly3DCollection(FLOOR, facecolor="#dfe3e8", zorder=0))
    panel.set(**ROOM)
    panel.set_box_aspect([high - low for low, high in ROOM.values()])
    panel.set_proj_type("ortho")
    panel.set_axis_off()
    panel.patch.set_visible(False)
    figure.text(place + 0.1, 0.12, f"{time:.2f} s", ha="center", fontsize=10, color=INK, weight="bold")
    figure.text(place + 0.1, 0.03, INSTANTS[time], ha="center", fontsize=10, color=INK)


def main() -> None:
    path = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_suffix(".png")
    names = program()
    figure = Figure(figsize=(12.0, 2.35), dpi=110, facecolor="white")
    FigureCanvasAgg(figure)
    for number, time in enumerate(INSTANTS):
        draw(figure, number / len(INSTANTS), names["dog"], names["jump"], time)
    figure.savefig(path)


if __name__ == "__main__":
    main()
