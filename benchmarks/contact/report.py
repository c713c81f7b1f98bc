"""Report of the topic ``contact``: several tables and figures in one Markdown file; performance profiles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring.report import RESULTS, Report, bullets, machine, markdown, version
from pluecker.contact.app.convergence import COLOURS
from pluecker.contact.friction.results.result import Result
from pluecker.spatial.functions.elementwise import Array

__all__ = ["ContactReport", "draw_profiles", "new_figure"]

COLUMNS = 5  # panels in a row
FARTHEST = 1000.0  # times the best that is drawn

Found = dict[str, dict[str, dict[str, tuple[Result, float]]]]


@dataclass
class ContactReport:
    """Tables and figures, one after the other; what was to be reached comes first."""

    about: str
    topic: str = "contact"
    title: str = "Friction problems"
    targets: list[list[str]] = field(default_factory=list)
    parts: list[Report] = field(default_factory=list)
    figures: dict[str, Callable[[], Any]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Add a note, once."""
        if text not in self.notes:
            self.notes.append(text)

    def target(self, what: str, wanted: float, value: float, at_least: bool = False) -> None:
        """Add a target to the summary: what was wanted, and what was measured."""
        met = value >= wanted if at_least else value <= wanted
        self.targets.append([what, f"{wanted:.3g}", f"{value:.3g}", "yes" if met else "no"])

    def paragraphs(self, pictures: Mapping[str, list[Path]]) -> list[str]:
        """Return the summary of targets, the parts with their pictures, and where they were measured."""
        found = [markdown(["target", "wanted", "measured", "reached"], self.targets)] if self.targets else []
        for part in self.parts:
            images = [f"![{part.title}]({path.name})" for path in pictures.get(part.topic, [])]
            found += [
                f"## {part.title}",
                part.question,
                part.table() if part.rows else "",
                *images,
                bullets(part.notes),
            ]
        where = [*machine(), f"scipy {version('scipy')}, clarabel {version('clarabel')}, h5py {version('h5py')}"]
        return [part for part in (*found, bullets(self.notes), "Measured on:", bullets(where)) if part]

    def text(self) -> str:
        """Return all but the figures."""
        return "\n\n".join(self.paragraphs({}))

    def save(self, folder: Path = RESULTS) -> list[Path]:
        """Write ``contact.md`` and the figures."""
        folder.mkdir(parents=True, exist_ok=True)
        pictures: dict[str, list[Path]] = {}
        for part in self.parts:
            path = folder / f"{part.topic}.png"
            pictures[part.topic] = part.draw(path) if part.charts else []
            if part.topic in self.figures:
                pictures[part.topic] += save_figure(self.figures[part.topic], path)
        page = folder / f"{self.topic}.md"
        text = "\n\n".join([f"# {self.title}", self.about, *self.paragraphs(pictures)])
        page.write_text(text + "\n", encoding="utf-8")
        return [page, *(path for paths in pictures.values() for path in paths)]


# --------------------------------------------------------------------------------------------------------------- figures


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
