"""Figures of the topic ``contact``: performance profiles, and the error of a polygon."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from pluecker.contact.app.convergence import COLOURS
from pluecker.contact.friction.results.result import Result
from pluecker.spatial.functions.elementwise import Array

__all__ = ["draw_polygon", "draw_profiles", "profile", "save_figure"]

COLUMNS = 5  # panels in a row
FARTHEST = 1000.0  # times the best that is drawn

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
    """A panel for each solver in each law, with the lines of all others in gray."""
    rows = -(-len(names) // COLUMNS)
    figure = new_figure(12.0, 1.2 + 1.75 * rows * len(laws))
    figure.suptitle(
        "How many problems each solver has solved within so many times the cost of the best solver for each of them\n"
        "further up and to the left is better",
        fontsize=12,
    )
    parts = figure.subfigures(len(laws), 1)
    for part, (law, words) in zip(np.atleast_1d(parts), laws.items(), strict=True):
        runs = list(found[law].values())
        solved = np.array([[problem[name][0].converged for name in names] for problem in runs])
        times = np.array([[problem[name][1] for name in names] for problem in runs])
        counts = np.array([[max(problem[name][0].iterations, 1) for name in names] for problem in runs])
        by_time, by_count = (profile(np.where(solved, costs, np.inf)) for costs in (times, counts))
        part.suptitle(f"{words[0].upper()}{words[1:]} ({law})", fontsize=11, x=0.01, horizontalalignment="left")
        panels = part.subplots(rows, COLUMNS, sharex=True, sharey=True, squeeze=False).ravel()
        for k, (panel, name) in enumerate(zip(panels, names, strict=False)):
            for other in range(len(names)):
                draw_profile(panel, by_time[:, other], color="#d9d9d9", linewidth=1.0, zorder=1)
            draw_profile(panel, by_count[:, k], color=COLOURS[name], linewidth=1.2, linestyle="--", zorder=3)
            draw_profile(panel, by_time[:, k], color=COLOURS[name], linewidth=2.4, zorder=4)
            panel.set_title(f"{name}: {solved[:, k].sum()} of {len(runs)}", fontsize=9, loc="left")
            panel.set(xscale="log", xlim=(1.0, FARTHEST), ylim=(-0.04 * len(runs), 1.06 * len(runs)))
            panel.locator_params(axis="y", integer=True)
            panel.tick_params(labelsize=8)
            panel.grid(alpha=0.25)
            panel.spines[["top", "right"]].set_visible(False)
        for panel in panels[len(names) :]:
            panel.set_visible(False)
        part.supylabel("problems solved", fontsize=9)
        part.supxlabel("times the cost of the best", fontsize=9)
    figure.legend(handles=signs(), loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    return figure


def signs() -> list[Any]:
    """Make entries of the legend: what the lines mean."""
    from matplotlib.lines import Line2D

    return [
        Line2D([], [], color="black", linewidth=2.4, label="cost: time"),
        Line2D([], [], color="black", linewidth=1.2, linestyle="--", label="cost: iterations"),
        Line2D([], [], color="#d9d9d9", linewidth=1.0, label="the other solvers, time"),
    ]


def draw_profile(panel: Any, ratios: Array, **style: Any) -> None:
    """One line, from the problems of which the solver is the best one."""
    steps = ratios[np.isfinite(ratios)]
    x = np.concatenate([[1.0], steps, [max(FARTHEST, steps.max(initial=1.0))]])
    y = np.concatenate([[0], np.arange(1, len(steps) + 1), [len(steps)]])
    first = int((steps <= 1.0).sum())  # a step at the left edge is none
    panel.step(x[first:], y[first:], where="post", **style)


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
