"""Reports of topics: one Markdown file with a table, and one figure, both saying where they were made."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["RESULTS", "ROUNDS", "Bars", "Report", "Section", "beside_peers", "cores", "ratio", "seconds", "verdict"]

RESULTS = Path(__file__).resolve().parents[1] / "results"
PACKAGES = ("numpy", "numba", "pluecker", "pin", "mujoco")
LOAD = os.getloadavg()[0] if hasattr(os, "getloadavg") else None  # before the run: what others do on the machine
ROUNDS = (
    "All calls of a row are timed in turn, round after round. Times are medians; ratios are medians of the ratios of "
    "single rounds, in brackets their quartiles."
)
COLORS = (
    "#1f6f8b", "#e07a1f", "#6a994e", "#8a5a9e", "#b23a48", "#e3b23c", "#5dade2", "#a0522d", "#2e4057", "#a0a0a0",
)  # fmt: skip


# --------------------------------------------------------------------------------------------------------------- numbers


def seconds(value: float | None) -> str:
    """A time with three digits and a unit that suits it."""
    if value is None:
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)):
        if value >= size:
            return f"{value / size:.3g} {unit}" if value < 999.5 * size else f"{value / size:.0f} {unit}"
    return "0" if value >= 0.0 else "-" + seconds(-value)


def ratio(values: tuple[float, float, float] | None) -> str:
    """A ratio and the quartiles of its rounds."""
    return "-" if values is None else "{:.2f} ({:.2f} to {:.2f})".format(*values)


def verdict(what: str, found: float, wanted: float, form: Callable[[float], str] = "{:g}".format) -> str:
    """Return a line that says what was wanted at most, and whether it was reached."""
    return f"{what}: wanted at most {form(wanted)}: {'yes' if found <= wanted else 'no'} ({form(found)})."


# ---------------------------------------------------------------------------------------------------------- where and when


def cpu_facts() -> tuple[str, list[str]]:
    """The processor's name, and the SIMD instructions of interest that it has."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or platform.machine(), []
    name = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    flags = re.search(r"^(?:flags|Features)\s*:\s*(.+)$", text, re.MULTILINE)
    found = set(flags.group(1).split()) if flags else set()
    return name.group(1) if name else platform.machine(), [f for f in ("avx2", "avx512f", "asimd", "sve") if f in found]


def version(package: str) -> str:
    """The installed version, or that there is none."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def cores() -> int:
    """The cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def machine() -> list[str]:
    """Machine, versions and date, a line each."""
    name, simd = cpu_facts()
    load = "" if LOAD is None else f"; load average when the run began: {LOAD:.1f}"
    versions = ", ".join([f"Python {platform.python_version()}", *(f"{p} {version(p)}" for p in PACKAGES)])
    return [
        f"{name}, {cores()} cores, SIMD: {', '.join(simd) or 'unknown'}; {platform.system()}{load}",
        versions + (f"; compiled for {os.environ['NUMBA_CPU_NAME']}" if "NUMBA_CPU_NAME" in os.environ else ""),
        datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
    ]


# --------------------------------------------------------------------------------------------------------------- a report


@dataclass
class Bars:
    """A chart of horizontal bars: for each label a group, with a bar for each series; None leaves a bar out."""

    labels: Sequence[str]
    series: dict[str, Sequence[float | None]]
    axis: str  # what the bars' length is, with its unit
    line: float | None = None  # where a vertical line is drawn
    line_means: str = ""
    title: str = ""
    stacked: bool = False
    form: str = "{:.1f}"  # of the number at a bar's end


def beside_peers(labels: Sequence[str], ratios: dict[str, list[float | None]], form: str = "{:.2f}") -> Bars:
    """Chart the times of peers over ours."""
    above = "above 1: pluecker is faster than the peer"
    return Bars(labels, ratios, "peer's time / our time", 1.0, "equally fast", above, form=form)


def markdown(columns: list[str], rows: list[list[str]]) -> str:
    """The rows as Markdown; the first column is text, the others are set to the right."""
    lines = [columns, ["---"] + ["---:"] * (len(columns) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def bullets(notes: list[str]) -> str:
    """One line each."""
    return "\n".join(f"- {note}" for note in notes)


@dataclass
class Section:
    """A further table of a topic, under a heading of its own."""

    title: str
    question: str
    columns: list[str]
    rows: list[list[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass
class Report:
    """One topic: a table, notes on how to read it, and a figure; further tables follow, if there are any."""

    topic: str
    title: str
    question: str
    columns: list[str]
    rows: list[list[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    charts: list[Bars] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Add a note, once."""
        if text not in self.notes:
            self.notes.append(text)

    def table(self) -> str:
        """The rows as Markdown."""
        return markdown(self.columns, self.rows)

    def save(self, folder: Path = RESULTS) -> list[Path]:
        """Write ``<topic>.md`` and ``<topic>.png``; charts without a single bar are left out."""
        self.charts = [c for c in self.charts if any(x is not None for values in c.series.values() for x in values)]
        folder.mkdir(parents=True, exist_ok=True)
        text = folder / f"{self.topic}.md"
        where = bullets(machine())
        figure = [f"![{self.title}]({self.topic}.png)"] if self.charts else []
        parts = [f"# {self.title}", self.question, self.table(), *figure, bullets(self.notes)]
        for section in self.sections:
            parts += [f"## {section.title}", section.question, markdown(section.columns, section.rows)]
            parts += [bullets(section.notes)] if section.notes else []
        body = "\n\n".join([*parts, "Measured on:", where]) + "\n"
        text.write_text(body, encoding="utf-8")
        return [text, *self.draw(folder / f"{self.topic}.png")]

    def draw(self, path: Path) -> list[Path]:
        """The figure, if there is anything to draw and matplotlib to draw with."""
        try:
            import matplotlib

            matplotlib.use("Agg")
            import matplotlib.pyplot as plt
        except ImportError:
            print("no figures: matplotlib is not installed")
            return []
        if not self.charts:
            return []
        heights = [chart_height(chart) for chart in self.charts]
        figure, axes = plt.subplots(
            len(self.charts), 1, figsize=(9.5, sum(heights)), height_ratios=heights, squeeze=False, layout="constrained"
        )
        figure.suptitle(self.title, fontsize=13)
        for chart, ax in zip(self.charts, axes[:, 0], strict=True):
            draw_bars(chart, ax)
        name, simd = cpu_facts()
        figure.supxlabel(f"{name} ({', '.join(simd)}), pluecker {version('pluecker')}", fontsize=7, color="gray")
        figure.savefig(path, dpi=130)
        plt.close(figure)
        return [path]


def chart_height(chart: Bars) -> float:
    """Inches that a chart needs."""
    bars = 1 if chart.stacked else len(chart.series)
    return 1.3 + len(chart.labels) * (0.12 + 0.2 * bars)


def draw_bars(chart: Bars, ax: Any) -> None:
    """One chart of horizontal bars, first label on top."""
    draw: Callable[..., None] = draw_stacked if chart.stacked else draw_groups
    draw(chart, ax)
    if chart.line is not None:
        ax.axvline(chart.line, color="black", linewidth=1.0, linestyle="--", label=chart.line_means or None)
    ax.set_yticks(range(len(chart.labels)), chart.labels, fontsize=8)
    ax.invert_yaxis()
    ax.set_xlabel(chart.axis, fontsize=9)
    ax.set_title(chart.title, fontsize=10)
    ax.margins(x=0.12, y=0.01)
    ax.grid(axis="x", alpha=0.3)
    ax.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)


def draw_groups(chart: Bars, ax: Any) -> None:
    """For each label the bars that there are, side by side about its place, with their numbers."""
    series = {name: values for name, values in chart.series.items() if any(x is not None for x in values)}
    thickness = 0.8 / max(1, len(series))
    there = [sum(values[y] is not None for values in series.values()) for y in range(len(chart.labels))]
    drawn = [0] * len(chart.labels)
    for k, (name, values) in enumerate(series.items()):
        places, lengths = [], []
        for y, value in enumerate(values):
            if value is not None:
                places.append(y + (drawn[y] - (there[y] - 1) / 2) * thickness)
                lengths.append(value)
                drawn[y] += 1
        bars = ax.barh(places, lengths, thickness, label=name, color=COLORS[k % len(COLORS)])
        ax.bar_label(bars, [chart.form.format(x) for x in lengths], fontsize=7, padding=2)


def draw_stacked(chart: Bars, ax: Any) -> None:
    """The series behind one another in one bar."""
    starts = [0.0] * len(chart.labels)
    for k, (name, values) in enumerate(chart.series.items()):
        lengths = [x or 0.0 for x in values]
        ax.barh(range(len(chart.labels)), lengths, 0.7, left=starts, label=name, color=COLORS[k % len(COLORS)])
        starts = [a + b for a, b in zip(starts, lengths, strict=True)]
