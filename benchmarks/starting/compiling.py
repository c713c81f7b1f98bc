"""Topic ``compiling``: what Numba compiles for the first result, and how long each function takes."""

from __future__ import annotations

import collections
import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np
from numba.core import event

from benchmarks.measuring.report import Bars, Report, seconds
from benchmarks.measuring.timing import Effort, progress
from pluecker.articulated import Model, aba, crba, rnea
from pluecker.articulated.robots import SEVEN_JOINT_ARM

__all__ = ["run"]

CASES = [(name, size) for name in ("rnea", "aba", "crba") for size in ("one", "batch")]
SHOWN = 25  # functions in the table
FILES = 9  # in the figure


class Stopwatch(event.Listener):
    """The time that each function's compilation takes, that of the functions it calls not counted."""

    def __init__(self) -> None:
        self.open: list[list[float]] = []  # of compilations under way: when they began, and what others took of it
        self.found: dict[str, list[float]] = collections.defaultdict(lambda: [0, 0.0])

    def on_start(self, event: Any) -> None:
        """Note that a compilation begins, maybe inside another."""
        self.open.append([time.perf_counter(), 0.0])

    def on_end(self, event: Any) -> None:
        """Note that it ends."""
        begin, others = self.open.pop()
        total = time.perf_counter() - begin
        function = event.data["dispatcher"].py_func
        entry = self.found[f"{function.__module__.removeprefix('pluecker.')}.{function.__qualname__.split('.')[-1]}"]
        entry[0] += 1
        entry[1] += total - others
        if self.open:
            self.open[-1][1] += total


def watch(algorithm: str, size: str) -> None:
    """In a fresh process: make the first call, and print what was compiled."""
    watch = Stopwatch()
    event.register("numba:compile", watch)
    model = Model.from_urdf(SEVEN_JOINT_ARM)
    zeros = np.zeros(model.nv if size == "one" else (16, model.nv))
    begin = time.perf_counter()
    if algorithm == "crba":
        crba(model, zeros)
    else:
        {"rnea": rnea, "aba": aba}[algorithm](model, zeros, zeros, zeros)
    print(json.dumps({"total": time.perf_counter() - begin, "functions": watch.found}))


def fresh(algorithm: str, size: str) -> dict[str, Any]:
    """Run :func:`watch` in a process that finds nothing compiled; return what it prints."""
    with tempfile.TemporaryDirectory(prefix="pluecker-compiling-") as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        command = [sys.executable, "-m", "benchmarks.starting.compiling", algorithm, size]
        output = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    return json.loads(output.splitlines()[-1])


def by_file(found: list[dict[str, Any]], sums: dict[str, float]) -> dict[str, list[float | None]]:
    """The seconds of each case by the file that holds the functions, the longest first, small ones together."""
    files: dict[str, float] = collections.Counter()
    for function, value in sums.items():
        files[function.rsplit(".", 1)[0]] += value
    shown = sorted(files, key=lambda file: -files[file])[:FILES]
    series: dict[str, list[float | None]] = {file: [0.0] * len(found) for file in [*shown, "all others"]}
    for k, one in enumerate(found):
        for function, (_, value) in one["functions"].items():
            file = function.rsplit(".", 1)[0]
            values = series[file if file in shown else "all others"]
            values[k] = (values[k] or 0.0) + value
    return series


def run(effort: Effort) -> Report:
    """Compile for each algorithm and size; the numbers are those of the run with the median total."""
    report = Report(
        "compiling",
        "What is compiled for the first result",
        f"The {SHOWN} functions that take most, each without those it calls, in processes that find nothing on disk.",
        ["function", "share", "all six", *(f"{name}, {size}" for name, size in CASES), "times compiled"],
    )
    found = []
    for case in progress(CASES, "compiling"):
        runs = sorted((fresh(*case) for _ in range(max(1, effort.processes // 2))), key=lambda run: run["total"])
        found.append(runs[len(runs) // 2])
    sums: dict[str, float] = collections.Counter()
    for one in found:
        for function, (_, value) in one["functions"].items():
            sums[function] += value
    whole = sum(sums.values())
    order = sorted(sums, key=lambda function: -sums[function])

    def row(label: str, functions: list[str]) -> None:
        """One line of the table: one function, or several together."""
        cells = [[one["functions"].get(function, (0, 0.0)) for function in functions] for one in found]
        times = [sum(value for _, value in cell) for cell in cells]
        numbers = [sum(int(number) for number, _ in cell) for cell in cells]
        share = f"{100 * sum(times) / whole:.1f} %"
        report.rows.append([label, share, seconds(sum(times)), *map(seconds, times), ", ".join(map(str, numbers))])

    row("**all**", order)
    for function in order[:SHOWN]:
        row(f"`{function}`", [function])
    row(f"the other {len(order[SHOWN:])}", order[SHOWN:])
    series = by_file(found, sums)
    labels = [f"{name}, {'one state' if size == 'one' else 'batch'}" for name, size in CASES]
    report.charts = [
        Bars(
            labels,
            series,
            "seconds of compilation",
            title="by the file that holds the functions",
            stacked=True,
        )
    ]
    totals = ", ".join(f"{label} {seconds(one['total'])}" for label, one in zip(labels, found, strict=True))
    report.note(
        f"The first calls took {totals}; what is not compilation is loading the compiled code and writing it to disk."
    )
    report.note(
        "Each function is compiled by itself, once for each type of scalar, and then becomes part of those that call it."
    )
    return report


if __name__ == "__main__":
    watch(*sys.argv[1:])
