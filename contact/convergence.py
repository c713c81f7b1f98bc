"""Several methods on one problem: how the error falls, iteration by iteration and second by second.

=======================  ===========================================================================================
function                 what it does
=======================  ===========================================================================================
compare_methods          solves a problem with several methods, and keeps the error of each iteration
plot_convergence         the same, drawn: natural map against iterations and against time (extra ``plot``)
=======================  ===========================================================================================

The error of an iteration is the best natural map so far. Lines begin at the error of no impulses at all. A method that has
no multipliers to show before it ends (an interior point) makes a straight line to where it ends.

Islands are not separated here, unless asked for: one error, and one count of iterations, for all contacts together. A call
of :func:`~pluecker.contact.solve.solve` that separates them is often faster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from pluecker.contact.errors import ProblemError
from pluecker.contact.lcp_laws import LCP_METHODS
from pluecker.contact.measures import all_errors
from pluecker.contact.problem import Problem
from pluecker.contact.result import Result, Stage
from pluecker.contact.solve import solve
from pluecker.spatial.elementwise import Array
from pluecker.spatial.extras import require

__all__ = ["COLOURS", "USUAL", "Curve", "compare_methods", "duration", "plot_convergence"]

CONES = ("auto", "apgd", "pgs", "barzilai_borwein", "admm", "newton", "interior_point")
USUAL = {"frictionless": CONES, "ccp": CONES, "ncp": CONES, "lcp": ("auto", *LCP_METHODS)[:-1]}
SILENT = ("interior_point", "clarabel", "lemke")  # nothing between their calls is an approximation
REPEATS = 2  # the first call of a process loads or makes compiled code
COLOURS = {
    "auto": "#000000", "apgd": "#0072b2", "pgs": "#e69f00", "psor": "#b8860b", "jacobi": "#cc79a7",
    "barzilai_borwein": "#009e73", "admm": "#d55e00", "newton": "#56b4e9", "interior_point": "#8a5a9e",
    "clarabel": "#999999", "lemke": "#8a5a9e", "fischer_newton": "#d55e00", "minmap_newton": "#56b4e9",
    "lcp_psor": "#e69f00",
}  # fmt: skip
WORDS = {
    "frictionless": "contacts without friction",
    "lcp": "Coulomb's law with a polygon",
    "ccp": "convex law (CCP)",
    "ncp": "Coulomb's law (NCP)",
}
LEGEND: dict[str, Any] = {
    "title": "the fastest first; x: did not converge\ndashed: nothing to show on the way", "title_fontsize": 8.5,
    "alignment": "left", "frameon": False, "fontsize": 8.5, "labelspacing": 0.9,
}  # fmt: skip


class Curve(NamedTuple):
    """What is drawn of a result: points in the order of time, ``(k,)`` each.

    Attributes:
        iterations: done so far.
        seconds: spent so far, the preparation included.
        errors: the best natural map so far.
        stages: for each its method, and the point at which it began.
    """

    iterations: Array
    seconds: Array
    errors: Array
    stages: tuple[tuple[str, int], ...]


def compare_methods(
    problem: Problem,
    methods: Sequence[str] | None = None,
    *,
    law: str = "ncp",
    tol: float = 1e-8,
    max_iterations: int | None = None,
    directions: int = 8,
    separate: bool = False,
    repeats: int = REPEATS,
    progress: Callable[[Sequence[str]], Iterable[str]] | None = None,
) -> dict[str, Result]:
    """Solve a problem with several methods, each with the history of its errors.

    Args:
        problem: see :mod:`~pluecker.contact.problem`.
        methods: names, see :mod:`~pluecker.contact.solve`; the usual ones for the law unless given.
        law, tol, max_iterations, directions, separate: as for :func:`~pluecker.contact.solve.solve`.
        repeats: of each call; the fastest one counts, since the first one loads compiled code.
        progress: is given the names and gives them back one by one, for a progress bar.

    Returns:
        A result for each method, in the order of the names. One thread: with a history there is no other way.

    Raises:
        ProblemError: as of ``solve``; there are no methods, one twice, or repeats are less than 1.
        MissingExtraError: a method needs a package that is not installed.

    Example:
        >>> from pluecker.contact.problem import Problem
        >>> from pluecker.contact.convergence import compare_methods
        >>> sliding = Problem.from_delassus([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [-1.0, 3.0, 0.0], [0.5])
        >>> [result.status for result in compare_methods(sliding, ["apgd", "pgs"]).values()]
        ['converged', 'converged']
    """
    names = tuple(USUAL.get(law, ("auto",)) if methods is None else methods)
    if isinstance(methods, str) or not names or len(set(names)) < len(names):
        raise ProblemError(f"methods is {methods!r}, expected different names, at least one")
    if not repeats >= 1:
        raise ProblemError(f"repeats is {repeats}, expected 1 or more")
    results = {}
    for name in names if progress is None else progress(names):
        runs = [
            solve(
                problem, law, name, tol=tol, max_iterations=max_iterations, directions=directions, separate=separate,
                history=True,
            )
            for _ in range(repeats)
        ]  # fmt: skip
        results[name] = min(runs, key=lambda result: result.time)
    return results


def curve_of(result: Result, start: float) -> Curve:
    """The points of a result, ``start`` being the error before the first iteration, NaN where it is not known."""
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
    errors = np.concatenate([[start], record[:, 1], [result.errors.natural_map]])
    # The best pair is kept, so that no error before the end is smaller; one that is, is of a convex problem inside.
    errors = np.maximum(np.fmin.accumulate(errors), result.errors.natural_map)
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
    """Stages in turn that one method did become one."""
    joined = []
    for method, group in groupby(stages, key=lambda stage: stage.method):
        parts = list(group)
        iterations, seconds = sum(part.iterations for part in parts), sum(part.time for part in parts)
        joined.append(Stage(method, iterations, parts[-1].error, seconds))
    return joined


def start_error(problem: Problem, law: str) -> float:
    """The natural map of no impulses at all; NaN for the law lcp, whose natural map has other variables."""
    if law == "lcp":
        return np.nan
    solved = problem.with_friction(0.0) if law == "frictionless" else problem
    return all_errors(solved.sets, solved.offset, np.zeros(solved.size), solved.offset, law).natural_map


def plot_convergence(
    problem: Problem,
    methods: Sequence[str] | None = None,
    *,
    law: str = "ncp",
    tol: float = 1e-8,
    max_iterations: int | None = None,
    directions: int = 8,
    separate: bool = False,
    repeats: int = REPEATS,
    progress: Callable[[Sequence[str]], Iterable[str]] | None = None,
    title: str | None = None,
    axes: Sequence[Any] | None = None,
) -> tuple[Any, dict[str, Result]]:
    """Draw how the natural map falls with each method, against iterations and against time.

    A dot ends the line of a method that converged, a cross that of one that stopped before. Where several methods took part
    in one, as in ``auto``, numbers say where the second and the next took over, and the legend which these are.

    Args:
        problem, methods, law, tol, max_iterations, directions, separate, repeats, progress: as for :func:`compare_methods`.
        title: over the panels; unless given, the law and the number of contacts.
        axes: two axes of matplotlib to draw on; a new figure unless given.

    Returns:
        The figure, and the results by method.

    Raises:
        MissingExtraError: matplotlib is not installed, or what a method needs.
        ProblemError: as for :func:`compare_methods`; axes are not two.

    Example:
        >>> figure, results = plot_convergence(problem, ["auto", "apgd", "pgs"])  # doctest: +SKIP
        >>> figure.savefig("convergence.png")  # doctest: +SKIP
    """
    if axes is not None and len(axes) != 2:
        raise ProblemError(f"axes are {len(axes)}, expected two: for iterations and for time")
    if axes is None:
        matplotlib = require("matplotlib.figure", "plot", "drawing convergence")
        require("matplotlib.backends.backend_agg", "plot", "drawing convergence")
        figure = matplotlib.Figure(figsize=(11.5, 4.8), layout="constrained", dpi=130)
        panels = figure.subplots(1, 2, sharey=True)
    else:
        panels, figure = axes, axes[0].figure
    results = compare_methods(
        problem, methods, law=law, tol=tol, max_iterations=max_iterations, directions=directions, separate=separate,
        repeats=repeats, progress=progress,
    )  # fmt: skip
    start = start_error(problem, law)
    for name, result in sorted(results.items(), key=lambda item: (not item[1].converged, item[1].time)):
        curve = curve_of(result, start)
        for panel, x in zip(panels, (curve.iterations, 1e3 * curve.seconds), strict=True):
            draw_curve(panel, x, curve, result, legend_text(name, result, curve))
    for panel in panels:
        panel.set_yscale("log")
        panel.axhline(tol, color="gray", linewidth=1.0, linestyle=":", zorder=0)
        panel.grid(alpha=0.25)
        panel.spines[["top", "right"]].set_visible(False)
    most = max(result.iterations for result in results.values())
    panels[0].set_xscale("symlog", linthresh=1.0, linscale=0.4)
    panels[0].set(xlim=(0, 1.3 * most), xlabel="iterations", ylabel="natural map, relative\n(0 at a solution)")
    panels[1].set(xscale="log", xlabel="time in ms")
    panels[0].text(
        0.01, tol, f"tolerance {tol:.0e}", transform=panels[0].get_yaxis_transform(), va="bottom", fontsize=8
    )
    heading = f"{WORDS[law]}: {problem.blocks} contacts and rows" if title is None else title
    if axes is None:
        figure.suptitle(heading[0].upper() + heading[1:], fontsize=12)
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside right upper", **LEGEND)
    else:
        panels[0].set_title(heading, loc="left")
        panels[1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), **LEGEND)
    return figure, results


def draw_curve(panel: Any, x: Array, curve: Curve, result: Result, label: str) -> None:
    """One line, how it ended, and where other methods took over."""
    errors = np.where(curve.errors > 0, curve.errors, np.nan)
    strong = result.method == "auto"
    style = {"color": COLOURS[result.method], "linewidth": 2.4 if strong else 1.5, "markeredgecolor": "white"}
    style |= {"marker": "o", "markersize": 6.0} if result.converged else {"marker": "X", "markersize": 9.0}
    style |= {"linestyle": "--"} if all(method in SILENT for method, _ in curve.stages) else {}
    panel.plot(x, errors, **style, markevery=[-1], zorder=4 if strong else 3, label=label, clip_on=False)
    for number, (_, i) in enumerate(curve.stages[1:], 2):
        panel.annotate(
            str(number), (x[i], errors[i]), ha="center", va="center", fontsize=7.5, color=style["color"], zorder=7,
            fontweight="bold", bbox={"boxstyle": "circle,pad=0.15", "fc": "white", "ec": style["color"], "lw": 0.8},
        )  # fmt: skip


def legend_text(name: str, result: Result, curve: Curve) -> str:
    """The method, what it took, how it ended, and the methods that took over."""
    plural = "" if result.iterations == 1 else "s"
    lines = [f"{name}: {result.iterations} iteration{plural}, {duration(result.time)}"]
    if not result.converged:
        lines.append(f"{result.status} at {result.errors.natural_map:.0e}")
    parts = [f"{number} {method}" for number, (method, _) in enumerate(curve.stages, 1)]
    if len(parts) > 1:
        parts[0] = curve.stages[0][0]
        lines += [("" if i == 0 else "then ") + ", then ".join(parts[i : i + 2]) for i in range(0, len(parts), 2)]
    return "\n   ".join(lines)


def duration(seconds: float) -> str:
    """A time with three digits."""
    return f"{1e3 * seconds:.3g} ms" if seconds < 0.9995 else f"{seconds:.3g} s"
