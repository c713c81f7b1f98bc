"""One Hypothesis profile for all tests, and what lanes of continuous integration need to know."""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Generator
from typing import Any

import hypothesis
import pytest
from numba import config

from tests.durations import Durations

COMPILED = not config.DISABLE_JIT
CHECKED = bool(config.BOUNDSCHECK)  # with bounds checks

# Compilation, and a loaded machine, make times meaningless: no deadline, and data may be slow to come. Only the compiled
# lane looks for rare values; the others look at branches and at indices, for which few examples do. Without compilation each
# costs a thousand times more.
EXAMPLES = 10 if not COMPILED else 20 if CHECKED else 100
hypothesis.settings.register_profile(
    "pluecker",
    deadline=None,
    max_examples=EXAMPLES,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
hypothesis.settings.load_profile("pluecker")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Durations(config), "durations")


@pytest.fixture(scope="session")
def states() -> int:
    """How many random states a comparison runs through."""
    return 2 if not COMPILED else 4 if CHECKED else 20


# Coverage makes plain Python five times as slow. The cases of these files, hundreds, take the same branches time and again:
# the lane without compilation runs one in four of them, and coverage watches one in eight. Tests without parameters, and all
# other files, it runs and watches whole.
RUN, WATCHED = 4, 8
ALIKE = {
    "articulated/stepping": ("adaptive", "closed_forms", "dop853", "implicit", "orders", "rows"),
    "articulated": (
        "applied_forces", "arguments", "batches", "derivatives", "frames", "half_products", "inertia_factor",
        "operational_inertia",
    ),
    "contact": (
        "elimination", "first_order", "hard", "interior_point", "known_answers", "lcp", "lemke", "mixed", "restitution",
        "running", "solver", "steep_friction", "tolerance",
    ),
    "contact/constraints": ("rows",),
    "contact/geometry": ("distance",),
    "contact/piles": ("meshes_and_hulls",),
    "contact/world": ("accelerations", "motions", "mujoco_equalities", "shape_contact", "signature", "twin_singularities"),
    "spatial": ("elementwise", "every_function", "lie", "rotations"),
    "": ("costs",),
}  # fmt: skip
FILES = {
    os.path.join(os.path.dirname(__file__), folder, f"test_{name}.py") for folder in ALIKE for name in ALIKE[folder]
}


def is_one_in(count: int, item: pytest.Item) -> bool:
    """Whether a test is one of so many that are alike, or like no other."""
    alike = not COMPILED and str(item.path) in FILES and hasattr(item, "callspec")
    return not alike or zlib.crc32(item.nodeid.encode()) % count == 0


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Without the tracer of coverage, for what it does not watch. (pytest-cov's ``no_cover`` does nothing in workers.)"""
    tracer = sys.gettrace()
    if is_one_in(WATCHED, pyfuncitem) or type(tracer).__module__.split(".")[0] != "coverage":
        return (yield)
    sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)


# ----------------------------------------------------------------------------------------------------- files and workers

# What takes longest to compile is at one end, the rest at the other: see below.
FOLDERS = ("contact", "", "articulated", "spatial")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Files in the order in which they are handed out to workers; inside a file, tests stay in theirs. Some of those that
    are alike, where slow ones are left out.
    """
    here = os.path.dirname(__file__)
    if config.getoption("markexpr") == "not slow":
        left_out = [item for item in items if not is_one_in(RUN, item)]
        items[:] = [item for item in items if is_one_in(RUN, item)]
        if left_out:
            config.hook.pytest_deselected(items=left_out)

    def folder(item: pytest.Item) -> str:
        first, _, rest = os.path.relpath(item.path, here).partition(os.sep)
        return first if rest else ""

    items.sort(key=lambda item: FOLDERS.index(folder(item)) if folder(item) in FOLDERS else 1)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """``--dist loadfile``: the first worker takes files from the front, the second from the back, and so on.

    Workers share the code that they compile, by the cache on disk, but two that need the same function at the same time
    both compile it. From both ends of the list they go through different packages, and meet when most is compiled.
    """
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class FromBothEnds(LoadFileScheduling):
        def _assign_work_unit(self, node: Any) -> None:
            if self.nodes.index(node) % 2:
                self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
            super()._assign_work_unit(node)

    config.option.loadscopereorder = False
    return FromBothEnds(config, log)
