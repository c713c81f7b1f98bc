"""Report of the topic ``contact``: several tables and figures in one Markdown file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.contact_figures import save_figure
from benchmarks.report import RESULTS, Report, machine, version

__all__ = ["ContactReport"]


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

    def text(self) -> str:
        """Return the summary of targets and the tables, without figures."""
        summary = Report("", "", "", ["target", "wanted", "measured", "reached"], self.targets)
        text = [summary.table()] if self.targets else []
        for part in self.parts:
            text += [f"## {part.title}", part.question, part.table() if part.rows else "", *part.notes]
        return "\n\n".join(part for part in [*text, *self.notes, *machine()] if part)

    def save(self, folder: Path = RESULTS) -> list[Path]:
        """Write ``contact.md`` and the figures."""
        folder.mkdir(parents=True, exist_ok=True)
        summary = Report("", "", "", ["target", "wanted", "measured", "reached"], self.targets)
        text = [f"# {self.title}", self.about, summary.table()]
        written = []
        for part in self.parts:
            text += [f"## {part.title}", part.question]
            if part.rows:
                text.append(part.table())
            paths = part.draw(folder / f"{part.topic}.png") if part.charts else []
            if part.topic in self.figures:
                paths += save_figure(self.figures[part.topic], folder / f"{part.topic}.png")
            text += [f"![{part.title}]({path.name})" for path in paths]
            text.append("\n".join(f"- {note}" for note in part.notes))
            written += paths
        where = [*machine(), f"scipy {version('scipy')}, clarabel {version('clarabel')}, h5py {version('h5py')}"]
        text += ["\n".join(f"- {note}" for note in self.notes), "Measured on:", "\n".join(f"- {x}" for x in where)]
        path = folder / f"{self.topic}.md"
        path.write_text("\n\n".join(part for part in text if part) + "\n", encoding="utf-8")
        return [path, *written]
