"""Tests that together take every branch of the package that any test takes: a list, chosen greedily, and how it is used.

Plain Python under coverage is a thousand times slower than what is compiled, and most tests take branches that others take
too. ``python -m tests.branches`` runs all of them once, with the branches that each takes written down, and chooses those
that take most branches a second that no test before them took; the list is ``tests/branches.txt``. With ``--branches``
pytest runs what the list names, and all of each file of tests that has changed since the list was made.
"""

from __future__ import annotations

import heapq
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent
LIST = TOP / "tests" / "branches.txt"
OVERHEAD = 0.02  # s that a test costs besides its own seconds: reports, switching contexts
LEAST = 0.5  # new branches a second; below that a test costs more than it shows


def listed() -> list[str]:
    """The tests of the list."""
    return [line for line in LIST.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]


def changed() -> set[str]:
    """Files of tests that have changed since the list was made, as far as git knows."""
    git = ["git", "-C", str(TOP)]
    try:
        made = subprocess.run(
            [*git, "log", "-1", "--format=%H", "--", str(LIST)], capture_output=True, text=True, check=True
        )
        named = subprocess.run(
            [*git, "diff", "--name-only", made.stdout.strip(), "--", "tests"],
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):  # no repository
        return set()
    return {name for name in named.stdout.split() if Path(name).name.startswith("test_")}


class Branches:
    """The plugin behind ``--branches``."""

    def __init__(self) -> None:
        self.tests, self.files = set(listed()), changed()

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        left_out = [item for item in items if not self.wants(item.nodeid)]
        items[:] = [item for item in items if self.wants(item.nodeid)]
        config.hook.pytest_deselected(items=left_out)

    def wants(self, test: str) -> bool:
        return test in self.tests or test.partition("::")[0] in self.files


def branches_of_tests(data_file: Path) -> dict[str, set[tuple[str, int, int]]]:
    """The branches that each test takes, from what coverage wrote down; what imports take has no name."""
    from coverage import CoverageData

    data = CoverageData(str(data_file))
    data.read()
    taken: dict[str, set[tuple[str, int, int]]] = defaultdict(set)
    for context in data.measured_contexts():
        data.set_query_context(context)
        test = re.sub(r"\|(setup|run|teardown)$", "", context)
        for file in data.measured_files():
            taken[test].update((file, *arc) for arc in data.arcs(file) or ())
    return taken


def greedy_cover(
    taken: dict[str, set[tuple[str, int, int]]], seconds: dict[str, float], least: float = LEAST
) -> list[str]:
    """Choose tests by new branches a second, until the best has fewer than ``least``.

    What a test still adds only falls while others are chosen, so in a heap of stale gains the top is the best as soon as it
    is up to date.
    """
    known = set(taken.get("", ()))
    gains = [(-len(arcs - known) / cost(test, seconds), test) for test, arcs in taken.items() if test]
    heapq.heapify(gains)
    chosen = []
    while gains:
        _, test = heapq.heappop(gains)
        gain = len(taken[test] - known) / cost(test, seconds)
        if gain < least:
            continue
        if gains and gain < -gains[0][0]:
            heapq.heappush(gains, (-gain, test))
            continue
        known |= taken[test]
        chosen.append(test)
    return chosen


def cost(test: str, seconds: dict[str, float]) -> float:
    return seconds.get(test, 1.0) + OVERHEAD


def main() -> int:
    from tests.durations import read

    data_file = TOP / "build" / "branches.coverage"
    if "--read" not in sys.argv:  # what is there already
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "COVERAGE_FILE": str(data_file)}
        command = [sys.executable, "-m", "pytest", "-n", "2", "-q", "-m", "not slow", "--cov", "--cov-context=test"]
        status = subprocess.run([*command, "--cov-report="], cwd=TOP, env=environment, check=False).returncode
        if status:
            return status
    seconds = {test: row[0] for test, row in read("plain").items()}
    taken = branches_of_tests(data_file)
    chosen = greedy_cover(taken, seconds)
    all_of_them = set().union(*taken.values())
    reached = set(taken.get("", ())).union(*(taken[test] for test in chosen))
    head = f"# {len(reached)} of {len(all_of_them)} branches, in {sum(seconds.get(test, 0.0) for test in chosen):.0f} s"
    LIST.write_text("\n".join([f"{head}; made by python -m tests.branches", *sorted(chosen), ""]), encoding="utf-8")
    print(f"{len(chosen)} of {len(taken) - 1} tests: {head[2:]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
