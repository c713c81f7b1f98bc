"""Figures of matplotlib: made, labelled, and written as a whole. Needs the extra ``plot``."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.errors import OutputError
from pluecker.spatial.errors import ArgumentTypeError
from pluecker.spatial.extras import require
from pluecker.spatial.files import whole_file

__all__ = [
    "FIGURES",
    "PURPOSE",
    "as_label",
    "colours_in_order",
    "draw_lines",
    "figure_for",
    "label_decades",
    "label_lines",
    "need_figures",
    "new_figure",
    "save",
]

Array = NDArray[np.float64]
MOST_LABELS = 12
MARKED_SAMPLES = 50  # samples, which are marked one by one
FIGURES = (".png", ".pdf", ".svg")
DECADES = 0.7, 2.0  # of a logarithmic axis: below the first even steps have room, below the second 1, 2 and 5 of each
PURPOSE = "drawing figures"


def need_figures() -> None:
    """Say what is missing for figures before there is anything to draw.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    require("matplotlib.figure", "plot", PURPOSE)


def as_label(name: str) -> str:
    """A name as matplotlib shows it: as it is, and not as a formula between dollars, nor hidden for its first letter."""
    text = name.encode("utf-8", "replace").decode().replace("$", r"\$")
    return f"\N{ZERO WIDTH SPACE}{text}" if text.startswith("_") else text


def new_figure(width: float = 9.0, height: float = 6.0, dpi: float = 130.0) -> Any:
    """A figure that draws to a file, whatever display there is; edges in inches, and dots to an inch."""
    figure = require("matplotlib.figure", "plot", PURPOSE)
    made = figure.Figure(figsize=(width, height), layout="constrained", dpi=dpi)
    require("matplotlib.backends.backend_agg", "plot", PURPOSE).FigureCanvasAgg(made)
    return made


def figure_for(function: str, figure: Any, width: float, height: float) -> Any:
    """The user's figure, made as large as it has to be; else a new one of pyplot's, which shows it."""
    if figure is None:
        pyplot = require("matplotlib.pyplot", "plot", function)
        return pyplot.figure(figsize=(width, height), layout="constrained")
    if not hasattr(figure, "subfigures"):
        raise ArgumentTypeError(f"{function}: figure is a {type(figure).__name__}, expected a figure of matplotlib")
    if hasattr(figure, "set_size_inches"):  # a part of a figure has the size that it has
        figure.set_size_inches(width, height)
    return figure


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


def colours_in_order(count: int) -> list[Any]:
    """Colours that follow the order of ``count`` things, from blue to red."""
    colours = require("matplotlib", "plot", PURPOSE).colormaps["turbo"]
    return [colours(0.08 + 0.84 * k / max(1, count - 1)) for k in range(count)]


def draw_lines(axis: Any, x: Array, values: Array, names: tuple[str, ...]) -> None:
    """A line for each coordinate, in colours that follow the order of the coordinates."""
    marker = ".-" if len(x) <= MARKED_SAMPLES else "-"
    for k, (name, colour) in enumerate(zip(names, colours_in_order(len(names)), strict=True)):
        axis.plot(x, values[:, k], marker, color=colour, linewidth=1.4, markersize=3.5, label=as_label(name))
    axis.grid(alpha=0.25)
    axis.margins(x=0.02 if len(x) <= MARKED_SAMPLES else 0.0)


def label_decades(axis: Any) -> None:
    """Numbers beside a logarithmic axis that is drawn already: powers of ten, and plain numbers where it spans few."""
    ticker = require("matplotlib.ticker", "plot", PURPOSE)
    low, high = axis.axes.get_xlim() if axis.axis_name == "x" else axis.axes.get_ylim()
    decades = np.log10(high / low)
    if decades < DECADES[1]:
        narrow = decades < DECADES[0]
        axis.set_major_locator(
            ticker.MaxNLocator(5, steps=(1, 2, 5, 10)) if narrow else ticker.LogLocator(subs=(1.0, 2.0, 5.0))
        )
        axis.set_major_formatter(ticker.FuncFormatter(lambda number, _: f"{number:g}"))
    axis.set_minor_formatter(ticker.NullFormatter())


def label_lines(figure: Any, axis: Any) -> None:
    """A legend where it can be read; else a word on the colours."""
    handles, labels = axis.get_legend_handles_labels()
    if len(labels) <= MOST_LABELS:
        figure.legend(handles, labels, loc="outside right upper", frameon=False)
    else:
        figure.text(
            0.99, 0.01, f"{len(labels)} coordinates, coloured in order from blue to red", ha="right", fontsize=8
        )
