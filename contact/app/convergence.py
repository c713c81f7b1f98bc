"""Figures of how the error falls with several methods, by iterations and by seconds: :func:`plot_convergence`.

The error of an iteration is the best so far, natural map or error in velocity, that of the worst island. Lines begin at
the error of no impulses at all, and end at that of the result, of all contacts together. A method that has no multipliers to
show before it ends (an interior point) makes a straight line to where it ends.

What is drawn is what :func:`~pluecker.contact.app.comparison.compare_methods` found.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from pluecker.articulated.pictures.figures import label_decades
from pluecker.contact.app.comparison import compare_methods, duration
from pluecker.contact.arguments import shown
from pluecker.contact.errors import ProblemError
from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.results.result import Result, Stage
from pluecker.contact.friction.solving.solve import errors_of
from pluecker.spatial.errors import ArgumentTypeError
from pluecker.spatial.extras import require
from pluecker.spatial.functions.elementwise import Array

__all__ = ["COLOURS", "Curve", "counted", "plot_convergence"]

SILENT = ("interior_point", "lemke")  # nothing between their calls is an approximation
COLOURS = {
    "auto": "#000000", "apgd": "#0072b2", "pgs": "#e69f00", "psor": "#b8860b",
    "newton": "#56b4e9", "interior_point": "#8a5a9e",
    "lemke": "#7f3b08", "minmap_newton": "#17a2b8",
}  # fmt: skip
WORDS = {
    "frictionless": "Contacts without friction",
    "lcp": "Coulomb's law with a polygon",
    "ccp": "Convex law (CCP)",
    "ncp": "Coulomb's law (NCP)",
}
LEGEND: dict[str, Any] = {
    "title_fontsize": 8.5, "alignment": "left", "frameon": False, "fontsize": 8.5, "labelspacing": 0.9,
}  # fmt: skip
WIDEST = 85  # characters of a line of the heading, which is above the panels and not above the legend
CIRCLED = 20  # numbers that have a sign of their own


class Curve(NamedTuple):
    """Curve of a result: points in the order of time, ``(k,)`` each.

    Attributes:
        iterations: done so far.
        seconds: spent so far, the preparation included.
        errors: the best so far.
        stages: for each its method, and the point at which it began.
    """

    iterations: Array
    seconds: Array
    errors: Array
    stages: tuple[tuple[str, int], ...]


def curve_of(result: Result, start: float) -> Curve:
    """Compute the curve of a result; ``start``: the error before the first iteration, NaN if it is not known."""
    stages = merged(result.stages)
    before = max(result.time - sum(stage.time for stage in stages), 0.0)
    record = np.zeros((0, 2)) if result.history is None else result.history
    if any(stage.method == "lemke" for stage in stages):
        record = record[:0]  # its history is the artificial variable
    k = len(record)
    iterations = np.concatenate([[0], 1 + np.arange(k), [max(result.iterations, k)]]).astype(np.float64)
    seconds = np.concatenate(
        [[before], before + record[:, 0], [max(result.time, before + record[-1:, 0].max(initial=0.0))]]
    )
    errors = np.concatenate([[start], record[:, 1], [result.errors.largest]])
    # The best pair is kept, so that no error before the end is smaller; one that is, is of a convex problem inside.
    errors = np.maximum(np.fmin.accumulate(errors), result.errors.largest)
    keep, at, begins = np.ones(k + 2, np.bool_), 0, []
    for stage in stages:
        first, at = at, min(at + stage.iterations, k)
        inside = np.arange(first + 1, at)
        if stage.method in SILENT:
            keep[inside] = errors[inside + 1] < errors[inside]
        begins.append((stage.method, first))
    place = np.cumsum(keep) - 1
    found = tuple((method, int(place[i])) for method, i in begins)
    return Curve(iterations[keep], seconds[keep], errors[keep], found)


def merged(stages: Sequence[Stage]) -> list[Stage]:
    """Merge consecutive stages of the same method."""
    joined = []
    for method, group in groupby(stages, key=lambda stage: stage.method):
        parts = list(group)
        iterations, seconds = sum(part.iterations for part in parts), sum(part.time for part in parts)
        joined.append(Stage(method, iterations, parts[-1].error, seconds))
    return joined


def start_error(problem: Problem, law: str) -> float:
    """Compute the error of zero impulses; NaN for the law lcp, whose natural map has other variables."""
    return np.nan if law == "lcp" else errors_of(problem, np.zeros(problem.size), law).largest


def plot_convergence(
    problem: Problem,
    law: str = "ncp",
    methods: Sequence[str] | None = None,
    *,
    title: str | None = None,
    axes: Sequence[Any] | None = None,
    **how: Any,
) -> tuple[Any, dict[str, Result]]:
    """Draw how the error falls with each method, against iterations and against time.

    A dot ends the line of a method that converged, a cross that of one that stopped before. Where several methods took part
    in one, as in ``auto``, numbers in circles say where the second and the next took over, and the legend which these are.
    The line of ``auto`` is broad and lies beneath the others, one of which it often is for a while.

    Args:
        problem, law, methods: as for :func:`~pluecker.contact.app.comparison.compare_methods`.
        title: over the panels; unless given, the law and the number of contacts.
        axes: two axes of matplotlib to draw on; a new figure unless given.
        how: ``tol``, ``max_iterations``, ``directions``, ``separate``, ``repeats``, ``progress``: as for
            :func:`compare_methods`.

    Returns:
        The figure (matplotlib's ``Figure``, with a ``savefig``), and the results by method. The error has no unit,
        times are in ms.

    Raises:
        MissingExtraError: matplotlib is not installed.
        ProblemError: as for :func:`~pluecker.contact.app.comparison.compare_methods`; axes are not two.

    Source: as of :func:`~pluecker.contact.app.comparison.compare_methods`.

    Example:
        >>> from pluecker.contact import plot_convergence, read_fclib
        >>> problem = read_fclib("Capsules-i125-1213.hdf5")  # doctest: +SKIP
        >>> figure, results = plot_convergence(problem, "ccp", ["auto", "apgd", "pgs"])  # doctest: +SKIP
        >>> figure.savefig("convergence.png")  # doctest: +SKIP
    """
    axes = None if axes is None else checked_axes(axes)
    if axes is None:
        matplotlib = require("matplotlib.figure", "plot", "drawing convergence")
        require("matplotlib.backends.backend_agg", "plot", "drawing convergence")
        figure = matplotlib.Figure(figsize=(11.5, 4.8), layout="constrained", dpi=130)
        panels = figure.subplots(1, 2, sharey=True)
    else:
        panels, figure = axes, axes[0].figure
    results = compare_methods(problem, law, methods, **how)
    any_one = next(iter(results.values()))
    tol = any_one.tol
    start = start_error(problem, law)
    ranked = sorted(results.items(), key=lambda item: (not item[1].converged, item[1].time))
    curves = {name: curve_of(result, start) for name, result in ranked}
    for name, result in ranked:
        curve = curves[name]
        for panel, x in zip(panels, (curve.iterations, 1e3 * curve.seconds), strict=True):
            draw_curve(panel, x, curve, result, legend_text(name, result, curve))
    for panel in panels:
        panel.set_yscale("log")
        panel.axhline(tol, color="gray", linewidth=1.0, linestyle=":", zorder=0)
        panel.grid(alpha=0.25)
        panel.spines[["top", "right"]].set_visible(False)
    most = max(result.iterations for result in results.values())
    panels[0].set_xscale("symlog", linthresh=1.0, linscale=0.4)
    panels[0].set(xlim=(0, 1.3 * max(most, 1)), xlabel="iterations", ylabel="error, relative\n(0 at a solution)")
    panels[1].set(xscale="log", xlabel="time in ms")
    label_decades(panels[1].xaxis)
    panels[0].text(
        0.01, tol, f"tolerance {tol:.0e}", transform=panels[0].get_yaxis_transform(), va="bottom", fontsize=8
    )
    heading = f"{WORDS[law]}: {counted(problem)}" if title is None else title
    legend = {**LEGEND, "title": legend_heading(ranked, curves)}
    if axes is None:
        figure.suptitle("\n".join(textwrap.wrap(heading, WIDEST)), fontsize=12, x=0.01, horizontalalignment="left")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside right upper", **legend)
    else:
        panels[0].set_title(heading, loc="left")
        panels[1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), **legend)
    return figure, results


def checked_axes(axes: Sequence[Any]) -> list[Any]:
    """Check that there are two axes of matplotlib, and return them in a list."""
    expected = "expected two axes of matplotlib: for iterations and for time"
    if not isinstance(axes, (list, tuple, np.ndarray)) or not all(hasattr(a, "plot") for a in np.ravel(axes)):
        raise ArgumentTypeError(f"axes is {shown(axes)}, {expected}")
    if np.size(axes) != 2:
        raise ProblemError(f"axes are {np.size(axes)}, {expected}")
    return list(np.ravel(axes))


def counted(problem: Problem) -> str:
    """Describe the numbers of contacts and rows in words."""
    contacts = int((problem.sets.sizes[:, 0] > 0).sum())
    rows = problem.blocks - contacts
    return f"{contacts} contacts" + (f", {rows} rows" if rows else "")


def is_silent(curve: Curve) -> bool:
    """Return whether no error of the methods is known before their end."""
    return all(method in SILENT for method, _ in curve.stages)


def draw_curve(panel: Any, x: Array, curve: Curve, result: Result, label: str) -> None:
    """Draw one curve, with marks for how it ended and where other methods took over."""
    errors = np.where(curve.errors > 0, curve.errors, np.nan)
    broad = result.method == "auto"
    style = {"color": COLOURS[result.method], "linewidth": 1.5, "markeredgecolor": "white", "zorder": 3}
    style |= {"linewidth": 6.0, "color": "#c8c8c8", "markerfacecolor": "black", "zorder": 2} if broad else {}
    style |= {"marker": "o", "markersize": 6.0} if result.converged else {"marker": "X", "markersize": 9.0}
    if is_silent(curve):
        style["linestyle"] = "--" if np.isfinite(errors).sum() > 1 else "none"
    panel.plot(x, errors, **style, markevery=[-1], label=label, clip_on=False)
    dark = COLOURS[result.method]
    for number, (_, i) in enumerate(curve.stages[1:], 2):
        panel.annotate(
            str(number), (x[i], errors[i]), ha="center", va="center", fontsize=7.5, color=dark, zorder=7,
            fontweight="bold", bbox={"boxstyle": "circle,pad=0.15", "fc": "white", "ec": dark, "lw": 0.8},
        )  # fmt: skip


def circled(number: int) -> str:
    """Format the number of a stage, as it is drawn where a method took over."""
    return chr(0x2460 + number - 1) if number <= CIRCLED else f"({number})"


def legend_heading(ranked: Sequence[tuple[str, Result]], curves: dict[str, Curve]) -> str:
    """Explain the signs that occur in the figure, as heading of the legend."""
    ends = {result.converged for _, result in ranked}
    lines = ["The fastest first, on one thread."]
    lines += ["Dot at the end: converged; cross: not."] if ends == {True, False} else []
    lines += ["Cross at the end: not converged."] if ends == {False} else []
    lines += (
        [f"{circled(2)}: where the next method took over."] if any(len(c.stages) > 1 for c in curves.values()) else []
    )
    islands = max(result.islands for _, result in ranked)
    lines += [f"Lines: worst of {islands} islands; ends: all together."] if islands > 1 else []
    silent = [curve for curve in curves.values() if is_silent(curve)]
    lines += ["Dashed: known at the corners only."] if any(curve.errors[0] > 0 for curve in silent) else []
    lines += ["Dot alone: known at the end only."] if any(not curve.errors[0] > 0 for curve in silent) else []
    return "\n".join(lines) + "\n"


def legend_text(name: str, result: Result, curve: Curve) -> str:
    """Describe a method in the legend: iterations, time, how it ended, and the methods that took part in turn."""
    plural = "" if result.iterations == 1 else "s"
    lines = [f"{name}: {result.iterations} iteration{plural}, {duration(result.time)}"]
    if not result.converged:
        lines.append(f"{result.status} at {result.errors.largest:.0e}")
    parts = [f"{circled(number)} {method}" for number, (method, _) in enumerate(curve.stages, 1)]
    if len(parts) > 1:
        lines += [", ".join(parts[i : i + 2]) for i in range(0, len(parts), 2)]
    return "\n   ".join(lines)
