"""What all tests share: how many examples they try, which of them run, and how long each takes.

===================  ===================================  ===========================================================
lane                 how it is asked for                  what runs there
===================  ===================================  ===========================================================
compiled             ``make test``                        all that is not marked ``everything`` or ``plain``
everything           ``EVERYTHING=1``                     all of it, with more examples and all robots
plain Python         ``NUMBA_DISABLE_JIT=1``              what is not marked ``slow``; ``--branches``: what is
                                                          marked ``plain``, and what takes branches
                                                          (:mod:`tests.branches`)
with bounds checks   ``NUMBA_BOUNDSCHECK=1``              what is marked ``indices``
===================  ===================================  ===========================================================
"""

from __future__ import annotations

import datetime
import os
from typing import Any

import hypothesis
import pytest
from numba import config

from tests.branches import Branches
from tests.durations import Durations

COMPILED = not config.DISABLE_JIT
CHECKED = bool(config.BOUNDSCHECK)  # with bounds checks
EVERYTHING = bool(os.environ.get("EVERYTHING"))  # what runs before a release and now and then

# Compilation, and a loaded machine, make times meaningless: no deadline, and data may be slow to come. Only the compiled
# lane looks for rare values; the others look at branches and at indices, for which few examples do. Without compilation each
# costs a thousand times more.
EXAMPLES = (5 if not COMPILED else 10 if CHECKED else 20) * (
    1 if not EVERYTHING else 2 if CHECKED or not COMPILED else 5
)
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


@pytest.fixture(scope="session")
def states() -> int:
    """How many random states a comparison runs through."""
    return 2 if not COMPILED else 4 if CHECKED else 20 if EVERYTHING else 5


def pytest_addoption(parser: pytest.Parser) -> None:
    help_text = "only tests of tests/branches.txt and changed files; 'candidates' for the list, see tests/branches.py"
    parser.addoption("--branches", nargs="?", const="listed", choices=("listed", "candidates"), help=help_text)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("hypothesis_seed", None) is None:
        config.option.hypothesis_seed = TODAY
    config.pluginmanager.register(Durations(config), "durations")
    if config.getoption("branches"):
        config.pluginmanager.register(Branches(config.getoption("branches")), "branches")


def pytest_report_header() -> str:
    return f"examples of {TODAY} (SEED={TODAY} has the same ones on another day)"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only ``make everything`` runs."""
    if not EVERYTHING:
        marks = ("everything", "plain") if COMPILED else ("everything",)
        left_out = [item for item in items if any(item.get_closest_marker(mark) for mark in marks)]
        if left_out:
            items[:] = [item for item in items if not any(item.get_closest_marker(mark) for mark in marks)]
            config.hook.pytest_deselected(items=left_out)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if not EVERYTHING:
        terminalreporter.write_line("long motions, all robots, all notebooks and more examples: make everything")
