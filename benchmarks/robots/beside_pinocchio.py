"""Algorithms next to Pinocchio's: a batch on one core and one state a call, their times, rows and a chart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from benchmarks.measuring.mechanisms import Mechanism, States, robots
from benchmarks.measuring.peers import Pinocchio, available
from benchmarks.measuring.report import Bars, Report, ratio, seconds
from benchmarks.measuring.timing import Effort, Times, interleaved, progress
from pluecker.articulated import Model

__all__ = ["Calls", "compare", "measure"]

Calls = dict[str, Callable[[], Any]]


def measure(
    report: Report, effort: Effort, count: int, our_calls: Callable[[Model, States], dict[str, Calls]],
    their_calls: Callable[[Pinocchio, int], dict[str, Calls]], loop: int,
    agree: Callable[[Mechanism, States, Pinocchio], None],
) -> Iterator[tuple[str, str, dict[str, Times]]]:  # fmt: skip
    """Time our calls of all robots in turn with Pinocchio's: robot, algorithm, and times as in :func:`compare`.

    Args:
        report: whose notes say if Pinocchio is not there.
        effort: how many rounds.
        count: states of each robot.
        our_calls: ``ours`` for all states and ``one`` for one.
        their_calls: those of the same algorithms, in a loop over so many states.
        loop: how many states these are, at most.
        agree: raises an error where results of both differ.
    """
    for robot in progress(list(robots()), report.topic):
        states = States.random(robot.model, count)
        calls, few = our_calls(robot.model, states), min(loop, count)
        if available(Pinocchio, report.note):
            peer = Pinocchio(robot, states)
            agree(robot, states, peer)
            for name, theirs in their_calls(peer, few).items():
                calls[name] |= theirs
        sizes = {"ours": count, "Pinocchio": few, "empty": few}
        for name, group in calls.items():
            yield robot.label, name, interleaved(group, effort, sizes=sizes)


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
