"""Tests that together take every branch of the package that any test takes: a list, chosen greedily, and how it is used.

Plain Python under coverage is a thousand times slower than what is compiled, and most tests take branches that others take
too. ``python -m tests.branches`` runs candidates with the branches that each takes written down: what the list has, and
the first case of each test of which it has none (``--all``: all cases, an hour). It chooses those that take most branches
a second that none before them took; the list is ``tests/branches.txt``. With ``--branches`` pytest runs what the list names,
and all of each file of tests whose code has changed since the list was made; with ``--branches=none`` the others of those
that are marked ``plain``, which run nowhere else: coverage would double their time, and see nothing new.
"""

from __future__ import annotations

import ast
import datetime
import heapq
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent
LIST = TOP / "tests" / "branches.txt"
OVERHEAD = 0.02  # s that a test costs besides its own seconds: reports, switching contexts
MONTH = 31  # days
LEAST = 2.0  # new branches a second; below that a test costs more than it shows


def listed() -> list[str]:
    """The tests of the list."""
    return [line for line in LIST.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]


def code_of(text: str) -> str:
    """A file of tests without its comments and docstrings; all of it where Python cannot read it."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return text
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            del node.body[0]
    return ast.dump(tree)


def changed() -> set[str]:
    """Files of tests whose code has changed since the list was made, as far as git knows."""
    git = ["git", "-C", str(TOP)]

    def answer(*words: str) -> str:
        return subprocess.run([*git, *words], capture_output=True, text=True, check=True, encoding="utf-8").stdout

    try:
        made = answer("log", "-1", "--format=%H", "--", str(LIST)).strip()
        edited = answer("diff", "--name-only", "--diff-filter=M", "--no-renames", made, "--", "tests").split()
        named = answer("diff", "--name-only", "--diff-filter=d", "--no-renames", made, "--", "tests").split()
        same = {
            name
            for name in edited
            if name.endswith(".py")
            and code_of(answer("show", f"{made}:{name}")) == code_of((TOP / name).read_text("utf-8"))
        }
    except (OSError, subprocess.CalledProcessError):  # no repository
        return set()
    return {name for name in named if Path(name).name.startswith("test_") and name not in same}


def keep_only(config: pytest.Config, items: list[pytest.Item], wants: Callable[[pytest.Item], object]) -> None:
    """Deselect tests that are not wanted."""
    wanted, left_out = [], []
    for item in items:
        (wanted if wants(item) else left_out).append(item)
    if left_out:
        items[:] = wanted
        config.hook.pytest_deselected(items=left_out)


def function_of(test: str) -> str:
    """The test without its case."""
    return test.partition("[")[0]


class Branches:
    """The plugin behind ``--branches`` (``listed``, or ``none`` of these) and behind the command (``candidates``)."""

    def __init__(self, which: str) -> None:
        self.tests = set(listed())
        self.functions = {function_of(test) for test in self.tests}
        self.files = changed() if which != "candidates" else set()
        self.which = which

    def pytest_report_header(self) -> str:
        made = datetime.date.fromisoformat(LIST.read_text(encoding="utf-8")[2:12])
        days = (datetime.date.today() - made).days
        advice = ", more than a month: make it anew, python -m tests.branches" if days > MONTH else ""
        return f"the list of tests that take branches is {days} days old{advice}"

    @pytest.hookimpl(trylast=True)  # of what is not marked otherwise
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        if self.which == "none":
            keep_only(config, items, lambda item: item.get_closest_marker("plain") and not self.wants(item.nodeid))
        else:
            keep_only(config, items, lambda item: self.wants(item.nodeid))

    def wants(self, test: str) -> bool:
        if self.which == "candidates" and function_of(test) not in self.functions:
            self.functions.add(function_of(test))
            self.tests.add(test)
        return test in self.tests or test.partition("::")[0] in self.files


def branches_of_tests(data_file: Path) -> dict[str, set[tuple[int, int, int]]]:
    """Read the branches that each test takes from what coverage wrote down; what imports take has no name.

    A branch is a file, the line that it leaves and the line that it reaches, as numbers. Coverage answers for one test and
    one file at a time; its data file is a database, which has all of it at once
    (https://coverage.readthedocs.io/en/latest/dbschema.html).
    """
    import sqlite3  # not all that run the tests have it

    taken: dict[str, set[tuple[int, int, int]]] = defaultdict(set)
    with closing(sqlite3.connect(data_file)) as database:
        names = {
            key: re.sub(r"\|(setup|run|teardown)$", "", name)
            for key, name in database.execute("select id, context from context")
        }
        for context, *arc in database.execute("select context_id, file_id, fromno, tono from arc"):
            taken[names[context]].add(tuple(arc))
    return taken


def greedy_cover(
    taken: dict[str, set[tuple[int, int, int]]], seconds: dict[str, float], least: float = LEAST
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
    """Seconds that a test costs in the lane."""
    return seconds.get(test, 1.0) + OVERHEAD


def main() -> int:
    from tests.durations import read

    data_file = TOP / "build" / "branches.coverage"
    if "--read" not in sys.argv:  # what is there already
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "COVERAGE_FILE": str(data_file)}
        command = [sys.executable, "-m", "pytest", "-n", "2", "-q", "-m", "not slow"]
        command += [] if "--all" in sys.argv else ["--branches=candidates"]
        command += ["--cov", "--cov-context=test", "--cov-report="]
        status = subprocess.run(command, cwd=TOP, env=environment, check=False).returncode
        if status:
            return status
    seconds = {test: row[0] for test, row in read("plain").items()}
    taken = branches_of_tests(data_file)
    chosen = greedy_cover(taken, seconds)
    all_of_them = set().union(*taken.values())
    reached = set(taken.get("", ())).union(*(taken[test] for test in chosen))
    took = sum(seconds.get(test, 0.0) for test in chosen)
    found = f"{len(reached)} of {len(all_of_them)} branches, in {took:.0f} s"
    head = f"# {datetime.date.today()}: {found}; made by python -m tests.branches"
    LIST.write_text("\n".join([head, *sorted(chosen), ""]), encoding="utf-8")
    print(f"{len(chosen)} of {len(taken) - 1} tests: {found}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
