"""A scene on one page: moments of the motion, diagrams, and the numbers of theory and of the simulation."""

from __future__ import annotations

import textwrap
from typing import Any

from pluecker.articulated.pictures.contents import Contents
from pluecker.articulated.pictures.drawing import Drawing, space
from pluecker.articulated.pictures.figures import label_decades, new_figure
from pluecker.articulated.pictures.overlays import as_overlays
from pluecker.articulated.pictures.parts import body_placements
from pluecker.examples.scenes.outcome import Outcome, Panel

__all__ = ["draw_outcome"]

MARKED_POINTS = 40  # points, which are marked one by one
STROKES = "--", ":"  # of theory
COLOURS = ("#1f5fb4", "#e07b00", "#2e8b57", "#8e44ad", "#d62728", "#7f3b08")


def draw_outcome(outcome: Outcome) -> Any:
    """Draw the outcome of a scene in a new figure of matplotlib."""
    motion, n = outcome.motion, len(outcome.motion)
    assert motion.model is not None
    assert motion.q is not None
    moments = [k % n for k in outcome.moments]
    width = 4.4 * max(len(moments), len(outcome.panels), 2)
    lines = [*textwrap.wrap(outcome.story, int(13.5 * width)), ""]
    for claim in outcome.claims:
        lines += textwrap.wrap(
            ("holds   " if claim.holds else "FAILS   ") + str(claim), int(12 * width), subsequent_indent=" " * 8
        )
    text = 0.25 + 0.19 * len(lines)
    figure = new_figure(width, 8.2 + text)
    pictures, diagrams, words = figure.subfigures(3, 1, height_ratios=[4.8, 3.4, text])
    q = motion.q[moments]
    placed = body_placements(motion.model, q)
    grid = pictures.add_gridspec(1, len(moments))
    for j, k in enumerate(moments):
        ax = space(pictures, grid[j])
        ax.view_init(*outcome.camera)
        overlays = as_overlays("contact", motion.overlays, n)
        chosen = tuple(each.at(k) for each in overlays)
        drawing = Drawing(ax, motion.model, Contents(axes=False, center_of_mass=False), chosen, q, placed)
        drawing.draw(j)
        if j == 0:
            drawing.explain(pictures)
        ax.set_zlabel("z in m", labelpad=0.5)  # the last one would be cut off
        if motion.time is not None:
            ax.set_title(f"t = {motion.time[k]:.3g} s", fontsize=10)
    for j, panel in enumerate(outcome.panels):
        draw_panel(diagrams.add_subplot(1, len(outcome.panels), j + 1), panel)
    figure.suptitle(outcome.title, fontsize=13)
    words.text(0.02, 0.95, "\n".join(lines), fontsize=8.5, va="top", family="monospace", linespacing=1.4)
    return figure


def draw_panel(axis: Any, panel: Panel) -> None:
    """Draw the curves of a panel; those of theory are dashed and black, the second of them dotted."""
    number, strokes, dashed = (
        0,
        iter(STROKES),
        any(curve.theory and len(curve.x) > MARKED_POINTS for curve in panel.curves),
    )
    for curve in panel.curves:
        few = len(curve.x) <= MARKED_POINTS
        if curve.theory:
            axis.plot(curve.x, curve.y, next(strokes, "-."), color="black", linewidth=1.2, label=curve.label, zorder=5)
        else:
            style = ("o" if dashed else "o-") if few else "-"
            axis.plot(curve.x, curve.y, style, color=COLOURS[number % len(COLOURS)], label=curve.label, markersize=4)
            number += 1
    if panel.log:
        axis.set(xscale="log", yscale="log")
        label_decades(axis.xaxis)
        label_decades(axis.yaxis)
    else:
        axis.locator_params(axis="x", nbins=6)
    if panel.limits is not None:
        axis.set_ylim(*panel.limits)
    axis.set(xlabel=panel.x, ylabel=panel.y)
    axis.set_title(panel.title, fontsize=10)
    axis.grid(alpha=0.25)
    axis.legend(fontsize=8, framealpha=0.85)
