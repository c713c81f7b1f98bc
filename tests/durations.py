"""The minutes of the tests: each test's seconds by kind, and the table that is made of them.

As a plugin of pytest it writes a file for each lane that runs as a whole, ``build/durations/LANE.tsv``, with a line
for each test: seconds on the clock, and of processors: compiling, in processes that it started, all else; its name.
``python -m tests.durations [LANE...]`` prints the tables of ``CONTRIBUTING.md``.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

import pytest
from numba.core import event

FOLDER = Path(__file__).resolve().parent.parent / "build" / "durations"
KINDS = ("compilation", "processes", "Python")


class CompilationClock(event.Listener):
    """Adds up the processor time of compilation. What is compiled for something that is being compiled counts once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.here = threading.local()

    def on_start(self, event: Any) -> None:
        self.here.depth = getattr(self.here, "depth", 0) + 1
        if self.here.depth == 1:
            self.here.start = time.thread_time()

    def on_end(self, event: Any) -> None:
        self.here.depth -= 1
        if self.here.depth == 0:
            self.seconds += time.thread_time() - self.here.start


class Durations:
    """Measures in the process that runs a test, collects in the one that reports."""

    def __init__(self, config: pytest.Config, lane: str) -> None:
        self.config, self.lane = config, lane
        self.clock = CompilationClock()
        self.rows: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0, 0.0])
        self.begun = self.now()
        event.register("numba:compile", self.clock)

    def now(self) -> tuple[float, float, float]:
        """Processor time until now, by kind."""
        times, compiling = os.times(), self.clock.seconds
        ended = times.children_user + times.children_system  # processes that this one started
        return compiling, ended, time.process_time() - compiling

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self.begun = self.now()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: Any) -> Generator[None, object, object]:
        if call.when == "teardown":
            spent = [end - begin for begin, end in zip(self.begun, self.now(), strict=True)]
            item.user_properties += list(zip(KINDS, spent, strict=True))
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        row = self.rows[report.nodeid]
        row[0] += report.duration
        if report.when == "teardown":
            kinds = dict(report.user_properties)
            row[1:] = [float(str(kinds.get(kind, 0.0))) for kind in KINDS]

    def pytest_sessionfinish(self) -> None:
        event.unregister("numba:compile", self.clock)
        option = self.config.option
        chosen = option.keyword or getattr(option, "lf", False)
        whole = self.config.args_source is not pytest.Config.ArgsSource.ARGS and not chosen  # no single files or tests
        if whole and not hasattr(self.config, "workerinput") and self.rows:
            FOLDER.mkdir(parents=True, exist_ok=True)
            lines = ["\t".join([*(f"{s:.3f}" for s in row), name]) + "\n" for name, row in self.rows.items()]
            (FOLDER / f"{self.lane}.tsv").write_text("".join(lines), encoding="utf-8")


def read(name: str) -> dict[str, list[float]]:
    """The seconds of each test of a lane: on the clock, compiling, in processes, all else."""
    rows = {}
    for line in (FOLDER / f"{name}.tsv").read_text(encoding="utf-8").splitlines():
        *seconds, test = line.split("\t", 4)
        rows[test] = [float(s) for s in seconds]
    return rows


def table(rows: dict[str, list[float]], longest: int = 25) -> Iterable[str]:
    """Lines of Markdown: all of a lane, its slowest files, its slowest tests."""
    files: dict[str, list[float]] = defaultdict(lambda: [0, 0.0, 0.0, 0.0, 0.0])
    for test, seconds in rows.items():
        for key in ("all", test.partition("::")[0]):
            files[key] = [old + new for old, new in zip(files[key], (1, *seconds), strict=True)]
    slowest = sorted(files.items(), key=lambda pair: -pair[1][1])
    yield "| file | cases | s | compilation | processes | Python |"
    yield "|---|---:|---:|---:|---:|---:|"
    for name, numbers in slowest[: longest + 1]:
        yield f"| {name} | {' | '.join(f'{number:.0f}' for number in numbers)} |"
    yield ""
    yield "| test | s |"
    yield "|---|---:|"
    for test, seconds in sorted(rows.items(), key=lambda pair: -pair[1][0])[:longest]:
        yield f"| {test} | {seconds[0]:.0f} |"


def main() -> None:
    names = sys.argv[1:] or [path.stem for path in sorted(FOLDER.glob("*.tsv"))]
    for name in names:
        print(f"## The lane {name}\n")
        print("\n".join(table(read(name))), end="\n\n")


if __name__ == "__main__":
    main()
