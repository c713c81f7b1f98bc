"""Lanes of tests: which tests run in each, how many examples they try, and where their times are kept.

===================  ===================================  ===========================================================
lane                 how it is asked for                  what runs there
===================  ===================================  ===========================================================
compiled             ``make test``                        all that is not marked ``everything`` or ``plain``
everything           ``EVERYTHING=1``                     all of it, with more examples and all robots
plain Python         ``NUMBA_DISABLE_JIT=1``              what is not marked ``slow``; ``--branches``: what takes
                                                          branches, and changed files; ``--branches=none``: what
                                                          else is marked ``plain`` (:mod:`tests.branches`)
with bounds checks   ``NUMBA_BOUNDSCHECK=1``              what is marked ``indices``, whatever it is besides
===================  ===================================  ===========================================================
"""

from __future__ import annotations

import datetime
import gc
import os
from collections.abc import Iterator
from typing import Any

import hypothesis
import numpy as np
import pytest
from numba import config

from tests.branches import Branches, keep_only
from tests.durations import Durations

COMPILED = not config.DISABLE_JIT
CHECKED = bool(config.BOUNDSCHECK)  # with bounds checks
EVERYTHING = bool(os.environ.get("EVERYTHING"))  # what runs before a release and now and then
LANE = "plain" if not COMPILED else "bounds" if CHECKED else "compiled"

# Compilation, and a loaded machine, make times meaningless: no deadline, and data may be slow to come. Only the compiled
# lane looks for rare values; the others look at branches and at indices, for which few examples do. Without compilation each
# costs a thousand times more.
EXAMPLES = {"plain": (5, 10), "bounds": (10, 20), "compiled": (10, 100)}[LANE][EVERYTHING]
STATES = {"plain": (2, 2), "bounds": (4, 4), "compiled": (5, 20)}[LANE][EVERYTHING]
hypothesis.settings.register_profile(
    "pluecker",
    deadline=None,
    derandomize=False,  # which Hypothesis would choose in continuous integration
    max_examples=EXAMPLES,
    print_blob=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("pluecker")

# Other examples each day, the same ones all day: what fails in one run can be run again. What failed once is written down
# as an ``@example`` or a case.
TODAY = int(os.environ.get("SEED") or datetime.date.today().strftime("%Y%m%d"))


@pytest.fixture
def no_collection() -> Iterator[None]:
    """Keep Python's garbage collector from running anything during a test: it would lose an exception that a signal raises.

    Hypothesis, for one, counts its time in a callback of the collector.
    """
    kept, enabled = gc.callbacks[:], gc.isenabled()
    gc.callbacks.clear()
    gc.disable()
    yield
    gc.callbacks[:] = kept
    if enabled:
        gc.enable()


@pytest.fixture(scope="session")
def states() -> int:
    """Number of random states that a comparison runs through."""
    return STATES


@pytest.fixture(params=range(3))
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers from three seeds, where a file has none of its own."""
    return np.random.default_rng(request.param)


def pytest_addoption(parser: pytest.Parser) -> None:
    help_text = "only tests of tests/branches.txt and changed files; 'none' and 'candidates': see tests/branches.py"
    choices = ("listed", "none", "candidates")
    parser.addoption("--branches", nargs="?", const="listed", choices=choices, help=help_text)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("hypothesis_seed", None) is None:
        config.option.hypothesis_seed = TODAY
    branches = config.getoption("branches")
    config.pluginmanager.register(Durations(config, "marked" if branches == "none" else LANE), "durations")
    if branches:
        config.pluginmanager.register(Branches(branches), "branches")


def pytest_report_header() -> str:
    return f"examples of {TODAY} (SEED={TODAY} has the same ones on another day)"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only ``make everything`` runs, or another lane."""

    def wanted(item: pytest.Item) -> bool:
        marks = {mark.name for mark in item.iter_markers()}
        if {"slow", "plain"} <= marks and marks.isdisjoint(("everything", "indices")):
            raise pytest.UsageError(f"{item.nodeid} is slow and plain: no lane of each change runs it")
        if CHECKED:
            return "indices" in marks
        return marks.isdisjoint(("everything", "plain") if COMPILED else ("everything",))

    if not EVERYTHING:
        keep_only(config, items, wanted)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if not EVERYTHING:
        terminalreporter.write_line("long motions, all robots, all notebooks and more examples: make everything")
