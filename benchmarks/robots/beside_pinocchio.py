"""Rows and a chart of algorithms next to Pinocchio's: a batch on one core, and one state a call."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.measuring.report import Bars, Report, ratio, seconds
from benchmarks.measuring.timing import Times

__all__ = ["compare"]


def compare(report: Report, measured: Iterable[tuple[str, str, dict[str, Times]]], by: str) -> None:
    """Add a row for each mechanism and algorithm, and one chart of all.

    Args:
        report: whose columns are the mechanism, the algorithm, two ratios and four times.
        measured: mechanism, algorithm, and times a state: ``ours``, ``one``, and where Pinocchio is there ``Pinocchio``,
            ``empty`` (what a call takes that has nothing to compute) and ``Pinocchio, one``.
        by: what the ratios divide by, ``ours`` (above 1 we are faster) or ``Pinocchio`` (below 1 we are).
    """
    labels: list[str] = []
    bars: dict[str, list[float | None]] = {"batch": [], "one state": []}
    for mechanism, name, times in measured:
        their_one = times.get("Pinocchio, one")
        theirs = times["Pinocchio"].less(times["empty"]) if "Pinocchio" in times else None
        ratios = []
        for ours, their in ((times["ours"], theirs), (times["one"], their_one)):
            ratios.append(None if their is None else their.over(ours) if by == "ours" else ours.over(their))
        absolute = (times["ours"], theirs, times["one"], their_one)
        cells = [*map(ratio, ratios), *(seconds(t.median if t else None) for t in absolute)]
        report.rows.append([mechanism, name, *cells])
        labels.append(f"{mechanism}: {name}")
        for values, found in zip(bars.values(), ratios, strict=True):
            values.append(found[0] if found else None)
    what = "Pinocchio's time / our time" if by == "ours" else "our time / Pinocchio's time"
    where = "above" if by == "ours" else "below"
    report.charts = [Bars(labels, bars, what, 1.0, "equally fast", f"{where} 1: pluecker is faster than Pinocchio")]
