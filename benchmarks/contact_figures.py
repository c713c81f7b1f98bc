"""Figures of the topic ``contact``: performance profiles, and the error of a polygon."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from pluecker.contact.convergence import COLOURS
from pluecker.contact.result import Result
from pluecker.spatial.elementwise import Array

__all__ = ["draw_polygon", "draw_profiles", "profile", "save_figure"]

STYLES = {"psor": "--", "clarabel": "--", "jacobi": "-.", "interior_point": "-."}
FARTHEST = 1000.0  # times the best that is drawn
APART = 0.006  # between lines that coincide, of the height

Found = dict[str, dict[str, dict[str, tuple[Result, float]]]]


def save_figure(draw: Callable[[], Any], path: Path) -> list[Path]:
    """Draw and write, if there is matplotlib to draw with."""
    try:
        figure = draw()
    except ImportError:
        print("no figures: matplotlib is not installed")
        return []
    figure.savefig(path, dpi=130)
    return [path]


def new_figure(width: float, height: float) -> Any:
    """A figure that needs no display."""
    import matplotlib.backends.backend_agg
    import matplotlib.figure

    return matplotlib.figure.Figure(figsize=(width, height), layout="constrained")


def profile(costs: Array) -> Array:
    """Ratios to the best, ascending, for each solver; ``costs`` is (problems, solvers), infinite where unsolved."""
    best = costs.min(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        ratios = np.where(np.isfinite(costs), costs / best, np.inf)
    return np.asarray(np.sort(ratios, axis=0))


def draw_profiles(found: Found, laws: dict[str, str], names: list[str]) -> Any:
    """Two laws, by time and by iterations."""
    figure = new_figure(11.0, 8.0)
    panels = figure.subplots(len(laws), 2, sharex="col", sharey=True, squeeze=False)
    for row, (law, words) in zip(panels, laws.items(), strict=True):
        runs = list(found[law].values())
        solved = np.array([[problem[name][0].converged for name in names] for problem in runs])
        times = np.array([[problem[name][1] for name in names] for problem in runs])
        counts = np.array([[max(problem[name][0].iterations, 1) for name in names] for problem in runs])
        for panel, costs, what in ((row[0], times, "time"), (row[1], counts, "iterations")):
            draw_profile(panel, profile(np.where(solved, costs, np.inf)), names)
            panel.set_title(f"{words} ({law}): {what}", fontsize=10, loc="left")
        row[0].set_ylabel(f"problems solved, of {len(runs)}")
        row[0].set_yticks(np.arange(len(runs) + 1) / len(runs), range(len(runs) + 1))
    panels[-1][0].set_xlabel("times the time of the best solver for a problem")
    panels[-1][1].set_xlabel("times the iterations of the best")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper", frameon=False, fontsize=9)
    figure.suptitle("Performance profiles: who solves how many problems within how many times the best", fontsize=12)
    return figure


def draw_profile(panel: Any, ratios: Array, names: list[str]) -> None:
    """One panel; lines that coincide are drawn beside one another."""
    problems = len(ratios)
    for k, name in enumerate(names):
        steps = ratios[np.isfinite(ratios[:, k]), k]
        x = np.concatenate([[1.0], steps, [FARTHEST]])
        y = np.concatenate([[0], np.arange(1, len(steps) + 1), [len(steps)]]) / problems
        apart = APART * ((k + 1) // 2) * (1 if k % 2 else -1)
        strong = name == "auto"
        panel.step(
            x, y + apart, where="post", color=COLOURS[name], linestyle=STYLES.get(name, "-"), label=name,
            linewidth=2.6 if strong else 1.5, zorder=4 if strong else 3,
        )  # fmt: skip
    panel.set(xscale="log", xlim=(1.0, FARTHEST), ylim=(-0.04, 1.04))
    panel.grid(alpha=0.25)
    panel.spines[["top", "right"]].set_visible(False)


def draw_polygon(errors: dict[int, list[float]], slope: float) -> Any:
    """The error of each problem and their median against the number of sides."""
    figure = new_figure(6.5, 4.2)
    panel = figure.subplots()
    used = [sides for sides, values in errors.items() if values]
    for sides in used:
        panel.plot([sides] * len(errors[sides]), errors[sides], ".", color="#999999", zorder=2)
    medians = [float(np.median(errors[sides])) for sides in used]
    panel.plot([], [], ".", color="#999999", label="a problem")
    panel.plot(used, medians, "o-", color=COLOURS["apgd"], label=f"median, slope {slope:.2f}", zorder=3)
    if used:
        for power, style in ((1, ":"), (2, "--")):
            line = [medians[0] * (used[0] / sides) ** power for sides in used]
            panel.plot(used, line, style, color="black", linewidth=1.0, label=f"slope -{power}")
    panel.set(xscale="log", yscale="log", xlabel="sides of the polygon", ylabel="relative error of the velocities")
    panel.set_xticks(used, used)
    panel.minorticks_off()
    panel.grid(alpha=0.25)
    panel.legend(frameon=False)
    panel.set_title("A polygon in place of the circle of friction", fontsize=11)
    return figure
